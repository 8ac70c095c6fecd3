"""Rank-SVM: a large-margin ranking of the labels of an item, with a linear threshold (Elisseeff & Weston)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from halflabel.labels import PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.kernels import KernelRidge, NystroemMap, mean_distance, nystroem
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.solvers import Solution
from halflabel.numerics.threads import limit_threads
from halflabel.plugins import Floats, Ints, Mask, Matrix
from halflabel_papers.comparators.pair_ranking import PairHinge, pair_ranking

#: Square of the constant feature for the biases: a bias of 10 adds 10^2 / (2 * 10^4) to the objective.
BIAS = 1e4

NO_PAIRS = (
    "RankSVM ranks the labels of an item, but no item has both a relevant and an irrelevant observed label, so that an "
    "order cannot be learned; every entry gets its label's rate among the observed entries."
)


@dataclass(frozen=True)
class Ranking:
    """Scores of all labels, and a threshold for each item that is linear in its scores."""

    #: f; its weights are from the ranking, not from a regression.
    machine: KernelRidge
    #: Shape (n_labels,).
    slope: Floats
    #: :math:`t(x) = a^T f(x) + a_0`.
    intercept: float

    def __call__(self, X: Matrix) -> Floats:
        """Return f(x) - t(x)."""
        f = self.machine.predict(X)
        return np.asarray(f - (f @ self.slope + self.intercept)[:, None])


class RankSVM(PartialLabelEstimator):
    r"""Kernel machine that ranks an item's relevant labels above its irrelevant ones.

    With the observed relevant labels :math:`Y_i` and the observed irrelevant ones :math:`\bar Y_i` of item i, and
    :math:`f_k(x) = \langle w_k, \phi(x)\rangle + b_k`, it minimises

    .. math::
        \tfrac12\sum_k \|w_k\|^2 + C\sum_i \frac{1}{|Y_i||\bar Y_i|} \sum_{(k,l) \in Y_i \times \bar Y_i} \xi_{ikl},
        \qquad f_k(x_i) - f_l(x_i) \ge 1 - \xi_{ikl}, \quad \xi_{ikl} \ge 0,

    phi the feature map of :math:`\exp(-d^2/2\sigma^2)`. Items with no pair (all observed labels relevant, or all
    irrelevant) contribute nothing. A threshold that is linear in the scores, :math:`t(x) = a^T f(x) + a_0`, separates
    relevant from irrelevant labels. It is a least-squares fit to the best threshold of each item with pairs: the middle
    of the widest gap between its scores at which the smallest number of its observed labels are on the wrong side.

    The scores are :math:`f_k(x) - t(x)`. Within an item their order is that of f, and ``rule="fixed"`` at 0 is the
    paper's rule.

    Parameters
    ----------
    C : float, default=1000.0
        Weight of an item's mean slack over its pairs.
    bandwidth : float or None, default=None
        :math:`\sigma`; None is the mean distance of two items, computed from a sample if there are more than 1000.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    max_landmarks : int, default=2000
        Maximum number of labelled items for which the kernel is exact; above, it is a Nystroem map with this number of
        landmarks.
    n_folds : int, default=3
        Number of folds of labelled items, for the out-of-fold scores that calibrate the probabilities.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with 0.
    tol : float, default=1e-3
        Relative duality gap at which the solver stops.
    max_iter : int, default=5000
        Maximum number of its iterations.
    random_state : int or None, default=0
        Seed of folds, landmarks and the sample for the bandwidth.

    Attributes
    ----------
    ranking_ : Ranking
        f and t; ``ranking_.machine.predict`` returns f, ``ranking_.slope`` and ``ranking_.intercept`` define t.
    solution_ : Solution
        Weights, objective history, relative duality gap and status of the fit to all labelled items.
    bandwidth_ : float
        :math:`\sigma`.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`halflabel.SSDRMC`.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, the labels are positive-only, or a
        parameter is out of its range.

    Notes
    -----
    Solved by :func:`~halflabel_papers.comparators.pair_ranking.pair_ranking`, ``n_folds + 1`` times: for n labelled
    items with pairs and L labels one eigendecomposition, O(n^3), and O(n^2 L + n L^2) per iteration; with C = 1000 it
    takes about two hundred iterations. At the peak it holds about six n x n matrices of doubles, 64 MB at n = 1200;
    above ``max_landmarks`` n x ``max_landmarks`` ones. The :math:`\sum_i |Y_i||\bar Y_i|` variables of the paper's dual
    are not formed.

    Without any pair (for example with a single label) w = 0 is the minimiser; then there is a warning, and every
    probability is the label's rate. PCA before the method, as in the comparison [2]_, is a pipeline:
    ``make_pipeline(PCA(0.9), RankSVM())``.

    **Departures from the paper.** The paper solves the dual by the method of Frank and Wolfe, which at C = 1000 stays
    far from the optimum for a long time (22 % above it on Yeast after ten times the seconds,
    ``rank_svm.py``); here the stopping rule is a duality gap. Its biases are free; here a bias b costs
    :math:`b^2/20000`, without which a point of the dual that is not exactly feasible would not give a bound. If several
    gaps between scores are equally good thresholds, the paper takes the middle of a segment without defining which;
    here it is the widest, and the gaps beyond the largest and the smallest score count as 1 wide. Unknown entries have
    no pairs: single missing entries are an extension.

    References
    ----------
    .. [1] A. Elisseeff and J. Weston, "A kernel method for multi-labelled classification", Advances in Neural
       Information Processing Systems 14, 2001.
    .. [2] B. Qian and I. Davidson, AAAI 2010, the settings of the comparison.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 16)[:, None]
    >>> Y = np.hstack([X < 0, X >= 0, np.abs(X) > 0.5]).astype(float)
    >>> Y[[2, 11]] = np.nan
    >>> RankSVM().fit(X, Y).transduction_[[2, 11]]
    array([[1, 0, 1],
           [0, 1, 0]])
    """

    own_threshold: ClassVar[float] = 0.0

    def __init__(
        self,
        C: float = 1000.0,
        *,
        bandwidth: float | None = None,
        scale: str | None = "auto",
        max_landmarks: int = 2000,
        n_folds: int = 3,
        rule: str | Rule = "micro_f1",
        tol: float = 1e-3,
        max_iter: int = 5000,
        random_state: int | None = 0,
    ) -> None:
        self.C = C
        self.bandwidth = bandwidth
        self.scale = scale
        self.max_landmarks = max_landmarks
        self.n_folds = n_folds
        self.rule = rule
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @classmethod
    def as_published(cls) -> Self:
        """Return an instance with Qian and Davidson's settings: C = 1000, sigma the mean distance, raw features."""
        return cls(1000.0, bandwidth=None, scale=None, rule=Rule("fixed", threshold=0.0))

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to the labelled items, with ``X`` and ``y`` as in :meth:`halflabel.SSDRMC.fit`."""
        X, labels = self._enter(X, y)
        self._validate_parameters()
        rows = np.flatnonzero(~labels.unlabelled)
        with limit_threads(len(rows)):
            return self._fit(X, labels, rows)

    def _fit(self, X: Matrix, labels: PartialLabels, rows: Ints) -> Self:
        rng = np.random.default_rng(self.random_state)
        self.scaler_ = Scaler.learn(X, self.scale)
        items = self.scaler_(X)
        self.bandwidth_ = self.bandwidth or mean_distance(items, rng)
        self.learnable_ = labels.learnable
        if not len(_find_items_with_pairs(labels)):
            warnings.warn(NO_PAIRS, UserWarning, stacklevel=3)
        self.ranking_, self.solution_ = self._rank(items[rows], labels[rows], rng)
        self._warn_unless_converged(self.solution_.status, self.solution_.residual)
        out_of_fold = np.full(labels.shape, np.nan)
        out_of_fold[rows] = self._out_of_fold(items[rows], labels[rows], rng)
        return self._decide(labels, self.ranking_(items), out_of_fold)

    def _validate_parameters(self) -> None:
        require_whole(self, max_landmarks=2, n_folds=2, max_iter=1)
        require_positive(self, "C", finite=True)
        require_positive(self, "bandwidth", finite=True, optional=True)

    def _rank(self, items: Matrix, labels: PartialLabels, rng: np.random.Generator) -> tuple[Ranking, Solution]:
        """Fit f to the items that have pairs, then t to f."""
        rows = _find_items_with_pairs(labels)
        used = rows if len(rows) else np.arange(1)  # without pairs, any item: its weights are 0
        features = nystroem(items[used], self.bandwidth_, self.max_landmarks, rng)
        Phi = features(items[used])[: len(rows)]
        Phi[:, -1] *= np.sqrt(BIAS)
        state = labels.state[rows]
        weight = self.C / ((state > 0).sum(axis=1) * (state < 0).sum(axis=1))
        solution = pair_ranking(Phi, PairHinge(state > 0, state < 0, weight), tol=self.tol, max_iter=self.max_iter)
        slope, intercept = _fit_thresholds(Phi @ solution.x, state)
        return Ranking(_create_machine(features, solution.x), slope, intercept), solution

    def _out_of_fold(self, items: Matrix, labels: PartialLabels, rng: np.random.Generator) -> Floats:
        def score_held_out(held_out: Mask) -> Floats:
            ranking, _ = self._rank(items[~held_out], labels[~held_out], rng)
            return ranking(items[held_out])

        return score_out_of_fold(score_held_out, folds_of_labelled(labels, self.n_folds, rng), labels.shape)

    def _score_new(self, X: Matrix) -> Floats:
        return np.where(self.learnable_, self.ranking_(self.scaler_(X)), np.nan)


def _find_items_with_pairs(labels: PartialLabels) -> Ints:
    return np.flatnonzero((labels.state > 0).any(axis=1) & (labels.state < 0).any(axis=1))


def _create_machine(features: NystroemMap, W: Floats) -> KernelRidge:
    """Return f from the weights of the features, the last of them the constant."""
    return KernelRidge(features, features.projection @ W[:-1], np.sqrt(BIAS) * W[-1], np.full(W.shape[1], np.nan))


def _fit_thresholds(F: Floats, state: NDArray[np.int8]) -> tuple[Floats, float]:
    """Return slope and intercept of t(x), by least squares over the items."""
    design = np.column_stack([F, np.ones(len(F))])
    coef, *_ = np.linalg.lstsq(design, best_thresholds(F, state), rcond=None)
    return np.asarray(coef[:-1], dtype=np.float64), float(coef[-1])


def best_thresholds(F: Floats, state: NDArray[np.int8]) -> Floats:
    """Return, per row, the middle of the widest gap between observed scores at which the fewest labels are wrong.

    The gaps below the smallest and above the largest score count as 1 wide; of equally wide ones the lowest is chosen.
    """
    order = np.argsort(np.where(state != 0, F, np.inf), axis=1, kind="stable")  # unobserved ones last
    scores, sign = np.take_along_axis(F, order, axis=1), np.take_along_axis(state, order, axis=1)
    size = (state != 0).sum(axis=1)[:, None]
    top = np.take_along_axis(scores, size - 1, axis=1)
    scores = np.where(np.arange(F.shape[1]) < size, scores, top + 1)
    edges = np.hstack([scores[:, :1] - 1, scores, top + 1])
    width = np.diff(edges, axis=1)
    width[:, 0] = 1
    np.put_along_axis(width, size, 1.0, axis=1)  # exactly, so that rounding does not choose between the two
    wrong = np.pad((sign > 0).cumsum(axis=1) - (sign < 0).cumsum(axis=1), ((0, 0), (1, 0)))
    wrong = np.where(width > 0, wrong, F.shape[1] + 1)  # between equal scores both are on the wrong side
    width[wrong > wrong.min(axis=1, keepdims=True)] = -1
    best = width.argmax(axis=1)[:, None]
    low, high = (np.take_along_axis(edges, best + shift, axis=1) for shift in (0, 1))
    return np.asarray((low + high)[:, 0] / 2)
