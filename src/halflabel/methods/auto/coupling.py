"""The coupling of labels: what an item's other observed labels add, linearly, to the log odds of one."""

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

#: Ridge weights tried on the coupling, strongest first, in units of one entry's log loss.
RIDGES: Floats = np.logspace(4, -1.5, 12)

#: Weight that keeps intercept and slope near 0 and 1, where the base's answer is returned, in the same unit.
ANCHOR = 1.0

#: Other labels that one label listens to at most: those that move with it most clearly.
PARTNERS = 32

#: Labels on which ridge weights are compared, and items from which a coupling is learned, at most.
FEW_LABELS, FEW_ITEMS = 32, 10_000

#: A Newton step that promises less than this, in units of one entry's log loss, is the last.
SMALL_STEP = 1e-6

#: Labels compared with all others at a time.
BLOCK = 256


@dataclass(frozen=True, eq=False)
class Coupling:
    r"""The linear part: :math:`a_j + c_j \mathrm{logit}\,p_{ij} + \sum_{k \ne j} B_{jk} r_{ik}`.

    For each label it minimises, over the items i where it is observed, with :math:`\eta` the expression above,

    .. math::
        \sum_i \log(1 + e^{-s_{ij}\eta_{ij}}) + \tfrac12\left(a_j^2 + (c_j - 1)^2\right)
        + \tfrac{\lambda}{2}\sum_{k \ne j} B_{jk}^2, \qquad s = \pm 1,

    so that few entries, or none, leave the base's answer as it is.

    Attributes
    ----------
    intercept, slope : ndarray of shape (n_labels,)
    weights : csr_array of shape (n_labels, n_labels)
        B. Its diagonal is empty: a label never hears itself.
    ridge : float
        :math:`\lambda`, one for all labels.
    """

    intercept: Floats
    slope: Floats
    weights: sparse.csr_array
    ridge: float

    def __call__(self, base: Floats, residual: Floats) -> Floats:
        """Return log odds."""
        return np.asarray(self.intercept + self.slope * base + residual @ self.weights.T)


@dataclass(frozen=True, eq=False)
class Seen:
    """The items with an observed entry that can be used.

    Attributes
    ----------
    rows : ndarray of int, shape (n_rows,)
        Their numbers.
    labels : PartialLabels
        Theirs, where the base has an answer and the label was seen with both values.
    base, residual : ndarray of shape (n_rows, n_labels)
        The base's log odds, and y - p; 0 where there is none.
    folds : ndarray of int, shape (n_rows,)
    """

    rows: Ints
    labels: PartialLabels
    base: Floats
    residual: Floats
    folds: Ints

    @property
    def groups(self) -> range:
        """Numbers of the folds."""
        return range(int(self.folds.max()) + 1)

    @classmethod
    def enter(
        cls,
        labels: PartialLabels,
        log_odds: Floats,
        n_folds: int,
        rng: np.random.Generator,
        together: Ints | None = None,
    ) -> Self:
        """Take what can be used of a table, and deal its items into folds by chance alone.

        Stratified folds would repeat in each fold how often labels meet by accident in the sample, and what learns from
        labels how they meet would look better out of fold than it is: better than chance on noise.
        """
        usable = labels.hide(np.isnan(log_odds))
        usable = usable.hide(~usable.learnable)
        rows = np.flatnonzero(~usable.unlabelled)
        unit = np.arange(len(rows)) if together is None else np.unique(together[rows], return_inverse=True)[1]
        folds = rng.permutation(np.arange(unit.max(initial=-1) + 1) % n_folds)[unit]
        return cls(rows, usable[rows], *base_and_residual(usable[rows], log_odds[rows]), folds)


def base_and_residual(labels: PartialLabels, log_odds: Floats) -> tuple[Floats, Floats]:
    """Return the base's log odds, and truth minus probability; 0 where there is none."""
    base = np.nan_to_num(log_odds, nan=0.0)
    known = labels.observed & ~np.isnan(log_odds)
    return base, np.where(known, labels.relevant - expit(base), 0.0)


