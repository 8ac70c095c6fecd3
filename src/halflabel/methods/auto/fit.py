"""The fit of the ensemble, from weighted features to a decision: one function, whose result nothing changes.

Items and labels are in canonical order from the first line to the last, so that neither order changes a result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, logit

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibrated, Calibration, fit_platt
from halflabel.labels.rules import Rule
from halflabel.methods.auto.beta_calibration import calibrate
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.ensemble import Ensemble, fit_ensemble, uses_graph
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.forest import warn_of_few_leaves
from halflabel.methods.auto.graph import Neighbourhood
from halflabel.methods.auto.new_items import NewItemDecision
from halflabel.methods.auto.prior import WithPrior, add_prior
from halflabel.methods.auto.residuals import Refiner, refine
from halflabel.methods.auto.sampling import Stream, make_rng
from halflabel.methods.auto.task import Task
from halflabel.methods.contributions import OTHER_LABELS, PRIOR
from halflabel.methods.decision import Decision, decide, decide_relevant


@dataclass(frozen=True)
class Config:
    """The parameters of a fit."""

    members: tuple[str, ...]
    effort: str
    n_neighbors: int
    n_folds: int | None
    #: Decides everything random.
    seed: int
    rule: Rule
    #: Whether -1 means that an entry was not assigned.
    positive_only: bool
    #: Label frequency of positive-only labels.
    observed_rate: float | None


@dataclass(frozen=True, eq=False)
class Data:
    """The data of a fit, with items and labels in canonical order."""

    #: Shape (n_items, n_features). Weighted features.
    X: Matrix
    #: Shape (n_items, n_labels).
    labels: PartialLabels
    #: Shape (n_items,).
    groups: Ints | None = None
    #: Shape (n_items, n_labels).
    prior: Floats | None = None
    #: Shape (n_items, n_labels). Entries that calibrations are fitted on; None for all observed ones.
    calibrates: Mask | None = None

    @property
    def calibrating(self) -> PartialLabels:
        """The labels without the entries that calibrations are not fitted on."""
        return self.labels if self.calibrates is None else self.labels.hide(~self.calibrates)


@dataclass(frozen=True, eq=False)
class FittedMembers:
    """The members of the ensemble, before other evidence is added to them."""

    ensemble: Ensemble
    #: ``weights``, ``brier``: Of each member; the Brier scores are out of fold.
    weights: dict[str, float]
    brier: dict[str, float]
    #: Each of shape (n_items, n_labels). Weighted log odds.
    by_member: dict[str, NDArray[np.float32]]
    #: Connects new items to the graph; None if no member uses it.
    neighbourhood: Neighbourhood | None
    #: Shape (n_items, n_items).
    transition: sparse.csr_array | None
    #: Positions of the items that the graph connects.
    nodes: Ints | None
    #: Shape (n_nodes,). Sums of their affinities.
    degrees: Floats | None
    #: Shape (n_items,).
    folds: Ints
    #: Whether an entry of a labelled item is unknown.
    have_gaps: bool


@dataclass(frozen=True, eq=False)
class FittedAuto:
    """The fit of the ensemble, with items and labels in canonical order."""

    members: FittedMembers
    #: Brier scores of the members, the prior, the ensemble, and the labels' rates.
    scores: dict[str, float]
    #: Each of shape (n_items, n_labels). The attribute ``contributions_`` of the estimator has them in the order of the
    #: caller.
    parts: dict[str, NDArray[np.float32]]
    decision: Decision
    #: Of the ensemble, where other evidence is added to it.
    calibration: Calibration | None
    #: The ensemble alone decides about new items, where ``decision`` has other evidence.
    for_new: NewItemDecision | None
    prior_weights: tuple[float, float] | None
    #: None where the item's other labels do not change any score.
    refiner: Refiner | None
    #: The calibration of items without an observed label, where other labels change the scores of all other items.
    alone: Calibrated | None


def fit_auto(data: Data, config: Config) -> FittedAuto:
    """Fit members, add the prior and the item's other labels where there are any, calibrate and decide."""
    members, scores, held_out = _fit_members(data, config)
    brier, parts = dict(members.brier), dict(members.by_member)
    calibration = for_new = prior_weights = refiner = alone = None
    couples = members.have_gaps and held_out.any()  # a single item or group cannot be held out to learn from
    if couples or (data.prior is not None and held_out.any()):
        calibration = fit_platt(np.where(held_out, scores, np.nan), data.calibrating)
        scores = logit(calibration(scores))
    out_of_fold = np.where(held_out, scores, np.nan)
    decision = _decide(data, config, members.folds, scores, out_of_fold, members.by_member.values())
    if calibration is not None:
        for_new = NewItemDecision(decision.calibration, decision.thresholds)
    if data.prior is not None:
        combined = add_prior(data.prior, scores, data.labels, members.folds)
        brier |= _score_prior(combined, scores, data.labels, members.folds)
        parts[PRIOR] = (combined.log_odds - scores).astype(np.float32)
        scores, prior_weights = combined.log_odds, combined.weights
        decision = _decide(data, config, members.folds, scores, np.where(held_out, scores, np.nan))
    if couples:
        refined = refine(data.labels, scores, make_rng(config.seed, Stream.OTHER_LABELS), groups=data.groups)
        change = np.where(data.labels.observed, refined.out_of_fold, refined.log_odds) - scores
        parts[OTHER_LABELS] = change.astype(np.float32)
        if refined.model.changes_scores:
            refiner, alone = refined.model, decision.calibration
            decision = _decide(data, config, members.folds, refined.log_odds, refined.out_of_fold, alone=alone)
    brier |= _score_fit(decision, data.calibrating)
    return FittedAuto(members, brier, parts, decision, calibration, for_new, prior_weights, refiner, alone)


