"""Read the papers of this package (``specs/<key>.toml``) and find their published pages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from halflabel_papers.metrics import METRICS
from halflabel_papers.protocols import MEASUREMENTS, PROTOCOLS, RULES_OF
from halflabel_papers.spec import TIERS, Claim, Experiment, Method, Paper, PrintedCell, SetSpec, SpecError
from halflabel_papers.verdicts.claims import CHECKS

_PACKAGE = Path(__file__).parent

#: Folders of the published pages: in an installed package, and in a checkout.
_PAGES = (_PACKAGE / "pages", _PACKAGE.parents[2] / "docs" / "reproduction")


def list_papers() -> tuple[str, ...]:
    """Return the keys of the papers that come with the library."""
    names = (path.name for path in _paper_folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def find_published_page(key: str, file: str = "index.html") -> Path:
    """Return the HTML page of a paper that comes with the library, or another file of its folder.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    for page in (folder / key / file for folder in _PAGES):
        if page.is_file():
            return page
    what = "page" if file == "index.html" else file
    raise FileNotFoundError(f"no {what} of {key!r} comes with halflabel: run `halflabel reproduce {key}`.")


def load_paper(key: str, tier: str = "full") -> Paper:
    """Read the part of a paper's description that a tier runs.

    Parameters
    ----------
    key : str
        One of :func:`list_papers`, or the path of a ``.toml`` file.
    tier : {"quick", "default", "full"}

    Raises
    ------
    SpecError
        If there is no such paper or tier, or the description uses an undefined name.
    """
    if tier not in TIERS:
        raise SpecError(f"there is no tier {tier!r}: it is one of {', '.join(TIERS)}.")
    path = Path(key) if key.endswith(".toml") else None
    if path is None and key not in list_papers():
        raise SpecError(f"there is no paper {key!r}: known are {', '.join(list_papers())}.")
    text = (path or _paper_folder() / f"{key}.toml").read_text()
    where = f"{key}.toml" if path is None else key
    try:
        return _read_paper(where, tomllib.loads(text), tier)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{where}: the file is not valid TOML ({error}).") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise SpecError(f"{where}: the file does not describe a paper; wrong or missing is {error}.") from None


def _paper_folder() -> Traversable:
    return resources.files("halflabel_papers") / "specs"


def _read_paper(where: str, raw: dict[str, Any], tier: str) -> Paper:
    tiers = raw.pop("tiers", {})
    sets = {
        name: _check_set(where, SetSpec.read(f"{where}: sets.{name}", {"name": name, **each}))
        for name, each in raw["sets"].items()
    }
    methods = {
        name: Method.read(f"{where}: methods.{name}", {"name": name, **each, "steps": tuple(each["steps"])})
        for name, each in raw["methods"].items()
    }
    changes = _tier_changes(where, tiers, tier, {each["key"] for each in raw["experiments"]})
    printed = {each["key"]: list(_read_printed(where, dict(each))) for each in raw["experiments"]}
    experiments = tuple(
        _read_experiment(where, each, {**_reuse_printed(each, printed), **changes.get(each["key"], {})}, sets, methods)
        for each in raw["experiments"]
        if changes.get(each["key"]) != "skip"
    )
    claims = tuple(
        _check_claim(f"{where}: claims[{i}]", Claim.read(f"{where}: claims[{i}]", each), printed)
        for i, each in enumerate(raw.get("claims", ()))
    )
    replaced = {"sets": sets, "methods": methods, "experiments": experiments, "claims": claims}
    tuples = {name: tuple(raw.get(name, ())) for name in ("not_comparable", "classifier")}
    return Paper.read(where, {**raw, **replaced, **tuples})


def _tier_changes(where: str, tiers: Mapping[str, Any], tier: str, known: set[str]) -> Mapping[str, Any]:
    """Return the changes of a tier per experiment. The tier "full" has no changes."""
    if unknown := [name for name in tiers if name not in TIERS[:2]]:
        raise SpecError(f"{where}: tiers.{unknown[0]}: only quick and default differ from the printed protocol.")
    changes: Mapping[str, Any] = tiers.get(tier, {})
    if unknown := [name for name in changes if name not in known]:
        raise SpecError(f"{where}: tiers.{tier}: there is no experiment {unknown[0]!r}.")
    return changes


