"""The probability of each entry with votes: a mean of its votes, and where entries are known, a regression on these.

Votes alone do not show how often a source is wrong: sources can be wrong together, and the ensemble learns their
errors. So the mean is over the votes, the ensemble and the share of votes for the label, with fixed weights. Known
entries show which of them is right: the log odds of the mean are corrected by a logistic regression on the votes and
the ensemble, whose coefficients are shrunk to 0, and the coefficients of a label to the shared ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels.votes import Votes

#: The number of votes that the ensemble and the share of votes for the label count as. Chosen, as the next pair, by the
#: worst table of medsafe-llm and of simulated votes for six sets.
ENSEMBLE, SHARE = 3.0, 1.0

#: The weights of the squares of the coefficients that all labels share, and of the coefficients of one label.
COMMON, OWN = 3.0, 2.0

#: Minimum distance from 0 and 1 of the probabilities whose log odds are a column.
MIN_P = 0.001

#: Number of parts in which known entries are held out in turn.
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Regression:
    """Coefficients of columns: the shared ones, and for the first columns the differences of each label."""

    common: Floats
    #: Shape (n_labels, n_own).
    own: Floats

    @classmethod
    def fit(cls, columns: Floats, start: Floats, relevant: Mask, label: Ints, shape: tuple[int, int]) -> Regression:
        """Fit log odds to known entries. ``start`` are log odds without a correction, ``shape`` is that of ``own``."""
        common = _fit_ridge(columns, start, relevant, COMMON)
        start, own = start + columns @ common, np.zeros(shape)
        for j in np.unique(label):
            at = label == j
            own[j] = _fit_ridge(columns[at, : shape[1]], start[at], relevant[at], OWN)
        return cls(common, own)

    def __call__(self, columns: Floats, start: Floats, label: Ints) -> Floats:
        """Return the log odds of entries."""
        own = (columns[:, : self.own.shape[1]] * self.own[label]).sum(axis=1)
        return np.asarray(start + columns @ self.common + own)


def _fit_ridge(columns: Floats, start: Floats, relevant: Mask, weight: float) -> Floats:
    def lose(b: Floats) -> tuple[float, Floats]:
        odds = start + columns @ b
        loss = np.logaddexp(0, odds).sum() - odds[relevant].sum() + weight / 2 * b @ b
        return float(loss), columns.T @ (expit(odds) - relevant) + weight * b

    return np.asarray(minimize(lose, np.zeros(columns.shape[1]), jac=True, method="L-BFGS-B").x)


def average_votes(votes: Votes, p: Floats | None) -> Floats:
    """Return the mean of the votes on each entry, NaN without votes.

    The share of votes for the label, and the probabilities ``p`` of the ensemble if there are any, are votes, too.
    """
    total, number = np.nansum(votes.values, axis=0) + SHARE * votes.means, votes.given.sum(axis=0) + SHARE
    if p is not None:
        total, number = total + ENSEMBLE * p, number + ENSEMBLE
    return np.where(votes.voted, total / number, np.nan)


def find_posterior(
    votes: Votes, p: Floats | None, relevant: Mask, known: Mask, fold: Ints | None = None
) -> tuple[Floats, Floats]:
    """Return P(relevant) of entries with votes, and the one of known entries if they are not known.

    Both are NaN elsewhere. Without known entries, the first one is the mean.

    Parameters
    ----------
    p : ndarray of shape (n_items, n_labels), or None
        The probabilities of the ensemble, by models that were fitted without the item.
    relevant, known : ndarray of bool, shape (n_items, n_labels)
        The true value of known entries. Only known entries with votes are used.
    fold : ndarray of int, shape (n_items,), optional
        The items of a fold are held out together.
    """
    mean, held_out = average_votes(votes, p), np.full(known.shape, np.nan)
    if not known.any():
        return mean, held_out
    rows, label = np.nonzero(votes.voted)
    start = _score(mean[rows, label])
    given = np.nan_to_num(2 * votes.values[:, rows, label] - 1).T
    columns = np.column_stack([np.ones(len(rows)), given, start, *([] if p is None else [_score(p[rows, label])])])
    true, at, shape = relevant[rows, label], known[rows, label], (known.shape[1], 1 + given.shape[1])

    def predict(train: Mask) -> Floats:
        regression = Regression.fit(columns[train], start[train], true[train], label[train], shape)
        return np.asarray(expit(regression(columns, start, label)))

    mean[rows, label] = predict(at)
    if fold is None:
        return mean, held_out
    for k in np.unique(fold[rows[at]]):
        here = at & (fold[rows] == k)
        held_out[rows[here], label[here]] = predict(at & ~here)[here]
    slope, intercept = (each[0] for each in calibrate(held_out, relevant, known, n_own=0))
    return expit(slope * _score(mean) + intercept), expit(slope * _score(held_out) + intercept)


def calibrate(p: Floats, relevant: Mask, known: Mask, n_own: int = 1) -> tuple[Floats, Floats]:
    """Return slope and intercept of log odds for each label, by known entries. Without ``n_own``, labels share both."""
    rows, label = np.nonzero(known)
    start = _score(p[rows, label])
    columns = np.column_stack([np.ones(len(rows)), start])
    found = Regression.fit(columns, start, relevant[rows, label], label, (p.shape[1], n_own))
    return np.full(p.shape[1], 1 + found.common[1]), found.common[0] + found.own.sum(axis=1)


def _score(p: Floats) -> Floats:
    return np.asarray(logit(np.clip(p, MIN_P, 1 - MIN_P)))
