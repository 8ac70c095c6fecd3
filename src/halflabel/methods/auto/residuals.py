"""Stage 2 for single missing entries: a base's answers corrected by an item's other observed labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import logit

from halflabel._arrays import Floats, Ints, Mask
from halflabel._progress import step
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibration, cross_calibrate, fit_platt
from halflabel.methods.auto.coupling import Coupling, Seen, base_and_residual, couple, some
from halflabel.methods.auto.trees import Trees, grow

#: Labels and cells (items x labels) up to which a forest per label is grown, and items of one tree at most.
FOREST_LABELS, FOREST_CELLS, TREE_ITEMS = 32, 2**20, 4096

#: Observed entries outside any fold that a label needs for a forest, and items of a leaf at least.
MIN_SEEN, MIN_LEAF = 10, 2


@dataclass(frozen=True, eq=False)
class ForestPerLabel:
    """One forest of extremely randomised trees per label, on the base's log odds and the other labels' residuals.

    Attributes
    ----------
    groups : tuple of tuple of Trees
        Per label one group of trees for each fold, grown without it; nothing for a label observed too rarely.
    calibration : Calibration
        From the trees' mean answer to probabilities.
    """

    groups: tuple[tuple[Trees, ...], ...]
    calibration: Calibration

    def __call__(self, base: Floats, residual: Floats) -> Floats:
        """Return log odds; NaN for labels without a forest."""
        means = np.full(base.shape, np.nan)
        for j, groups in enumerate(self.groups):
            if groups:
                inputs = _inputs(base, residual, j)
                means[:, j] = np.mean([trees.predict(inputs)[:, 0] for trees in groups], axis=0)
        return _log_odds(self.calibration(means), means)


@dataclass(frozen=True, eq=False)
class Refiner:
    """Corrects a base's log odds by what is observed of the same items.

    Attributes
    ----------
    coupling : Coupling
    forests : ForestPerLabel or None
        None where they did not help out of fold, or would cost too much.
    refined : ndarray of bool, shape (n_labels,)
        Labels that were observed with both values; the others keep the base's answer.
    """

    coupling: Coupling
    forests: ForestPerLabel | None
    refined: Mask

    def predict(self, log_odds: Floats, labels: PartialLabels) -> Floats:
        """Return refined log odds; an item with nothing observed keeps the base's.

        Parameters
        ----------
        log_odds : ndarray of shape (n_items, n_labels)
            What the base says about the items without having seen their labels.
        labels : PartialLabels of the same shape
            What is observed of them. An entry's value changes the answers about the item's *other* labels only.
        """
        answer = log_odds.copy()
        rows = np.flatnonzero((labels.observed & self.refined & ~np.isnan(log_odds)).any(axis=1))
        base, residual = base_and_residual(labels[rows], log_odds[rows])
        refined = self.coupling(base, residual)
        if self.forests is not None:
            refined = _pooled(refined, self.forests(base, residual))
        answer[rows] = np.where(self.refined & ~np.isnan(log_odds[rows]), refined, log_odds[rows])
        return answer


@dataclass(frozen=True, eq=False)
class Refined:
    """What stage 2 hands back.

    Attributes
    ----------
    log_odds : ndarray of shape (n_items, n_labels)
        Of all cells, by the whole fit; the base's own for items with nothing observed.
    out_of_fold : ndarray of the same shape
        Of the observed entries, by models that did not see the item; NaN elsewhere.
    model : Refiner
        For new items.
    """

    log_odds: Floats
    out_of_fold: Floats
    model: Refiner


def refine(
    labels: PartialLabels,
    log_odds: Floats,
    rng: np.random.Generator,
    *,
    n_folds: int = 5,
    n_trees: int = 100,
    together: Ints | None = None,
) -> Refined:
    r"""Learn how an item's other observed labels correct a base model's answer.

    With :math:`p_{ij}` the base's probability, :math:`m_{ij}` 1 where the entry is observed and 0 elsewhere, and
    :math:`r_{ik} = m_{ik}(y_{ik} - p_{ik})`, the answer is the mean log odds of two models:

    * the coupling :math:`a_j + c_j \mathrm{logit}\,p_{ij} + \sum_{k \ne j} B_{jk} r_{ik}` (:class:`Coupling`);
    * trees on all of :math:`\mathrm{logit}\,p_{i\cdot}` and :math:`r_{i\cdot}` but :math:`r_{ij}`
      (:class:`ForestPerLabel`), if they lower the out-of-fold log loss.

    Where neither is better than the base out of fold, the base's answer stands.
    Both learn from the observed entries. Where entries went missing at random, an observed entry has as many observed
    neighbours as an unknown one, so that they learn from what they will meet.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    log_odds : ndarray of the same shape
        The base's answer, calibrated: for an item with observed labels by models that saw none of them, for others by
        any. NaN where there is none; such an entry is not used and stays NaN.
    rng : numpy.random.Generator
        Decides folds, samples and trees.
    n_folds : int, default=5
        Folds of items for the ridge weight and for all scores that calibrate.
    n_trees : int, default=100
        Of a label, dealt to the folds: each fold's trees see the items of all others. 0 for the coupling alone.
    together : ndarray of int, shape (n_items,), optional
        Group of each item; those of one are held out together.

    Returns
    -------
    Refined

    Notes
    -----
    A Newton step of one label costs :math:`O(n K^2)` for K = min(n_labels - 1, 32) partners and at most 10 000 items.
    Above 32 labels, or a million cells in items with observed labels, there are no forests. Trees see the features
    through the base alone: beside a hundred features a split would seldom ask a residual.

    Items with nothing observed keep the base's answer: the slope c was fitted beside residuals, and is too steep
    where there are none.

    Examples
    --------
    Two labels that always agree, of which the base knows nothing:

    >>> rng = np.random.default_rng(0)
    >>> Y = np.repeat(rng.integers(2, size=(200, 1)), 2, axis=1)
    >>> labels = PartialLabels.from_observed(Y, rng.random(Y.shape) < 0.7)
    >>> answer = refine(labels, np.zeros(Y.shape), rng).log_odds > 0
    >>> gaps = ~labels.observed & ~labels.unlabelled[:, None]
    >>> bool((answer == Y)[gaps].all())
    True
    """
    table = Seen.enter(labels, log_odds, n_folds, rng, together)
    if len(np.unique(table.folds)) < 2 or labels.shape[1] < 2:
        return _unchanged(labels, log_odds)
    coupling, held_out = couple(table, rng)
    forests = None
    if n_trees and labels.shape[1] <= FOREST_LABELS and table.base.size <= FOREST_CELLS:
        grown, of_trees = _plant(table, n_trees, rng)
        both = _pooled(held_out, of_trees)
        if _loss(table, both) < _loss(table, held_out):
            forests, held_out = grown, both
    if _loss(table, held_out) >= _loss(table, table.base):
        return _unchanged(labels, log_odds)
    model = Refiner(coupling, forests, table.labels.learnable)
    out_of_fold = np.where(labels.observed, log_odds, np.nan)
    out_of_fold[table.rows] = np.where(table.labels.observed, held_out, out_of_fold[table.rows])
    return Refined(model.predict(log_odds, labels), out_of_fold, model)


def _unchanged(labels: PartialLabels, log_odds: Floats) -> Refined:
    """Return the base's answers, where there is nothing to learn, or nothing to learn from."""
    n = labels.shape[1]
    silent = Coupling(np.zeros(n), np.ones(n), sparse.csr_array((n, n)), np.inf)
    model = Refiner(silent, None, np.zeros(n, dtype=bool))
    return Refined(log_odds.copy(), np.where(labels.observed, log_odds, np.nan), model)


