"""LEML: a linear map of low rank, fitted to the observed entries by alternating minimisation (Yu et al. 2014)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import linalg

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.losses import Squared
from halflabel.numerics.solvers import Solution, Status
from halflabel.numerics.solvers.pcg import pcg
from halflabel.plugins import Floats, Mask, Matrix, is_sparse
from halflabel_papers.comparators.comparator import Comparator, Model, Setting

#: Relative residual at which conjugate gradients stop. The next step corrects the remaining error.
FORCING = 1e-2


class LEML(Comparator):
    r"""Low-rank empirical risk minimisation for multi-label learning.

    Minimises over W (d features x k), H (L labels x k) and intercepts b

    .. math::
        \tfrac12 \sum_{(i,j)\,\mathrm{observed}} (y_{ij} - x_i^T W h_j - b_j)^2
        + \frac{\alpha}{2}\left(\|W\|_F^2 + \|H\|_F^2\right)

    with y = +1 (relevant) or -1 (irrelevant) and x centred on the annotated items.

    Unknown entries are left out of the sum. With positive-only labels, an entry that is unknown in an annotated item
    counts as -1, as in Zhao and Guo (2015); a constant would fit the positives alone.

    Parameters
    ----------
    alpha : float or sequence of float, default=(10.0, 30.0, 100.0, 300.0)
        :math:`\alpha`, the paper's lambda: weight of one unit of singular value of :math:`WH^T` against the loss of one
        entry. It should grow with the number of annotated items. Cross-validation chooses among several values.
    rank : int or sequence of int, default=20
        k; it is reduced to the number of features or of labels if it is larger.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Number of folds of annotated items, for the choice of a setting and the scores that calibrate probabilities.
    tol : float, default=1e-4
        Stop when the gradient's norm is this share of its norm at W = 0.
    max_iter : int, default=300
        Maximum number of alternations.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with 0.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    model_ : LowRankMap
        W, H and b.
    solution_ : Solution
        ``x`` is :math:`WH^T`, ``objective`` its value after each alternation, ``residual`` the relative gradient.
    setting_ : dict
        The weights of the fit.
    cv_results_ : dict of ndarray
        Every setting with its ``pu_f1``, the best F1 of one threshold on held-out items (for ``rule="fixed"``, that
        at ``threshold``).
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`halflabel.SSDRMC`. For positive-only labels probabilities are of being assigned, and labels
        that were not assigned are filled in where their probability reaches the threshold.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, or a parameter is out of its range.

    Notes
    -----
    Each alternation solves for W by conjugate gradients, up to their tolerance, and for each :math:`(h_j, b_j)` by a
    system of k + 1 unknowns. A product with the Hessian costs :math:`O(\mathrm{nnz}(X)\,k + n L k)` for n annotated
    items, and :math:`O(\mathrm{nnz}(X)\,k + n k^2)` if nothing is missing; the systems cost :math:`O(n L k^2)`. Sparse
    X stays sparse. The objective never increases.

    For a fixed :math:`WH^T` the smallest penalty is :math:`\alpha` times its trace norm. With
    :math:`k \ge \min(d, L)` the method is therefore trace-norm regression. A solution of any rank is a minimum of that
    convex problem if the gradient of the loss by :math:`WH^T` has no singular value above :math:`\alpha`.

    **Departures from the paper.** Its objective has neither intercept nor centring; here they make the result
    independent of the origin of each feature. After each alternation the factors are balanced, which reduces the
    penalty at the same :math:`WH^T`; with a small alpha that saves most of the alternations. The start is not random
    but spanned by the labels' singular directions of :math:`X^T Y`, so that the result does not depend on the order of
    items and labels. Labels with gaps are dense rows of annotated items: unknown entries have weight 0 but cost time,
    whereas the paper's products cost :math:`O(|\Omega| k + \mathrm{nnz}(X)\,k)` for the observed entries
    :math:`\Omega`. The text of the paper was not available: the objective is from memory.

    References
    ----------
    .. [1] H.-F. Yu, P. Jain, P. Kar and I. S. Dhillon, "Large-scale multi-label learning with missing labels", ICML
       2014, the ERM problem with trace-norm regularisation and its alternating minimisation.
    .. [2] F. Zhao and Y. Guo, "Semi-supervised multi-label learning with incomplete labels", IJCAI 2015, section 5.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] < 0]).astype(float)
    >>> Y[[2, 9], 0] = np.nan
    >>> LEML(alpha=0.1, n_folds=3).fit(X, Y).transduction_[[2, 9]]
    array([[0, 1],
           [1, 0]])
    """

    own_threshold: ClassVar[float] = 0.0

    def __init__(
        self,
        alpha: Candidates = (10.0, 30.0, 100.0, 300.0),
        *,
        rank: int | Sequence[int] = 20,
        scale: str | None = "auto",
        n_folds: int = 5,
        tol: float = 1e-4,
        max_iter: int = 300,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.rank = rank
        self.scale = scale
        self.n_folds = n_folds
        self.tol = tol
        self.max_iter = max_iter
        self.rule = rule
        self.random_state = random_state

    def _settings(self) -> list[Setting]:
        require_positive(self, "alpha", several=True)
        require_whole(self, several=True, rank=1)
        pairs = itertools.product(list_candidates(self.rank), list_candidates(self.alpha))
        return [{"rank": rank, "alpha": alpha} for rank, alpha in pairs]

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        features, loss = Centred.of(X), Squared(state, _mask_gaps(state), 1.0)
        tol = self.tol if len(settings) == 1 else max(self.tol, 1e-3)  # this is enough to compare settings
        return [low_rank_map(features, loss, state, **s, tol=tol, max_iter=self.max_iter) for s in settings]


def _mask_gaps(state: Floats) -> Mask | None:
    observed = state != 0
    return None if observed.all() else np.asarray(observed)


@dataclass(frozen=True, eq=False)
class Centred:
    """Features minus their means. From sparse features the means are subtracted implicitly."""

    X: Matrix
    mean: Floats
    squares: Matrix

    @classmethod
    def of(cls, X: Matrix) -> Centred:
        """Return the features, centred at the mean of these rows."""
        return cls(X, np.asarray(X.mean(axis=0)).ravel(), X.multiply(X).tocsr() if is_sparse(X) else X**2)

    def __matmul__(self, W: Floats) -> Floats:
        return np.asarray(self.X @ W - self.mean @ W)

    def transposed(self, D: Floats) -> Floats:
        """Return the product of the transpose with D."""
        return np.asarray(self.X.T @ D - np.outer(self.mean, D.sum(axis=0)))


@dataclass(frozen=True)
class LowRankMap:
    """Scores :math:`(x - m)^T W h_j + b_j`."""

    #: Shape (n_features, rank).
    W: Floats
    #: Shape (n_labels, rank).
    H: Floats
    #: Shape (n_labels,).
    b: Floats
    #: Shape (n_features,). m.
    mean: Floats

    def __call__(self, X: Matrix) -> Floats:
        """Return the scores of the rows of X."""
        return np.asarray((X @ self.W - self.mean @ self.W) @ self.H.T + self.b)


def low_rank_map(
    features: Centred, loss: Squared, state: Floats, *, rank: int, alpha: float, tol: float, max_iter: int
) -> tuple[LowRankMap, Solution]:
    """Minimise the objective of :class:`LEML` by alternating steps."""
    W, H, b = _initialize(features, state, rank)
    objective: list[float] = []
    scale = 0.0
    for n_iter in range(max_iter + 1):
        value, gradient = _evaluate(features, loss, W, H, b, alpha)
        objective.append(value)
        norm = float(np.sqrt(sum(np.vdot(g, g) for g in gradient)))
        scale = scale or norm or 1.0
        if norm <= tol * scale or n_iter == max_iter:
            break
        W = W + _step_in_W(features, loss, W, H, b, alpha, gradient[0])
        H, b = _step_in_H(features @ W, loss, H, b, alpha)
        W, H = _balance(W, H)
    status = Status.CONVERGED if norm <= tol * scale else Status.MAX_ITER
    solution = Solution(W @ H.T, tuple(objective), norm / scale, n_iter, status)
    return LowRankMap(W, H, b, features.mean), solution


def _initialize(features: Centred, state: Floats, rank: int) -> tuple[Floats, Floats, Floats]:
    """Return W = 0, orthonormal H along the labels' leading singular directions of X^T Y, and the rates as b."""
    b = state.sum(axis=0) / np.maximum((state != 0).sum(axis=0), 1)
    directions = features.transposed(np.where(state != 0, state - b, 0.0))
    k = min(rank, *directions.shape)
    H = linalg.svd(directions, full_matrices=False, check_finite=False)[2][:k].T
    return np.zeros((directions.shape[0], k)), H, b


