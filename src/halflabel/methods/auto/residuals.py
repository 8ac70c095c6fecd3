"""Stage 2 for single missing entries: the scores of a base model corrected by an item's other observed labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import logit

from halflabel._arrays import Floats, Ints, Mask
from halflabel._progress import step
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibration, cross_calibrate, fit_platt
from halflabel.methods.auto.coupling import Coupling, CouplingData, compute_residuals, fit_coupling
from halflabel.methods.auto.member_weights import learn_weights
from halflabel.methods.auto.sampling import draw
from halflabel.methods.auto.trees import Trees, grow

#: Maximum number of labels and of cells (items x labels) for which one forest per label is grown.
MAX_FOREST_LABELS, MAX_FOREST_CELLS = 32, 2**20

#: Maximum number of items that one tree is grown on.
MAX_TREE_ITEMS = 4096

#: Minimum number of observed entries outside each fold for the forest of a label, and of items in a leaf.
MIN_OBSERVED, MIN_LEAF = 10, 2

#: The input of a known relevant entry, beyond the log odds of any base; a known irrelevant one has the opposite.
KNOWN = 16.0


@dataclass(frozen=True, eq=False)
class LabelForests:
    """One forest of extremely randomised trees per label, on the other labels' values, and log odds where unknown."""

    #: Per label one part for each fold, grown without the fold; no part for a label that was observed too rarely.
    forests: tuple[tuple[Trees, ...], ...]
    #: From the mean of the trees to probabilities.
    calibration: Calibration

    def __call__(self, base: Floats, residual: Floats) -> Floats:
        """Return log odds, or NaN for labels without a forest."""
        means = np.full(base.shape, np.nan)
        for label, parts in enumerate(self.forests):
            if parts:
                inputs = _build_inputs(base, residual, label)
                means[:, label] = np.mean([part.predict(inputs)[:, 0] for part in parts], axis=0)
        return _to_log_odds(self.calibration(means), means)


@dataclass(frozen=True, eq=False)
class Refiner:
    """Corrects a base's log odds by the observed labels of the same items."""

    coupling: Coupling
    #: None where they did not lower the out-of-fold loss, or would cost too much.
    forests: LabelForests | None
    #: Shape (n_labels,). Labels that were observed with both values. All other labels keep the base's log odds.
    refined: Mask
    #: Of coupling and forests, for labels with a forest.
    weights: tuple[float, float] = (1.0, 0.0)

    @property
    def changes_scores(self) -> bool:
        """Whether an observed label changes the score of another entry of its item."""
        return bool(self.coupling.weights.nnz or self.forests)

    def predict(self, log_odds: Floats, labels: PartialLabels) -> Floats:
        """Return refined log odds. An item without observed labels keeps the log odds of the base.

        ``log_odds`` are the log odds of the base without use of the items' labels. The value of an entry changes the
        log odds of the item's *other* labels only.
        """
        result = log_odds.copy()
        rows = np.flatnonzero((labels.observed & self.refined & ~np.isnan(log_odds)).any(axis=1))
        base, residual = compute_residuals(labels[rows], log_odds[rows])
        refined = self.coupling(base, residual)
        if self.forests is not None:
            refined = _add(self.weights, refined, self.forests(base, residual))
        result[rows] = np.where(self.refined & ~np.isnan(log_odds[rows]), refined, log_odds[rows])
        return result


@dataclass(frozen=True, eq=False)
class Refined:
    """The result of stage 2."""

    #: Shape (n_items, n_labels). Log odds of all cells, by the fit to all items; the base's for items with nothing
    #: observed.
    log_odds: Floats
    #: Of the same shape. Log odds of the observed entries, by models that were fitted without the item; NaN elsewhere.
    out_of_fold: Floats
    #: For new items.
    model: Refiner


