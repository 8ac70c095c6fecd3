"""How many threads BLAS and OpenMP use: one rule for all methods."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController

#: Matrices of fewer cells than this are worked on by one thread.
MIN_CELLS = 5_000_000

#: Number of columns of a typical kernel map: a method with a kernel on n items counts n times as many cells.
KERNEL_COLUMNS = 1000


@cache
def _list_libraries() -> ThreadpoolController:
    """Return the libraries of this process that have threads, searched once: a search takes as long as a small fit."""
    return ThreadpoolController()


def limit_threads(n_rows: int, n_columns: int = KERNEL_COLUMNS) -> AbstractContextManager[object]:
    """Return a context in which BLAS and OpenMP use one thread if the matrices are small.

    On small matrices more threads cost more than they save, and much more on a busy machine. The numbers are the shape
    of the largest matrix that the work inside the context multiplies or factorises.
    """
    limit = 1 if n_rows * n_columns < MIN_CELLS else None
    context: AbstractContextManager[object] = _list_libraries().limit(limits=limit)
    return context
