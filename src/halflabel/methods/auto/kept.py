"""A fit that is kept: labels with new entries are fitted again on its structures, in a small part of the time."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import logit

from halflabel._arrays import Floats, Ints, MatrixLike
from halflabel.labels import PartialLabels
from halflabel.methods.auto.ensemble import CalibratedMember
from halflabel.methods.auto.estimator import AutoLabeler
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.graph import Graph, Nodes
from halflabel.methods.auto.kept_members import KEEPERS, Change, Refit, Structure, put
from halflabel.methods.auto.member import Fitted, Model
from halflabel.methods.auto.new_items import refine_new
from halflabel.methods.contributions import OTHER_LABELS
from halflabel.methods.decision import decide

#: The end of an error about entries that only a new fit can learn.
WAY_ON = "give all entries to fit, or all answers to complete(..., answers=answers)"


class KeptFit:
    r"""A fitted :class:`halflabel.AutoLabeler` that can learn further entries.

    These parts stay: weights of features, graph, kernel map, ridge weights, splits of trees, calibrations, weights of
    the members, and the correction by an item's other labels. Each label with an entry that has changed since the fit
    is fitted again on them: its kernel regression, its propagated values, its weights of words. The leaves of trees
    follow corrected entries, and no new ones. So the result depends on the fit and on all entries, and not on the order
    in which they came.

    It is not the fit to the new table. The more entries are new, the more the parts that stay are out of date.

    Parameters
    ----------
    model : AutoLabeler
        Fitted, to labels that are not positive-only and without a prior.
    X : array-like or sparse matrix of shape (n_items, n_features)
    labels : PartialLabels of shape (n_items, n_labels)
        The items and labels of the fit.
    groups : ndarray of int, shape (n_items,), optional
        The groups of the fit.

    Raises
    ------
    ValueError
        If the labels are positive-only, there was a prior, or no items could be held out.
    """

    def __init__(self, model: AutoLabeler, X: MatrixLike, labels: PartialLabels, groups: Ints | None = None) -> None:
        for prevents, reason in {
            "the labels are positive-only": model.positive_only_,
            "the fit has a prior": model.prior_weights_ is not None,
            "no items were held out": model.folds_.max(initial=-1) < 1,
        }.items():
            if reason:
                raise ValueError(f"{prevents}, so that only a new fit can learn further entries: {WAY_ON}.")
        self.model, self.labels, self.groups = model, labels, groups
        self._order = np.argsort(model._label_place)  # canonical, as in the models
        self._X = model.weighting_(model._validate_features(X, reset=False))

    @cached_property
    def _refits(self) -> dict[str, Refit]:
        """The members that have a weight."""
        model = self.model
        of = Structure(self._X, self.labels.select(self._order).observed, model.folds_, self._rebuild_graph())
        members = zip(model.evidence_of_members, model.ensemble_.members, strict=True)
        return {name: KEEPERS[name](member.model, of) for name, member in members}

    def _rebuild_graph(self) -> Graph | None:
        model = self.model
        if model.neighbourhood_ is None or model.weights_ is None or model.node_items_ is None:
            return None
        assert model.degrees_ is not None  # it is stored with the graph
        place = np.full(len(self.labels), -1)
        place[model.node_items_] = np.arange(len(model.node_items_))
        transition = sparse.csr_array(model.weights_[:, model.node_items_])
        between = transition[model.node_items_]
        affinities = sparse.csr_array(between.multiply(model.degrees_[:, None]))
        return Graph(Nodes(model.node_items_, place), model.neighbourhood_, affinities, transition)

    def update(self, labels: PartialLabels) -> AutoLabeler:
        """Return a copy of the model that has learned other entries.

        ``labels`` are all entries: the ones of the fit, and new or corrected ones. Raises if a label that was learned
        has one value only now, or the reverse.
        """
        if not np.array_equal(labels.learnable, self.labels.learnable):
            changed = labels.learnable != self.labels.learnable
            name = labels.names[int(np.argmax(changed))]
            raise ValueError(f"label {name!r} can be learned only before or only after the answers: {WAY_ON}.")
        model = copy.copy(self.model)
        differs = (labels.state != self.labels.state).any(axis=0)
        if not differs.any():
            return model
        change = self._describe(labels, np.flatnonzero(differs[self._order]))
        self._learn(model, change)
        scores, out_of_fold = self._score(model, labels, self._order[change.columns])
        model._item_order = np.arange(len(labels))  # the tables here are in the order of the caller
        rule = model.resolve_rule()
        frozen = model.calibration_
        model._store(decide(labels, scores, out_of_fold, rule, lambda *_: frozen, model.alone_calibration_), labels)
        return model

    def _describe(self, labels: PartialLabels, columns: Ints) -> Change:
        """Return the changed labels, with a fold for each item that is or was labelled."""
        rows = np.flatnonzero(~labels.unlabelled | ~self.labels.unlabelled)
        now, before = (each[rows].select(self._order[columns]) for each in (labels, self.labels))
        Y = now.values(unknown=0.0)
        n_groups = 0 if self.groups is None else len(np.unique(self.groups[rows]))
        folds = Folds(rows, Y, now.observed, self._assign(rows), n_groups)
        gain = np.where(now.observed & before.observed, Y - before.relevant, 0.0)
        return Change(columns, folds, gain)

    def _assign(self, rows: Ints) -> Ints:
        """Return the fold of each labelled item. A new one joins its group, or else the smallest fold."""
        fold = self.model.folds_.copy()
        size = np.bincount(fold[fold >= 0])
        groups = np.arange(len(fold)) if self.groups is None else self.groups
        of_group = dict(zip(groups[fold >= 0], fold[fold >= 0], strict=True))
        new = rows[fold[rows] < 0]
        for row in new[np.argsort(np.argsort(self.model._item_order)[new])]:  # in canonical order
            fold[row] = of_group.setdefault(groups[row], np.argmin(size))
            size[fold[row]] += 1
        return fold[rows]

    def _learn(self, model: AutoLabeler, change: Change) -> None:
        """Replace the changed labels of each member, and of its part of the log odds."""
        members, columns = [], self._order[change.columns]
        model.contributions_ = dict(model.contributions_)
        for (name, refit), member in zip(self._refits.items(), model.ensemble_.members, strict=True):
            fitted = refit(change)
            members.append(CalibratedMember(fitted.model, member.calibration))
            part = model.member_weights_[name] * _join(fitted, member, change)
            model.contributions_[name] = put(model.contributions_[name], part, columns)
        model.ensemble_ = replace(model.ensemble_, members=members)

    def _score(self, model: AutoLabeler, labels: PartialLabels, columns: Ints) -> tuple[Floats, Floats]:
        """Return the log odds of all entries, and the out-of-fold log odds of known entries."""
        base = model._calibrate_new(np.asarray(sum(model.contributions_[name].astype(float) for name in self._refits)))
        before = self.model
        if model.refiner_ is None:
            scores = put(before.label_scores_, base[:, columns], columns)
            known = np.where(labels.observed, scores, np.nan)
            return scores, put(before.out_of_fold_scores_, known[:, columns], columns)
        scores = refine_new(model.refiner_, base, labels, model._label_place)
        parts = (before.contributions_[name].astype(float) for name in self._refits)
        base_before = before._calibrate_new(np.asarray(sum(parts)))
        change = scores - refine_new(model.refiner_, base_before, self.labels, model._label_place)
        out_of_fold = np.where(self.labels.observed, before.out_of_fold_scores_ + change, scores)
        refined = np.where(labels.observed, out_of_fold, scores)
        model.contributions_[OTHER_LABELS] = (refined - base).astype(np.float32)
        return scores, out_of_fold


def _join(fitted: Fitted[Model], member: CalibratedMember, change: Change) -> Floats:
    """Return calibrated log odds of the changed labels. They are out of fold for labelled items."""
    scores = fitted.scores.copy()
    rows, held_out = change.folds.rows, fitted.out_of_fold
    scores[rows] = np.where(np.isnan(held_out), scores[rows], held_out)
    return np.asarray(logit(member.calibration.select(change.columns)(scores)))
