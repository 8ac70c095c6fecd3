"""reproduce(): the runs of a paper, in parallel, resumable, and their records."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from halflabel._progress import step
from halflabel.reproduction.loading import load_paper
from halflabel.reproduction.methods import user_method
from halflabel.reproduction.plan import Run, plan
from halflabel.reproduction.sources import Availability, availability, identified, user_set
from halflabel.reproduction.spec import Experiment, Paper, SpecError
from halflabel.reproduction.store import Record, Store, execute


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A paper, what of it can be run here, and the runs.

    Parameters
    ----------
    paper : Paper
        With the user's estimators and sets, if any.
    tier : str
    folder : Path or None
        Folder of the benchmark sets.
    sets : mapping of str to Availability
    runs : list of Run
        Every run, also those whose set is not there.
    line : str
        The command that does the same.
    """

    paper: Paper
    tier: str
    folder: Path | None
    sets: Mapping[str, Availability]
    runs: list[Run]
    line: str

    @property
    def startable(self) -> list[Run]:
        """The runs whose set is there."""
        return [run for run in self.runs if self.sets[run.set].usable]

    def seconds(self, runs: Sequence[Run]) -> float:
        """Return what these runs took where the paper's description was written, one after the other."""
        return sum(self.paper.methods[run.method].seconds for run in runs)

    def megabytes(self, runs: Sequence[Run]) -> float:
        """Return the memory of the largest of these runs."""
        return max((self.paper.methods[run.method].megabytes for run in runs), default=0.0)

    def open_runs(self, store: Store) -> list[Run]:
        """Return the startable runs without figures; a run that failed or was skipped is tried again."""
        done = {key for key, record in store.read().items() if record.metrics}
        return [run for run in self.startable if run.key not in done]

    def run(self, store: Store, *, n_jobs: int = -1) -> list[Record]:
        """Do every open run, keep each record as soon as it is there, and return all records in the order of the runs.

        Parameters
        ----------
        store : Store
            Where records are read from and appended to. Runs recorded there are not repeated.
        n_jobs : int
            Processes, each with one BLAS thread; -1 for one per core.
        """
        with store.alone():
            self._work_off(self.open_runs(store), store, n_jobs)
            by_key = store.read()
            found = {run.key: by_key.pop(run.key) for run in self.startable}
            store.replace([*found.values(), *by_key.values()])  # those of other lines on this folder stay
        return [found.get(run.key) or Record.of(run, skipped=self.sets[run.set].advice) for run in self.runs]

    def _work_off(self, todo: Sequence[Run], store: Store, n_jobs: int) -> None:
        """Run, longest first, so that no long run starts last; progress is counted in expected seconds."""
        cost = {run.key: max(self.paper.methods[run.method].seconds, 0.01) for run in todo}
        todo = sorted(todo, key=lambda run: -cost[run.key])
        total, done = sum(cost.values()), 0.0
        step(f"{len(todo)} runs", 0, max(round(total * 1000), 1))
        for record in _in_parallel(todo, self.folder, n_jobs):
            if record.key not in cost:
                raise ValueError("the source of a method changed while runs were under way: start the same line again.")
            store.append(record)
            done += cost[record.key]
            step(f"{len(todo)} runs", round(done * 1000), max(round(total * 1000), 1))


def _in_parallel(runs: Sequence[Run], folder: Path | None, n_jobs: int) -> Iterator[Record]:
    """Yield records as they come; no processes are started for a single worker."""
    workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    try:
        yield from workers(delayed(execute)(run, folder) for run in runs)
    except TerminatedWorkerError:
        raise MemoryError(
            "a process was killed, most likely for want of memory: what is done is kept; try --jobs 1."
        ) from None


def prepare(
    key: str,
    tier: str = "default",
    *,
    folder: Path | None = None,
    add: Sequence[str] = (),
    data: Sequence[tuple[Path, tuple[str, ...]]] = (),
    fetched: bool = False,
) -> Reproduction:
    """Return what ``halflabel reproduce`` would run, before anything runs.

    Parameters
    ----------
    key : str
        A paper of :func:`halflabel.experiments.papers`.
    tier : {"quick", "default", "full"}
    folder : Path, optional
        Folder of the benchmark sets.
    add : sequence of str
        Import paths of a user's estimators, which join every table.
    data : sequence of (Path, tuple of str)
        A user's files and the names of their labels (empty where the file declares them), which join every table.
    fetched : bool
        Get from OpenML what is not there.
    """
    paper = load_paper(key, tier)
    paper = replace(paper, sets={name: identified(spec, folder) for name, spec in paper.sets.items()})
    paper = _with_methods(paper, [user_method(path, paper.classifier) for path in add])
    paper = _with_sets(paper, [user_set(path, labels) for path, labels in data])
    used = {name for experiment in paper.experiments for name in experiment.sets}
    sets = {name: availability(paper.sets[name], folder, fetched=fetched) for name in paper.sets if name in used}
    own = [f"--add {path}" for path in add] + [f"--data {shlex.quote(str(path))}" for path, _ in data]
    own += [f"--labels {shlex.quote(','.join(names))}" for _, names in data[:1] if names]
    line = " ".join(["halflabel reproduce", key, *([] if tier == "default" else [f"--tier {tier}"]), *own])
    return Reproduction(paper, tier, folder, sets, plan(paper), line)


def _with_methods(paper: Paper, added: Sequence[Any]) -> Paper:
    _refuse_twice("method", [*paper.methods, *(method.name for method in added)])
    methods = {**paper.methods, **{method.name: method for method in added}}
    names = tuple(method.name for method in added)
    return replace(paper, methods=methods, experiments=_each(paper, lambda e: replace(e, methods=e.methods + names)))


def _with_sets(paper: Paper, added: Sequence[Any]) -> Paper:
    _refuse_twice("set", [*paper.sets, *(each.name for each in added)])
    sets = {**paper.sets, **{each.name: each for each in added}}
    names = tuple(each.name for each in added)
    return replace(paper, sets=sets, experiments=_each(paper, lambda e: replace(e, sets=e.sets + names)))


def _refuse_twice(what: str, names: Sequence[str]) -> None:
    if twice := [name for name in names if names.count(name) > 1]:
        raise SpecError(f"there are two {what}s of the name {twice[0]!r}: rename yours.")


def _each(paper: Paper, change: Callable[[Experiment], Experiment]) -> tuple[Experiment, ...]:
    return tuple(change(experiment) if experiment.open else experiment for experiment in paper.experiments)
