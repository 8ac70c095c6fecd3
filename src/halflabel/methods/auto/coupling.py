"""The coupling of labels: a linear correction of one label's log odds by an item's other observed labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import linalg, sparse
from scipy.special import expit
from threadpoolctl import threadpool_limits

from halflabel._arrays import Floats, Ints, Mask
from halflabel._progress import step
from halflabel.labels import PartialLabels
from halflabel.methods.auto.sampling import draw

#: Ridge weights of the coupling that are compared, the largest first, in units of one entry's log loss.
RIDGES: Floats = np.logspace(4, -1.5, 12)

#: Weight that keeps intercept and slope near 0 and 1, which return the base's log odds, in the same unit.
ANCHOR = 1.0

#: Maximum number of other labels that correct one label. The labels with the clearest correlation are chosen.
MAX_PARTNERS = 32

#: Maximum number of labels on which ridge weights are compared, and of items that a coupling is fitted to.
MAX_LABELS, MAX_ITEMS = 32, 10_000

#: Newton's method ends at a step with a smaller expected decrease than this, in units of one entry's log loss.
TOLERANCE = 1e-6

#: Number of labels that are compared with all others at a time.
BLOCK = 256


@dataclass(frozen=True, eq=False)
class Coupling:
    r"""The linear part: :math:`a_j + c_j \mathrm{logit}\,p_{ij} + \sum_{k \ne j} B_{jk} r_{ik}`.

    For each label it minimises, over the items i where the label is observed, with :math:`\eta` the expression above,

    .. math::
        \sum_i \log(1 + e^{-s_{ij}\eta_{ij}}) + \tfrac12\left(a_j^2 + (c_j - 1)^2\right)
        + \tfrac{\lambda}{2}\sum_{k \ne j} B_{jk}^2, \qquad s = \pm 1,

    so that with few entries, or none, the base's log odds remain.
    """

    #: ``intercept``, ``slope``: shape (n_labels,).
    intercept: Floats
    slope: Floats
    #: Shape (n_labels, n_labels). B. Its diagonal is empty: the value of an entry never changes its own log odds.
    weights: sparse.csr_array
    #: :math:`\lambda`, one for all labels.
    ridge: float

    def __call__(self, base: Floats, residual: Floats) -> Floats:
        """Return log odds."""
        return np.asarray(self.intercept + self.slope * base + residual @ self.weights.T)


@dataclass(frozen=True, eq=False)
class CouplingData:
    """The items with a usable observed entry."""

    #: Shape (n_rows,). Positions of the items.
    rows: Ints
    #: Their entries where the base has log odds and the label was observed with both values.
    labels: PartialLabels
    #: ``base``, ``residual``: shape (n_rows, n_labels). The base's log odds, and y - p; 0 where there is none.
    base: Floats
    residual: Floats
    #: Shape (n_rows,).
    folds: Ints

    @property
    def fold_numbers(self) -> range:
        """Numbers of the folds."""
        return range(int(self.folds.max()) + 1)

    @classmethod
    def prepare(
        cls,
        labels: PartialLabels,
        log_odds: Floats,
        n_folds: int,
        rng: np.random.Generator,
        groups: Ints | None = None,
    ) -> Self:
        """Select the usable entries of a table, and assign its items to folds at random, without stratification.

        Stratified folds would repeat in each fold the accidental correlations of labels in the sample. A model that
        learns from correlations of labels would then look better out of fold than it is: better than chance on noise.
        """
        usable = labels.hide(np.isnan(log_odds))
        usable = usable.hide(~usable.learnable)
        rows = np.flatnonzero(~usable.unlabelled)
        unit = np.arange(len(rows)) if groups is None else np.unique(groups[rows], return_inverse=True)[1]
        folds = rng.permutation(np.arange(unit.max(initial=-1) + 1) % n_folds)[unit]
        return cls(rows, usable[rows], *compute_residuals(usable[rows], log_odds[rows]), folds)


def compute_residuals(labels: PartialLabels, log_odds: Floats) -> tuple[Floats, Floats]:
    """Return the base's log odds, and truth minus probability, with 0 for missing values."""
    base = np.nan_to_num(log_odds, nan=0.0)
    known = labels.observed & ~np.isnan(log_odds)
    return base, np.where(known, labels.relevant - expit(base), 0.0)


def fit_coupling(data: CouplingData, rng: np.random.Generator) -> tuple[Coupling, Floats]:
    """Return the coupling, and out-of-fold log odds of all cells of the data."""
    items = draw(np.arange(len(data.rows)), MAX_ITEMS, rng)
    learnable = np.flatnonzero(data.labels.learnable)
    shape, held_out = data.base.shape, np.full(data.base.shape, np.nan)
    intercept, slope, B = np.zeros(shape[1]), np.ones(shape[1]), sparse.lil_array((shape[1], shape[1]))
    with threadpool_limits(1, user_api="blas"):
        ridge = _choose_ridge(data, items, draw(learnable, MAX_LABELS, rng))
        for fold in data.fold_numbers:
            rest = np.flatnonzero(data.folds == fold)
            for j, partners, (theta,) in _fit_labels(data, items, learnable, [ridge], fold):
                held_out[rest, j] = _build_design(data, rest, j, partners) @ theta
        for j, partners, (theta,) in _fit_labels(data, items, learnable, [ridge]):
            intercept[j], slope[j], B[j, partners] = theta[0], theta[1], theta[2:]
    return Coupling(intercept, slope, sparse.csr_array(B), ridge), held_out


