"""The calibration error of probabilities, and the calibration error that chance alone would show."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats
from halflabel.labels import PartialLabels

#: Bins of the calibration curve, as for the calibration error.
BINS = 15


def measure_calibration(labels: PartialLabels, probabilities: Floats) -> dict[str, float]:
    r"""Return the calibration error of all learned labels together, and the error that chance would show.

    In a bin, the sum of (p - outcome) of perfectly calibrated probabilities is nearly normal with variance
    :math:`\sum p(1 - p)`, whose absolute value is :math:`\sqrt{2/\pi}` standard deviations on average.
    """
    entries, _, excess, variance = _sum_bins(labels, probabilities)
    n = entries.sum() or np.nan
    return {
        "ece": float(np.abs(excess).sum() / n),
        "ece_by_chance": float(np.sqrt(2 / np.pi) * np.sqrt(variance).sum() / n),
    }


def bin_calibration(labels: PartialLabels, probabilities: Floats) -> list[dict[str, float]]:
    """Return the bins of the calibration curve with an entry: number of entries, predicted and observed share."""
    entries, predicted, excess, _ = _sum_bins(labels, probabilities)
    return [
        {"entries": int(n), "predicted": predicted[b] / n, "observed": (predicted - excess)[b] / n}
        for b, n in enumerate(entries)
        if n
    ]


def _sum_bins(labels: PartialLabels, probabilities: Floats) -> list[Floats]:
    """Return sums over the entries of each bin: 1, p, p less the outcome, and the variance of the outcome."""
    used = labels.observed & labels.learnable
    p = probabilities[used]
    which = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    of_entry = (np.ones_like(p), p, p - labels.relevant[used], p * (1 - p))
    return [np.bincount(which, weights=each, minlength=BINS).astype(float) for each in of_entry]
