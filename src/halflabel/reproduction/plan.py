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

from halflabel.reproduction.methods import filled_in
from halflabel.reproduction.spec import Experiment, Method, Paper, SetSpec


@dataclass(frozen=True)
class Run:
    """One cell of work. Its record is a function of these values, of the data and of the package's source.

    Parameters
    ----------
    paper, experiment, protocol, set, method : str
    source : mapping
        What :func:`halflabel.reproduction.sources.load` needs.
    steps : sequence of mapping
        Steps of the method, with every grid value in its place.
    helpers : mapping of str to mapping
        First steps of the methods that ``same_as`` refers to.
    metrics : tuple of str
    options, grid : mapping
    trial : int
    seed : tuple of int
        The same for every method, so that methods see the same draws.
    data : mapping of str to str
        Digest of every file that is read.
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
        """Digest of all that decides the record: this description, data, source or version of what is called."""
        used = sorted(set(_named((self.steps, self.helpers, self.source))))
        described = {**asdict(self), "code": source_digest(), "others' code": {name: _others(name) for name in used}}
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    @property
    def name(self) -> str:
        """Short form for a line of progress."""
        return f"{self.experiment}: {self.method} on {self.set}"


def plan(paper: Paper) -> list[Run]:
    """Return every run of a paper, in the order of its file."""
    return [run for experiment in paper.experiments for run in _runs(paper, experiment)]


def _runs(paper: Paper, experiment: Experiment) -> Iterator[Run]:
    grids = [dict(zip(experiment.grid, point, strict=True)) for point in itertools.product(*experiment.grid.values())]
    for name, trial, grid, method in itertools.product(
        experiment.sets, range(experiment.trials), grids, experiment.methods
    ):
        yield _run(paper, experiment, paper.sets[name], paper.methods[method], grid, trial)


def _run(
    paper: Paper, experiment: Experiment, data: SetSpec, method: Method, grid: Mapping[str, Any], trial: int
) -> Run:
    values = {**filled_in(dict(experiment.settings), grid), **grid}
    steps = tuple(filled_in(method.steps, values))
    helpers = {name: filled_in(paper.methods[name].steps[0], values) for name in _referred(steps)}
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
        options=filled_in({**experiment.options, **method.options}, values),
        grid=grid,
        trial=trial,
        seed=(zlib.crc32(f"{paper.key}/{data.name}".encode()), trial),
        data=dict(data.files),
    )


def _referred(value: Any) -> Iterator[str]:
    """Yield the methods that ``same_as`` names, at any depth."""
    if isinstance(value, Mapping):
        if "same_as" in value:
            yield value["same_as"]
        yield from (name for each in value.values() for name in _referred(each))
    elif isinstance(value, list | tuple):
        yield from (name for each in value for name in _referred(each))


#: What no record depends on: what is made of records, printed and drawn.
_BESIDE = ("report", "cli", "evaluation", "reproduction/page")
_AFTER = tuple(
    f"reproduction/{name}.py"
    for name in (
        "chance",
        "claims",
        "findings",
        "maps",
        "pages",
        "pictures",
        "published",
        "results",
        "significance",
        "tables",
    )
)


@cache
def source_digest() -> str:
    """Digest of the package's source, without the modules that only sum up, print and draw."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root).as_posix()
        if inside not in _AFTER and not inside.startswith(tuple(f"{folder}/" for folder in _BESIDE)):
            digest.update(inside.encode() + path.read_bytes())
    return digest.hexdigest()


def _named(value: Any) -> Iterator[str]:
    """Yield the top package of every import path of a description, at any depth."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key in ("use", "make") and each:
                yield str(each).partition(":")[0].partition(".")[0]
            yield from _named(each)
    elif isinstance(value, list | tuple):
        yield from (name for each in value for name in _named(each))


@cache
def _others(package: str) -> str:
    """Return the version of an installed package; of what has none, a user's own, the digest of its source."""
    if package == "halflabel":
        return ""
    try:
        return version({"sklearn": "scikit-learn"}.get(package, package))
    except PackageNotFoundError:
        return _digest_of(package)


def _digest_of(package: str) -> str:
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
