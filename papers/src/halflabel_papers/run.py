"""Prepare the runs of a paper and carry them out: in parallel, resumable, one record per run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean

from halflabel.plugins import step
from halflabel.processes import run_in_processes
from halflabel_papers.additions import add_methods, add_sets, describe_user_method
from halflabel_papers.execute import execute
from halflabel_papers.load import load_paper
from halflabel_papers.plan import Run, plan_runs
from halflabel_papers.sources import Availability, add_digests, check_availability, describe_user_set
from halflabel_papers.spec import Paper, SpecError
from halflabel_papers.store import Record, Store


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A paper, the availability of its data, and its runs."""

    #: As the user named the paper.
    key: str
    #: With the user's estimators and sets, if any.
    paper: Paper
    tier: str
    #: Folder of the benchmark sets.
    folder: Path | None
    sets: Mapping[str, Availability]
    #: Every run, also if its set is missing.
    runs: list[Run]
    #: The command that repeats it.
    line: str
    #: Records of earlier runs, from which the time of others is estimated.
    earlier: Sequence[Record] = ()

    @property
    def startable(self) -> list[Run]:
        """The runs whose set is available."""
        return [run for run in self.runs if self.sets[run.set].usable]

    def estimate_seconds(self, runs: Sequence[Run]) -> list[float]:
        """Return the time of each run: the mean on its set, else on all sets of its table, else as described."""
        known: dict[tuple[str, str], dict[str, list[float]]] = {}
        for one in self.earlier:
            if seconds := one.seconds.get("fit", 0.0) + one.seconds.get("predict", 0.0):
                known.setdefault((one.experiment, one.method), {}).setdefault(one.set, []).append(seconds)
        expected = []
        for run in runs:
            by_set = known.get((run.experiment, run.method), {})
            own = by_set.get(run.set) or [seconds for each in by_set.values() for seconds in each]
            expected.append(fmean(own) if own else self.paper.methods[run.method].seconds)
        return expected

    def estimate_megabytes(self, runs: Sequence[Run]) -> float:
        """Return the memory of the largest of these runs."""
        return max((self.paper.methods[run.method].megabytes for run in runs), default=0.0)

    def list_open_runs(self, store: Store, only: Sequence[str] = ()) -> list[Run]:
        """Return the startable runs without figures. A run that failed or was skipped is tried again.

        Raises
        ------
        SpecError
            If ``only`` names an experiment that there is not.
        """
        known = [experiment.key for experiment in self.paper.experiments]
        if unknown := [key for key in only if key not in known]:
            raise SpecError(f"there is no experiment {unknown[0]!r} in this tier; there are {', '.join(known)}.")
        done = {key for key, record in store.read().items() if record.metrics}
        chosen = only or known
        return [run for run in self.startable if run.experiment in chosen and run.key not in done]

    def run(
        self, store: Store, *, n_jobs: int = -1, only: Sequence[str] = (), limit: float | None = None
    ) -> list[Record]:
        """Do every open run, write each record at once, and return all records in the order of the runs.

        Parameters
        ----------
        store : Store
            Records are read from it and appended to it. Recorded runs are not repeated.
        n_jobs : int
            Processes, each with one BLAS thread; -1 for one per core.
        only : sequence of str
            Keys of the experiments that are run; by default all. Records of others are kept.
        limit : float, optional
            Maximum number of seconds of one run.
        """
        with store.lock():
            self._run_open(self.list_open_runs(store, only), store, n_jobs, limit)
            by_key = store.read()
            own = {run.key: by_key.pop(run.key) for run in self.startable if run.key in by_key}
            store.replace([*own.values(), *by_key.values()])  # keep the records of other commands on this folder
        return [own.get(run.key) or Record.of(run, skipped=self._explain_gap(run)) for run in self.runs]

    def _explain_gap(self, run: Run) -> str:
        state = self.sets[run.set]
        return "another experiment was named with --only" if state.usable else state.advice

    def _run_open(self, todo: Sequence[Run], store: Store, n_jobs: int, limit: float | None) -> None:
        """Run, longest first, so that no long run starts last. The unit of progress is an expected millisecond."""
        cost = {run.key: max(one, 0.01) for run, one in zip(todo, self.estimate_seconds(todo), strict=True)}
        todo = sorted(todo, key=lambda run: -cost[run.key])
        total, done = sum(cost.values()), 0.0
        step(f"{len(todo)} runs", 0, max(round(total * 1000), 1))
        do = partial(execute, folder=self.folder, limit=limit)
        for record in run_in_processes(do, todo, n_jobs):
            if record.key not in cost:
                raise ValueError("the source of a method changed during the runs: start the same command again.")
            store.append(record)
            done += cost[record.key]
            step(f"{len(todo)} runs", round(done * 1000), max(round(total * 1000), 1))


# -- from a paper to its runs ------------------------------------------------------------


def prepare(
    key: str,
    tier: str = "default",
    *,
    folder: Path | None = None,
    add: Sequence[str] = (),
    data: Sequence[tuple[Path, tuple[str, ...]]] = (),
    fetched: bool = False,
) -> Reproduction:
    """Return the runs of ``halflabel reproduce``, before anything runs.

    Parameters
    ----------
    key : str
        A paper of :func:`halflabel_papers.load.list_papers`.
    tier : {"quick", "default", "full"}
    folder : Path, optional
        Folder of the benchmark sets.
    add : sequence of str
        Import paths of a user's estimators, which are added to every open table.
    data : sequence of (Path, tuple of str)
        A user's files and the names of their labels (empty if the file declares them), which are added to every open
        table.
    fetched : bool
        Download missing sets from OpenML.
    """
    paper = load_paper(key, tier)
    paper = replace(paper, sets={name: add_digests(spec, folder) for name, spec in paper.sets.items()})
    paper = add_methods(paper, [describe_user_method(path, paper.classifier) for path in add])
    paper = add_sets(paper, [describe_user_set(path, labels) for path, labels in data])
    used = {name for experiment in paper.experiments for name in experiment.sets}
    sets = {name: check_availability(paper.sets[name], folder, fetched=fetched) for name in paper.sets if name in used}
    own = [f"--add {shlex.quote(path)}" for path in add] + [f"--data {shlex.quote(str(path))}" for path, _ in data]
    own += [f"--labels {shlex.quote(','.join(names))}" for _, names in data] if any(names for _, names in data) else []
    line = " ".join(["halflabel reproduce", key, *([] if tier == "default" else [f"--tier {tier}"]), *own])
    return Reproduction(key, paper, tier, folder, sets, plan_runs(paper), line)
