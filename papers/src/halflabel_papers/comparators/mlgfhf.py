"""ML-GFHF: a harmonic function on the graph of items and the graph of labels at once (Chen et al. 2008)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg, sparse

from halflabel.labels import PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.validation import require_not_negative, require_positive, require_whole
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import affinity, components, laplacian, supported
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.solvers import Solution
from halflabel.numerics.solvers.pcg import pcg
from halflabel.numerics.threads import limit_threads
from halflabel.plugins import Floats, Mask, Matrix


class MLGFHF(PartialLabelEstimator):
    r"""Multi-label Gaussian fields and harmonic functions: a Sylvester equation for the scores of unlabelled items.

    The scores F are equal to the observed labels, coded 1 (relevant) and 0 (irrelevant). The other scores minimise

    .. math:: \mathrm{tr}(F^T L F) + \nu\,\mathrm{tr}(F L_c F^T)
        = \tfrac12\sum_{ij} w_{ij}\|F_{i\cdot} - F_{j\cdot}\|^2
        + \tfrac{\nu}{2}\sum_{kl} c_{kl}\|F_{\cdot k} - F_{\cdot l}\|^2

    with :math:`L = D - W` of the items' symmetrised neighbour graph, :math:`w_{ij} = \exp(-d_{ij}^2 / 2\sigma^2)`, and
    :math:`L_c` the same of the labels, whose weights are the cosines :math:`c_{kl}` of their columns. For items U
    without labels this is the solution of

    .. math:: L_{UU} F_U + \nu F_U L_c = -L_{UL} Y_L .

    Parameters
    ----------
    n_neighbors : int, default=15
        k. Two items are joined if either is a neighbour of the other.
    bandwidth : float or None, default=None
        :math:`\sigma`; None is the mean distance of an item to its k-th neighbour.
    label_graph_weight : float, default=0.1
        :math:`\nu`, in units of an edge between two identical items. With 0 the labels are independent: there is one
        harmonic function per label (Zhu et al. 2003).
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Number of folds of labelled items, for the out-of-fold scores that calibrate the probabilities.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with .5.
    solver_tol : float, default=1e-8
        Relative residual at which conjugate gradients stop.
    max_iter : int, default=2000
        Maximum number of their iterations.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    field_ : ndarray of shape (n_items, n_labels)
        F; observed entries keep their values, and an entry is NaN if no observed one can be reached on the graphs.
    label_laplacian_ : ndarray of shape (n_labels, n_labels)
        :math:`L_c`.
    bandwidth_ : float
        :math:`\sigma`.
    solution_ : Solution
        Objective history, relative residual and status of the solver; ``x`` holds the entries that were not observed.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`halflabel.SSDRMC`.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, the labels are positive-only, or a
        parameter is out of its range.

    Notes
    -----
    After the neighbour search an iteration costs O(n k c + n c^2) for c labels; the two Laplacians are never joined
    into one matrix. If entries are missing one by one, all unknown entries are free, including entries of items with a
    label: the operator is the Sylvester operator restricted to them, symmetric and positive definite. The scores of a
    new item minimise the objective with all others held fixed; they depend on its neighbours only. A new item with
    weight 0 to all neighbours, because they are many bandwidths away, gets the limit of these scores.

    **Departures from the paper.** Qian and Davidson give the method and its graph of items, but neither the weight nor
    the graph of labels. The objective, without a fitting term, is the first of the two in Chen et al. The similarity of
    labels is the cosine of their columns over the items for which both are observed; it is written from memory of that
    paper. Single unknown entries are an extension. Observed scores are fixed and a small share of them is relevant, so
    that most scores are far below the natural threshold 0.5; the default rule on calibrated probabilities corrects
    this.

    References
    ----------
    .. [1] G. Chen, Y. Song, F. Wang and C. Zhang, "Semi-supervised multi-label learning by solving a Sylvester
       equation", SIAM International Conference on Data Mining 2008.
    .. [2] X. Zhu, Z. Ghahramani and J. Lafferty, "Semi-supervised learning using Gaussian fields and harmonic
       functions", ICML 2003.
    .. [3] B. Qian and I. Davidson, AAAI 2010, the settings of the comparison.

    Examples
    --------
    >>> X = np.vstack([np.linspace(0, 1, 10)[:, None], np.linspace(2, 3, 10)[:, None]])
    >>> y = np.full(20, np.nan)
    >>> y[[0, 3, 10, 13]] = [0, 0, 1, 1]
    >>> MLGFHF(n_neighbors=4).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    #: New items need the field, not the scores of the fitted ones.
    #: New items are compared with the fitted ones, so that the order of these is saved.
    _transductive: ClassVar[tuple[str, ...]] = tuple(
        {*PartialLabelEstimator._transductive, "label_scores_"} - {"_item_order"}
    )

    def __init__(
        self,
        n_neighbors: int = 15,
        *,
        bandwidth: float | None = None,
        label_graph_weight: float = 0.1,
        scale: str | None = "auto",
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        solver_tol: float = 1e-8,
        max_iter: int = 2000,
        random_state: int | None = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.label_graph_weight = label_graph_weight
        self.scale = scale
        self.n_folds = n_folds
        self.rule = rule
        self.solver_tol = solver_tol
        self.max_iter = max_iter
        self.random_state = random_state

    @classmethod
    def as_published(cls) -> Self:
        """Return an instance with Qian and Davidson's settings: k = 15, sigma by the k-th neighbour, raw features."""
        return cls(15, bandwidth=None, scale=None, rule=Rule("fixed", threshold=0.5))

    def fit(self, X: Any, y: Any) -> Self:
        """Fill the gaps of ``y``, with ``X`` and ``y`` as in :meth:`halflabel.SSDRMC.fit`."""
        X, labels = self._enter(X, y)
        self._validate_parameters()
        with limit_threads(len(labels)):
            return self._fit(X, labels)

    def _fit(self, X: Matrix, labels: PartialLabels) -> Self:
        self.scaler_ = Scaler.learn(X, self.scale)
        self.items_ = self.scaler_(X)
        indices, distances = neighbors(self.items_, self.n_neighbors)
        self.bandwidth_ = self.bandwidth or float(distances[:, -1].mean()) or 1.0
        W = affinity(indices, distances, self.bandwidth_)
        self.label_laplacian_ = _compute_label_laplacian(labels)
        self.field_, self.solution_ = self._solve(W, labels, self.label_laplacian_)
        self.learnable_ = labels.learnable
        self._warn_unless_converged(self.solution_.status, self.solution_.residual)
        self._decide(labels, self.field_, self._out_of_fold(W, labels))
        self.field_ = self._restore_order(self.field_)
        return self

    def _validate_parameters(self) -> None:
        require_whole(self, n_neighbors=1, n_folds=2, max_iter=1)
        require_not_negative(self, "label_graph_weight", finite=True)
        require_positive(self, "bandwidth", finite=True, optional=True)

    def _solve(self, W: sparse.csr_array, labels: PartialLabels, Lc: Floats) -> tuple[Floats, Solution]:
        """Return F, NaN where no observed entry can be reached, and the solution for the unknown entries."""
        F = labels.values(unknown=0.0)
        reached = _find_reached(W, labels.observed, Lc if self.label_graph_weight else np.zeros_like(Lc))
        free = reached & ~labels.observed
        solution = _solve_harmonic(laplacian(W), self.label_graph_weight * Lc, F, free, self.solver_tol, self.max_iter)
        F[free] = solution.x[:, 0]
        F[~reached] = np.nan
        return F, solution

    def _out_of_fold(self, W: sparse.csr_array, labels: PartialLabels) -> Floats:
        """Return the scores of observed entries with their fold hidden, from the graph of labels too."""
        folds = folds_of_labelled(labels, self.n_folds, np.random.default_rng(self.random_state))

        def score_held_out(held_out: Mask) -> Floats:
            rest = labels.hide(held_out[:, None])
            F, _ = self._solve(W, rest, _compute_label_laplacian(rest))
            return np.where(labels.observed, F, np.nan)[held_out]

        return score_out_of_fold(score_held_out, folds, labels.shape)

    def _score_new(self, X: Matrix) -> Floats:
        r"""Solve :math:`f(dI + \nu L_c) = \sum_j w_j F_j` with d the sum of the weights, for each new item."""
        indices, distances = neighbors(self.items_, min(self.n_neighbors, self.items_.shape[0]), query=self.scaler_(X))
        exponent = -(distances**2) / (2 * self.bandwidth_**2)
        # Weights in units of that of the nearest neighbour: for an item far from all others they would all be 0.
        w, unit = np.exp(exponent - exponent[:, :1]), np.exp(exponent[:, :1])
        starts = np.arange(0, indices.size + 1, indices.shape[1])
        weights = sparse.csr_array((w.ravel(), indices.ravel(), starts), shape=(len(indices), len(self.field_)))
        field = self.field_[self._item_order]
        values, Q = linalg.eigh(self.label_graph_weight * self.label_laplacian_)
        pull = np.where(values > 1e-12 * values[-1], values, 0.0) / np.maximum(unit, 1e-290)
        f = ((weights @ np.nan_to_num(field)) @ Q / (w.sum(axis=1, keepdims=True) + pull)) @ Q.T
        unreached = weights @ np.isnan(field).astype(np.float64) > 0
        return np.where(unreached | ~self.learnable_, np.nan, f)


def _compute_label_laplacian(labels: PartialLabels) -> Floats:
    """Return D - C with C the cosine of label columns over the items for which both labels are observed."""
    relevant, observed = labels.relevant.astype(np.float64), labels.observed.astype(np.float64)
    counts = relevant.T @ observed
    size = np.sqrt(counts * counts.T)
    cosine = np.divide(relevant.T @ relevant, size, out=np.zeros_like(size), where=size > 0)
    np.fill_diagonal(cosine, 0)
    return np.asarray(np.diag(cosine.sum(axis=1)) - cosine)


def _find_reached(W: sparse.csr_array, observed: Mask, Lc: Floats) -> Mask:
    """Return which entries are connected with an observed one by edges between items and between labels."""
    kind = components(sparse.csr_array(Lc))
    together = (kind[:, None] == kind).astype(np.float64)
    return supported(components(W), observed @ together > 0)


def _solve_harmonic(L: sparse.csr_array, Lc: Floats, F: Floats, free: Mask, tol: float, max_iter: int) -> Solution:
    """Solve (L F + F Lc) = 0 for the free entries of F, all others held at their values."""

    def apply(x: Floats) -> Floats:
        inner = np.zeros_like(F)
        inner[free] = x[:, 0]
        return np.asarray((L @ inner + inner @ Lc)[free][:, None])

    held = np.where(free, 0.0, F)
    rhs = -(L @ held + held @ Lc)[free][:, None]
    diagonal = (L.diagonal()[:, None] + np.diag(Lc))[free][:, None]
    return pcg(apply, rhs, diagonal, tol=tol, max_iter=max_iter)
