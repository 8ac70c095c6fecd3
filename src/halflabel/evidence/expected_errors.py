"""How many filled entries are expected to be wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.labels.groups import count_units, resample

#: Number of bootstrap samples, number of random draws of errors for each, and maximum number of items for the band.
SAMPLES, DRAWS, MAX_ITEMS = 50, 20, 5000

#: Maximum number of labelled items in a bootstrap sample. The band of more items is narrower by a root.
MAX_LABELLED = 2000

#: The band is wider by sqrt(1 + SPREAD / n), with n observed entries of a label, or groups of items with one: the
#: ensemble learned from the same items, so that calibrations of bootstrap samples differ too little (see
#: docs/measured/precision.md).
SPREAD = 100

#: From probabilities, positions of items and a number of standard deviations to probabilities of gaps.
Vary = Callable[[Floats, Ints, float], Floats]

#: Name of the row for all labels together.
ALL = "(all labels)"


def estimate_errors(
    labels: PartialLabels,
    filled: NDArray[np.int8],
    p: Floats,
    scores: Floats,
    out_of_fold: Floats,
    rng: np.random.Generator,
    vary: Vary | None = None,
    optimism: float = 1.0,
    groups: Ints | None = None,
) -> pd.DataFrame:
    """Return the expected number of wrong filled entries, with a band of 90 %.

    Columns: label, filled, expected, low, high. The expectation is the sum of the probabilities that an entry is wrong,
    times ``optimism``.
    The band has two parts: calibrations that are fitted again on bootstrap samples of the labelled items, and the
    randomness of the errors for given probabilities. It is widened where labelled items are few. It does not include
    errors that no calibration on these items can detect, such as unlabelled items of another kind.

    Parameters
    ----------
    labels : PartialLabels
        The labels that the calibration was fitted on.
    filled : ndarray of int8, shape (n_items, n_labels)
        +1 filled as relevant, -1 as irrelevant, 0 not filled.
    p : ndarray of shape (n_items, n_labels)
        Probabilities of being relevant.
    scores, out_of_fold : ndarray of shape (n_items, n_labels)
        Scores of all entries, and scores of observed entries by models that were fitted without the item.
    vary : callable, optional
        Where the probabilities of gaps have a rate of their own: from the probabilities of a calibration, positions of
        items and a number of standard deviations to probabilities of gaps. The band then includes this uncertainty.
    optimism : float, default=1
        From :func:`halflabel.evidence.optimism.measure_optimism`.
    groups : ndarray of int, shape (n_items,), optional
        Items of one group are drawn together, and count as one.
    """
    number = (filled != 0).sum(axis=0)
    wrong = np.minimum(optimism * _sum_wrong(filled, p), number)
    sd = np.sqrt(np.where(filled != 0, p * (1 - p), 0.0).sum(axis=0))
    factors = _resample(labels, filled, scores, out_of_fold, rng, vary, groups)
    deviations = wrong * (factors - 1) + sd * rng.normal(size=(DRAWS, len(factors), len(sd)))
    n_observed = np.maximum(count_units(labels.observed & ~np.isnan(out_of_fold), groups), 1)
    draws = wrong + deviations * np.sqrt(1 + SPREAD / n_observed)
    draws = np.clip(draws, 0, number).reshape(-1, len(sd))
    low, high = np.quantile(np.column_stack([draws, draws.sum(axis=1)]), [0.05, 0.95], axis=0)
    columns = {"filled": np.append(number, number.sum()), "expected": np.append(wrong, wrong.sum())}
    return pd.DataFrame({"label": [*labels.names, ALL], **columns, "low": low, "high": high})


def _resample(
    labels: PartialLabels,
    filled: NDArray[np.int8],
    scores: Floats,
    out_of_fold: Floats,
    rng: np.random.Generator,
    vary: Vary | None,
    groups: Ints | None,
) -> Floats:
    """Return, per bootstrap sample and label, its expected errors in units of the expected errors from all items.

    The calibrations are Platt scalings. Their relative differences approximate the differences of any calibration.
    """
    labelled = np.flatnonzero((labels.observed & ~np.isnan(out_of_fold)).any(axis=1))
    items = rng.permutation(np.flatnonzero(filled.any(axis=1)))[:MAX_ITEMS]
    if not len(labelled) or not len(items):
        return np.ones((1, labels.shape[1]))

    def expect(rows: Ints, z: float = 0.0) -> Floats:
        p = fit_platt(out_of_fold[rows], labels[rows])(scores[items])
        if vary is not None:
            p = vary(p, items, z)
        return _sum_wrong(filled[items], p)

    shrink = np.sqrt(min(1.0, MAX_LABELLED / len(labelled)))
    if len(labelled) > MAX_LABELLED:
        labelled = rng.choice(labelled, MAX_LABELLED, replace=False)
    whole = np.maximum(expect(labelled), 1e-9)
    together = None if groups is None else groups[labelled]
    drawn = (labelled[resample(len(labelled), together, rng)] for _ in range(SAMPLES))
    factors = np.array([expect(rows) / whole for rows in drawn])
    of_rates = 1.0 if vary is None else np.array([expect(labelled, z) / whole for z in rng.normal(size=SAMPLES)])
    return np.asarray((1 + (factors - 1) * shrink) * of_rates)


def _sum_wrong(filled: NDArray[np.int8], p: Floats) -> Floats:
    """Return the expected number of wrong filled entries of each label."""
    return np.asarray(np.select([filled > 0, filled < 0], [1 - p, p], 0.0).sum(axis=0))
