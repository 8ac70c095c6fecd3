"""``papers/<key>.toml`` -> a paper, as far as a tier runs it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from halflabel.labels.metrics import METRICS
from halflabel.reproduction.claims import CHECKS
from halflabel.reproduction.protocols import MEASUREMENTS, PROTOCOLS, RULES_OF
from halflabel.reproduction.spec import TIERS, Claim, Experiment, Method, Paper, PrintedCell, SetSpec, SpecError


def papers() -> tuple[str, ...]:
    """Return the keys of the papers that come with the library."""
    return tuple(sorted(path.name.removesuffix(".toml") for path in _folder().iterdir() if path.name.endswith(".toml")))


def load_paper(key: str, tier: str = "full") -> Paper:
    """Read a paper's description as far as a tier runs it.

    Parameters
    ----------
    key : str
        One of :func:`papers`, or the path of a ``.toml`` file.
    tier : {"quick", "default", "full"}

    Raises
    ------
    SpecError
        If there is no such paper or tier, or the description names what it does not define.
    """
    if tier not in TIERS:
        raise SpecError(f"there is no tier {tier!r}: it is one of {', '.join(TIERS)}.")
    path = Path(key) if key.endswith(".toml") else None
    if path is None and key not in papers():
        raise SpecError(f"there is no paper {key!r}: known are {', '.join(papers())}.")
    text = (path or _folder() / f"{key}.toml").read_text()
    where = f"{key}.toml" if path is None else key
    try:
        return _paper(where, tomllib.loads(text), tier)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{where}: it is not TOML ({error}).") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise SpecError(f"{where}: it is no description of a paper; wrong or missing is {error}.") from None


def _paper(where: str, raw: dict[str, Any], tier: str) -> Paper:
    tiers = raw.pop("tiers", {})
    sets = {
        name: _check_set(where, SetSpec.read(f"{where}: sets.{name}", {"name": name, **each}))
        for name, each in raw["sets"].items()
    }
    methods = {
        name: Method.read(f"{where}: methods.{name}", {"name": name, **each, "steps": tuple(each["steps"])})
        for name, each in raw["methods"].items()
    }
    smaller = _overrides(where, tiers, tier, {each["key"] for each in raw["experiments"]})
    printed = {each["key"]: each.get("published", ()) for each in raw["experiments"]}
    experiments = tuple(
        _experiment(where, each, {**_printed_elsewhere(each, printed), **smaller.get(each["key"], {})}, sets, methods)
        for each in raw["experiments"]
        if smaller.get(each["key"], {}) != "skip"
    )
    claims = tuple(
        _check_claim(f"{where}: claims[{i}]", Claim.read(f"{where}: claims[{i}]", each), printed)
        for i, each in enumerate(raw.get("claims", ()))
    )
    replaced = {"sets": sets, "methods": methods, "experiments": experiments, "claims": claims}
    tuples = {name: tuple(raw.get(name, ())) for name in ("not_comparable", "classifier")}
    return Paper.read(where, {**raw, **replaced, **tuples})


def _overrides(where: str, tiers: Mapping[str, Any], tier: str, known: set[str]) -> Mapping[str, Any]:
    """Return what a tier changes per experiment; "full" is the file as it stands."""
    if unknown := [name for name in tiers if name not in TIERS[:2]]:
        raise SpecError(f"{where}: tiers.{unknown[0]}: only quick and default differ from the printed protocol.")
    changes: Mapping[str, Any] = tiers.get(tier, {})
    if astray := [name for name in changes if name not in known]:
        raise SpecError(f"{where}: tiers.{tier}: there is no experiment {astray[0]!r}.")
    return changes


def _printed_elsewhere(raw: Mapping[str, Any], printed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of ``printed_in`` under the names that methods have here."""
    if not (key := raw.get("printed_in")):
        return {}
    pairs = raw["printed_as"].items()
    return {"published": [{**c, "method": own} for own, theirs in pairs for c in printed[key] if c["method"] == theirs]}


