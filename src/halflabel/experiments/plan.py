"""From a paper to the list of its runs."""

from __future__ import annotations

import hashlib
import itertools
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import halflabel
from halflabel.experiments.methods import filled_in
from halflabel.experiments.spec import Experiment, Method, Paper, SetSpec

__all__ = ["Run", "plan", "source_digest"]


@dataclass(frozen=True)
class Run:
    """One cell of work. Its record is a function of these values, of the data and of the package's source.

    Parameters
    ----------
    paper, experiment, protocol, set, method : str
    source : mapping
        What :func:`halflabel.experiments.sources.load` needs.
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
        """Digest of all that decides the record: this description, the data, the source of what is called."""
        described = {**asdict(self), "code": source_digest(), "user's code": _own_code(self.steps)}
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
_BESIDE = ("report", "cli", "papers")
_AFTER = ("claims", "comparisons", "pages", "published", "results", "significance", "tables")


@cache
def source_digest() -> str:
    """Digest of the package's source, without the modules that only sum up, print and draw."""
    root = Path(halflabel.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root)
        if inside.parts[0].removesuffix(".py") not in _BESIDE and inside.stem not in _AFTER:
            digest.update(inside.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _own_code(steps: tuple[Mapping[str, Any], ...]) -> dict[str, str]:
    """Digest the modules of estimators that are neither ours nor an installed library's (those have versions)."""
    modules = {str(step["use"]).partition(":")[0] for step in steps}
    own = {}
    for module in sorted(modules):
        if module.partition(".")[0] not in ("halflabel", "sklearn"):
            path = getattr(__import__(module, fromlist=["_"]), "__file__", None)
            own[module] = hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
    return own
