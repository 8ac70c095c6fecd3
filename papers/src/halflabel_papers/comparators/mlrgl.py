"""MLR-GL: ranks assigned labels above other labels, with a group lasso on the errors (Bucak, Jin & Jain 2011)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.validation import require_positive
from halflabel.numerics.kernels import BLOCK, NystroemMap, mean_distance
from halflabel.numerics.losses.smooth import row_blocks
from halflabel.numerics.penalties import spectral_norm
from halflabel.numerics.solvers import Solution, Status
from halflabel.plugins import Floats, Ints, Matrix, step
from halflabel_papers.comparators.comparator import Comparator, Model, Setting

#: Maximum number of pairs of labels, which take a few GB.
MAX_PAIRS = 50_000_000

#: Number of iterations between two computations of the duality gap.
CHECK_EVERY = 10


class MLRGL(Comparator):
    r"""Multi-label ranking with a group lasso on the ranking errors.

    Let :math:`A_i` be the labels assigned to item i and :math:`U_i` all other labels. Minimises over one function
    per label, in the space of an RBF kernel,

    .. math::
        \frac1n \sum_i \sum_{l \in U_i} \sqrt{\sum_{k \in A_i} \max\bigl(0,\, 1 - f_k(x_i) + f_l(x_i)\bigr)^2}
        + \frac{\alpha}{2} \sum_k \|f_k\|_K^2

    over the n annotated items. The errors of one label that was not assigned are under one root, so that they are all 0
    for most labels and may be large for the labels that are missing positives.

    Parameters
    ----------
    alpha : float or sequence of float, default=(1e-2, 3e-2)
        :math:`\alpha`; the paper's C is :math:`1 / (n\alpha)`. Cross-validation chooses among several values, here and
        below.
    width : float or sequence of float, default=1.0
        Bandwidth of :math:`k = \exp(-d^2 / 2\sigma^2)` in units of the mean distance between annotated items.
    scale : {"auto", "standard", None}, default="auto"
        Divide each feature by its standard deviation; "auto" does so for dense X only.
    n_folds : int, default=5
        Number of folds of annotated items, for the choice of a setting and the scores that calibrate probabilities.
    tol : float, default=1e-3
        Relative duality gap at which to stop; while settings are compared, 1e-2.
    max_iter : int, default=5000
        Maximum number of iterations.
    rule : str or Rule, default="micro_f1"
        Threshold rule, as in :class:`halflabel.SSDRMC`. "fixed" compares scores with 0. The scores of an item always
        sum to 0.
    random_state : int or None, default=0
        Seed of the folds and, with more than 1000 items, of the sample for the mean distance.

    Attributes
    ----------
    model_ : RankingFunctions
        The annotated items and the weights of their kernels.
    solution_ : Solution
        ``x`` holds the weights, ``objective`` n times the values where the gap was computed, ``residual`` the relative
        duality gap.
    setting_ : dict
        The weights of the fit.
    cv_results_ : dict of ndarray
        As in :class:`LEML`.
    label_scores_, label_probabilities_, transduction_, thresholds_
        As in :class:`LEML`. The method ranks labels within an item; probabilities make them comparable across items.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, a parameter is out of its range, or there
        are more than 50 million pairs.

    Notes
    -----
    Only pairs of a relevant entry and one that is irrelevant (for positive-only labels: not assigned) of the same
    item count; unknown entries of other labels are skipped. Without a pair (a single label) every score is 0.

    The dual maximises :math:`\sum \Gamma - \tfrac12 \sum_k \beta_k^T K \beta_k`, beta the sums of the multipliers
    :math:`\Gamma_i(k, l)` over l, or less those over k, with each group :math:`\Gamma_i(\cdot, l)` nonnegative
    and in a ball of radius C. Projection onto that set is a clip and a division, and the gradient is Lipschitz with the
    largest eigenvalue of K times the most labels of an item, so that accelerated projected gradient with restart
    applies; the gap to the primal value at :math:`f = K\beta` is the certificate. An iteration costs :math:`O(n^2 L)`
    for L labels and one pass over the pairs. A smaller alpha needs more iterations: with the defaults there are some
    hundreds, because the one large eigenvalue of the kernel, that of the constant, determines the step.

    **Departures from the paper.** The dual is solved to a certified gap, not by the paper's approximate updates. The
    text of the paper was not available: the objective is from memory and from descriptions in other papers (errors are
    grouped by the label that was not assigned, and each group is under one root), and equations have no numbers. The
    kernel and the unit of its width are choices of this library, without an intercept.

    References
    ----------
    .. [1] S. S. Bucak, R. Jin and A. K. Jain, "Multi-label learning with incomplete class assignments", CVPR 2011.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 12)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] < 0]).astype(float)
    >>> Y[[2, 9]] = np.nan
    >>> MLRGL(alpha=0.01, n_folds=3).fit(X, Y).transduction_[[2, 9]]
    array([[0, 1],
           [1, 0]])
    """

    own_threshold: ClassVar[float] = 0.0

    def __init__(
        self,
        alpha: Candidates = (1e-2, 3e-2),
        *,
        width: Candidates = 1.0,
        scale: str | None = "auto",
        n_folds: int = 5,
        tol: float = 1e-3,
        max_iter: int = 5000,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.width = width
        self.scale = scale
        self.n_folds = n_folds
        self.tol = tol
        self.max_iter = max_iter
        self.rule = rule
        self.random_state = random_state

    def _settings(self) -> list[Setting]:
        require_positive(self, "width", "alpha", several=True)
        pairs = itertools.product(list_candidates(self.width), list_candidates(self.alpha))
        return [{"width": width, "alpha": alpha} for width, alpha in pairs]

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        pairs = Pairs.of(state)
        unit = mean_distance(X, np.random.default_rng(self.random_state))
        features = {w: NystroemMap(X, w * unit, np.empty((0, 0))) for w in {s["width"] for s in settings}}
        grams = {w: kernel.kernel(X) for w, kernel in features.items()}
        tol = self.tol if len(settings) == 1 else max(self.tol, 1e-2)
        learned: list[tuple[Model, Solution]] = []
        for setting in settings:
            C, width = 1 / (len(state) * setting["alpha"]), setting["width"]
            solution = rank_with_group_lasso(grams[width], pairs, C, tol=tol, max_iter=self.max_iter)
            learned.append((RankingFunctions(features[width], solution.x), solution))
        return learned


@dataclass(frozen=True)
class RankingFunctions:
    r"""Functions :math:`f_k(x) = \sum_i k(x, x_i) \beta_{ik}`."""

    #: Its items and its bandwidth are used; the kernel is exact.
    features: NystroemMap
    #: Shape (n_items, n_labels). beta.
    weights: Floats

    def __call__(self, X: Matrix) -> Floats:
        """Return the scores of the rows of X, with one block of the Gram matrix in memory at a time."""
        blocks = [self.features.kernel(X[rows]) @ self.weights for rows in row_blocks(X.shape[0], BLOCK)]
        return np.concatenate(blocks)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of a relevant and an irrelevant label of an item. Pairs of the same irrelevant label are consecutive."""

    #: Shape (n_items * n_labels, n_pairs). Maps the multipliers of the pairs to the weights beta.
    signs: sparse.csr_array
    #: Maps scores to their differences, relevant minus irrelevant.
    transposed: sparse.csr_array
    #: ``starts``, ``counts``: shape (n_groups,). The first pair and the number of pairs of each group.
    starts: Ints
    counts: Ints
    #: (n_items, n_labels).
    shape: tuple[int, int]
    #: Largest number of labels of an item that has pairs; bounds the squared norm of ``signs``.
    max_labels: int

    @classmethod
    def of(cls, state: Floats) -> Pairs:
        """Return the pairs of labels coded +1, -1 and 0 (unknown)."""
        relevant, n_relevant = state > 0, (state > 0).sum(axis=1)
        item, lower = np.nonzero((state < 0) & (n_relevant > 0)[:, None])
        counts = n_relevant[item]
        n_pairs = int(counts.sum())
        if n_pairs > MAX_PAIRS:
            raise ValueError(
                f"{n_pairs} pairs of an assigned and another label are more than {MAX_PAIRS:.0e}: keep the most "
                "frequent labels only, or a sample of the items."
            )
        starts = np.cumsum(counts) - counts
        # The relevant labels of each item are consecutive in ``upper``; each group uses the labels of its item.
        upper = np.nonzero(relevant)[1]
        first = (np.cumsum(n_relevant) - n_relevant)[item]
        ranks = np.arange(n_pairs) - np.repeat(starts - first, counts)
        base = np.repeat(item * state.shape[1], counts)
        rows = np.concatenate([base + upper[ranks], base + np.repeat(lower, counts)])
        values = np.repeat([1.0, -1.0], n_pairs)
        signs = sparse.csr_array((values, (rows, np.tile(np.arange(n_pairs), 2))), shape=(state.size, n_pairs))
        max_labels = int((state[item] != 0).sum(axis=1).max(initial=0))
        return cls(signs, sparse.csr_array(signs.T), starts, counts, (state.shape[0], state.shape[1]), max_labels)

    def weights(self, G: Floats) -> Floats:
        """Return beta of multipliers."""
        return np.asarray((self.signs @ G).reshape(self.shape))

    def differences(self, F: Floats) -> Floats:
        """Return the difference of scores of each pair."""
        return np.asarray(self.transposed @ F.ravel())

    def norms(self, u: Floats) -> Floats:
        """Return the Euclidean norm of each group."""
        return np.asarray(np.sqrt(np.add.reduceat(u * u, self.starts)))

    def project(self, G: Floats, radius: float) -> Floats:
        """Return the nearest multipliers that are not negative, with groups in balls of this radius."""
        G = np.maximum(G, 0.0)
        norms = self.norms(G)
        return np.asarray(G * np.repeat(radius / np.maximum(norms, radius), self.counts))