def couple(table: Seen, rng: np.random.Generator) -> tuple[Coupling, Floats]:
    """Return the coupling, and out-of-fold log odds of all cells of the table."""
    items = some(np.arange(len(table.rows)), FEW_ITEMS, rng)
    learnable = np.flatnonzero(table.labels.learnable)
    shape, held_out = table.base.shape, np.full(table.base.shape, np.nan)
    intercept, slope, B = np.zeros(shape[1]), np.ones(shape[1]), sparse.lil_array((shape[1], shape[1]))
    with threadpool_limits(1, user_api="blas"):
        ridge = _best_ridge(table, items, some(learnable, FEW_LABELS, rng))
        for fold in table.groups:
            rest = np.flatnonzero(table.folds == fold)
            for j, partners, (path,) in _fits(table, items, learnable, [ridge], fold):
                held_out[rest, j] = _design(table, rest, j, partners) @ path
        for j, partners, (path,) in _fits(table, items, learnable, [ridge]):
            intercept[j], slope[j], B[j, partners] = path[0], path[1], path[2:]
    return Coupling(intercept, slope, sparse.csr_array(B), ridge), held_out


def some(candidates: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Return all candidates, or ``most`` of them in their order."""
    return candidates if len(candidates) <= most else np.sort(rng.choice(candidates, most, replace=False))


def _best_ridge(table: Seen, items: Ints, labels: Ints) -> float:
    """Return the ridge weight with the least out-of-fold log loss of these labels together."""
    loss = np.zeros(len(RIDGES))
    for fold in table.groups:
        step("weighing other labels", fold, len(table.groups))
        rest = items[table.folds[items] == fold]
        for j, partners, path in _fits(table, items, labels, RIDGES, fold):
            seen = rest[table.labels.observed[rest, j]]
            margin = table.labels.state[seen, j, None] * (_design(table, seen, j, partners) @ path.T)
            loss += np.logaddexp(0, -margin).sum(axis=0)
    return float(RIDGES[np.argmin(loss)])


def _fits(
    table: Seen, items: Ints, labels: Ints, ridges: Sequence[float] | Floats, fold: int = -1
) -> Iterator[tuple[int, Ints, Floats]]:
    """Yield each label, its partners and its coefficients per ridge weight, learned from the items of other folds."""
    train = items[table.folds[items] != fold]
    for j, partners in _partners(table.residual[train], labels):
        seen = train[table.labels.observed[train, j]]
        yield j, partners, _path(_design(table, seen, j, partners), table.labels.relevant[seen, j], ridges)


def _design(table: Seen, rows: Ints, label: int, partners: Ints) -> Floats:
    return np.column_stack([np.ones(len(rows)), table.base[rows, label], table.residual[np.ix_(rows, partners)]])


def _partners(residual: Floats, labels: Ints) -> Iterator[tuple[int, Ints]]:
    r"""Yield each label and those it listens to: all others, or the clearest by a test.

    That is the score test for one more term in the label's model, :math:`\sum r_j r_k / \sqrt{\sum r_j^2 r_k^2}` over
    the items in which both are observed.
    """
    n = residual.shape[1]
    if n - 1 <= PARTNERS:
        yield from ((j, np.delete(np.arange(n), j)) for j in labels.tolist())
        return
    for block in np.split(labels, range(BLOCK, len(labels), BLOCK)):
        together = np.abs(residual[:, block].T @ residual)
        noise = np.sqrt((residual[:, block] ** 2).T @ residual**2)
        clear = np.divide(together, noise, out=np.zeros_like(together), where=noise > 0)
        clear[np.arange(len(block)), block] = -1.0
        chosen = np.argpartition(-clear, PARTNERS - 1, axis=1)[:, :PARTNERS]
        yield from zip(block.tolist(), np.sort(chosen, axis=1), strict=True)


def _path(Z: Floats, relevant: Mask, ridges: Sequence[float] | Floats) -> Floats:
    """Fit one label at each ridge weight from the last one's answer, shape (n_ridges, 2 + n_partners)."""
    prior = np.zeros(Z.shape[1])
    prior[1] = 1.0
    path = [prior]
    for ridge in ridges:
        weight = np.full(len(prior), ridge)
        weight[:2] = ANCHOR
        path.append(_newton(Z, relevant.astype(np.float64), weight, prior, path[-1]))
    return np.array(path[1:])


def _newton(Z: Floats, y: Floats, weight: Floats, prior: Floats, start: Floats, max_iter: int = 50) -> Floats:
    r"""Take Newton's steps, halved where the objective would rise.

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
        promise = gradient @ direction
        length = 1.0
        while (trial := objective(theta - length * direction)) > value and length > 1e-6:
            length /= 2
        if trial > value:  # rounding is all that is left
            break
        theta, value = theta - length * direction, trial
        if promise < SMALL_STEP:
            break
    return theta
