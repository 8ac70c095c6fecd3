"""The numbers of two figures: calibration, and the gaps that can be filled at a precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel.evidence.calibration_error import BINS
from halflabel.labels import PartialLabels


def count_fillable(
    gaps: Mask, fill_at: Callable[[float], NDArray[np.int8]], precisions: Sequence[float]
) -> list[dict[str, float]]:
    """Return how many gaps can be filled at each expected precision, and how many of them as relevant.

    ``fill_at`` returns the filled values at a precision: :meth:`Evidence.fill_at`.
    """
    n_gaps = int(gaps.sum())
    states = [fill_at(precision) for precision in precisions]
    return [
        {
            "precision": precision,
            "filled": int(np.count_nonzero(state)),
            "relevant": int((state > 0).sum()),
            "share": np.count_nonzero(state) / n_gaps if n_gaps else 0.0,
        }
        for precision, state in zip(precisions, states, strict=True)
    ]


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
