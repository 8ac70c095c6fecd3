"""A fitted ensemble: new items, items with known labels, and the parts of a probability."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import logit

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibrated, Calibration
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.auto.beta_calibration import CheckedCalibration, calibrate
from halflabel.methods.auto.ensemble import MEMBERS, Ensemble
from halflabel.methods.auto.features import Weighting
from halflabel.methods.auto.graph import Neighbourhood
from halflabel.methods.auto.member import Items
from halflabel.methods.auto.new_items import ByItem, NewItemDecision, divide_by_label, refine_new
from halflabel.methods.auto.residuals import Refiner
from halflabel.methods.contributions import OTHER_LABELS, PRIOR, Carriers, Examples, subtract_rate
from halflabel.methods.positives import PositiveOnlyEstimator


class FittedLabeler(PositiveOnlyEstimator):
    """Base of :class:`halflabel.AutoLabeler` with all that follows its fit."""

    weighting_: Weighting
    learnable_: Mask
    folds_: Ints
    _label_place: Ints
    ensemble_: Ensemble
    member_weights_: dict[str, float]
    members_: dict[str, float]
    neighbourhood_: Neighbourhood | None
    ensemble_calibration_: Calibration | None
    new_item_decision_: NewItemDecision | None
    prior_weights_: tuple[float, float] | None
    coupled_: bool
    refiner_: Refiner | None = None
    alone_calibration_: Calibrated | None

    def _calibrate(self, scores: Floats, labels: PartialLabels, /, *, ceiling: float) -> CheckedCalibration:
        """Calibrate and check as in the fit, for another label frequency."""
        parts = self.contributions_ if self.contributions_.keys() <= MEMBERS.keys() else {}
        here = np.ix_(self._item_order, np.argsort(self._label_place))
        of_members = [part[here].astype(np.float64) for part in parts.values()]
        return calibrate(scores, labels, self.folds_[self._item_order], ceiling, of_members)

    @property
    def _alone(self) -> NewItemDecision:
        """The decision about new items without known entries."""
        return self.new_item_decision_ or NewItemDecision(self.calibration_, self.thresholds_)

    def _decide_new(self, scores: Floats, labels: PartialLabels | None = None) -> tuple[Mask, Floats]:
        """Decide about items with observed labels as in the fit: by the refined scores."""
        relevant, p = self._decide_by(self._alone.calibration, self._alone.thresholds, scores, labels)
        if labels is None or self.refiner_ is None:
            return relevant, p
        rows = np.flatnonzero(labels.observed.any(axis=1))
        if len(rows):
            refined = self._refine_new(scores, labels, rows)[rows]
            decided = self._decide_by(self.calibration_, self.thresholds_, refined, labels[rows])
            relevant[rows], p[rows] = decided
        return relevant, p

    def _refine_new(self, scores: Floats, labels: PartialLabels, rows: Ints) -> Floats:
        """Return the log odds of new items. The items of ``rows`` are corrected by their observed labels."""
        assert self.refiner_ is not None  # the caller has seen it
        known = mark_unassigned(labels[rows]) if self.positive_only_ else labels[rows]
        refined = scores.copy()
        refined[rows] = refine_new(self.refiner_, scores[rows], known, self._label_place)
        return refined

    def _score_new(self, X: Matrix) -> Floats:
        return self._calibrate_new(np.take(self.ensemble_.predict(self._weigh_new(X)), self._label_place, axis=1))

    def _weigh_new(self, X: Matrix) -> Items:
        X = self.weighting_(X)
        return Items(X, None if self.neighbourhood_ is None else self.neighbourhood_.transition(X))

    def _calibrate_new(self, scores: Floats) -> Floats:
        """Return the log odds of new items from the sum of the members' log odds."""
        if self.ensemble_calibration_ is not None:
            scores = logit(self.ensemble_calibration_(scores))
        return np.where(self.learnable_, scores, np.nan)

    @property
    def evidence_of_members(self) -> dict[str, str]:
        """The evidence of each member in the model: "graph" (nearby items) or "features"."""
        weighted = [name for name, weight in self.member_weights_.items() if weight]
        names = weighted or list(self.member_weights_)[:1]  # as in fit_ensemble
        return {name: member.model.evidence for name, member in zip(names, self.ensemble_.members, strict=True)}

    def _list_parts(self, scores: Floats, rows: Ints) -> dict[str, Floats]:
        tables = {name: table[rows].astype(np.float64) for name, table in self.contributions_.items()}
        stages = {name: np.nan_to_num(tables.pop(name)) for name in (PRIOR, OTHER_LABELS) if name in tables}
        return subtract_rate(tables, self.member_weights_, self.calibration_.fallback) | stages

    def find_carriers(
        self, X: Matrix, known: PartialLabels, label: int, row: int, examples: Examples | None = None
    ) -> dict[str, Carriers]:
        """Return the carriers of each member's part of one entry, in log odds, and the carriers of the other labels."""
        if examples is not None:
            examples = replace(examples, X=self.weighting_(examples.X))
        j, item = int(self._label_place[label]), self._weigh_fitted(X, row)
        fold, found = int(self.folds_[row]), {}
        for name, member in zip(self.evidence_of_members, self.ensemble_.members, strict=True):
            slope = self.member_weights_[name] * member.calibration.slope[j] / member.calibration.spread
            pieces = member.model.find_carriers(item, j, fold, examples).scale(slope)
            if pieces.features is not None:
                pieces = replace(pieces, features=self.weighting_.restore(pieces.features))
            found[name] = pieces
        if self.refiner_ is not None and known.observed.any():
            base = self._score_without_labels(row)
            found[OTHER_LABELS] = Carriers(labels=divide_by_label(self.refiner_, base, known, self._label_place, label))
        return found

    def _score_without_labels(self, row: int) -> Floats:
        """Return the log odds of a fitted item before its other labels corrected them, shape (1, n_labels)."""
        out_of_fold, scores = self.out_of_fold_scores_[[row]], self.label_scores_[[row]]
        refined = np.where(np.isnan(out_of_fold), scores, out_of_fold)
        return np.asarray(refined - self.contributions_[OTHER_LABELS][[row]])

    def predict_alone(self) -> Floats | None:
        """Return the probabilities of the fitted items without use of their labels, or None."""
        if self.alone_calibration_ is None:
            return None
        refined = np.where(np.isnan(self.out_of_fold_scores_), self.label_scores_, self.out_of_fold_scores_)
        return self.alone_calibration_(refined - np.nan_to_num(self.contributions_[OTHER_LABELS]))

    def _choose_calibration(self, unlabelled: Mask) -> Calibrated:
        alone = self.alone_calibration_
        return self.calibration_ if alone is None else ByItem(unlabelled, alone, self.calibration_)

    def _weigh_fitted(self, X: Matrix, row: int) -> Items:
        """Return a fitted item, with the weights of its neighbours in the graph."""
        if self.weights_ is None or self.node_items_ is None:
            return Items(self.weighting_(X), None)
        weights: Any = self.weights_[[row]]
        return Items(self.weighting_(X), weights[:, self.node_items_])