def _fit_members(data: Data, config: Config) -> tuple[FittedMembers, Floats, Mask]:
    """Fit the members. Return also the log odds of all cells, and the mask of out-of-fold cells."""
    labels = data.labels
    folds = Folds.split(labels, config.n_folds, make_rng(config.seed, Stream.FOLDS), data.groups)
    if "trees" in config.members:
        warn_of_few_leaves(folds, EFFORTS[config.effort])
    task = Task(data.X, labels, folds, EFFORTS[config.effort], config.seed, config.n_neighbors)
    fitted, has_graph = fit_ensemble(task, config.members), uses_graph(config.members)
    members = FittedMembers(
        ensemble=fitted.model,
        weights=fitted.weights,
        brier=fitted.brier,
        by_member=fitted.by_member,
        neighbourhood=task.graph.neighbourhood if has_graph else None,
        transition=task.graph.between_items() if has_graph else None,
        nodes=task.nodes.items if has_graph else None,
        degrees=np.asarray(task.graph.affinities.sum(axis=1), dtype=np.float64).ravel() if has_graph else None,
        folds=_spread(folds.fold, folds.rows, len(labels)),
        have_gaps=folds.have_gaps,
    )
    scores, held_out = fitted.log_odds.copy(), np.zeros(labels.shape, dtype=bool)
    held_out[folds.rows] = ~np.isnan(fitted.out_of_fold)
    scores[held_out] = fitted.out_of_fold[held_out[folds.rows]]
    return members, scores, held_out


def _spread(folds: Ints, rows: Ints, n_items: int) -> Ints:
    """Return the fold of every item, or -1 for items in no fold."""
    spread = np.full(n_items, -1)
    spread[rows] = folds
    return spread


def _decide(
    data: Data,
    config: Config,
    fold: Ints,
    scores: Floats,
    out_of_fold: Floats,
    parts: Iterable[NDArray[np.floating]] = (),
    alone: Calibrated | None = None,
) -> Decision:
    """Calibrate, check and decide: of positive-only labels, first the assigned entries, then the relevant ones."""
    members = [part.astype(np.float64) for part in parts]

    def calibrate_checked(out_of_fold: Floats, labels: PartialLabels, ceiling: float = 1.0) -> Calibrated:
        return calibrate(out_of_fold, data.calibrating, fold, ceiling, members)

    decision = decide(data.labels, scores, out_of_fold, config.rule, calibrate_checked, alone)
    if not config.positive_only:
        return decision
    return decide_relevant(decision, data.labels, config.observed_rate, config.rule, calibrate_checked)


def _score_prior(combined: WithPrior, scores: Floats, labels: PartialLabels, fold: Ints) -> dict[str, float]:
    """Return the Brier scores of the prior and of the ensemble, on the same entries."""
    used = labels.observed & (fold >= 0)[:, None] & ~np.isnan(combined.alone + scores)
    alone, without = expit(combined.alone), expit(scores)
    return {"prior": _score_brier(alone, labels, used), "without prior": _score_brier(without, labels, used)}


def _score_fit(decision: Decision, labels: PartialLabels) -> dict[str, float]:
    """Return the Brier scores of the ensemble and of the labels' rates, on the entries that were learned from."""
    used = labels.observed & labels.learnable
    p = decision.probabilities if decision.assigned is None else decision.assigned
    rates = np.broadcast_to(labels.rates, labels.shape)
    return {"ensemble": _score_brier(p, labels, used), "label rate": _score_brier(rates, labels, used)}


def _score_brier(p: Floats, labels: PartialLabels, used: Mask) -> float:
    """Return the Brier score on some observed entries."""
    return float(np.mean((p - labels.relevant)[used] ** 2)) if used.any() else np.nan
