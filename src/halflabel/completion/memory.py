"""Whether a fit has room: what it will take of the memory, against what is free, before the work starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import NoReturn

from halflabel._arrays import Matrix, is_sparse
from halflabel.methods.auto.budget import memory
from halflabel.methods.auto.task import EFFORTS
from halflabel.table import OpenTable

#: Columns of the kernel that a method for positive-only labels holds, roughly.
LANDMARKS = 1000

#: Where Linux tells what is free, and what a group of processes (a container, a batch job) may take.
PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def affordable_effort(opened: OpenTable, effort: str) -> tuple[str, tuple[str, ...]]:
    """Return the effort asked for, or the next cheaper one that has room with a sentence that says so.

    Raises
    ------
    ValueError
        If even the cheapest has no room.
    """
    free = free_memory()
    names = list(EFFORTS)[list(EFFORTS).index(effort) :: -1]
    needed = {name: memory(opened.X, opened.labels, name, grouped=opened.groups is not None) for name in names}
    taken = next((name for name in names if needed[name] <= free), None)
    if taken is None:
        _refuse(opened, needed[names[-1]], free, f" even with effort={names[-1]!r} (--effort {names[-1]})")
    if taken == effort:
        return effort, ()
    return taken, (
        f"effort={effort!r} needs about {_gib(needed[effort])} of memory, but {_gib(free)} are free: "
        f"effort={taken!r} was taken instead, which needs about {_gib(needed[taken])}.",
    )


def refuse_beyond_memory(opened: OpenTable) -> None:
    """Refuse what would end in a crash hours later; a rough bound for a method of any kind."""
    n, n_labels = opened.labels.shape
    X: Matrix = opened.X
    features = 3 * (X.data.nbytes if is_sparse(X) else X.nbytes)
    kernel = 3 * n * min(n, LANDMARKS) * 8 if opened.labels.positive_only else n * 15 * 12 * 4
    tables = (29 if opened.labels.positive_only else 20) * n * n_labels * 8
    if (needed := features + kernel + tables) > (free := free_memory()):
        _refuse(opened, needed, free)


def _refuse(opened: OpenTable, needed: float, free: float, how: str = "") -> NoReturn:
    n, n_labels = opened.labels.shape
    raise ValueError(
        f"{n:,} items with {opened.X.shape[1]:,} features and {n_labels:,} labels need about {_gib(needed)} of memory"
        f"{how}, but {_gib(free)} are free: complete a random part of the items and label the others with the saved "
        "model (halflabel predict), or take fewer labels or features."
    )


def _gib(size: float) -> str:
    return f"{size / 2**30:.1f} GiB"


def free_memory() -> float:
    """Return the bytes that this process can still take; infinite where the system does not tell.

    On Linux what is available without swapping, or what the control groups of the process (version 1 or 2) leave of
    their limits, if that is less; elsewhere all that is installed.
    """
    return min([_available(), *(_room(*group) for group in _control_groups())])


def _available() -> float:
    try:
        told = dict(line.split(":", 1) for line in (PROC / "meminfo").read_text().splitlines())
        return 1024.0 * int(told["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return inf


def _control_groups() -> Iterator[tuple[Path, str, str, str]]:
    """Yield the folder of each group that holds this process, with the names of its limit, its use and its cache."""
    try:
        told = [line.split(":", 2) for line in (PROC / "self" / "cgroup").read_text().splitlines()]
    except OSError:
        return
    for _, controllers, path in told:
        if not controllers:
            top, names = GROUPS, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top, names = GROUPS / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        own = top / path.lstrip("/")  # inside a container the path may be the host's: then the top is its own
        yield from ((folder, *names) for folder in (own, *own.parents) if folder.is_relative_to(top))


def _room(folder: Path, limit: str, use: str, cache: str) -> float:
    """Return the limit of a group less what it holds, files that can be dropped aside."""
    try:
        most, used = (int((folder / name).read_text()) for name in (limit, use))
        told = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return max(most - used + int(told[cache]), 0)
    except (OSError, KeyError, ValueError):  # nobody tells, or the limit is "max"
        return inf
