"""The gaps that can be filled at a precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel.evidence.lower_bounds import (
    MIN_P,
    ResampledCalibration,
    lower_irrelevant,
    lower_positives,
    lower_probabilities,
)
from halflabel.labels.calibration import fill_confident

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence


def fill_sure(
    evidence: Evidence, p: Floats, precision: float, rate: float | None, n_times: float = 1.0
) -> NDArray[np.int8]:
    """Return the gaps that can be filled at a precision: +1 relevant, -1 irrelevant, 0 neither.

    Of each label and value, these are the most probable entries whose mean probability of being right reaches the
    precision. Probabilities of being relevant are lowered by their uncertainty, see
    :mod:`halflabel.evidence.lower_bounds`.

    ``p`` are the probabilities of the evidence, or those under another label frequency ``rate``. With ``n_times``, the
    number of labelled items that calibrate counts as larger by this factor.
    """
    known, fit, resampled = evidence.calibrated_on, evidence.fit, evidence.resampled_calibration
    given, observed = evidence.labels.state, evidence.labels.observed
    scores = np.where(evidence.learned_from.observed, fit.model.out_of_fold_scores_, fit.model.label_scores_)
    if evidence.labels.positive_only:
        relevant, irrelevant = lower_positives(p, known, scores, resampled, rate or 1.0, precision), 1 - p
    else:  # the uncertainty of the calibration, and of the rate among the gaps if they have their own
        before = fit.before_estimate if fit.estimates_gaps else p
        lower = lower_probabilities(before, known, scores, resampled, n_times, least=0.0)
        relevant = np.where(p >= MIN_P, fit.vary_estimate(lower, -1.0), 0.0)
        irrelevant = 1 - fit.vary_estimate(1 - lower_irrelevant(before, scores, resampled, n_times), 1.0)
    filled = fill_confident(np.where(observed, np.nan, p), precision, relevant, irrelevant)
    return np.where(observed, 0, fit.valid_rows.leave_open(np.where(observed, given, filled), given))


def resample_calibration(evidence: Evidence) -> ResampledCalibration | None:
    """Return calibrations of bootstrap samples of the labelled items, or None if nothing was held out."""
    model, order = evidence.model, evidence.order
    folds = getattr(model, "folds_", None)
    return ResampledCalibration.fit(
        evidence.calibrated_on[order],
        model.label_scores_[order],
        model.out_of_fold_scores_[order],
        folds if folds is None else folds[order],
        np.random.default_rng(0),
        evidence.ordered_groups,
    )
