"""Boosted trees that all labels share: greedy splits for labels that a few thresholds decide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from sklearn import config_context
from sklearn.tree import DecisionTreeRegressor

from halflabel._arrays import Floats, Ints, Mask
from halflabel.methods.auto.sampling import draw
from halflabel.methods.auto.trees import Trees, concatenate, flatten, number_leaves

#: Maximum number of leaves of a tree, and minimum number of items in a leaf.
MAX_LEAVES, MIN_LEAF = 8, 3

#: Share of a Newton step that one tree makes, and the ridge weight of the step, in units of curvature.
LEARNING_RATE, RIDGE = 0.15, 1.0

#: Share of the features that are tried at a node, and maximum number of them: other nodes try others.
SHARE_OF_FEATURES, MAX_FEATURES = 0.3, 16

#: Maximum number of bins of a feature.
MAX_BINS = 32

#: Maximum number of labels on which splits are chosen; with more labels, the number of their random mixtures.
MIXTURES = 8

#: Maximum number of items on which the splits of one tree are chosen. Its leaves have values from all items.
MAX_ITEMS = 2_000


@dataclass(frozen=True, eq=False)
class Bins:
    """Features in at most 32 bins: with few distinct values, the best split is found in half of the time.

    Attributes
    ----------
    cuts : list of ndarray
        Of each feature, in rising order. A value equal to a cut is below it.
    """

    cuts: list[Floats]

    @classmethod
    def learn(cls, X: NDArray[np.float32]) -> Bins:
        """Cut each feature between two of its values, into bins of about the same number of items.

        A value of many items counts as one bin: the other values share the remaining bins.
        """
        return cls([_cut(column) for column in X.T])

    def __call__(self, X: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the number of the bin of each value."""
        codes = np.empty_like(X)
        for k, cuts in enumerate(self.cuts):
            codes[:, k] = np.searchsorted(cuts, X[:, k])
        return codes

    def restore(self, trees: Trees) -> Trees:
        """Return trees on bins as trees on values."""
        threshold = trees.threshold.copy()
        for node in np.flatnonzero(np.isfinite(threshold)):
            threshold[node] = self.cuts[trees.feature[node]][int(threshold[node])]
        return replace(trees, threshold=threshold)


def _cut(column: NDArray[np.float32]) -> Floats:
    """Return the cuts of one feature."""
    values, counts = np.unique(column.astype(np.float64), return_counts=True)
    filled = np.minimum(counts, len(column) / MAX_BINS).cumsum()
    ends = np.searchsorted(filled, filled[-1] * np.arange(1, MAX_BINS) / MAX_BINS)
    ends = np.unique(ends[ends < len(values) - 1])
    return np.asarray((values[ends] + values[ends + 1]) / 2)


def boost(X: NDArray[np.float32], Y: Floats, observed: Mask, n_rounds: int, rng: np.random.Generator) -> Trees:
    r"""Boost the log loss of all labels together, with one small tree per round.

    In each round, with :math:`g_{ij} = y_{ij} - p_{ij}` and :math:`h_{ij} = p_{ij}(1 - p_{ij})` for observed entries
    and 0 for others, a regression tree is grown on :math:`g_{ij} / \sqrt{\bar h_j}`. The loss of label j that a split
    saves is then about its share of the variance. A leaf R adds the Newton step [1]_

    .. math::
        0.15 \frac{\sum_{i \in R} g_{ij}}{\sum_{i \in R} h_{ij} + 1}

    to the log odds of label j, which start at the log odds of the label's rate.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
    Y : ndarray of shape (n_items, n_labels)
        1 relevant, 0 irrelevant or unknown.
    observed : ndarray of bool, shape (n_items, n_labels)
    n_rounds : int
    rng : numpy.random.Generator

    Returns
    -------
    Trees
        Their mean is the log odds: each leaf has its step times the number of rounds, plus the start.

    References
    ----------
    .. [1] T. Chen and C. Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016, eq. (5).
    """
    start = logit((Y.sum(axis=0, where=observed) + 0.5) / (observed.sum(axis=0) + 1))
    log_odds, trees = np.tile(start, (len(X), 1)), []
    bins = Bins.learn(X)
    codes = bins(X)
    for _ in range(n_rounds):
        gradient, curvature = expand_loss(log_odds, Y, observed)
        some = draw(np.arange(len(X)), MAX_ITEMS, rng)
        tree = _choose_splits(codes[some], gradient[some] / np.sqrt(curvature.mean(axis=0) + 1e-12), rng)
        leaf = number_leaves(tree)[tree.apply(codes)]
        steps = make_steps(leaf, gradient, curvature)
        log_odds += steps[leaf]
        trees.append(flatten(tree, start + n_rounds * steps))
    return bins.restore(concatenate(trees))


def expand_loss(log_odds: Floats, Y: Floats, observed: Mask) -> tuple[Floats, Floats]:
    """Return the negative gradient and the curvature of the log loss, with 0 for an entry that is not observed."""
    p = expit(log_odds)
    return np.where(observed, Y - p, 0.0), np.where(observed, p * (1 - p), 0.0)


def make_steps(leaf: Ints, gradient: Floats, curvature: Floats) -> Floats:
    """Return the step of each leaf, shape (n_leaves, n_labels)."""
    members = (leaf == np.arange(leaf.max() + 1)[:, None]).astype(np.float64)
    return np.asarray(LEARNING_RATE * (members @ gradient) / (members @ curvature + RIDGE))


def _choose_splits(X: NDArray[np.float32], targets: Floats, rng: np.random.Generator) -> Any:
    """Grow a tree on targets, or on random mixtures of many targets, and return the tree of scikit-learn."""
    n_targets = targets.shape[1]
    if n_targets > MIXTURES:
        targets = targets @ rng.normal(size=(n_targets, MIXTURES))
    model = DecisionTreeRegressor(
        max_leaf_nodes=MAX_LEAVES,
        min_samples_leaf=MIN_LEAF,
        max_features=max(1, min(round(SHARE_OF_FEATURES * X.shape[1]), MAX_FEATURES)),
        random_state=int(rng.integers(2**31)),
    )
    with config_context(skip_parameter_validation=True):  # a small tree takes less time than the checks of its input
        return model.fit(X, np.ascontiguousarray(targets), check_input=False).tree_
