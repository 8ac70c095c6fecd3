"""SSDR-MC: labels propagated along reconstruction weights (Qian & Davidson 2010)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from halflabel.arrays import Floats, Ints, Mask, Matrix
from halflabel.base import PartialLabelEstimator, Scaler
from halflabel.graphs import neighbors, reconstruction_weights
from halflabel.kernels import KernelRidge, kernel_ridge, mean_distance, nystroem
from halflabel.labels import PartialLabels
from halflabel.model_selection import item_folds
from halflabel.progress import step
from halflabel.solvers import Solution, pcg

__all__ = ["SSDRMC", "propagate"]

#: Fewer items than this are fitted on one BLAS thread.
SMALL = 5000


class SSDRMC(PartialLabelEstimator):
    r"""Semi-supervised label propagation by reconstruction weights, anchored to a kernel ridge prior.

    Each item is rebuilt from its ``n_neighbors`` nearest neighbours with weights W that sum to 1
    (eq. 4 and 13), and the scores F of all items minimise

    .. math::
        \|(I - W)F\|_F^2 + \beta \sum_{(i,j)\,\mathrm{observed}} (F_{ij} - Y_{ij})^2
        + \beta_u \sum_{(i,j)\,\mathrm{unknown}} (F_{ij} - F^0_{ij})^2

    with targets Y coded 1 (relevant) and 0 (irrelevant) and :math:`F^0` a kernel ridge regression
    (RBF, bandwidth the mean distance, ridge weight by closed-form leave-one-out). In the notation
    of the paper this is eq. (10) with its fitting term masked to observed entries and the unknown ones
    held by a prior: :math:`(M + D)F = D \circ [Y; F^0]` with :math:`M = (I - W)^T(I - W)`.

    Parameters
    ----------
    n_neighbors : int, default=15
        k.
    ridge : float, default=1.0
        :math:`\xi` of eq. (13), a share of the mean eigenvalue of each local Gram matrix.
    fit_weight : float, default=1.0
        :math:`\beta`, weight of one observed entry's squared error against one item's reconstruction error.
    anchor_weight : float, default=0.3
        :math:`\beta_u`, the same for one unknown entry's distance to the prior. Must be positive.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    max_landmarks : int, default=2000
        Kernel ridge is exact up to so many labelled items (half of it where entries are missing one by
        one), and on a Nystroem map of so many above; ``prior_.features.error`` holds the map's error.
    n_folds : int, default=5
        Folds of labelled items for the out-of-fold scores that calibrate the probabilities.
    decision : str, default="micro_f1"
        Threshold rule: "fixed" (scores against ``threshold``) or one of :data:`halflabel.decision.RULES`.
    threshold : float, default=0.3
        H of the paper, for ``decision="fixed"``.
    cost_ratio : float, default=1.0
        Cost of a false positive over that of a false negative, for ``decision="cost"``.
    solver_tol : float, default=1e-5
        Relative residual at which the conjugate gradients stop.
    max_iter : int, default=300
        Limit of conjugate-gradient iterations.
    random_state : int or None, default=0
        Decides folds, landmarks and the sample for the bandwidth.

    Attributes
    ----------
    label_scores_ : ndarray of shape (n_items, n_labels)
        F; NaN for a label that was not observed with both values.
    label_probabilities_ : ndarray of shape (n_items, n_labels)
        Calibrated probabilities; out of fold for observed entries.
    transduction_ : ndarray of shape (n_items, n_labels) or (n_items,)
        0/1, known entries verbatim.
    thresholds_ : ndarray of shape (n_labels,)
    weights_ : csr_array of shape (n_items, n_items)
        W.
    prior_ : KernelRidge
    solution_ : Solution
        Objective history, true residual and status of the solve for F.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, or the labels are positive-only.

    Notes
    -----
    After the neighbour search, W costs O(n k^3 + n k^2 m) and each of the 12-25 iterations two sparse
    products, O(n k c) for c labels. M + D has no eigenvalue below min(fit_weight, anchor_weight), so no
    component of the graph can be singular. A new item gets :math:`(w^T F + \beta_u f^0)/(1 + \beta_u)`, the
    minimiser for its own row with all others held fixed.

    **Departures from the paper.** The paper's eq. (7) is not the minimiser of its eq. (5), and eq. (10)
    as printed pulls every unlabelled item to 0; here the fitting term is masked. The ridge is 1 (the paper
    advises far less than 0.1, which costs accuracy). Weights are not alternated with the labels. Probabilities
    and a plug-in threshold replace H = 0.3, which remains as ``decision="fixed"``.

    References
    ----------
    .. [1] B. Qian and I. Davidson, "Semi-Supervised Dimension Reduction for Multi-Label Classification",
       AAAI 2010, eq. (4), (5), (10) and (13).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vstack([np.linspace(0, 1, 10)[:, None], np.linspace(5, 6, 10)[:, None]])
    >>> y = np.full(20, np.nan)
    >>> y[[0, 3, 10, 13]] = [0, 0, 1, 1]
    >>> SSDRMC(n_neighbors=4).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 15,
        *,
        ridge: float = 1.0,
        fit_weight: float = 1.0,
        anchor_weight: float = 0.3,
        scale: str | None = "auto",
        max_landmarks: int = 2000,
        n_folds: int = 5,
        decision: str = "micro_f1",
        threshold: float = 0.3,
        cost_ratio: float = 1.0,
        solver_tol: float = 1e-5,
        max_iter: int = 300,
        random_state: int | None = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.fit_weight = fit_weight
        self.anchor_weight = anchor_weight
        self.scale = scale
        self.max_landmarks = max_landmarks
        self.n_folds = n_folds
        self.decision = decision
        self.threshold = threshold
        self.cost_ratio = cost_ratio
        self.solver_tol = solver_tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fill the gaps of ``y``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            All items, labelled and unlabelled.
        y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels) or (n_items,)
            1 relevant, 0 irrelevant, missing unknown.
        """
        X, labels = self._enter(X, y)
        # On small matrices BLAS threads cost more than they bring, and much more on a busy machine.
        with threadpool_limits(1 if len(labels) < SMALL else None, user_api="blas"):
            return self._fit(X, labels)

    def _fit(self, X: Matrix, labels: PartialLabels) -> Self:
        rng = np.random.default_rng(self.random_state)
        self.scaler_ = Scaler.learn(X, self.scale)
        self.items_ = self.scaler_(X)
        indices, _ = neighbors(self.items_, self.n_neighbors)
        self.weights_ = reconstruction_weights(self.items_, indices, self.ridge)
        Y, observed = labels.values(unknown=0.0), labels.observed
        folds = self._folds(labels, rng)
        priors = self._priors(Y, observed, folds, rng)
        self.prior_ = priors[0]
        whole, *left_out = np.moveaxis(priors.predict(self.items_), 1, 0)
        self.solution_ = self._converged(self._propagate(Y, observed, whole, None))
        scores = self.solution_.x
        out_of_fold = np.full_like(scores, np.nan)
        for fold, anchor in enumerate(left_out):
            step("holding out folds", fold, len(left_out))
            held_out = observed & (folds == fold)[:, None]
            without = self._propagate(Y, observed & ~held_out, anchor, scores)
            out_of_fold[held_out] = without.x[held_out]
        return self._decide(labels, scores, out_of_fold)

    def _folds(self, labels: PartialLabels, rng: np.random.Generator) -> Ints:
        """Fold of each labelled item, -1 for unlabelled ones; a single labelled item cannot be held out."""
        labelled = np.flatnonzero(~labels.unlabelled)
        folds = np.full(len(labels), -1, dtype=np.intp)
        if len(labelled) > 1:
            folds[labelled] = item_folds(labels[labelled], min(self.n_folds, len(labelled)), rng)
        return folds

    def _priors(self, Y: Floats, observed: Mask, folds: Ints, rng: np.random.Generator) -> KernelRidge:
        """Kernel ridge regressions on all labelled items and without each fold."""
        rows = np.flatnonzero(observed.any(axis=1))
        whole_items = bool(observed[rows].all())
        most = self.max_landmarks if whole_items else self.max_landmarks // 2
        features = nystroem(self.items_[rows], mean_distance(self.items_, rng), most, rng)
        return kernel_ridge(self.items_[rows], Y[rows], observed[rows], folds[rows], features)

    def _propagate(self, Y: Floats, observed: Mask, anchor: Floats, start: Floats | None) -> Solution:
        weight = np.where(observed, self.fit_weight, self.anchor_weight)
        target = np.where(observed, Y, anchor)
        return propagate(self.weights_, target, weight, start=start, tol=self.solver_tol, max_iter=self.max_iter)

    def _score_new(self, X: Matrix) -> Floats:
        items = self.scaler_(X)
        indices, _ = neighbors(self.items_, min(self.n_neighbors, self.items_.shape[0]), query=items)
        W = reconstruction_weights(self.items_, indices, self.ridge, query=items)
        anchor = self.prior_.predict(items)
        return np.asarray((W @ self.label_scores_ + self.anchor_weight * anchor) / (1 + self.anchor_weight))


def propagate(
    W: sparse.csr_array, target: Floats, weight: Floats, *, start: Floats | None = None, tol: float, max_iter: int
) -> Solution:
    r"""Minimise :math:`\|(I - W)F\|_F^2 + \sum_{ij} d_{ij} (F_{ij} - T_{ij})^2` by matrix-free conjugate gradients.

    The normal equations :math:`(M + D_j) f_j = D_j t_j` are solved for all labels j at once; M is never formed,
    since it squares the number of entries per row and the condition number.
    """
    A = sparse.csr_array(sparse.eye_array(W.shape[0], format="csr") - W)
    At = sparse.csr_array(A.T)
    diagonal = np.asarray(A.multiply(A).sum(axis=0)).ravel()[:, None] + weight
    return pcg(lambda F: At @ (A @ F) + weight * F, weight * target, diagonal, start=start, tol=tol, max_iter=max_iter)