def _reuse_printed(raw: Mapping[str, Any], printed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the printed numbers of ``printed_in`` that this experiment measures, under the names of its methods."""
    if not (key := raw.get("printed_in")):
        return {}
    measured = [cell for cell in printed[key] if cell["metric"] in raw["metrics"]]
    pairs = raw["printed_as"].items()
    return {"published": [{**c, "method": own} for own, theirs in pairs for c in measured if c["method"] == theirs]}


def _read_printed(where: str, raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the printed numbers of an experiment. The file has them one by one or as whole tables."""
    yield from raw.get("published", ())
    for table in raw.pop("printed", ()):
        for name, *rest in table["rows"]:
            at, texts = dict(zip(table["at"], rest, strict=False)), rest[len(table["at"]) :]
            for method, text in zip(table["methods"], texts, strict=True):
                value, sd = _parse_number(where, text)
                yield {"method": method, "metric": table["metric"], "set": name, "at": at, "value": value, "sd": sd}


def _parse_number(where: str, text: str) -> tuple[float, float | None]:
    """Return a mean, and the standard deviation in the parentheses after it."""
    match = re.fullmatch(r"(-?[\d.]+)(?:\(([\d.]+)\))?", text)
    if not match:
        raise SpecError(f"{where}: {text!r} is not a printed number; write it as 37.8 or 37.8(4.0).")
    return float(match[1]), float(match[2]) if match[2] else None


def _read_experiment(
    where: str,
    whole: Mapping[str, Any],
    changes: Mapping[str, Any],
    sets: Mapping[str, SetSpec],
    methods: Mapping[str, Method],
) -> Experiment:
    raw = {**whole, **changes}
    where = f"{where}: experiment {raw.get('key')!r}"
    chosen = {
        "sets": _match_names(where, "set", raw["sets"], sets),
        "printed_sets": _match_names(where, "set", whole["sets"], sets),
        "methods": _match_names(where, "method", raw["methods"], methods),
        "metrics": tuple(raw["metrics"]),
        "curves": tuple(raw.get("curves", ())),
        "published": tuple(PrintedCell.read(f"{where}: published", each) for each in _read_printed(where, raw)),
    }
    experiment = Experiment.read(where, {**raw, **chosen})
    _check_names(where, experiment)
    for metric in {*experiment.tolerance, *experiment.unit, *(cell.metric for cell in experiment.published)}:
        if metric not in METRICS and metric not in experiment.metrics:
            raise SpecError(f"{where}: there is no metric {metric!r}.")
    return experiment


def _check_names(where: str, experiment: Experiment) -> None:
    """Raise if the experiment uses an undefined name, before anything runs."""
    rules = experiment.options.get("rules", ())
    known = {
        "protocol": ([experiment.protocol], PROTOCOLS),
        "metric": (experiment.metrics if experiment.protocol != "study" else (), [*METRICS, *MEASUREMENTS]),
        "threshold rule": (rules, RULES_OF.get(experiment.protocol, ())),
        "curve": (experiment.curves, [f"{m}{r}" for m in experiment.metrics for r in ("", *(f"@{r}" for r in rules))]),
        "average": ([experiment.average], ["set", "trial"]),
        "rows": ([experiment.rows], ["metric", "setting"]),
        "axis": ([experiment.x] if experiment.x else [], experiment.grid),
    }
    if experiment.protocol == "study" and experiment.open:
        raise SpecError(f"{where}: a study predicts nothing, so that no model can be added: write open = false.")
    for what, (names, defined) in known.items():
        if wrong := [name for name in names if name not in defined]:
            raise SpecError(f"{where}: there is no {what} {wrong[0]!r}; known are {', '.join(defined)}.")


def _check_claim(where: str, claim: Claim, experiments: Mapping[str, Any]) -> Claim:
    if claim.check.get("kind") not in CHECKS:
        raise SpecError(f"{where}: there is no check {claim.check.get('kind')!r}; known are {', '.join(CHECKS)}.")
    if claim.check.get("experiment") not in experiments:
        raise SpecError(f"{where}: there is no experiment {claim.check.get('experiment')!r}.")
    return claim


def _check_set(where: str, data: SetSpec) -> SetSpec:
    if not (data.files or data.make):
        raise SpecError(f"{where}: the set {data.name!r} has neither files nor a generator.")
    return data


def _match_names(where: str, what: str, patterns: Iterable[str], known: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names that match a pattern, in the order of the patterns, then of the file."""
    chosen: dict[str, None] = {}
    for pattern in patterns:
        matching = [name for name in known if fnmatchcase(name, pattern)]
        if not matching:
            raise SpecError(f"{where}: there is no {what} {pattern!r}; known are {', '.join(known)}.")
        chosen.update(dict.fromkeys(matching))
    return tuple(chosen)
