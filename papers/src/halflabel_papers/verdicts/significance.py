"""Tests of differences between methods: two methods by pairs, several methods by ranks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from halflabel.plugins import Floats

#: Level of every test and interval.
ALPHA = 0.05

#: Power for which :func:`detect_difference` gives the smallest difference.
POWER = 0.8


@dataclass(frozen=True, eq=False)
class Ranking:
    """Several methods on the same blocks (data sets, or runs)."""

    #: By method, the best (lowest) first; 1 is the best rank, ties share their mean.
    mean_ranks: pd.Series[float]
    #: ``statistic``, ``p``: Friedman's test that all methods are the same, corrected for ties.
    statistic: float
    p: float
    #: Two methods are separated at the 5 % level if their mean ranks differ by at least this (Nemenyi).
    critical_difference: float
    #: Maximal sets of methods that are not separated, in rank order; every method is in at least one.
    groups: tuple[tuple[str, ...], ...]
    #: Blocks ranked.
    n: int
    #: Blocks in which a score is NaN.
    left_out: int


def compare_paired(difference: ArrayLike) -> tuple[float, float, float, float]:
    """Return the mean of the differences of two methods, both ends of its 95 % interval, and p of a paired t-test.

    The test assumes independent pairs. Runs on random splits of one data set share items, so that their p-values are
    too small; papers use this test all the same, and so their claims are checked with it.

    Examples
    --------
    >>> [round(value, 3) for value in compare_paired([0.01, 0.04, 0.01, 0.02])]
    [0.02, -0.003, 0.043, 0.066]
    """
    values = np.asarray(difference, dtype=float)
    mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
    reach = float(stats.t.ppf(1 - ALPHA / 2, len(values) - 1)) * error
    return mean, mean - reach, mean + reach, compute_p_of_difference(values)


def detect_difference(standard_error: float, degrees: float) -> float:
    """Return the smallest true difference that a two-sided t-test at 5 % finds with a probability of 80 %.

    ``standard_error`` is the error of the mean difference, with this number of degrees of freedom.

    Examples
    --------
    >>> round(detect_difference(1.0, 9), 2), round(detect_difference(1.0, 1e6), 2)
    (3.15, 2.8)
    """
    return float(standard_error * (stats.t.ppf(1 - ALPHA / 2, degrees) + stats.t.ppf(POWER, degrees)))


def adjust_holm(p: Mapping[str, float]) -> dict[str, float]:
    """Return the p-values of several tests, adjusted by Holm: all at 5 % together have a 5 % chance of an error.

    >>> adjust_holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'c': 0.06, 'b': 0.06}
    """
    adjusted, largest = {}, 0.0
    for k, name in enumerate(sorted(p, key=lambda each: p[each])):
        largest = max(largest, min(1.0, (len(p) - k) * p[name]))
        adjusted[name] = largest
    return adjusted


def format_p(value: float) -> str:
    """Return a p-value as papers print it.

    >>> format_p(0.0004), format_p(0.0451)
    ('p < .001', 'p = .045')
    """
    return "p < .001" if value < 0.001 else f"p = {value:.3f}".replace("0.", ".")


def compute_p_of_difference(difference: ArrayLike) -> float:
    """Return p of a t-test that the mean of differences is 0: 1 if all are 0, and 0 if they are equal otherwise."""
    values = np.asarray(difference, dtype=float)
    if not values.any():
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # with equal differences, t is infinite or almost
        return float(stats.ttest_1samp(values, 0.0).pvalue)


def rank_methods(scores: pd.DataFrame, *, greater_is_better: bool) -> Ranking:
    r"""Rank methods block by block, and group the methods that the mean ranks cannot separate.

    Friedman's test comes first: unless its p is below 0.05, no pair should be called different, for any groups.
    The critical difference is :math:`q_{\alpha} \sqrt{k (k + 1) / (6 N)}` for k methods and N blocks, with
    :math:`q_{\alpha}` the upper 5 % point of the studentized range of k normals over :math:`\sqrt 2`.

    Parameters
    ----------
    scores : DataFrame of shape (n_blocks, n_methods)
        Blocks with NaN in any method are left out and counted.

    Raises
    ------
    ValueError
        If there are fewer than three methods (for two there is :func:`compare_paired`), two columns of one name, or
        fewer than two blocks without NaN.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006, section 3.2.2.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.8], "c": [0.1, 0.2, 0.3, 0.1]})
    >>> ranking = rank_methods(scores, greater_is_better=True)
    >>> ranking.mean_ranks.to_dict(), round(ranking.critical_difference, 2), ranking.groups
    ({'a': 1.0, 'b': 2.0, 'c': 3.0}, 1.66, (('a', 'b'), ('b', 'c')))
    """
    names = [str(name) for name in scores.columns]
    if len(names) < 3:
        raise ValueError(
            f"ranks are for at least 3 methods; there are {len(names)}. Compare two with compare_paired()."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"two methods have the same name among {', '.join(names)}; rename one.")
    complete = scores[scores.notna().all(axis=1)].to_numpy(dtype=float)
    n, k = complete.shape
    if n < 2:
        raise ValueError(f"ranks need at least 2 blocks in which every method has a score; there are {n}.")
    placed = stats.rankdata(-complete if greater_is_better else complete, axis=1)
    mean_ranks = pd.Series(placed.mean(axis=0), index=names).sort_values(kind="stable")
    statistic, p = _friedman(complete)
    critical = float(stats.studentized_range.ppf(1 - ALPHA, k, np.inf) * np.sqrt(k * (k + 1) / (12 * n)))
    groups = _group_methods(list(mean_ranks.index), mean_ranks.to_numpy(), critical)
    return Ranking(mean_ranks, statistic, p, critical, groups, n, len(scores) - n)


def _friedman(scores: Floats) -> tuple[float, float]:
    if (scores == scores[:, :1]).all():  # nothing but ties: the statistic would be 0 / 0
        return 0.0, 1.0
    test = stats.friedmanchisquare(*scores.T)
    return float(test.statistic), float(test.pvalue)


def _group_methods(names: Sequence[str], mean_ranks: Floats, critical: float) -> tuple[tuple[str, ...], ...]:
    """Return the maximal runs of sorted ranks whose ends are less than ``critical`` apart."""
    ends = np.searchsorted(mean_ranks, mean_ranks + critical)
    before = np.concatenate([[0], ends[:-1]])
    return tuple(tuple(names[i:end]) for i, end in enumerate(ends) if end > before[i])