def rank_with_group_lasso(K: Floats, pairs: Pairs, C: float, *, tol: float, max_iter: int) -> Solution:
    r"""Minimise :math:`\tfrac12\sum_k\|f_k\|^2 + C\sum_g\|(1 - \Delta_g f)_+\|` by accelerated gradient on its dual.

    Parameters
    ----------
    K : ndarray of shape (n_items, n_items)
    pairs : Pairs
        Delta and its groups.
    tol : float
        Relative duality gap at which to stop.

    Returns
    -------
    Solution
        ``x`` is beta, ``objective`` has the primal values in units of C where the gap was computed, ``residual`` is the
        relative gap.
    """
    if not len(pairs.counts):
        return Solution(np.zeros(pairs.shape), (0.0,), 0.0, 0, Status.CONVERGED)
    size = 1 / (spectral_norm(K) * pairs.max_labels)
    G = M = np.zeros(pairs.transposed.shape[0])
    t, n_iter = 1.0, 0
    primal, gap = _certify(K, pairs, C, G)
    objective = [primal]
    while gap > tol and n_iter < max_iter:
        step("ranking labels", n_iter, max_iter)
        for _ in range(CHECK_EVERY):
            slope = pairs.differences(K @ pairs.weights(M)) - 1
            following = pairs.project(M - size * slope, C)
            turned = float((M - following) @ (following - G)) > 0
            t, last = (1.0, 1.0) if turned else ((1 + np.sqrt(1 + 4 * t * t)) / 2, t)
            M = following + (last - 1) / t * (following - G)
            G = following
        n_iter += CHECK_EVERY
        primal, gap = _certify(K, pairs, C, G)
        objective.append(primal)
    status = Status.CONVERGED if gap <= tol else Status.MAX_ITER
    return Solution(pairs.weights(G), tuple(objective), gap, n_iter, status)


def _certify(K: Floats, pairs: Pairs, C: float, G: Floats) -> tuple[float, float]:
    """Return the primal value, in units of C, and the relative duality gap."""
    beta = pairs.weights(G)
    F = K @ beta
    norm = 0.5 * float(np.vdot(beta, F))
    primal = norm + C * float(pairs.norms(np.maximum(1 - pairs.differences(F), 0.0)).sum())
    return primal / C, (primal - (float(G.sum()) - norm)) / primal
