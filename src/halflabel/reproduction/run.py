"""Prepare the runs of a paper and carry them out: in parallel, resumable, one record per run."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from halflabel._progress import step
from halflabel._version import __version__
from halflabel.reproduction.load import load_paper
from halflabel.reproduction.plan import Run, plan_runs
from halflabel.reproduction.protocols import PROTOCOLS
from halflabel.reproduction.sources import Availability, add_digests, check_availability, describe_user_set
from halflabel.reproduction.spec import Experiment, Method, Paper, SetSpec, SpecError, import_object
from halflabel.reproduction.store import Record, Store


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A paper, the availability of its data, and its runs.

    Parameters
    ----------
    paper : Paper
        With the user's estimators and sets, if any.
    tier : str
    folder : Path or None
        Folder of the benchmark sets.
    sets : mapping of str to Availability
    runs : list of Run
        Every run, also if its set is missing.
    line : str
        The command that repeats it.
    """

    paper: Paper
    tier: str
    folder: Path | None
    sets: Mapping[str, Availability]
    runs: list[Run]
    line: str

    @property
    def startable(self) -> list[Run]:
        """The runs whose set is available."""
        return [run for run in self.runs if self.sets[run.set].usable]

    def estimate_seconds(self, runs: Sequence[Run]) -> float:
        """Return the time of these runs, one after the other, on the machine where the description was written."""
        return sum(self.paper.methods[run.method].seconds for run in runs)

    def estimate_megabytes(self, runs: Sequence[Run]) -> float:
        """Return the memory of the largest of these runs."""
        return max((self.paper.methods[run.method].megabytes for run in runs), default=0.0)

    def list_open_runs(self, store: Store) -> list[Run]:
        """Return the startable runs without figures; a run that failed or was skipped is tried again."""
        done = {key for key, record in store.read().items() if record.metrics}
        return [run for run in self.startable if run.key not in done]

    def run(self, store: Store, *, n_jobs: int = -1) -> list[Record]:
        """Do every open run, write each record at once, and return all records in the order of the runs.

        Parameters
        ----------
        store : Store
            Records are read from it and appended to it. Recorded runs are not repeated.
        n_jobs : int
            Processes, each with one BLAS thread; -1 for one per core.
        """
        with store.lock():
            self._run_open(self.list_open_runs(store), store, n_jobs)
            by_key = store.read()
            own = {run.key: by_key.pop(run.key) for run in self.startable}
            store.replace([*own.values(), *by_key.values()])  # keep the records of other commands on this folder
        return [own.get(run.key) or Record.of(run, skipped=self.sets[run.set].advice) for run in self.runs]

    def _run_open(self, todo: Sequence[Run], store: Store, n_jobs: int) -> None:
        """Run, longest first, so that no long run starts last; the unit of progress is an expected millisecond."""
        cost = {run.key: max(self.paper.methods[run.method].seconds, 0.01) for run in todo}
        todo = sorted(todo, key=lambda run: -cost[run.key])
        total, done = sum(cost.values()), 0.0
        step(f"{len(todo)} runs", 0, max(round(total * 1000), 1))
        for record in _run_in_parallel(todo, self.folder, n_jobs):
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
        A paper of :func:`halflabel.reproduction.load.list_papers`.
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
    paper = _add_methods(paper, [_describe_user_method(path, paper.classifier) for path in add])
    paper = _add_sets(paper, [describe_user_set(path, labels) for path, labels in data])
    used = {name for experiment in paper.experiments for name in experiment.sets}
    sets = {name: check_availability(paper.sets[name], folder, fetched=fetched) for name in paper.sets if name in used}
    own = [f"--add {path}" for path in add] + [f"--data {shlex.quote(str(path))}" for path, _ in data]
    own += [f"--labels {shlex.quote(','.join(names))}" for _, names in data[:1] if names]
    line = " ".join(["halflabel reproduce", key, *([] if tier == "default" else [f"--tier {tier}"]), *own])
    return Reproduction(paper, tier, folder, sets, plan_runs(paper), line)


def _describe_user_method(path: str, classifier: Sequence[Mapping[str, Any]]) -> Method:
    """Return a user's estimator as a method; after a transformer comes the paper's classifier."""
    kind = import_object(path)
    if not hasattr(kind, "fit"):
        raise SpecError(f"{path}: it has no fit method, so it is no estimator.")
    if not hasattr(kind, "predict") and not classifier:
        raise SpecError(f"{path}: it has no predict method, and this paper has no classifier to follow it.")
    steps = ({"use": path}, *(() if hasattr(kind, "predict") else classifier))
    return Method(path.partition(":")[2], steps, natural="its predict method", ours=True, note=f"{path}, from --add.")


