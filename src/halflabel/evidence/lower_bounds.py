"""Lower bounds of probabilities, used to fill entries at a requested precision.

The relevant entries that reach a high precision are few, and the highest probabilities are chosen: an error of the
calibration does not average out among them. Calibrations of bootstrap samples of the labelled items show how large it
can be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats, Ints
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibrated, fit_platt
from halflabel.labels.groups import resample
from halflabel.methods.auto.beta_calibration import CheckedCalibration, fit_common, moderate, predict_unseen

#: Number of bootstrap samples, maximum number of labelled items in each, and number of points of a curve.
SAMPLES, MAX_ITEMS, POINTS = 20, 2000, 65

#: Only entries with at least this probability can be filled in as relevant at a precision.
MIN_P = 0.5

#: Entries with at least this probability show whether a label has a ceiling, and the number of entries that the
#: expectation counts for.
HIGH_P, CEILING_PRIOR = 0.8, 5.0

#: Minimum number of annotated entries that can confirm a precision.
MIN_ENTRIES = 10


@dataclass(frozen=True, eq=False)
class ResampledCalibration:
    """Calibrations of bootstrap samples of the labelled items, as curves over the scores of each label."""

    scores: Floats  #: Shape (n_points, n_labels). Increasing in each column.
    curves: Floats  #: Shape (n_samples, n_points, n_labels). Probabilities at these scores.
    #: The standard deviation for all labelled items over that for a sample: the samples may be smaller.
    shrink: float = 1.0

    @classmethod
    def fit(
        cls,
        labels: PartialLabels,
        scores: Floats,
        out_of_fold: Floats,
        folds: Ints | None,
        rng: np.random.Generator,
        groups: Ints | None = None,
    ) -> ResampledCalibration | None:
        """Fit the calibrations to the items with out-of-fold scores, or return None for fewer than two items.

        ``out_of_fold`` are scores of observed entries by models that were fitted without the item. ``folds`` are for
        :func:`halflabel.methods.auto.beta_calibration.calibrate`; None is for Platt scalings.
        """
        rows = np.flatnonzero((labels.observed & ~np.isnan(out_of_fold)).any(axis=1))
        if len(rows) < 2:
            return None
        size = min(len(rows), MAX_ITEMS)
        some = np.sort(rng.choice(rows, size, replace=False))
        labels, held_out = labels[some], out_of_fold[some]
        unseen = None
        if folds is not None and len(np.unique(folds[some])) > 1:
            unseen = predict_unseen(held_out, labels, folds[some])
        points, together = _spread_points(scores), None if groups is None else groups[some]

        def refit(drawn: Ints) -> Calibrated:
            if unseen is None:
                return fit_platt(held_out[drawn], labels[drawn])
            sample = labels[drawn]
            return CheckedCalibration(moderate(held_out[drawn], sample), fit_common(unseen[drawn], sample))

        curves = np.array([refit(resample(size, together, rng))(points) for _ in range(SAMPLES)])
        return cls(points, curves, float(np.sqrt(size / len(rows))))

    def lower(self, scores: Floats) -> Floats:
        """Return the margin to subtract from probabilities: one standard deviation over the samples."""
        deviation = self._interpolate(self.curves.std(axis=0), scores)
        return np.asarray(deviation * self.shrink)

    def mean(self, scores: Floats) -> Floats:
        """Return the mean probabilities over the samples."""
        return self._interpolate(self.curves.mean(axis=0), scores)

    def _interpolate(self, values: Floats, scores: Floats) -> Floats:
        columns = (np.interp(scores[:, j], self.scores[:, j], values[:, j]) for j in range(scores.shape[1]))
        return np.column_stack(list(columns))


def lower_probabilities(
    p: Floats,
    labels: PartialLabels,
    scores: Floats,
    resampled: ResampledCalibration | None,
    least: float = MIN_P,
) -> Floats:
    """Return lower probabilities of being relevant. They are 0 below ``least`` and if nothing was held out.

    One standard deviation of the calibration is subtracted, and a label whose highest probabilities are too high on its
    observed entries is lowered by this factor: no calibration that labels share describes a label with a ceiling. Of
    observed entries, p is out of fold.
    """
    if resampled is None:
        return np.zeros_like(p)
    lowered = (p - resampled.lower(scores)) * measure_ceilings(p, labels)
    return np.where(p >= least, np.maximum(lowered, 0.0), 0.0)


def lower_irrelevant(p: Floats, scores: Floats, resampled: ResampledCalibration | None) -> Floats:
    """Return lower probabilities of being irrelevant: one standard deviation of the calibration is subtracted.

    The parameters are as in :func:`lower_probabilities`. If nothing was held out, nothing is subtracted.
    """
    margin = 0.0 if resampled is None else resampled.lower(scores)
    return np.asarray(np.maximum(1 - p - margin, 0.0))


def measure_ceilings(p: Floats, labels: PartialLabels) -> Floats:
    """Return, per label, the relevant entries over the expected ones among high probabilities, at most 1.

    The quotient is shrunk towards 1 by a prior that counts as much as five relevant entries.
    """
    high = labels.observed & (p >= HIGH_P)
    relevant, expected = (high & labels.relevant).sum(axis=0), np.where(high, p, 0.0).sum(axis=0)
    return np.asarray(np.minimum((relevant + CEILING_PRIOR) / (expected + CEILING_PRIOR), 1.0))


def lower_positives(
    p: Floats,
    labels: PartialLabels,
    scores: Floats,
    resampled: ResampledCalibration | None,
    observed_rate: float,
    precision: float,
) -> Floats:
    """Return lower probabilities of being relevant for positive-only labels, under a label frequency c.

    The calibration is that of being assigned, divided by c: it can be checked on the given entries. An entry that an
    annotated item lacks has the odds of the quotient times 1 - c.

    Parameters
    ----------
    p : ndarray of shape (n_items, n_labels)
        Probabilities of being relevant; they are an upper limit of the result.
    labels : PartialLabels
        From :func:`halflabel.labels.positive_only.mark_unassigned`.
    scores : ndarray of shape (n_items, n_labels)
        Of observed entries out of fold.
    resampled : ResampledCalibration or None
        Of ``labels``.
    observed_rate, precision : float
        Entries are 0 if annotated entries do not confirm the precision.
    """
    if resampled is None:
        return np.zeros_like(p)
    lacking = labels.state < 0
    assigned = resampled.mean(scores) - resampled.lower(scores)
    q = np.clip(assigned / observed_rate, 0.0, 0.9999)
    new, missing = (_confirm(q, labels, observed_rate, missing=kind) >= precision for kind in (False, True))
    lowered = np.where(lacking, q * (1 - observed_rate) / (1 - q * observed_rate), q)
    return np.where((p >= MIN_P) & np.where(lacking, missing, new), np.minimum(lowered, p), 0.0)


def _confirm(q: Floats, labels: PartialLabels, c: float, *, missing: bool) -> Floats:
    """Return the largest precision that annotated entries of at least the same q confirm.

    Of n annotated entries with the highest q, k were assigned. Then k / c are relevant, and k (1 - c) / c of the n - k
    that were not assigned. One standard deviation is subtracted from k, two for missing positives, because a small
    error of k is a large one of their quotient.
    """
    at = labels.observed
    order = np.argsort(-q[at], kind="stable")
    highest = q[at][order]
    n, k = np.arange(1, at.sum() + 1), np.cumsum(labels.relevant[at][order])
    low = np.maximum(k - (2 if missing else 1) * np.sqrt(k * (1 - k / n) + 0.25), 0.0)
    confirmed = np.minimum(low * (1 - c) / c / (n - low) if missing else low / (n * c), 1.0)
    confirmed[: MIN_ENTRIES - 1] = 0.0
    confirmed[:-1][highest[:-1] == highest[1:]] = 0.0  # a set holds all entries of the same q, or none of them
    best = np.maximum.accumulate(confirmed[::-1])[::-1]  # a larger set with the same precision confirms it, too
    place = np.searchsorted(-highest, -q.ravel(), side="left")
    return np.append(best, 0.0)[np.minimum(place, len(best))].reshape(q.shape)


def _spread_points(scores: Floats) -> Floats:
    """Return points between the lowest and the highest score of each label, or 0 for a label without a score."""
    known = ~np.isnan(scores)
    low = np.where(known, scores, np.inf).min(axis=0, initial=np.inf)
    high = np.where(known, scores, -np.inf).max(axis=0, initial=-np.inf)
    low, high = (np.where(known.any(axis=0), end, 0.0) for end in (low, high))
    return np.asarray(low + np.linspace(0, 1, POINTS)[:, None] * (high - low))
