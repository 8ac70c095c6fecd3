"""VVMR: vector-valued manifold regularisation, eq. (5) to (9) of Zhao & Guo (2015)."""

from __future__ import annotations

from typing import Self

from halflabel._arrays import Floats, Matrix, MatrixLike
from halflabel.labels.partial import LabelsLike
from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates
from halflabel.methods.vvmr.kernel_setting import KernelSetting
from halflabel.methods.vvmr.problem import Problem
from halflabel.methods.vvmr.vector_valued import VectorValued
from halflabel.numerics.solvers.masked_kronecker import masked_least_squares
from halflabel.numerics.solvers.solution import Solution


class VVMR(VectorValued):
    r"""Kernel regression of all labels at once, smooth over a graph of the items and over a graph of the labels.

    Minimises over functions f with values in :math:`R^n` (n labels)

    .. math::
        \frac1l \sum_{(i,j)\ \mathrm{observed}} (f_j(x_i) - y_{ij})^2
        + \gamma_A \|f\|_K^2 + \gamma_I\,\mathrm{tr}(F^T L F)

    with y coded +1 (relevant) and -1 (irrelevant), l the number of annotated items, F the scores of all items, K the
    kernel :math:`k(x, x') Q` with an RBF k, :math:`Q = \gamma_O L_{out}^\dagger + (1 - \gamma_O) I` and L
    the operator of a nearest-neighbour graph: eq. (5), its loss masked to observed entries.

    Parameters
    ----------
    alpha : float or sequence of float, default=(6e-4, 2e-4, 2e-3)
        :math:`\gamma_A`, weight of the kernel norm against the squared error of one annotated item. Cross-validation
        chooses among several values, here and below. With fewer than two annotated items the first is used.
    alpha_manifold : float or sequence of float, default=0.0
        :math:`\gamma_I`. Unlabelled items have an effect only if it is positive. A tenth of ``alpha`` is a large value.
    label_graph_weight : float, default=0.0
        :math:`\gamma_O`, at least 0 and below 1: the share of the label graph in Q. With 0 each label is learned
        separately.
    label_graph : {"normalized", "raw"} or matrix of shape (n_labels, n_labels), default="normalized"
        "normalized" divides :math:`L_{out}^\dagger` by its mean eigenvalue, so that the scale of ``alpha`` stays the
        same. A matrix holds the weights of a graph of your own.
    width : float or sequence of float, default=1.0
        :math:`\sigma` in units of the mean distance between items.
    manifold : {"normalized", "laplacian", "reconstruction"} or matrix of shape (n_items, n_items), default="normalized"
        L: the normalised or the plain Laplacian of the 0/1 graph, or :math:`(I-W)^T(I-W)` with reconstruction weights.
        A matrix holds the weights of a graph of your own, whose normalised Laplacian is taken.
    n_neighbors : int, default=5
        Number of neighbours in that graph.
    scale : {"auto", "standard", None}, default="auto"
        "standard" divides each feature by its standard deviation; dense X is centred first. "auto" does so for
        dense X only.
    max_exact : int, default=4000
        Maximum number of items for which the kernel is exact.
    n_landmarks : int, default=1000
        Number of landmarks of the Nystroem map above that. ``model_.features.error`` is its error.
    n_folds : int, default=5
        Number of folds of annotated items, for the choice of weights and for the out-of-fold scores that calibrate the
        probabilities.
    rule : str or Rule, default="micro_f1"
        Threshold rule: a name of :data:`halflabel.labels.rules.RULES`, "fixed", or a :class:`halflabel.Rule` with its
        numbers, such as ``Rule("cost", ratio=2)``. "fixed" compares scores with 0.
    tol : float, default=1e-8
        Relative residual at which conjugate gradients stop, where they are needed.
    max_iter : int, default=1000
        Maximum number of their iterations.
    random_state : int or None, default=0
        Seed of folds, landmarks and the sample for the mean distance.

    Attributes
    ----------
    label_scores_ : ndarray of shape (n_items, n_labels)
        f. NaN for a label that was not observed with both values.
    label_probabilities_, transduction_, thresholds_
        As in :class:`halflabel.SSDRMC`.
    setting_ : KernelSetting
        The weights of the fit.
    bandwidth_ : float
        :math:`\sigma`, features scaled.
    cv_results_ : dict of ndarray
        Every setting, with ``pu_f1`` (the best F1 of one threshold, or, for ``rule="fixed"``, the F1 at
        ``threshold``) and ``macro_auc`` of the held-out entries. The setting with the largest sum is chosen.
    model_ : KernelRidge
        :math:`f(x) = \sum_i k(x, x_i) (AQ)_i`, eq. (9).
    solution_ : Solution
        Weights of the kernel features, with the solver's certificate.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, the labels are positive-only (the minimiser
        is exactly 1 then, see :class:`LowRankVVMR`), or a parameter is out of range.

    Notes
    -----
    With :math:`G = CC^T` and :math:`C^T L C = V\,\mathrm{diag}(d)\,V^T` every weight is diagonal in the features CV:
    one factorisation of about 20 N^3 operations (2 N m^2 with m landmarks) per width is enough for all weights, labels
    and folds. Each fold and ratio of the two weights costs one eigendecomposition of the annotated rows, 9 l^3
    operations. More values of ``alpha`` cost nothing. Without a graph only annotated items enter it. Items with gaps
    cost one dense solve per pattern of gaps if Q = I, and otherwise conjugate gradients on the masked Kronecker system.

    **Departures from the paper.** The graph's Laplacian is normalised (with the paper's weights the plain one reduces
    accuracy) and its default weight is 0. Q is by default the identity. Held-out items stay in the graph as unlabelled
    items. Probabilities and a plug-in threshold replace the sign, which is available as ``rule="fixed"``.

    References
    ----------
    .. [1] H. Q. Minh and V. Sindhwani, "Vector-valued manifold regularization", ICML 2011.
    .. [2] F. Zhao and Y. Guo, "Semi-supervised multi-label learning with incomplete labels", IJCAI 2015, eq. (1)-(9).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vstack([np.linspace(0, 1, 10)[:, None], np.linspace(5, 6, 10)[:, None]])
    >>> y = np.full(20, np.nan)
    >>> y[[0, 3, 10, 13]] = [0, 0, 1, 1]
    >>> VVMR(alpha=1e-3, n_folds=2).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    def __init__(
        self,
        alpha: Candidates = (6e-4, 2e-4, 2e-3),
        *,
        alpha_manifold: Candidates = 0.0,
        label_graph_weight: float = 0.0,
        label_graph: str | Matrix = "normalized",
        width: Candidates = 1.0,
        manifold: str | Matrix = "normalized",
        n_neighbors: int = 5,
        scale: str | None = "auto",
        max_exact: int = 4000,
        n_landmarks: int = 1000,
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        tol: float = 1e-8,
        max_iter: int = 1000,
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.alpha_manifold = alpha_manifold
        self.label_graph_weight = label_graph_weight
        self.label_graph = label_graph
        self.width = width
        self.manifold = manifold
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.max_exact = max_exact
        self.n_landmarks = n_landmarks
        self.n_folds = n_folds
        self.rule = rule
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Fit to the observed entries of ``y``. ``X`` and ``y`` are as in :meth:`halflabel.SSDRMC.fit`."""
        return self._fit(*self._enter(X, y))

    def _solve(self, problem: Problem, setting: KernelSetting, *, rough: bool) -> tuple[Floats, Solution]:
        kernel = problem.at(setting.alpha, setting.alpha_manifold)
        tol = max(self.tol, 1e-4) if rough else self.tol
        solution = masked_least_squares(kernel, problem.Y, problem.observed, tol=tol, max_iter=self.max_iter)
        return solution.x, solution