def _add_methods(paper: Paper, added: Sequence[Method]) -> Paper:
    names = _check_additions("method", paper.methods, added)
    methods = {**paper.methods, **dict(zip(names, added, strict=True))}
    experiments = _change_open(paper, lambda each: replace(each, methods=each.methods + names))
    return replace(paper, methods=methods, experiments=experiments)


def _add_sets(paper: Paper, added: Sequence[SetSpec]) -> Paper:
    names = _check_additions("set", paper.sets, added)
    sets = {**paper.sets, **dict(zip(names, added, strict=True))}
    return replace(
        paper, sets=sets, experiments=_change_open(paper, lambda each: replace(each, sets=each.sets + names))
    )


def _check_additions(kind: str, known: Mapping[str, Any], added: Sequence[Method | SetSpec]) -> tuple[str, ...]:
    """Return the names of a user's methods or sets; raise if a name is used twice."""
    names = tuple(each.name for each in added)
    if twice := [name for name in names if name in known or names.count(name) > 1]:
        raise SpecError(f"there are two {kind}s of the name {twice[0]!r}: rename yours.")
    return names


def _change_open(paper: Paper, change: Callable[[Experiment], Experiment]) -> tuple[Experiment, ...]:
    return tuple(change(experiment) if experiment.open else experiment for experiment in paper.experiments)


# -- from a run to its record ------------------------------------------------------------


def _run_in_parallel(runs: Sequence[Run], folder: Path | None, n_jobs: int) -> Iterator[Record]:
    """Yield each record as soon as its run ends; a single worker needs no further process."""
    watch = partial(_end_with_parent, os.getpid())
    workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, initializer=watch)
    try:
        yield from workers(delayed(execute)(run, folder) for run in runs)
    except TerminatedWorkerError:
        raise MemoryError(
            "a process was killed, most likely because memory ran out: finished runs are kept; try --jobs 1."
        ) from None


def _end_with_parent(parent: int) -> None:
    """End this worker soon after the command ends, even if that was killed: a pipe to `tee` would stay open.

    Parameters
    ----------
    parent : int
        The process of the command. If it has ended already, a worker has another parent from the start.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def execute(run: Run, folder: Path | None) -> Record:
    """Do one run on one BLAS thread; an error in a method becomes part of its record, and other runs continue."""
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Estimators without a random_state use NumPy's global generator.
        np.random.seed(zlib.crc32(repr(run.seed).encode()))  # noqa: NPY002
        try:
            outcome = PROTOCOLS[run.protocol](run, folder)
        except (Exception, SystemExit) as error:  # a user's estimator may raise anything
            return Record.of(run, failed=f"{type(error).__name__}: {error}", made=_describe_making())
    facts = dict(outcome.facts)
    if notes := sorted({f"{each.category.__name__}: {each.message}" for each in caught if _concerns_result(each)}):
        facts["warnings"] = notes
    metrics = {name: float(value) for name, value in outcome.metrics.items()}
    return Record.of(run, metrics=metrics, facts=facts, seconds=dict(outcome.seconds), made=_describe_making())


def _concerns_result(caught: warnings.WarningMessage) -> bool:
    """Return whether a warning is about the result of a method, not about the future of a library."""
    return not issubclass(caught.category, DeprecationWarning | FutureWarning | ResourceWarning)


def _describe_making() -> dict[str, Any]:
    return {**_describe_environment(), "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


@cache
def _describe_environment() -> dict[str, Any]:
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {
        "halflabel": __version__,
        "commit": find_commit(Path(__file__).parents[1]),
        "python": platform.python_version(),
        **libraries,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def find_commit(package: Path) -> str:
    """Return the commit of a checkout of this library, with a + if files were changed since; else nothing.

    A package inside a repository of something else (an environment in a project's folder) has no commit of its own.
    """
    top = _ask_git(package, "rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() != package.resolve().parents[1] or package.parent.name != "src":
        return ""
    if not _ask_git(package, "ls-files", "__init__.py"):
        return ""
    return _ask_git(package, "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*")


def _ask_git(folder: Path, *question: str) -> str:
    """Return what git prints about the repository of a folder, whatever repository the environment names."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", os.fspath(folder), *question]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False, env=environment)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout.strip() if result.returncode == 0 else ""
