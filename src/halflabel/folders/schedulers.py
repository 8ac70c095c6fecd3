"""The place of the work on parts: this process, several processes, or a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from halflabel._wording import keep_wording, option
from halflabel.processes import run_in_processes

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_jobs(
    function: Callable[[Job], Result], jobs: Sequence[Job], *, workers: int = 1, scheduler: str | None = None
) -> Iterator[Result]:
    """Yield the results of a function for each job, in the order in which they are ready.

    The function is in an importable module: workers import it, and keep its caches. The workers are processes on this
    machine, or the workers of a Dask cluster with a scheduler at this address, which see the same paths.
    """
    function = keep_wording(function)
    if scheduler is not None:
        yield from _run_on_dask(function, jobs, scheduler)
    elif workers > 1 and len(jobs) > 1:
        yield from run_in_processes(function, jobs, min(workers, len(jobs)))
    else:
        yield from map(function, jobs)


def check_scheduler(workers: int, scheduler: str | None) -> None:
    """Raise before the work starts if such workers are not possible."""
    if workers < 1:
        raise ValueError(f"{option('workers')} must be at least 1, not {workers}.")
    if scheduler is None:
        return
    if workers > 1:
        raise ValueError(
            f"{option('workers')} is about this machine, and {option('scheduler')} about a cluster: give one of them."
        )
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ValueError(
            f"{option('scheduler')} needs Dask, which is not installed: pip install 'halflabel[dask]'."
        ) from None


def _run_on_dask(function: Callable[[Any], Any], jobs: Sequence[Any], address: str) -> Iterator[Any]:
    from distributed import Client, as_completed

    try:
        client = Client(address, timeout="30s")
    except (OSError, ValueError) as error:
        raise ConnectionError(f"no Dask scheduler answers at {address} ({' '.join(str(error).split())}).") from None
    with client:
        futures = client.map(function, jobs, pure=False)
        for future in as_completed(futures):
            yield future.result()
            future.release()
