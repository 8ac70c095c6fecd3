"""The gaps that can be filled at a precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Ints
from halflabel.corrections.fit import Fit
from halflabel.evidence.lower_bounds import (
    MIN_P,
    ResampledCalibration,
    lower_irrelevant,
    lower_positives,
    lower_probabilities,
)
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fill_confident
from halflabel.methods.base import PartialLabelEstimator


def fill_sure(
    fit: Fit,
    labels: PartialLabels,
    learned_from: PartialLabels,
    calibrated_on: PartialLabels,
    resampled: ResampledCalibration | None,
    precision: float,
    observed_rate: float | None,
) -> NDArray[np.int8]:
    """Return the gaps that can be filled at a precision: +1 relevant, -1 irrelevant, 0 neither.

    Of each label and value, these are the most probable entries whose mean probability of being right reaches the
    precision. Probabilities of being relevant are lowered by their uncertainty, see
    :mod:`halflabel.evidence.lower_bounds`.
    """
    p, model = fit.probabilities, fit.model
    scores = np.where(learned_from.observed, model.out_of_fold_scores_, model.label_scores_)
    if labels.positive_only:
        lowered = lower_positives(p, calibrated_on, scores, resampled, observed_rate or 1.0, precision)
        relevant, irrelevant = lowered, 1 - p
    else:  # the uncertainty of the calibration, and of the rate among the gaps if they have their own
        before = fit.before_estimate if fit.estimates_gaps else p
        lower = lower_probabilities(before, calibrated_on, scores, resampled, least=0.0)
        relevant = np.where(p >= MIN_P, fit.vary_estimate(lower, -1.0), 0.0)
        irrelevant = 1 - fit.vary_estimate(1 - lower_irrelevant(before, scores, resampled), 1.0)
    given, observed = labels.state, labels.observed
    filled = fill_confident(np.where(observed, np.nan, p), precision, relevant, irrelevant)
    return np.where(observed, 0, fit.valid_rows.leave_open(np.where(observed, given, filled), given))


def resample_calibration(
    model: PartialLabelEstimator, calibrated_on: PartialLabels, order: Ints, groups: Ints | None
) -> ResampledCalibration | None:
    """Return calibrations of bootstrap samples of the labelled items, in canonical order, or None without any."""
    scores, folds = (model.label_scores_[order], model.out_of_fold_scores_[order]), getattr(model, "folds_", None)
    folds = folds if folds is None else folds[order]
    return ResampledCalibration.fit(calibrated_on[order], *scores, folds, np.random.default_rng(0), groups)
