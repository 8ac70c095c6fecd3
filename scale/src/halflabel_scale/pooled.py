r"""From scores of candidates to probabilities: one curve for all labels, and intercepts of frequent labels.

The log odds of a candidate are linear in :math:`\log s`, s, :math:`\log n`, :math:`\log n \log s` and
:math:`\log(q + .01)`, where s is its score, q its share among the nearest items and n the number of relevant entries
of the label. n does not count the item itself, as for a new item.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from halflabel.plugins import Floats, Ints, Mask
from halflabel_scale.candidates import Candidates

#: The lowest score, whose logarithm is taken, and the number that is added to a share.
MIN_SCORE, MIN_SHARE = 1e-3, 1e-2

#: Minimum number of relevant entries of a label with an intercept of its own, and its ridge weight.
MIN_RELEVANT, RIDGE = 20, 5.0

#: Probabilities are between this number and 1 minus it.
CLIP = 1e-6


@dataclass(frozen=True, eq=False)
class PooledCalibration:
    """From candidates to probabilities."""

    #: Shape (6,). The last one is the intercept.
    coef: Floats
    #: Shape (n_labels,). Additional intercept of a label; 0 for labels with fewer than 20 relevant entries.
    offset: Floats

    def __call__(self, found: Candidates, n_relevant: Floats) -> Floats:
        """Return probabilities of candidates, whose labels have ``n_relevant`` relevant entries, one per candidate."""
        log_odds = _describe(found, n_relevant) @ self.coef + self.offset[found.ids]
        return np.asarray(np.clip(expit(log_odds), CLIP, 1 - CLIP))


def fit_calibration(found: Candidates, n_relevant: Floats, relevant: Mask, n_labels: int) -> PooledCalibration:
    """Fit to candidates of labelled items, whose scores were computed without the item."""
    inputs, offset = _describe(found, n_relevant), np.zeros(n_labels)
    if relevant.all() or not relevant.any():  # too few items to learn from: the rate
        rate = (relevant.sum() + 0.5) / (len(relevant) + 1)
        return PooledCalibration(np.append(np.zeros(5), np.log(rate / (1 - rate))), offset)
    curve = LogisticRegression(max_iter=1000).fit(inputs[:, :-1], relevant)
    coef = np.append(curve.coef_[0], curve.intercept_[0])
    return PooledCalibration(coef, _fit_offsets(inputs @ coef, found.ids, relevant, n_labels))


def _describe(found: Candidates, n_relevant: Floats) -> Floats:
    """Return the inputs of the curve, shape (n_entries, 6)."""
    score, number = np.log(np.maximum(found.score, MIN_SCORE)), np.log(n_relevant)
    share = np.log(found.share + MIN_SHARE)
    return np.column_stack([score, found.score, number, number * score, share, np.ones(len(score))])


def _fit_offsets(log_odds: Floats, ids: Ints, relevant: Mask, n_labels: int, n_steps: int = 20) -> Floats:
    """Return the intercepts with the lowest log loss plus a ridge, for labels with enough relevant entries."""
    frequent = np.bincount(ids, weights=relevant, minlength=n_labels) >= MIN_RELEVANT
    offset = np.zeros(n_labels)
    for _ in range(n_steps):  # Newton's method, whose curvature is bounded from below by the ridge
        p = expit(log_odds + offset[ids])
        gradient = np.bincount(ids, weights=p - relevant, minlength=n_labels) + RIDGE * offset
        curvature = np.bincount(ids, weights=p * (1 - p), minlength=n_labels) + RIDGE
        offset -= np.where(frequent, np.clip(gradient / curvature, -1, 1), 0)
    return offset
