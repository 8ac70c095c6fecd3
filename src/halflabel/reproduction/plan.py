"""From a paper to the list of its runs."""

from __future__ import annotations

import hashlib
import itertools
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from halflabel.reproduction.spec import Experiment, Method, Paper, SetSpec, SpecError

#: Folders whose modules only summarise, print and draw. No record depends on them; it depends on every other module.
WITHOUT_EFFECT = ("cli", "evaluation", "report", "reproduction/page", "reproduction/verdicts", "review")


@dataclass(frozen=True)
class Run:
    """One unit of work. Its record is a function of these values, of the data and of the package's source.

    Parameters
    ----------
    paper, experiment, protocol, set, method : str
    source : mapping
        The input of :func:`halflabel.reproduction.sources.load_data`.
    steps : sequence of mapping
        Steps of the method, with every ``"$name"`` replaced.
    helpers : mapping of str to mapping
        First steps of the methods that ``same_as`` refers to.
    metrics : tuple of str
    options, grid : mapping
    trial : int
    seed : tuple of int
        The same for every method, so that all methods use the same splits.
    data : mapping of str to str
        Digest of every input file.
    """

    paper: str
    experiment: str
    protocol: str
    set: str
    method: str
    source: Mapping[str, Any]
    steps: tuple[Mapping[str, Any], ...]
    helpers: Mapping[str, Any]
    metrics: tuple[str, ...]
    options: Mapping[str, Any]
    grid: Mapping[str, Any]
    trial: int
    seed: tuple[int, ...]
    data: Mapping[str, str]

    @property
    def key(self) -> str:
        """Digest of everything that decides the record: this description, data, source, versions of other packages."""
        used = sorted(set(_list_packages((self.steps, self.helpers, self.source))))
        versions = {name: _package_version(name) for name in used}
        described = {**asdict(self), "code": source_digest(), "others' code": versions}
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


def plan_runs(paper: Paper) -> list[Run]:
    """Return every run of a paper, in the order of its file."""
    return [run for experiment in paper.experiments for run in _plan_experiment(paper, experiment)]


def _plan_experiment(paper: Paper, experiment: Experiment) -> Iterator[Run]:
    grids = [dict(zip(experiment.grid, point, strict=True)) for point in itertools.product(*experiment.grid.values())]
    for name, trial, grid, method in itertools.product(
        experiment.sets, range(experiment.trials), grids, experiment.methods
    ):
        yield _make_run(paper, experiment, paper.sets[name], paper.methods[method], grid, trial)


def _make_run(
    paper: Paper, experiment: Experiment, data: SetSpec, method: Method, grid: Mapping[str, Any], trial: int
) -> Run:
    values = {**substitute(dict(experiment.settings), grid), **grid}
    steps = tuple(substitute(method.steps, values))
    helpers = {name: substitute(paper.methods[name].steps[0], values) for name in _list_helpers(steps)}
    return Run(
        paper=paper.key,
        experiment=experiment.key,
        protocol=experiment.protocol,
        set=data.name,
        method=method.name,
        source={"name": data.name, "make": data.make, "settings": dict(data.settings), "fetch": data.fetch},
        steps=steps,
        helpers=helpers,
        metrics=experiment.metrics,
        options=substitute({**experiment.options, **method.options}, values),
        grid=grid,
        trial=trial,
        seed=(zlib.crc32(f"{paper.key}/{data.name}".encode()), trial),
        data=dict(data.files),
    )


def substitute(value: Any, values: Mapping[str, Any]) -> Any:
    """Return a description with every ``"$name"`` replaced by the value of that name.

    Examples
    --------
    >>> substitute([{"use": "m:C", "k": "$k", "scale": "$none"}], {"k": 8})
    [{'use': 'm:C', 'k': 8, 'scale': None}]
    """
    if isinstance(value, str) and value.startswith("$"):
        known = {**values, "none": None}
        if value[1:] not in known:
            raise SpecError(f"{value} has no value: grid and settings define {', '.join(values) or 'none'}.")
        return known[value[1:]]
    if isinstance(value, Mapping):
        return {key: substitute(each, values) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [substitute(each, values) for each in value]
    return value


def _list_helpers(value: Any) -> Iterator[str]:
    """Yield the methods in every ``same_as``, at any depth."""
    if isinstance(value, Mapping):
        if "same_as" in value:
            yield value["same_as"]
        yield from (name for each in value.values() for name in _list_helpers(each))
    elif isinstance(value, list | tuple):
        yield from (name for each in value for name in _list_helpers(each))


@cache
def source_digest(root: Path = Path(__file__).parents[1]) -> str:
    """Digest of the package's source, without the folders in :data:`WITHOUT_EFFECT`."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root).as_posix()
        if not inside.startswith(tuple(f"{folder}/" for folder in WITHOUT_EFFECT)):
            digest.update(inside.encode() + path.read_bytes())
    return digest.hexdigest()


def _list_packages(value: Any) -> Iterator[str]:
    """Yield the top package of every import path of a description, at any depth."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key in ("use", "make") and each:
                yield str(each).partition(":")[0].partition(".")[0]
            yield from _list_packages(each)
    elif isinstance(value, list | tuple):
        yield from (name for each in value for name in _list_packages(each))


@cache
def _package_version(package: str) -> str:
    """Return the version of an installed package; for a user's own package without one, the digest of its source."""
    if package == "halflabel":  # the source digest covers it
        return ""
    try:
        return version({"sklearn": "scikit-learn"}.get(package, package))
    except PackageNotFoundError:
        return _digest_package(package)


def _digest_package(package: str) -> str:
    """Digest every source file of a package, or the one file of a module."""
    spec = find_spec(package)
    folders = {Path(folder).resolve() for folder in (spec.submodule_search_locations or ())} if spec else set()
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    if spec and spec.origin and not folders:
        files = [Path(spec.origin)]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()
