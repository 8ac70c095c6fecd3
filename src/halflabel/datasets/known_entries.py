"""Ways in which entries become known: at random, because of their value, or because of the item.

Each function draws, for a table of known truth, the mask of the entries that someone would have filled in. They differ
in the reason: none, the value of the entry, the features of the item, its place in the file, or its other labels.
:mod:`halflabel.labels.masking` hides entries of a table that is half filled already.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from halflabel._arrays import Floats, Mask

#: Relevant entries, shape (n_items, n_labels).
Truth = NDArray[np.bool_]


def know_items(truth: Truth, rng: np.random.Generator, share: float) -> Mask:
    """Draw a random share of the items, all of whose entries are known."""
    return _of_items(truth, rng.random(len(truth)) < share)


def know_entries(truth: Truth, rng: np.random.Generator, share: float) -> Mask:
    """Draw a random share of the entries."""
    return rng.random(truth.shape) < share


def know_by_value(
    truth: Truth,
    rng: np.random.Generator,
    relevant: float,
    irrelevant: float,
    *,
    spread: float = 0.0,
    alternate: bool = False,
) -> Mask:
    """Draw a share of the relevant and a share of the irrelevant entries: "I tagged what is there".

    Parameters
    ----------
    truth : ndarray of bool, shape (n_items, n_labels)
    relevant, irrelevant : float
        The shares.
    spread : float
        The standard deviation with which the log odds of both shares differ between labels.
    alternate : bool
        Exchange the two shares of every other label.
    """
    n_labels = truth.shape[1]
    odd = alternate & (np.arange(n_labels) % 2 == 1)
    of_relevant, of_irrelevant = np.where(odd, irrelevant, relevant), np.where(odd, relevant, irrelevant)
    if spread:
        drawn = rng.normal(scale=spread, size=(2, n_labels))
        of_relevant, of_irrelevant = expit(logit(of_relevant) + drawn[0]), expit(logit(of_irrelevant) + drawn[1])
    return np.asarray(rng.random(truth.shape) < np.where(truth, of_relevant, of_irrelevant))


def know_by_feature(
    truth: Truth, rng: np.random.Generator, share: float, feature: Floats, *, single: bool = False
) -> Mask:
    """Draw a share of the items, or of the single entries: of items with a high feature more than of other items."""
    likely = 2 * share * np.argsort(np.argsort(feature)) / len(feature)
    if single:
        return np.asarray(rng.random(truth.shape) < likely[:, None])
    return _of_items(truth, rng.random(len(truth)) < likely)


def know_first(truth: Truth, share: float) -> Mask:
    """Return the first items of the file: someone started at the top."""
    return _of_items(truth, np.arange(len(truth)) < share * len(truth))


def know_tagged(truth: Truth, rng: np.random.Generator, tagged: float, others: float) -> Mask:
    """Draw a share of the items that have one of the first half of the labels, and a share of the other items."""
    has_one = truth[:, : (truth.shape[1] + 1) // 2].any(axis=1)
    return _of_items(truth, rng.random(len(truth)) < np.where(has_one, tagged, others))


def _of_items(truth: Truth, known: Mask) -> Mask:
    """Return the mask of all entries of some items."""
    return np.repeat(known[:, None], truth.shape[1], axis=1)
