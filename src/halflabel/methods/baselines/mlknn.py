"""ML-kNN: the number of neighbours with a label, and Bayes' rule (Zhang & Zhou 2007)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix, MatrixLike
from halflabel._progress import step
from halflabel.labels import PartialLabels
from halflabel.labels.partial import LabelsLike
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.validation import require_choice, require_positive, require_whole
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.scaling import Scaler


class MLkNN(PartialLabelEstimator):
    r"""Multi-label k-nearest neighbours.

    Labels are handled one by one. Let :math:`C` be the number of an item's k nearest neighbours for which the label
    is relevant, :math:`c[j]` the number of training items with :math:`C = j` for which it is relevant, and
    :math:`c'[j]` the number of items with :math:`C = j` for which it is irrelevant. The score is the posterior

    .. math::
        P(H_1 \mid C) = \frac{P(H_1)\,P(C \mid H_1)}{P(H_1)\,P(C \mid H_1) + P(H_0)\,P(C \mid H_0)}

    with, for m training items and the smoothing s,

    .. math::
        P(H_1) = \frac{s + \sum_j c[j]}{2s + m}, \quad
        P(C = j \mid H_1) = \frac{s + c[j]}{s(k + 1) + \sum_p c[p]},

    and the same with :math:`c'` for :math:`H_0`.

    Parameters
    ----------
    n_neighbors : int, default=10
        k. If a label has k or fewer training items, all of them but the item itself are its neighbours.
    smoothing : float, default=1.0
        s, the number of items that are added to each cell of a table. Positive.
    scale : {"auto", "standard", None}, default="auto"
        "standard" divides each feature by its standard deviation; dense X is centred first. "auto" does so for
        dense X only.
    ties : {"content", "index"}, default="content"
        Which of several items at the same distance are neighbours: the first ones in an order that follows from the
        items themselves, or the first ones in X (then a rotation of the features changes no neighbour).
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares the posterior with .5.
    random_state : int or None, default=0
        It has no effect, because the method is deterministic. Every method has this parameter.

    Attributes
    ----------
    tables_ : ndarray of int, shape (2, k + 1, n_labels)
        c and c'.
    n_neighbors_ : ndarray of int, shape (n_labels,)
        k, or fewer for a label with k or fewer training items.
    items_ : matrix of shape (n_labelled, n_features)
        The scaled items that can be neighbours, because they have an observed entry.
    relevant_, observed_ : ndarray of bool, shape (n_labelled, n_labels)
        Their labels.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`halflabel.SSDRMC`.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, the labels are positive-only, or a
        parameter is out of its range.

    Notes
    -----
    Costs one exact neighbour search, :math:`O(n^2 m)` for m features. If entries are missing one by one, each distinct
    set of items on which labels are observed needs another search, in the worst case one per label. Short texts have
    many items at the same distance: without a rule for ``ties``, sparse and dense X would give different results.

    The probabilities are calibrated on leave-one-out scores in closed form: the contribution of an item is subtracted
    from prior and tables, and the item is not one of its neighbours. One dependence remains: the item is a neighbour of
    other items, so that its label may change the cells of *these* items, by one count each.

    **Departures from the paper.** If every entry is observed, only the default scaling and threshold differ.
    :meth:`as_published` has the scaling and threshold of the paper. Unknown entries are an extension: since labels are
    handled one by one, each label is learned by the paper's method from the items for which it is observed. Only these
    are its training items, and only these can be neighbours, so that :math:`C` always counts k observed entries. A
    count over neighbours with gaps would need a single search, but :math:`C` would become smaller the more entries are
    missing.

    References
    ----------
    .. [1] M.-L. Zhang and Z.-H. Zhou, "ML-kNN: A lazy learning approach to multi-label learning", Pattern
       Recognition 40, 2007, the pseudo-code of figure 1.

    Examples
    --------
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.where(X[:, 0] < 6, 0.0, 1.0)
    >>> y[[2, 8]] = np.nan
    >>> MLkNN(n_neighbors=2).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    """

    #: New items do not need the scores of the fitted items.
    scaler_: Scaler
    n_neighbors_: Ints
    tables_: Ints
    items_: Matrix
    relevant_: Mask
    observed_: Mask

    _transductive: ClassVar[tuple[str, ...]] = (*PartialLabelEstimator._transductive, "label_scores_")

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        smoothing: float = 1.0,
        scale: str | None = "auto",
        ties: str = "content",
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.scale = scale
        self.ties = ties
        self.rule = rule
        self.random_state = random_state

    @classmethod
    def as_published(cls) -> Self:
        """Return an instance with the paper's settings: k = 10, s = 1, raw features, posterior against 0.5.

        Of items at the same distance, the first ones in X are neighbours.
        """
        return cls(10, smoothing=1.0, scale=None, ties="index", rule=Rule("fixed", threshold=0.5))

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Count the neighbours of every item. ``X`` and ``y`` are as in :meth:`halflabel.SSDRMC.fit`."""
        Z, labels = self._enter(X, y)
        self._validate_parameters()
        self.scaler_ = Scaler.learn(Z, self.scale)
        Z = self.scaler_(Z)
        self.n_neighbors_ = np.clip(labels.observed.sum(axis=0) - 1, 0, self.n_neighbors)
        counts = _count_relevant(Z, labels.relevant, labels.observed, self.n_neighbors)
        self.tables_ = _tabulate(counts, labels, int(self.n_neighbors_.max()))
        labelled = ~labels.unlabelled
        self.items_ = Z[labelled]
        self.relevant_, self.observed_ = labels.relevant[labelled], labels.observed[labelled]
        left_out = np.where(labels.observed, self._posterior(counts, labels.state), np.nan)
        return self._decide(labels, self._posterior(counts), left_out)

    def _choose_order(self, X: Matrix, *content: Any) -> Ints:
        order = super()._choose_order(X, *content)
        if self.ties == "index":
            order = self._item_order = np.arange(X.shape[0])
        return order

    def _validate_parameters(self) -> None:
        require_whole(self, n_neighbors=1)
        require_choice(self, ties=("content", "index"))
        reason = "without it, a count that no training item has would get the posterior 0/0"
        require_positive(self, "smoothing", finite=True, reason=reason)

    def _posterior(self, counts: Ints, own: Any = 0) -> Floats:
        """Return P(H_1 | C = counts), or NaN for a label with one value only.

        ``own`` has the state (+1 or -1) of each item, whose contribution to the tables is then subtracted.
        """
        s, k = self.smoothing, self.n_neighbors_
        joint = []
        for table, state in zip(self.tables_, (1, -1), strict=True):
            total = table.sum(axis=0) - (own == state)
            at = np.take_along_axis(table, counts, axis=0) - (own == state)
            joint.append((s + total) * (s + at) / (s * (k + 1) + total))  # the priors' denominator 2s + m cancels
        learnable = self.tables_.any(axis=1).all(axis=0)
        return np.where(learnable, joint[0] / (joint[0] + joint[1]), np.nan)

    def _score_new(self, X: Matrix) -> Floats:
        counts = _count_relevant(self.items_, self.relevant_, self.observed_, self.n_neighbors, self.scaler_(X))
        return self._posterior(counts)


