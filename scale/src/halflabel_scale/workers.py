"""The place of the work on parts: this process, several processes, or a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from halflabel.processes import run_in_processes

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_jobs(function: Callable[[Job], Result], jobs: Sequence[Job], workers: int | str = 1) -> Iterator[Result]:
    """Yield the results of a function for each job, in the order in which they are ready.

    ``workers`` is a number of processes, or the address of a Dask scheduler whose workers see the same paths.
    """
    if isinstance(workers, str):
        yield from _run_on_dask(function, jobs, workers)
    elif workers > 1 and len(jobs) > 1:
        yield from run_in_processes(function, jobs, min(workers, len(jobs)))
    else:
        yield from map(function, jobs)


def check_workers(workers: int | str) -> None:
    """Raise before the work starts if such workers are not possible."""
    if isinstance(workers, int):
        if workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}.")
        return
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ValueError(
            "the address of a scheduler needs Dask, which is not installed: pip install distributed."
        ) from None


def _run_on_dask(function: Callable[[Job], Result], jobs: Sequence[Job], address: str) -> Iterator[Result]:
    from distributed import Client, as_completed

    try:
        client = Client(address, timeout="30s")
    except (OSError, ValueError) as error:
        raise ConnectionError(f"no Dask scheduler answers at {address} ({' '.join(str(error).split())}).") from None
    with client:
        for future in as_completed(client.map(function, jobs, pure=False)):
            yield future.result()
