"""The memory that this process can still take: every limit on sizes follows it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import inf
from pathlib import Path

#: Where Linux reports available memory, and the limits of a control group (a container, a batch job).
PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def free_memory() -> float:
    """Return the bytes that this process can still take, or infinity if the system does not report them.

    On Linux, this is the memory that is available without swapping. The limits of the control groups of the process
    (version 1 or 2) and of its address space (``ulimit -v``) can reduce it. Elsewhere it is all installed memory.
    """
    return min([_available(), _address_space(), *(_room_in_group(*group) for group in _control_groups())])


def _available() -> float:
    try:
        lines = dict(line.split(":", 1) for line in (PROC / "meminfo").read_text().splitlines())
        return 1024.0 * int(lines["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return inf


def _address_space() -> float:
    """Return what ``ulimit -v`` leaves, a common limit on batch systems."""
    try:
        import resource  # Unix only

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return inf
        pages = int((PROC / "self" / "statm").read_text().split()[0])
        return max(limit - pages * os.sysconf("SC_PAGE_SIZE"), 0)
    except (ImportError, OSError, ValueError, IndexError):
        return inf


def _control_groups() -> Iterator[tuple[Path, str, str, str]]:
    """Yield the folder of each group that holds this process, with the names of its limit, its use and its cache."""
    try:
        lines = [line.split(":", 2) for line in (PROC / "self" / "cgroup").read_text().splitlines()]
    except OSError:
        return
    for _, controllers, path in lines:
        if not controllers:
            top, names = GROUPS, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top, names = GROUPS / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        own = top / path.lstrip("/")  # inside a container the path may be the host's: then the top is its own
        yield from ((folder, *names) for folder in (own, *own.parents) if folder.is_relative_to(top))


def _room_in_group(folder: Path, limit: str, use: str, cache: str) -> float:
    """Return the limit of a group less the memory it holds, without cached files, which can be dropped."""
    try:
        maximum, used = (int((folder / name).read_text()) for name in (limit, use))
        statistics = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return max(maximum - used + int(statistics[cache]), 0)
    except (OSError, KeyError, ValueError):  # the file does not exist, or the limit is "max"
        return inf