def _log_odds(probabilities: Floats, scores: Floats) -> Floats:
    return np.where(np.isnan(scores), np.nan, logit(probabilities))


def _pooled(one: Floats, other: Floats) -> Floats:
    """Mean of two log odds; the first where there is no second."""
    return np.where(np.isnan(other), one, (one + other) / 2)


def _loss(table: Seen, held_out: Floats) -> float:
    """Log loss of out-of-fold log odds on the observed entries."""
    observed = table.labels.observed
    return float(np.logaddexp(0, -table.labels.state[observed] * held_out[observed]).sum())


def _plant(table: Seen, n_trees: int, rng: np.random.Generator) -> tuple[ForestPerLabel, Floats]:
    """Return the forests, and out-of-fold log odds of all cells of the table."""
    n_labels, held_out = table.labels.shape[1], np.full(table.base.shape, np.nan)
    size = max(1, n_trees // len(table.groups))
    groups: list[tuple[Trees, ...]] = []
    for j in range(n_labels):
        step("trees on other labels", j, n_labels)
        seen = [np.flatnonzero(table.labels.observed[:, j] & (table.folds != fold)) for fold in table.groups]
        enough = min(map(len, seen)) >= MIN_SEEN
        inputs, target = _inputs(table.base, table.residual, j), table.labels.relevant[:, j, None].astype(np.float64)
        own = tuple(_group(inputs, target, rows, size, rng) for rows in seen if enough)
        for fold, trees in enumerate(own):
            held_out[table.folds == fold, j] = trees.predict(inputs[table.folds == fold])[:, 0]
        groups.append(own)
    # Each fold by a calibration that did not see it; else forests would be chosen for nothing.
    p = cross_calibrate(held_out, table.labels, table.folds)
    return ForestPerLabel(tuple(groups), fit_platt(held_out, table.labels)), _log_odds(p, held_out)


def _group(inputs: Floats, target: Floats, rows: Ints, size: int, rng: np.random.Generator) -> Trees:
    bags = [some(rows, TREE_ITEMS, rng) for _ in range(size)]
    return grow(inputs, target, bags, rng.integers(2**31, size=size), min_leaf=MIN_LEAF, max_leaves=None)


def _inputs(base: Floats, residual: Floats, label: int) -> Floats:
    """Return what the trees of one label see; a constant in place of its own residual is never asked."""
    others = residual.copy()
    others[:, label] = 0.0
    return np.hstack([base, others])
