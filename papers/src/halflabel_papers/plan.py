"""From a paper to the list of its runs."""

from __future__ import annotations

import hashlib
import itertools
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from halflabel_papers.fingerprint import digest_code
from halflabel_papers.spec import Experiment, Method, Paper, SetSpec, SpecError


@dataclass(frozen=True)
class Run:
    """One unit of work. Its record is a function of these values, of the data and of the modules that it imports."""

    paper: str
    experiment: str
    #: A key of :data:`halflabel_papers.protocols.PROTOCOLS`, or the import path of such a function.
    protocol: str
    set: str
    method: str
    #: The input of :func:`halflabel_papers.sources.load_data`.
    source: Mapping[str, Any]
    #: Steps of the method, with every ``"$name"`` replaced.
    steps: tuple[Mapping[str, Any], ...]
    #: First steps of the methods that ``same_as`` refers to.
    helpers: Mapping[str, Any]
    metrics: tuple[str, ...]
    options: Mapping[str, Any]
    grid: Mapping[str, Any]
    trial: int
    #: The same for every method, so that all methods use the same splits.
    seed: tuple[int, ...]
    #: Digest of every input file.
    data: Mapping[str, str]

    @property
    def key(self) -> str:
        """Digest of everything that decides the record: this description, the data and the code that it uses."""
        used = sorted({*list_paths((self.steps, self.helpers, self.source)), *[self.protocol] * (":" in self.protocol)})
        described = {**asdict(self), "code": digest_code(tuple(used))}
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


def list_paths(value: Any) -> Iterator[str]:
    """Yield every import path of a description, at any depth."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key in ("use", "make") and each:
                yield str(each)
            yield from list_paths(each)
    elif isinstance(value, list | tuple):
        yield from (path for each in value for path in list_paths(each))


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
