"""Ranks of values, ties included."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats, Mask


def rank_rows(values: Floats, among: Mask, *, ties_last: bool = False) -> Floats:
    """Return the rank of each entry of ``among`` in its row, from 1 for the lowest value. NaN outside ``among``.

    Equal values have the mean of their ranks, or with ``ties_last`` the highest of them.

    Examples
    --------
    >>> rank_rows(np.array([[5.0, 3.0, 5.0, 1.0]]), np.array([[True, True, True, False]]))
    array([[2.5, 1. , 2.5, nan]])
    """
    result = np.full(values.shape, np.nan)
    for ranks, row, inside in zip(result, values, among, strict=True):
        ordered = np.sort(row[inside])
        last = np.searchsorted(ordered, row[inside], side="right")
        ranks[inside] = last if ties_last else (np.searchsorted(ordered, row[inside]) + last + 1) / 2
    return result