def _evaluate(
    features: Centred, loss: Squared, W: Floats, H: Floats, b: Floats, alpha: float
) -> tuple[float, tuple[Floats, Floats, Floats]]:
    A = features @ W
    value, D = loss.value_and_grad(A @ H.T + b)
    gradient = features.transposed(D @ H) + alpha * W, D.T @ A + alpha * H, D.sum(axis=0)
    return value + 0.5 * alpha * float(np.vdot(W, W) + np.vdot(H, H)), gradient


def _step_in_W(features: Centred, loss: Squared, W: Floats, H: Floats, b: Floats, alpha: float, G: Floats) -> Floats:
    """Return the step to the best W, up to the tolerance of the conjugate gradients."""
    Z = features @ W @ H.T + b
    C = loss.curvature(Z)
    gram = H.T @ H

    def hessian(v: Floats) -> Floats:
        S = v.reshape(W.shape)
        AS = features @ S
        bent = C * AS @ gram if np.ndim(C) == 0 else (C * (AS @ H.T)) @ H
        return (features.transposed(bent) + alpha * S).reshape(-1, 1)

    weights = np.broadcast_to(C, Z.shape) @ H**2
    diagonal = np.asarray(features.squares.T @ weights) + alpha
    return pcg(hessian, -G.reshape(-1, 1), diagonal.reshape(-1, 1), tol=FORCING, max_iter=100).x.reshape(W.shape)


def _step_in_H(A: Floats, loss: Squared, H: Floats, b: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return the best H and b for these W."""
    A1, T = np.column_stack([A, np.ones(len(A))]), np.column_stack([H, b])
    ridge = np.append(np.full(H.shape[1], alpha), 0.0)  # no weight on the intercept
    Z = A1 @ T.T
    D = loss.value_and_grad(Z)[1]
    G = D.T @ A1 + ridge * T
    C = np.broadcast_to(loss.curvature(Z), Z.shape)
    # The damping is for a label with no observed entry.
    systems = np.stack([(A1 * c[:, None]).T @ A1 for c in C.T]) + np.diag(ridge + 1e-10 * len(A))
    T = T - np.linalg.solve(systems, G[:, :, None])[:, :, 0]
    return T[:, :-1], T[:, -1]


def _balance(W: Floats, H: Floats) -> tuple[Floats, Floats]:
    """Return factors of the same product with the smallest sum of squares."""
    Q, R = linalg.qr(W, mode="economic", check_finite=False)
    P, S = linalg.qr(H, mode="economic", check_finite=False)
    U, s, Vt = linalg.svd(R @ S.T, check_finite=False)
    root = np.sqrt(s)
    return (Q @ U) * root, (P @ Vt.T) * root
