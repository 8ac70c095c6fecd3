"""LowRankVVMR: labels recovered while the functions are learned, eq. (10) and (11) of Zhao & Guo (2015)."""

from __future__ import annotations

import warnings
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from halflabel._arrays import Floats, Mask, Matrix, MatrixLike
from halflabel.labels import PartialLabels
from halflabel.labels.partial import LabelsLike
from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates
from halflabel.methods.positives import PositiveOnlyEstimator
from halflabel.methods.validation import require_not_negative, require_positive
from halflabel.methods.vvmr.kernel_setting import KernelSetting
from halflabel.methods.vvmr.problem import Problem
from halflabel.methods.vvmr.vector_valued import VectorValued
from halflabel.numerics.solvers.low_rank_plus_sparse import RecoveryProblem, recover
from halflabel.numerics.solvers.solution import Solution


class LowRankVVMR(PositiveOnlyEstimator, VectorValued):
    r"""Learns from labels with missing positives: recovers the label matrix and the functions together.

    Minimises over functions f (n labels, as in :class:`VVMR`) and over label matrices :math:`Z \ge Y` of the l
    annotated items, Y coded +1 (relevant) and -1 (not assigned or irrelevant),

    .. math::
        \frac1l \sum_i \|f(x_i) - z_i\|^2 + \gamma_A \|f\|_K^2 + \gamma_I\,\mathrm{tr}(F^T L F)
        + \mu\|Z\|_* + \theta \sum_{ij} (z_{ij} - y_{ij})

    with Z = Y where an entry is known to be irrelevant: eq. (10). Without the trace norm the last term is equivalent to
    a one-sided Huber loss: an entry that was not assigned but has a high score costs :math:`r^2 = (f - y)^2` only up to
    the knee :math:`\delta = \theta l / 2`, and :math:`2\delta r - \delta^2` above.

    Parameters
    ----------
    alpha : float or sequence of float, default=(6e-4, 2e-4, 2e-3)
        :math:`\gamma_A`, as in :class:`VVMR`.
    knee : float or sequence of float, default=(0.05, 0.1, 0.2)
        :math:`\delta`, in label units. Below 0.02 nearly all entries are recovered as relevant. The paper couples it to
        the trace norm, :math:`\theta = \mu\lambda`.
    alpha_trace : float or sequence of float, default=0.0
        :math:`\mu`, weight of one unit of singular value of Z. Its effect is small; 1e-3 to 3e-3 can improve rankings.
    alpha_manifold : float or sequence of float, default=0.0
        This and the next five parameters are as in :class:`VVMR`.
    label_graph_weight : float, default=0.0
        :math:`\gamma_O`.
    label_graph : {"normalized", "raw"} or matrix of shape (n_labels, n_labels), default="normalized"
        Unit of the label graph in Q, or a graph of your own.
    width : float or sequence of float, default=(1.0, 0.5, 2.0)
        Bandwidth of the kernel.
    manifold : {"normalized", "laplacian", "reconstruction"} or matrix of shape (n_items, n_items), default="normalized"
        L, or the graph that it belongs to.
    n_neighbors : int, default=5
        Number of neighbours in the graph of the items.
    observed_rate : float or None, default=None
        Label frequency c, the share of the relevant entries that were assigned. It is an assumption about the data and
        is not learned. If it is given, probabilities are P(relevant), otherwise P(assigned).
        For positive-only labels.
    scale : {"auto", "standard", None}, default="auto"
        This and the next three parameters are as in :class:`VVMR`.
    max_exact : int, default=4000
        Maximum number of items for which the kernel is exact.
    n_landmarks : int, default=1000
        Number of landmarks of the Nystroem map above that.
    n_folds : int, default=5
        Number of folds of annotated items.
    tol : float, default=1e-4
        Relative duality gap at which to stop. While settings are compared, it is 1e-3.
    max_iter : int, default=400
        Maximum number of iterations.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with 0.
    random_state : int or None, default=0
        Seed of folds, landmarks and the sample for the mean distance.

    Attributes
    ----------
    recovered_ : ndarray of shape (n_items, n_labels)
        Z, from -1 to about 1. NaN for items that are not annotated.
    label_scores_ : ndarray of shape (n_items, n_labels)
        f. NaN for a label without relevant entries, or without irrelevant (or not assigned) entries.
    label_probabilities_ : ndarray of shape (n_items, n_labels)
        Probability of being assigned, or, with ``observed_rate``, of being relevant. For an annotated item without the
        label it is conditional on the label not having been assigned.
    assigned_probabilities_ : ndarray of shape (n_items, n_labels)
        For positive-only labels, the out-of-fold probability of being assigned.
    transduction_ : ndarray of shape (n_items, n_labels) or (n_items,)
        0/1. Known entries keep their values. Labels that were not assigned are filled in where their probability
        reaches ``thresholds_``, which are computed on unannotated items and are used for all items.
    solution_ : Solution
        ``x`` is Z of the annotated items, ``residual`` the relative duality gap.
    thresholds_, setting_, bandwidth_, cv_results_, model_
        As in :class:`VVMR`. ``pu_f1`` accounts for missing positives according to ``observed_rate``.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, or a parameter is out of range.

    Warns
    -----
    UserWarning
        If all weights are given and the labels that were not assigned are recovered as relevant on average: then the
        knee is too small.

    Notes
    -----
    A is eliminated: the remaining objective is :math:`\langle Z, (K + lI)^{-1} Z\rangle` plus the terms in Z, a problem
    in l x n numbers. It takes 30 to 60 iterations of 4 l p n operations each (p: rows, or landmarks if fewer).
    Factorisations are as in :class:`VVMR`.

    Labels with known irrelevant entries are accepted too: an entry that is unknown in an annotated item is the paper's
    -1, and an entry that is known to be irrelevant is never raised.

    **Departures from the paper.** Knee and trace weight are separate, and the latter is 0 by default. Eq. (22) takes
    the absolute value of its argument, which is not a proximal step. Here the proximal step is used. The constraint
    holds exactly instead of by a penalty. By default Q is the identity, gamma_I is 0, and the graph's Laplacian is
    normalised. The paper drops another fifth of the labels in cross-validation. Here the criterion accounts for missing
    positives instead.

    References
    ----------
    .. [1] F. Zhao and Y. Guo, "Semi-supervised multi-label learning with incomplete labels", IJCAI 2015,
       eq. (10)-(22) and Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 12)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 0.5, X[:, 0] < 0.5]).astype(float)
    >>> Y[8, 0] = 0
    >>> labels = PartialLabels.from_positives(Y)
    >>> model = LowRankVVMR(alpha=1e-2, knee=0.1, width=0.5, n_folds=3).fit(X, labels)
    >>> model.likely_missing(1)[["item", "label"]].values.tolist()
    [[8, 'label0']]
    """

    _transductive: ClassVar[tuple[str, ...]] = (
        *PositiveOnlyEstimator._transductive,
        *VectorValued._transductive,
        "recovered_",
    )

    #: The parameter that decides theta.
    _weight_of_entries: ClassVar[str] = "knee"

    def __init__(
        self,
        alpha: Candidates = (6e-4, 2e-4, 2e-3),
        *,
        knee: Candidates = (0.05, 0.1, 0.2),
        alpha_trace: Candidates = 0.0,
        alpha_manifold: Candidates = 0.0,
        label_graph_weight: float = 0.0,
        label_graph: str | Matrix = "normalized",
        width: Candidates = (1.0, 0.5, 2.0),
        manifold: str | Matrix = "normalized",
        n_neighbors: int = 5,
        observed_rate: float | None = None,
        scale: str | None = "auto",
        max_exact: int = 4000,
        n_landmarks: int = 1000,
        n_folds: int = 5,
        tol: float = 1e-4,
        max_iter: int = 400,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.knee = knee
        self.alpha_trace = alpha_trace
        self.alpha_manifold = alpha_manifold
        self.label_graph_weight = label_graph_weight
        self.label_graph = label_graph
        self.width = width
        self.manifold = manifold
        self.n_neighbors = n_neighbors
        self.observed_rate = observed_rate
        self.scale = scale
        self.max_exact = max_exact
        self.n_landmarks = n_landmarks
        self.n_folds = n_folds
        self.tol = tol
        self.max_iter = max_iter
        self.rule = rule
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Recover the labels and learn the functions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            All items, annotated and unannotated.
        y : PartialLabels, array-like or DataFrame of shape (n_items, n_labels) or (n_items,)
            Positive-only labels, from :meth:`PartialLabels.from_positives` or ``from_tags(..., absent="unknown")``,
            or 1 relevant, 0 irrelevant, missing unknown.
        """
        X, labels = self._enter(X, self._mark_unassigned(y))
        self._fit(X, labels, self.observed_rate or 1.0)
        recovered = np.full(labels.shape, np.nan)
        recovered[~labels.unlabelled] = self.solution_.x
        self.recovered_ = self._restore_order(recovered)
        self._warn_if_everything_is_relevant(self._known.relevant)
        return self

    def likely_missing(self, n: int | None = 20) -> pd.DataFrame:
        """Return the positives that are probably missing, with the largest recovered value first.

        Parameters
        ----------
        n : int or None
            Maximum number of rows. None returns all entries that were raised.

        Returns
        -------
        DataFrame
            ``item`` (position), ``label``, ``raised`` (E = Z - Y, about 2 for a label that certainly applies) and
            ``probability``.
        """
        check_is_fitted(self)
        raised = np.where(self._known.relevant, 0.0, np.nan_to_num(self.recovered_ + 1.0))
        order = np.argsort(-raised, axis=None, kind="stable")[: np.count_nonzero(raised > 0)][:n]
        item, label = np.unravel_index(order, raised.shape)
        names = np.array(self.label_names_, dtype=object)
        return pd.DataFrame(
            {
                "item": item,
                "label": names[label],
                "raised": raised[item, label],
                "probability": self.label_probabilities_[item, label],
            }
        )

    def _free(self, labels: PartialLabels) -> Mask:
        return np.ones(labels.shape, dtype=bool) if self.positive_only_ else labels.state >= 0

    def _solve(self, problem: Problem, setting: KernelSetting, *, rough: bool) -> tuple[Floats, Solution]:
        kernel = problem.at(setting.alpha, setting.alpha_manifold)
        slope = self._slope(setting, *problem.Y.shape)
        terms = RecoveryProblem(kernel, problem.Y, problem.free, setting.alpha_trace, slope)
        tol = max(self.tol, 1e-3) if rough else self.tol
        solution = recover(terms, tol=tol, max_iter=self.max_iter).solution
        return kernel.weights(solution.x), solution

    def _slope(self, setting: KernelSetting, n_rows: int, n_labels: int) -> float:
        """Return theta."""
        return 2 * setting.knee / n_rows

    def _validate_parameters(self) -> None:
        super()._validate_parameters()
        require_not_negative(self, "alpha_trace", several=True)
        require_positive(self, "knee", several=True, reason="without it every label would be relevant")

    def _warn_if_everything_is_relevant(self, relevant: Mask) -> None:
        others = self.recovered_[~relevant & ~np.isnan(self.recovered_)]
        given = len(self._settings()) == 1  # otherwise cross-validation chose the knee
        if self.positive_only_ and given and others.size and others.mean() > 0:
            warnings.warn(
                f"the {others.size} labels that were not assigned are recovered as {others.mean():+.2f} on average, "
                f"nearer to relevant than to irrelevant: raise {self._weight_of_entries}.",
                UserWarning,
                stacklevel=3,
            )