def refine(
    labels: PartialLabels,
    log_odds: Floats,
    rng: np.random.Generator,
    *,
    n_folds: int = 5,
    n_trees: int = 100,
    groups: Ints | None = None,
) -> Refined:
    r"""Learn how the other observed labels of an item correct the log odds of a base model.

    With :math:`p_{ij}` the base's probability, :math:`m_{ij}` 1 where the entry is observed and 0 elsewhere, and
    :math:`r_{ik} = m_{ik}(y_{ik} - p_{ik})`, the result is a weighted sum of the log odds of two models:

    * the coupling :math:`a_j + c_j \mathrm{logit}\,p_{ij} + \sum_{k \ne j} B_{jk} r_{ik}` (:class:`Coupling`);
    * trees on :math:`\mathrm{logit}\,p_{ij}` and, of each other label, on the value of a known entry or the log odds of
      an unknown one (:class:`LabelForests`), if they lower the out-of-fold log loss.

    If the result is not better than the base out of fold, the base's log odds remain. Both models learn from the
    observed entries. If entries are missing at random, an observed entry has as many observed neighbours in its row as
    an unknown one, so that both models are fitted to the situation in which they are used.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    log_odds : ndarray of the same shape
        The base's log odds, calibrated: for an item with observed labels by models that were fitted without it, for
        others by any. NaN where there are none; such an entry is not used and stays NaN.
    rng : numpy.random.Generator
        Decides folds, samples and trees.
    n_folds : int, default=5
        Folds of items for the ridge weight and for all scores that calibrate.
    n_trees : int, default=100
        Number of trees per label; every fold gets an equal part of them, grown on the items of all other folds. 0 for
        the coupling alone.
    groups : ndarray of int, shape (n_items,), optional
        Items of one group are held out together.

    Notes
    -----
    A Newton step of one label costs :math:`O(n K^2)` for K = min(n_labels - 1, 32) partners and at most 10 000 items.
    With more than 32 labels, or more than a million cells in items with observed labels, no forests are grown. Trees
    use the features through the base alone: among a hundred features, few splits would use a residual.

    Items with nothing observed keep the base's log odds: the slope c was fitted together with residuals, and is too
    steep where there are none.

    Examples
    --------
    Two labels that always agree, and a base without information:

    >>> rng = np.random.default_rng(0)
    >>> Y = np.repeat(rng.integers(2, size=(200, 1)), 2, axis=1)
    >>> labels = PartialLabels.from_observed(Y, rng.random(Y.shape) < 0.7)
    >>> filled = refine(labels, np.zeros(Y.shape), rng).log_odds > 0
    >>> gaps = ~labels.observed & ~labels.unlabelled[:, None]
    >>> bool((filled == Y)[gaps].all())
    True
    """
    data = CouplingData.prepare(labels, log_odds, n_folds, rng, groups)
    if len(np.unique(data.folds)) < 2 or labels.shape[1] < 2:
        return _keep_base(labels, log_odds)
    coupling, held_out = fit_coupling(data, rng)
    forests, weights = None, (1.0, 0.0)
    if n_trees and labels.shape[1] <= MAX_FOREST_LABELS and data.base.size <= MAX_FOREST_CELLS:
        grown, of_trees = _grow_forests(data, n_trees, rng)
        learned = _learn_weights(data, held_out, of_trees, groups)
        both = _add(learned, held_out, of_trees)
        if learned[1] and _compute_loss(data, both) < _compute_loss(data, held_out):
            forests, held_out, weights = grown, both, learned
    if _compute_loss(data, held_out) >= _compute_loss(data, data.base):
        return _keep_base(labels, log_odds)
    model = Refiner(coupling, forests, data.labels.learnable, weights)
    out_of_fold = np.where(labels.observed, log_odds, np.nan)
    out_of_fold[data.rows] = np.where(data.labels.observed, held_out, out_of_fold[data.rows])
    return Refined(model.predict(log_odds, labels), out_of_fold, model)


def _keep_base(labels: PartialLabels, log_odds: Floats) -> Refined:
    """Return the base's log odds, with a model that changes nothing."""
    n = labels.shape[1]
    identity = Coupling(np.zeros(n), np.ones(n), sparse.csr_array((n, n)), np.inf)
    model = Refiner(identity, None, np.zeros(n, dtype=bool))
    return Refined(log_odds.copy(), np.where(labels.observed, log_odds, np.nan), model)


def _to_log_odds(probabilities: Floats, scores: Floats) -> Floats:
    """Return log odds, or NaN without a score."""
    return np.where(np.isnan(scores), np.nan, logit(probabilities))


def _learn_weights(data: CouplingData, coupling: Floats, forests: Floats, groups: Ints | None) -> tuple[float, float]:
    """Return the weights of both models, from their out-of-fold log odds."""
    used = data.labels.observed & ~np.isnan(forests)
    n_units = len(data.rows) if groups is None else len(np.unique(groups[data.rows]))
    both = np.stack([coupling[used], forests[used]])
    first, second = learn_weights(both, data.labels.relevant[used].astype(np.float64), n_units).tolist()
    return first, second


def _add(weights: tuple[float, float], one: Floats, other: Floats) -> Floats:
    """Return the weighted sum of two log odds, or the first if the second is missing."""
    return np.where(np.isnan(other), one, weights[0] * one + weights[1] * other)


def _compute_loss(data: CouplingData, held_out: Floats) -> float:
    """Return the log loss of out-of-fold log odds on the observed entries."""
    observed = data.labels.observed
    return float(np.logaddexp(0, -data.labels.state[observed] * held_out[observed]).sum())


def _grow_forests(data: CouplingData, n_trees: int, rng: np.random.Generator) -> tuple[LabelForests, Floats]:
    """Return the forests, and out-of-fold log odds of all cells of the data."""
    n_labels, held_out = data.labels.shape[1], np.full(data.base.shape, np.nan)
    n_part = max(1, n_trees // len(data.fold_numbers))
    forests: list[tuple[Trees, ...]] = []
    for label in range(n_labels):
        step("trees on other labels", label, n_labels)
        observed = data.labels.observed[:, label]
        known = [np.flatnonzero(observed & (data.folds != fold)) for fold in data.fold_numbers]
        enough = min(map(len, known)) >= MIN_OBSERVED
        inputs = _build_inputs(data.base, data.residual, label)
        target = data.labels.relevant[:, label, None].astype(np.float64)
        parts = tuple(_grow_part(inputs, target, rows, n_part, rng) for rows in known if enough)
        for fold, part in enumerate(parts):
            held_out[data.folds == fold, label] = part.predict(inputs[data.folds == fold])[:, 0]
        forests.append(parts)
    # The calibration of a fold is fitted without the fold; otherwise forests would look better than they are.
    p = cross_calibrate(held_out, data.labels, data.folds)
    return LabelForests(tuple(forests), fit_platt(held_out, data.labels)), _to_log_odds(p, held_out)


def _grow_part(inputs: Floats, target: Floats, rows: Ints, n_trees: int, rng: np.random.Generator) -> Trees:
    bags = [draw(rows, MAX_TREE_ITEMS, rng) for _ in range(n_trees)]
    return grow(inputs, target, bags, rng.integers(2**31, size=n_trees), min_leaf=MIN_LEAF, max_leaves=None)


def _build_inputs(base: Floats, residual: Floats, label: int) -> Floats:
    """Return the inputs of one label's trees. Its own entry counts as unknown."""
    inputs = np.where(residual == 0, base, np.copysign(KNOWN, residual))
    inputs[:, label] = base[:, label]
    return inputs
