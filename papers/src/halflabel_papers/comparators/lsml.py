"""LSML: sparse weights per label, and labels that explain one another (Huang et al. 2019)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from scipy import linalg

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.penalties import spectral_norm
from halflabel.numerics.solvers import Solution, Status
from halflabel.plugins import Floats, Matrix
from halflabel_papers.comparators.comparator import Comparator, Model, Setting
from halflabel_papers.comparators.cplst import make_dense
from halflabel_papers.comparators.leml import LowRankMap


class LSML(Comparator):
    r"""Label-specific features for missing labels.

    Minimises over W (d features x L labels) and C (L x L, without negative entries)

    .. math::
        \tfrac12 \|XW - YC\|_F^2 + \tfrac{\lambda_1}{2} \|YC - Y\|_F^2 + \lambda_2 \|W\|_1 + \lambda_3 \|C\|_1
        + \lambda_4 \operatorname{tr}(W L W^T), \qquad L = \operatorname{diag}(C 1) - C,

    for the annotated items. Y is +1, -1, and 0 for an unknown entry, which the product YC fills from the other labels
    of its item. X has a column of ones. The scores are XW.

    Parameters
    ----------
    sparsity : float or sequence of float, default=1e-5
        :math:`\lambda_2`. Cross-validation chooses among several values, here and below.
    label_weight : float or sequence of float, default=10.0
        :math:`\lambda_1`.
    label_sparsity : float, default=1e-5
        :math:`\lambda_3`.
    graph_weight : float, default=1e-5
        :math:`\lambda_4`.
    ridge : float, default=1.0
        Of the regression of Y on X that W starts from.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Number of folds of annotated items, for the choice of a setting and the scores that calibrate probabilities.
    tol : float, default=1e-3
        Stop when a step of W and C is at most this share of the first step.
    max_iter : int, default=1000
        Maximum number of iterations.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with 0.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    model_ : LowRankMap
    label_matrix_ : ndarray of shape (n_labels, n_labels)
        C, of the labels that can be learned.
    solution_, setting_, cv_results_, label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`LEML`.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, a parameter is out of its range, or X has
        more than 10,000 features.

    Notes
    -----
    Accelerated proximal gradient steps, first in C and then in W, with one step length from the Lipschitz constants of
    both, as in the program. The step in C has no term of :math:`\lambda_4`. Cost: :math:`O(n d^2)` once, and
    :math:`O(d^2 L + d L^2)` an iteration.

    **Departures from the paper.** The features are centred, and the rows of X have no unit norm. The text of the paper
    was not available: the method follows the program that the authors of SGMML (Kumar, Ahmadi and Rastogi 2023)
    distribute with theirs, where :math:`\lambda_1 = 10` and the other weights are 1e-5. It stops at a small change of
    the objective.

    References
    ----------
    .. [1] J. Huang, F. Qin, X. Zheng, Z. Cheng, Z. Yuan, W. Zhang and Q. Huang, "Improving multi-label classification
       with missing labels by learning label-specific features", Information Sciences 492, 2019.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] < 0]).astype(float)
    >>> Y[[2, 9], 0] = np.nan
    >>> LSML(n_folds=3).fit(X, Y).transduction_[[2, 9]]
    array([[0, 1],
           [1, 0]])
    """

    own_threshold: ClassVar[float] = 0.0

    def __init__(
        self,
        sparsity: Candidates = 1e-5,
        *,
        label_weight: Candidates = 10.0,
        label_sparsity: float = 1e-5,
        graph_weight: float = 1e-5,
        ridge: float = 1.0,
        scale: str | None = "auto",
        n_folds: int = 5,
        tol: float = 1e-3,
        max_iter: int = 1000,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.sparsity = sparsity
        self.label_weight = label_weight
        self.label_sparsity = label_sparsity
        self.graph_weight = graph_weight
        self.ridge = ridge
        self.scale = scale
        self.n_folds = n_folds
        self.tol = tol
        self.max_iter = max_iter
        self.rule = rule
        self.random_state = random_state

    @property
    def label_matrix_(self) -> Floats:
        """C."""
        return np.asarray(self.solution_.x[-len(self.solution_.x[0]) :])

    def _settings(self) -> list[Setting]:
        require_positive(self, "sparsity", "label_weight", several=True)
        require_positive(self, "label_sparsity", "graph_weight", "ridge", "tol")
        require_whole(self, max_iter=1)
        pairs = itertools.product(list_candidates(self.sparsity), list_candidates(self.label_weight))
        return [{"sparsity": sparsity, "label_weight": weight} for sparsity, weight in pairs]

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        X = make_dense(self, X)
        mean = X.mean(axis=0)
        X = np.column_stack([X - mean, np.ones(len(X))])
        fixed = {name: getattr(self, name) for name in ("label_sparsity", "graph_weight", "ridge", "tol", "max_iter")}
        solutions = [alternate(X, state, **setting, **fixed) for setting in settings]
        return [(_as_map(solution.x[: X.shape[1]], mean), solution) for solution in solutions]


def alternate(
    X: Floats,
    Y: Floats,
    *,
    sparsity: float,
    label_weight: float,
    label_sparsity: float,
    graph_weight: float,
    ridge: float,
    tol: float,
    max_iter: int,
) -> Solution:
    """Return W above C. The residual is the length of the last proximal step, relative to the first one."""
    XX, XY, YY = X.T @ X, X.T @ Y, Y.T @ Y
    W = linalg.solve(XX + ridge * np.eye(len(XX)), XY, assume_a="pos")
    C = np.zeros_like(YY)
    W_before, C_before, momentum, ahead, first = W, C, 0.0, 1.0, 0.0
    fixed = 2 * (spectral_norm(XX) ** 2 + spectral_norm(XY.T @ XY) + ((label_weight + 1) * spectral_norm(YY)) ** 2)
    for n_iter in range(1, max_iter + 1):  # noqa: B007 # it is part of the solution
        graph = graph_weight * _double_laplacian(C)
        step = 1 / np.sqrt(fixed + 2 * spectral_norm(graph.T @ graph))
        C_ahead = C + momentum * (C - C_before)
        slope = (label_weight + 1) * YY @ C_ahead - XY.T @ W - label_weight * YY
        C_before, C = C, np.maximum(C_ahead - step * (slope + label_sparsity), 0.0)
        W_ahead = W + momentum * (W - W_before)
        slope = XX @ W_ahead - XY @ C + graph_weight * W_ahead @ _double_laplacian(C)
        W_before, W = W, _shrink(W_ahead - step * slope, step * sparsity)
        momentum, ahead = (ahead - 1) / (ahead_next := (1 + np.sqrt(4 * ahead**2 + 1)) / 2), ahead_next
        moved = float(np.hypot(np.linalg.norm(W - W_ahead), np.linalg.norm(C - C_ahead)))
        first = first or moved or 1.0
        if moved <= tol * first:
            break
    status = Status.CONVERGED if moved <= tol * first else Status.MAX_ITER
    return Solution(np.vstack([W, C]), (), moved / first, n_iter, status)


def _double_laplacian(C: Floats) -> Floats:
    """Return L and its transpose, added."""
    L = np.diag(C.sum(axis=1)) - C
    return np.asarray(L + L.T)


def _shrink(W: Floats, by: float) -> Floats:
    return np.asarray(np.sign(W) * np.maximum(np.abs(W) - by, 0.0))


def _as_map(W: Floats, mean: Floats) -> LowRankMap:
    """Return the scores of centred features with a column of ones as a map of features."""
    return LowRankMap(W[:-1], np.eye(W.shape[1]), W[-1], mean)
