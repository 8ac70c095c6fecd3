"""The calibration error of probabilities, and the calibration error that chance alone would show."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats
from halflabel.labels import PartialLabels
from halflabel.labels.metrics import ece

#: Bins of the calibration curve, as for the calibration error.
BINS = 15


def measure_calibration(labels: PartialLabels, probabilities: Floats) -> dict[str, float]:
    """Return the calibration error of all learned labels together, and the error that chance would show."""
    learned = labels.hide(np.broadcast_to(~labels.learnable, labels.shape))
    return {
        "ece": ece(learned, probabilities, bins=BINS),
        "ece_by_chance": _estimate_chance_ece(probabilities[learned.observed]),
    }


def _estimate_chance_ece(p: Floats) -> float:
    r"""Return the calibration error that perfectly calibrated probabilities would have by chance.

    In a bin, the sum of (p - outcome) is nearly normal with variance :math:`\sum p(1 - p)`, whose absolute value
    is :math:`\sqrt{2/\pi}` standard deviations on average.
    """
    which = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    variance = np.bincount(which, weights=p * (1 - p), minlength=BINS)
    return float(np.sqrt(2 / np.pi) * np.sqrt(variance).sum() / len(p)) if len(p) else np.nan


def bin_calibration(labels: PartialLabels, probabilities: Floats) -> list[dict[str, float]]:
    """Return the bins of the calibration curve with an entry: number of entries, predicted and observed share."""
    used = labels.observed & labels.learnable
    p, relevant = probabilities[used], labels.relevant[used]
    which = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    entries, predicted, observed = (np.bincount(which, weights=w, minlength=BINS) for w in (None, p, relevant))
    return [
        {"entries": int(n), "predicted": predicted[b] / n, "observed": observed[b] / n}
        for b, n in enumerate(entries)
        if n
    ]