def _count_relevant(items: Matrix, relevant: Mask, observed: Mask, k: int, query: Matrix | None = None) -> Ints:
    """Count, per row and label, the relevant entries among the k nearest items for which the label is observed.

    The rows are the rows of ``query``, or the items themselves, which are never their own neighbours.
    """
    counts = np.zeros((items.shape[0] if query is None else query.shape[0], relevant.shape[1]), dtype=np.intp)
    patterns, pattern_of = np.unique(observed, axis=1, return_inverse=True)
    for p, pattern in enumerate(patterns.T):
        step("neighbours of labels observed together", p, patterns.shape[1])
        rows, columns = np.flatnonzero(pattern), np.flatnonzero(pattern_of.ravel() == p)
        if len(rows) > 1:
            graph = _mark_nearest(items, rows, min(k, len(rows) - 1), query)
            counts[:, columns] = graph @ relevant[np.ix_(rows, columns)].astype(np.intp)
    return counts


def _mark_nearest(items: Matrix, rows: Ints, k: int, query: Matrix | None) -> sparse.csr_array:
    """Return a matrix with 1 where a column (one of ``rows``) is among the k nearest ``rows`` to an item or query."""
    if query is not None:
        indices, _ = neighbors(items[rows], k, query=query, ties="index")
    else:
        indices = np.empty((items.shape[0], k), dtype=np.intp)
        indices[rows], _ = neighbors(items[rows], k, ties="index")
        rest = np.setdiff1d(np.arange(items.shape[0]), rows)
        if len(rest):
            indices[rest], _ = neighbors(items[rows], k, query=items[rest], ties="index")
    n = len(indices)
    ones = np.ones(n * k, dtype=np.intp)
    return sparse.csr_array((ones, indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, len(rows)))


def _tabulate(counts: Ints, labels: PartialLabels, k: int) -> Ints:
    """Return c[j] and c'[j] of every label: the numbers of its relevant, and irrelevant, items for each count j."""
    items, columns = np.nonzero(labels.observed)
    tables = np.zeros((2, k + 1, labels.shape[1]), dtype=np.intp)
    irrelevant = (labels.state[items, columns] < 0).astype(np.intp)
    np.add.at(tables, (irrelevant, counts[items, columns], columns), 1)
    return tables
