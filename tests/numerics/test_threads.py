"""One rule for the threads of BLAS and OpenMP."""

from __future__ import annotations

import pytest
import sklearn.neighbors  # noqa: F401  (it loads OpenMP)
from threadpoolctl import threadpool_info, threadpool_limits

from halflabel.numerics.threads import KERNEL_COLUMNS, MIN_CELLS, limit_threads


def count_threads():
    return {library["num_threads"] for library in threadpool_info()}


@pytest.mark.parametrize(
    ("shape", "one"),
    [((MIN_CELLS - 1, 1), True), ((MIN_CELLS, 1), False), ((4999,), True), ((MIN_CELLS // KERNEL_COLUMNS,), False)],
)
def test_small_matrices_get_one_thread(shape, one):
    with threadpool_limits(2):
        outside = count_threads()
        with limit_threads(*shape):
            assert count_threads() == ({1} if one else outside)
        assert count_threads() == outside