def _choose_ridge(data: CouplingData, items: Ints, labels: Ints) -> float:
    """Return the ridge weight with the smallest out-of-fold log loss of these labels together."""
    loss = np.zeros(len(RIDGES))
    for fold in data.fold_numbers:
        step("weighing other labels", fold, len(data.fold_numbers))
        rest = items[data.folds[items] == fold]
        for j, partners, path in _fit_labels(data, items, labels, RIDGES, fold):
            rows = rest[data.labels.observed[rest, j]]
            margin = data.labels.state[rows, j, None] * (_build_design(data, rows, j, partners) @ path.T)
            loss += np.logaddexp(0, -margin).sum(axis=0)
    return float(RIDGES[np.argmin(loss)])


def _fit_labels(
    data: CouplingData, items: Ints, labels: Ints, ridges: Sequence[float] | Floats, fold: int = -1
) -> Iterator[tuple[int, Ints, Floats]]:
    """Yield each label, its partners and its coefficients per ridge weight, fitted on the items of other folds."""
    train = items[data.folds[items] != fold]
    for j, partners in _choose_partners(data.residual[train], labels):
        rows = train[data.labels.observed[train, j]]
        yield j, partners, _fit_path(_build_design(data, rows, j, partners), data.labels.relevant[rows, j], ridges)


def _build_design(data: CouplingData, rows: Ints, label: int, partners: Ints) -> Floats:
    """Return the inputs of one label's regression: 1, its log odds and the partners' residuals."""
    return np.column_stack([np.ones(len(rows)), data.base[rows, label], data.residual[np.ix_(rows, partners)]])


def _choose_partners(residual: Floats, labels: Ints) -> Iterator[tuple[int, Ints]]:
    r"""Yield each label and its partners: all other labels, or the labels with the largest test statistics.

    The statistic is that of the score test for one more term in the label's model,
    :math:`\sum r_j r_k / \sqrt{\sum r_j^2 r_k^2}` over the items in which both are observed.
    """
    n = residual.shape[1]
    if n - 1 <= MAX_PARTNERS:
        yield from ((j, np.delete(np.arange(n), j)) for j in labels.tolist())
        return
    for block in np.split(labels, range(BLOCK, len(labels), BLOCK)):
        together = np.abs(residual[:, block].T @ residual)
        noise = np.sqrt((residual[:, block] ** 2).T @ residual**2)
        statistic = np.divide(together, noise, out=np.zeros_like(together), where=noise > 0)
        statistic[np.arange(len(block)), block] = -1.0
        partners = np.argpartition(-statistic, MAX_PARTNERS - 1, axis=1)[:, :MAX_PARTNERS]
        yield from zip(block.tolist(), np.sort(partners, axis=1), strict=True)


def _fit_path(Z: Floats, relevant: Mask, ridges: Sequence[float] | Floats) -> Floats:
    """Fit one label at each ridge weight, from the solution before it. Shape (n_ridges, 2 + n_partners)."""
    prior = np.zeros(Z.shape[1])
    prior[1] = 1.0
    path = [prior]
    for ridge in ridges:
        weight = np.full(len(prior), ridge)
        weight[:2] = ANCHOR
        path.append(_newton(Z, relevant.astype(np.float64), weight, prior, path[-1]))
    return np.array(path[1:])


def _newton(Z: Floats, y: Floats, weight: Floats, prior: Floats, start: Floats, max_iter: int = 50) -> Floats:
    r"""Minimise by Newton's method, with steps halved where the objective would rise.

    It is :math:`\sum_i \log(1 + e^{z_i^T\theta}) - y_i z_i^T\theta + \tfrac12\sum_k w_k(\theta_k - \theta^0_k)^2`.
    """

    def objective(theta: Floats) -> float:
        eta = Z @ theta
        return float(np.logaddexp(0, eta).sum() - y @ eta + 0.5 * weight @ (theta - prior) ** 2)

    theta, value = start, objective(start)
    for _ in range(max_iter):
        p = expit(Z @ theta)
        gradient = Z.T @ (p - y) + weight * (theta - prior)
        hessian = (Z * (p * (1 - p))[:, None]).T @ Z + np.diag(weight)
        direction = linalg.solve(hessian, gradient, assume_a="pos", check_finite=False)
        decrease = gradient @ direction
        length = 1.0
        while (trial := objective(theta - length * direction)) > value and length > 1e-6:
            length /= 2
        if trial > value:  # only rounding errors are left
            break
        theta, value = theta - length * direction, trial
        if decrease < TOLERANCE:
            break
    return theta
