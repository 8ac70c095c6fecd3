"""How many filled entries are expected to be wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaincinv

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels

#: The ends of the band: quantiles of the number of wrong entries.
QUANTILES: Floats = np.array([0.05, 0.95])

#: Name of the row for all labels together.
ALL = "(all labels)"


@dataclass(frozen=True, eq=False)
class Predictions:
    """Probabilities of the known entries, by models that were fitted without the item."""

    #: Shape (n_items, n_labels). NaN where nothing could be held out.
    p: Floats
    #: The same without the other known labels of the item, for gaps of items without a known entry; None if the other
    #: labels change nothing.
    alone: Floats | None = None
    #: Label frequency of positive-only labels: the share of the relevant entries that are known.
    observed_rate: float = 1.0


def estimate_errors(
    labels: PartialLabels,
    filled: NDArray[np.int8],
    p: Floats,
    known: Predictions,
    unlabelled: Mask,
    deviation: Floats | None = None,
    groups: Ints | None = None,
) -> pd.DataFrame:
    r"""Return the expected number of wrong filled entries, with a band of 90 %.

    Columns: label, filled, expected, low, high. The expectation E is the sum of the probabilities that an entry is
    wrong. The known entries were predicted, too, and show how far a number of wrong entries is from such a sum. With V
    the variance of the number, the one of the filled entries and the one of the known entries (K) add up:

    .. math::
        \operatorname{var} = V + E^2 \left(\frac{E_K^2}{V_K} + 1\right)^{-1}, \qquad
        V = \sum_i \Bigl(\sum_j s_{ij}^2 + \rho \sum_{j \ne k} s_{ij} s_{ik}\Bigr), \qquad s^2 = p(1 - p)

    because a calibration reproduces the number of wrong known entries, chance included. The 1 is the prior of a
    calibration, whose slope and intercept are known within one unit. :math:`\rho` is the mean correlation of the errors
    in an item, measured on known entries: errors come many at a time where the labels depend on something hidden. The
    band has the quantiles of a gamma distribution, in whole numbers. It does not include errors that no known entry
    shows, such as errors in unlabelled items of another kind.

    Parameters
    ----------
    labels : PartialLabels
        The known labels that are a sample of the gaps. The calibration was fitted on all of them.
    filled : ndarray of int8, shape (n_items, n_labels)
        +1 filled as relevant, -1 as irrelevant, 0 not filled.
    p : ndarray of shape (n_items, n_labels)
        Probabilities of being relevant.
    known : Predictions
    unlabelled : ndarray of bool, shape (n_items,)
        The items without a known entry.
    deviation : ndarray of shape (n_items, n_labels), optional
        One standard deviation of the level of the probabilities, where corrections move it.
    groups : ndarray of int, shape (n_items,), optional
        Errors in items of one group are correlated as errors in one item are.
    """
    kinds = [(np.ones_like(unlabelled), known.p)]
    if known.alone is not None:
        kinds = [(~unlabelled, known.p), (unlabelled, known.alone)]
    expected, level, variance = (np.zeros(labels.shape[1] + 1) for _ in range(3))
    for items, of_known in kinds:
        here = np.where(items[:, None], filled, 0)
        sure = _find_alike(labels, of_known, here, p)
        rho = _correlate(labels, sure, of_known * known.observed_rate, groups)
        wrong = _add_total(_state_wrong(here, p).sum(axis=0))
        expected += wrong
        level += wrong * _measure_level(sure, of_known, rho, groups)
        variance += _sum_variance(here, p, rho, groups)
    moved = 0.0 if deviation is None else _add_total((-filled * deviation).sum(axis=0))
    low, high = _find_quantiles(expected, variance + level**2 + moved**2)
    number = _add_total((filled != 0).sum(axis=0))
    high = np.minimum(high, number)
    columns = {"filled": number, "expected": expected, "low": low, "high": high}
    return pd.DataFrame({"label": [*labels.names, ALL], **columns})


def _state_wrong(filled: NDArray[np.int8], p: Floats) -> Floats:
    """Return the probability that each filled entry is wrong, 0 where nothing was filled."""
    return np.select([filled > 0, filled < 0], [1 - p, p], 0.0)


def _find_alike(labels: PartialLabels, known: Floats, filled: NDArray[np.int8], p: Floats) -> NDArray[np.int8]:
    """Return the more probable value of the known entries, 0 where no entry of the label was filled with such a value.

    An entry with more doubt than every filled entry of its label, as where a precision was asked for, is 0, too.
    """
    value = np.where(np.nan_to_num(known) >= 0.5, 1, -1)
    doubt = np.where(filled != 0, np.minimum(p, 1 - p), -1.0).max(axis=0, initial=-1.0)
    occurs = np.where(value > 0, (filled > 0).any(axis=0), (filled < 0).any(axis=0))
    alike = labels.observed & occurs & (np.nan_to_num(np.minimum(known, 1 - known), nan=np.inf) <= doubt)
    return np.where(alike, value, 0).astype(np.int8)


def _correlate(labels: PartialLabels, value: NDArray[np.int8], p: Floats, groups: Ints | None) -> float:
    """Return the mean correlation of the errors of two entries of an item, or of a group."""
    residual = np.where(value != 0, value * (p - labels.relevant), 0.0)
    pairs, largest = (_count_pairs(each, groups).sum() for each in (residual, _deviate(value, p)))
    return float(np.clip(pairs / largest, 0.0, 1.0)) if largest > 0 else 0.0


def _deviate(filled: NDArray[np.int8], p: Floats) -> Floats:
    """Return the standard deviation of each error, 0 where nothing was filled."""
    return np.sqrt(np.where(filled != 0, p * (1 - p), 0.0))


def _measure_level(value: NDArray[np.int8], p: Floats, rho: float, groups: Ints | None) -> Floats:
    """Return the relative deviation of the number of wrong known entries, of each label and of all."""
    number, variance = _add_total(_state_wrong(value, p).sum(axis=0)), _sum_variance(value, p, rho, groups)
    known = np.divide(number**2, variance, out=np.zeros_like(number), where=variance > 0)
    return np.asarray(1 / np.sqrt(known + 1))


def _sum_variance(filled: NDArray[np.int8], p: Floats, rho: float, groups: Ints | None) -> Floats:
    """Return V of each label and of all labels together."""
    deviation = _deviate(filled, p)
    return _add_total((deviation**2).sum(axis=0)) + rho * _count_pairs(deviation, groups)


def _count_pairs(values: Floats, groups: Ints | None) -> Floats:
    """Return the sum of products of all pairs in an item or group: pairs of one label for each label, and all pairs."""
    if groups is not None:
        sums = np.zeros((int(groups.max()) + 1, values.shape[1]))
        np.add.at(sums, groups, values)
    else:
        sums = values
    squares = (values**2).sum(axis=0)
    return np.append((sums**2).sum(axis=0) - squares, (sums.sum(axis=1) ** 2).sum() - squares.sum())


def _find_quantiles(mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return both quantiles of a gamma distribution as whole numbers, so that its mean is between them."""
    some = (mean > 0) & (variance > 0)
    shape = np.divide(mean**2, variance, out=np.ones_like(mean), where=some)
    low, high = np.where(some, np.rint(gammaincinv(shape, QUANTILES[:, None]) * mean / shape), 0.0)
    return np.minimum(low, np.floor(mean + 1e-9)), np.maximum(high, np.ceil(mean - 1e-9))


def _add_total(per_label: Floats) -> Floats:
    """Return the values of the labels, and their sum."""
    return np.append(per_label, per_label.sum())
