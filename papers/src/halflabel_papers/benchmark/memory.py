"""The memory of a part of a process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STATUS = Path("/proc/self/status")

#: Linux sets the maximum back to the present memory when a process writes RESET here.
CLEAR = Path("/proc/self/clear_refs")
RESET = "5"


@contextmanager
def measure_peak() -> Iterator[dict[str, int]]:
    """Yield a mapping that gets ``megabytes``: how far the memory rises in the block.

    It stays empty on other systems than Linux.

    Examples
    --------
    >>> with measure_peak() as memory:
    ...     _ = bytearray(50_000_000)
    >>> memory.get("megabytes", 50) >= 45
    True
    """
    found: dict[str, int] = {}
    try:
        CLEAR.write_text(RESET)
        before = _read("VmRSS")
    except OSError:
        yield found
        return
    yield found
    found["megabytes"] = round((_read("VmHWM") - before) / 1e3)


def _read(name: str) -> int:
    """Return a line of the status of this process, in kilobytes."""
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
