"""The numbers of the calibration curve."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats
from halflabel.evidence.calibration_error import BINS
from halflabel.labels import PartialLabels


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
