"""Probabilities of gaps where known entries were chosen because of their value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halflabel.completion.evidence import Evidence
from halflabel.evidence.gap_rates import estimate_shift

#: The maximum area under the ROC curve with which features separate items with many known entries from items with few.
#: With a larger one, features and not values decide which entries are known. On emotions, scene, enron and msrc it was
#: .68 at most in 32 tables whose entries were chosen by their value or at random, and .80 at least in eight tables
#: whose entries were chosen by a feature.
MAX_SEPARATION = 0.72

#: The maximum mean shift, in log odds. With a larger one (a relevant entry is known twenty times as often), filled
#: values depend on the highest probabilities alone, which no known entries confirm.
MAX_SHIFT = 3.0


def calibrate_gaps(evidence: Evidence, calibration: str) -> Evidence:
    """Return the evidence with probabilities of gaps under a rate of their own, if known entries were chosen by value.

    "as known" changes nothing. "auto" shifts if the checks find that values, and not features, decided which entries
    are known. "shifted" shifts in any case.
    """
    labels = evidence.labels
    if calibration == "as known" or labels.has_positive_only or labels.observed.all():
        return evidence
    if calibration == "auto" and not _is_known_by_value(evidence):
        return evidence
    shift = estimate_shift(evidence.calibrated_on.observed, ~labels.observed, evidence.probabilities)
    if calibration == "auto" and np.abs(np.stack([shift.with_known[0], shift.alone[0]]).mean(axis=1)).max() > MAX_SHIFT:
        return evidence
    return replace(evidence, model=evidence.model.shift_rates(shift, labels), as_known=evidence.model)


def _is_known_by_value(evidence: Evidence) -> bool:
    """Return whether known entries differ from the gaps of the same items, and features are not the reason."""
    known = evidence.calibrated_on.observed
    partly = known.any(axis=1) & ~known.all(axis=1)
    if not partly.any() or not evidence.is_selected:
        return False
    separation = evidence.measure_separation()
    return separation is None or separation <= MAX_SEPARATION
