"""Whether a fit has room: what it will take of the memory, against what is free, before the work starts."""

from __future__ import annotations

from typing import NoReturn

from halflabel._arrays import Matrix, is_sparse
from halflabel._memory import free_memory
from halflabel.methods.auto import EFFORTS
from halflabel.methods.auto.budget import estimate_memory
from halflabel.table import OpenTable

#: Columns of the kernel that a method for positive-only labels holds, roughly.
LANDMARKS = 1000


def affordable_effort(opened: OpenTable, effort: str) -> tuple[str, tuple[str, ...]]:
    """Return the effort asked for, or the next cheaper one that has room with a sentence that says so.

    Raises
    ------
    ValueError
        If even the cheapest has no room.
    """
    free = free_memory()
    names = list(EFFORTS)[list(EFFORTS).index(effort) :: -1]
    needed = {name: estimate_memory(opened.X, opened.labels, name, grouped=opened.groups is not None) for name in names}
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
