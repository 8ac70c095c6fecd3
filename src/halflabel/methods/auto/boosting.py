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

#: Maximum number of values that are sorted together to find bins.
BLOCK = 2**20

#: Maximum number of labels on which splits are chosen; with more labels, the number of their random mixtures.
MIXTURES = 8

#: Maximum number of items on which the splits of one tree are chosen. Its leaves have values from all items.
MAX_ITEMS = 2_000


@dataclass(frozen=True, eq=False)
class Bins:
    """Features in at most 32 bins: with few distinct values, the best split is found in half of the time."""

    #: Of each feature, in rising order. A value equal to a cut is below it.
    cuts: list[Floats]

    @classmethod
    def learn(cls, X: NDArray[np.float32]) -> Bins:
        """Cut each feature between two of its values, into bins of about the same number of items.

        A value of many items counts as one bin: the other values share the remaining bins.
        """
        width = max(1, BLOCK // max(len(X), 1))
        return cls([cuts for k in range(0, X.shape[1], width) for cuts in _cut(X[:, k : k + width])])

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


def _cut(X: NDArray[np.float32]) -> list[Floats]:
    """Return the cuts of each feature. A loop over words would take as long as the trees."""
    n, d = X.shape
    ordered = np.sort(X.T, axis=1)
    is_first = np.column_stack([np.ones(d, dtype=bool), ordered[:, 1:] != ordered[:, :-1]])
    first = np.flatnonzero(is_first)
    column, values = first // n, ordered.ravel()[first].astype(np.float64)
    size = np.minimum(MAX_BINS * np.diff(first, append=n * d), n)  # of each value, in units of 1/32 of an item
    filled = size.cumsum()
    total = np.bincount(column, size, minlength=d).astype(np.int64)
    filled -= (total.cumsum() - total)[column]
    number = np.where(filled < total[column], MAX_BINS * filled // total[column], -1)  # the last value ends no bin
    ends = np.flatnonzero(number > np.where(np.diff(column, prepend=-1) > 0, 0, np.roll(number, 1)))
    cuts = (values[ends] + values[np.minimum(ends + 1, len(values) - 1)]) / 2
    return np.split(cuts, np.searchsorted(column[ends], np.arange(1, d)))


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

    Returns
    -------
    Trees
        Their mean is the log odds: each leaf has its step times the number of rounds, plus the start.

    References
    ----------
    .. [1] T. Chen and C. Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016, eq. (5).
    """
    start = start_at_rates(Y, observed)
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


def start_at_rates(Y: Floats, observed: Mask) -> Floats:
    """Return the log odds of each label's rate."""
    return np.asarray(logit((Y.sum(axis=0, where=observed) + 0.5) / (observed.sum(axis=0) + 1)))


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
