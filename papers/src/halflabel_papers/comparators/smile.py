"""SMILE: missing labels estimated from other labels, and a linear model that is smooth on a graph (Tan et al. 2017)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy import linalg, sparse

from halflabel.labels import PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.validation import require_not_negative, require_positive, require_whole
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import affinity, laplacian
from halflabel.plugins import Floats, Mask, Matrix, is_sparse, stored
from halflabel_papers.comparators.comparator import Comparator, Setting


@dataclass(frozen=True, eq=False)
class AffineMap:
    """Scores :math:`P^T x + b`."""

    #: Shape (n_features, n_labels). P.
    weights: Floats
    #: Shape (n_labels,). b.
    bias: Floats

    def __call__(self, X: Matrix) -> Floats:
        """Return the scores of the rows of X."""
        return np.asarray(X @ self.weights) + self.bias


class SMILE(Comparator):
    r"""Missing labels are estimated from the item's other labels. Then a linear model, smooth on a graph, is fitted.

    1. *Correlation*: :math:`L_{kc} = (n_{kc} + s) / (n_k + 2s)`, with :math:`n_{kc}` the number of items that have both
       labels and :math:`n_k` the number of items with label k, among the items for which c is known.
    2. *Estimate*: an item has the targets :math:`\tilde y_c = 1` for its labels, 0 for labels that it is known not to
       have, and for a missing label :math:`r_c / \sum_{c'} r_{c'}`, where :math:`r_c = \sum_k y_k L_{kc}` sums over its
       labels, and r is 1 and 0 for known labels.
    3. *Model*: P and b minimise

       .. math:: \sum_{i\ \mathrm{labelled}} \|P^T x_i + b - \tilde y_i\|^2
           + \alpha\,\mathrm{tr}(P^T X^T M X P) + \rho\,\|P\|^2

       with M the Laplacian of the graph of all items. With H the diagonal matrix that marks the l labelled items and
       :math:`H_c = H - H 1 1^T H / l`, the minimum is

       .. math:: P = (X^T (H_c + \alpha M) X + \rho I)^{-1} X^T H_c \tilde Y, \qquad
           b = \tfrac1l (\tilde Y - X P)^T H 1 .

    Parameters
    ----------
    alpha : float or sequence of float, default=0.35
        :math:`\alpha`, the weight of the graph; 0 leaves it out. Of several weights the best is chosen.
    n_neighbors : int, default=5
        Two items are joined, with weight 1, if either is a neighbour of the other.
    smoothing : float, default=0.5
        s, in items.
    ridge : float or sequence of float, default=1.0
        :math:`\rho`. Of several ridges the best is chosen.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Folds of annotated items, for the out-of-fold scores; held-out items are unlabelled items of the graph.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with .5.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    model_ : AffineMap
        P and b, for the labels that can be learned.
    correlation_ : ndarray of shape (n_labels, n_labels)
        L; NaN for labels that cannot be learned.
    targets_ : ndarray of shape (n_items, n_labels)
        :math:`\tilde Y`; NaN for unlabelled items and for labels that cannot be learned.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`LEML`.

    Notes
    -----
    Costs one search for neighbours, and ``n_folds + 1`` solutions of a dense linear system in min(n_items, n_features)
    unknowns. Sparse features stay sparse. Missing labels are unknown entries of an item with known ones; with
    positive-only labels, all that was not assigned in an annotated item.

    **Departures.** The paper was not available; the equations come from the package scikit-multilearn-ng
    (``skmultilearn.missing.SMiLE``). That code and the objective differ in four points, in which this class follows the
    objective:

    * Its :math:`H_c` and b divide by the number of all items instead of l. Then P and b do not minimise the objective
      if there are unlabelled items: b is too small.
    * Its graph joins all items of a cluster of k-means; the paper's abstract describes a graph of neighbours.
    * Its inverse does not exist if features are linearly dependent; the ridge is ours.
    * A missing label and an irrelevant one are both 0 there, and an item without labels is unlabelled. Here, entries
      that are known to be irrelevant have the target 0, and an annotated item without labels is labelled.

    References
    ----------
    .. [1] Q. Tan, Y. Yu, G. Yu and J. Wang, "Semi-supervised multi-label classification using incomplete label
       information", Neurocomputing 260, 2017.

    Examples
    --------
    >>> Y = np.array([[1, 1], [1, 1], [1, np.nan], [0, 0], [0, 0], [np.nan, np.nan]])
    >>> X = np.array([[1.0], [1.1], [1.2], [-1.0], [-1.1], [0.9]])
    >>> model = SMILE(n_neighbors=2, n_folds=2).fit(X, Y)
    >>> model.targets_[2].round(2)
    array([1.  , 0.45])
    >>> model.transduction_[5]
    array([1, 1])
    """

    _transductive: ClassVar[tuple[str, ...]] = (*Comparator._transductive, "targets_")

    def __init__(
        self,
        alpha: Candidates = 0.35,
        *,
        n_neighbors: int = 5,
        smoothing: float = 0.5,
        ridge: Candidates = 1.0,
        scale: str | None = "auto",
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.ridge = ridge
        self.scale = scale
        self.n_folds = n_folds
        self.rule = rule
        self.random_state = random_state

    def _settings(self) -> list[Setting]:
        require_not_negative(self, "alpha", several=True, finite=True)
        require_positive(self, "ridge", several=True, finite=True)
        require_positive(self, "smoothing", finite=True)
        require_whole(self, n_neighbors=1)
        pairs = itertools.product(list_candidates(self.alpha), list_candidates(self.ridge))
        return [{"alpha": alpha, "ridge": ridge} for alpha, ridge in pairs]

    def _choose_and_fit(self, X: Matrix, labels: PartialLabels, settings: list[Setting]) -> Self:
        """Fit with unlabelled items, which the other comparators do not use."""
        M = join_neighbors(X, self.n_neighbors)
        held_out = [self._out_of_fold(X, labels, M, **each) for each in settings]
        best = self._choose(labels, held_out, settings)
        self.learned_ = labels.learnable
        self.correlation_, targets = np.full((labels.shape[1],) * 2, np.nan), np.full(labels.shape, np.nan)
        if self.learned_.any():
            L, known = self._complete(labels)
            self.model_ = fit_smooth_map(X, known, ~labels.unlabelled, M, **settings[best])
            self.correlation_[np.ix_(self.learned_, self.learned_)] = L
            targets[np.ix_(~labels.unlabelled, self.learned_)] = known[~labels.unlabelled]
        self.targets_ = self._restore_order(targets)
        return self._decide(labels, self._score(X), held_out[best])

    def _complete(self, labels: PartialLabels) -> tuple[Floats, Floats]:
        """Return L and the targets of the labels that can be learned."""
        state = labels.state[:, labels.learnable]
        missing = state < 0 if self.positive_only_ else (state == 0) & ~labels.unlabelled[:, None]
        L = correlate(state > 0, state != 0, self.smoothing)
        return L, estimate_missing(state > 0, missing, L)

    def _out_of_fold(
        self, X: Matrix, labels: PartialLabels, M: sparse.csr_array, *, alpha: float, ridge: float
    ) -> Floats:
        def score_held_out(held_out: Mask) -> Floats:
            rest = labels.hide(np.broadcast_to(held_out[:, None], labels.shape))
            scores = np.full((int(held_out.sum()), labels.shape[1]), np.nan)
            if rest.learnable.any():
                _, targets = self._complete(rest)
                model = fit_smooth_map(X, targets, ~rest.unlabelled, M, alpha, ridge)
                scores[:, rest.learnable] = model(X[held_out])
            return scores

        folds = folds_of_labelled(labels, self.n_folds, np.random.default_rng(self.random_state))
        return score_out_of_fold(score_held_out, folds, labels.shape)


def join_neighbors(X: Matrix, k: int) -> sparse.csr_array:
    """Return the Laplacian of the graph in which neighbours are joined with weight 1."""
    indices, distances = neighbors(X, k, ties="index")
    return laplacian(affinity(indices, np.zeros_like(distances), 1.0))  # exp(0) is 1


def correlate(relevant: Mask, known: Mask, smoothing: float) -> Floats:
    r"""Return :math:`L_{kc} = (n_{kc} + s) / (n_k + 2s)`, over the items for which c is known."""
    R = relevant.astype(np.float64)
    return np.asarray((R.T @ R + smoothing) / (R.T @ known + 2 * smoothing))


def estimate_missing(relevant: Mask, missing: Mask, L: Floats) -> Floats:
    """Return 1 for relevant entries, the estimate for missing ones, and 0 for all others."""
    raw = np.where(missing, relevant @ L, relevant)
    total = raw.sum(axis=1, keepdims=True)  # 0 for an item that has no label: then every estimate is 0
    return np.where(missing, raw / np.where(total > 0, total, 1.0), relevant)


def fit_smooth_map(
    X: Matrix, targets: Floats, labelled: Mask, M: sparse.csr_array, alpha: float, ridge: float
) -> AffineMap:
    """Minimise the objective of :class:`SMILE`, in the smaller one of the numbers of items and of features.

    ``targets`` are used for labelled items, and M is the Laplacian of the graph.
    """
    center = np.asarray(X[labelled].mean(axis=0)).ravel()
    # Dense rows are centred first, so that a large offset does not cost digits; sparse ones are centred implicitly.
    rows, mean = (X, center) if is_sparse(X) else (X - center, np.zeros_like(center))
    average = targets[labelled].mean(axis=0)
    T = np.where(labelled[:, None], targets - average, 0.0)
    B = sparse.csr_array(sparse.diags_array(labelled.astype(np.float64)) + alpha * M)
    solve = _solve_by_features if X.shape[1] <= X.shape[0] else _solve_by_items
    P = solve(rows, T, labelled, B, mean, ridge)
    return AffineMap(P, average - center @ P)


def _solve_by_features(X: Matrix, T: Floats, labelled: Mask, B: sparse.csr_array, mean: Floats, ridge: float) -> Floats:
    A = stored(X.T @ (B @ X), as_sparse=False) - labelled.sum() * np.outer(mean, mean)
    A[np.diag_indices_from(A)] += ridge
    right = np.asarray(X.T @ T)  # the columns of T have the sum 0, so that the mean of X does not count
    return np.asarray(linalg.solve(A, right, assume_a="pos"))


def _solve_by_items(X: Matrix, T: Floats, labelled: Mask, B: sparse.csr_array, mean: Floats, ridge: float) -> Floats:
    r"""Return :math:`X^T V` with :math:`(B_c X X^T + \rho I) V = T`, where :math:`B_c = B - H 1 1^T H / l`."""
    A = B @ stored(X @ X.T, as_sparse=False) - np.outer(labelled, X @ mean)
    A[np.diag_indices_from(A)] += ridge
    return np.asarray(X.T @ linalg.solve(A, T))