def _printed(where: str, raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield printed numbers, given one by one or as whole tables; what a tier does not run is no cell of it."""
    yield from raw.get("published", ())
    for table in raw.pop("printed", ()):
        for name, *rest in table["rows"]:
            at, texts = dict(zip(table["at"], rest, strict=False)), rest[len(table["at"]) :]
            for method, text in zip(table["methods"], texts, strict=True):
                value, sd = _as_printed(where, text)
                yield {"method": method, "metric": table["metric"], "set": name, "at": at, "value": value, "sd": sd}


def _as_printed(where: str, text: str) -> tuple[float, float | None]:
    """Read a mean, and the standard deviation in parentheses behind it."""
    found = re.fullmatch(r"(-?[\d.]+)(?:\(([\d.]+)\))?", text)
    if not found:
        raise SpecError(f"{where}: {text!r} is no printed number; write it as 37.8 or 37.8(4.0).")
    return float(found[1]), float(found[2]) if found[2] else None


def _experiment(
    where: str,
    whole: Mapping[str, Any],
    changes: Mapping[str, Any],
    sets: Mapping[str, SetSpec],
    methods: Mapping[str, Method],
) -> Experiment:
    raw = {**whole, **changes}
    where = f"{where}: experiment {raw.get('key')!r}"
    chosen = {
        "sets": _matching(where, "set", raw["sets"], sets),
        "printed_sets": _matching(where, "set", whole["sets"], sets),
        "methods": _matching(where, "method", raw["methods"], methods),
        "metrics": tuple(raw["metrics"]),
        "curves": tuple(raw.get("curves", ())),
        "published": tuple(PrintedCell.read(f"{where}: published", each) for each in _printed(where, raw)),
    }
    experiment = Experiment.read(where, {**raw, **chosen})
    _check_names(where, experiment)
    for metric in {*experiment.tolerance, *experiment.unit, *(cell.metric for cell in experiment.published)}:
        if metric not in METRICS and metric not in experiment.metrics:
            raise SpecError(f"{where}: there is no metric {metric!r}.")
    return experiment


def _check_names(where: str, experiment: Experiment) -> None:
    """Refuse a name that nothing answers to, before anything runs."""
    rules = experiment.options.get("rules", ())
    known = {
        "protocol": ([experiment.protocol], PROTOCOLS),
        "metric": (experiment.metrics, [*METRICS, *MEASUREMENTS]),
        "threshold rule": (rules, RULES_OF.get(experiment.protocol, ())),
        "curve": (experiment.curves, [f"{m}{r}" for m in experiment.metrics for r in ("", *(f"@{r}" for r in rules))]),
        "average": ([experiment.average], ["set", "trial"]),
        "rows": ([experiment.rows], ["metric", "setting"]),
        "axis": ([experiment.x] if experiment.x else [], experiment.grid),
    }
    for what, (names, among) in known.items():
        if wrong := [name for name in names if name not in among]:
            raise SpecError(f"{where}: there is no {what} {wrong[0]!r}; known are {', '.join(among)}.")


def _check_claim(where: str, claim: Claim, experiments: Mapping[str, Any]) -> Claim:
    if claim.check and claim.check.get("kind") not in CHECKS:
        raise SpecError(f"{where}: there is no check {claim.check.get('kind')!r}; known are {', '.join(CHECKS)}.")
    if claim.check and claim.check.get("experiment") not in experiments:
        raise SpecError(f"{where}: there is no experiment {claim.check.get('experiment')!r}.")
    return claim


def _check_set(where: str, data: SetSpec) -> SetSpec:
    if not (data.files or data.make):
        raise SpecError(f"{where}: the set {data.name!r} has neither files nor a generator.")
    return data


def _matching(where: str, what: str, patterns: Iterable[str], known: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names that the patterns choose, in the order of the patterns, then of the file."""
    chosen: dict[str, None] = {}
    for pattern in patterns:
        found = [name for name in known if fnmatchcase(name, pattern)]
        if not found:
            raise SpecError(f"{where}: there is no {what} {pattern!r}; known are {', '.join(known)}.")
        chosen.update(dict.fromkeys(found))
    return tuple(chosen)


def _folder() -> Traversable:
    return resources.files("halflabel.reproduction") / "papers"
