"""The base of the comparators of Zhao & Guo (2015): positive-only labels, and the choice of a setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from halflabel.labels import PartialLabels
from halflabel.labels.metrics import macro_auc
from halflabel.labels.positive_only import mark_unassigned, pu_f1
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.validation import require_whole
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.solvers import Solution
from halflabel.numerics.threads import limit_threads
from halflabel.plugins import Floats, Mask, Matrix

#: The weights of one fit, by parameter.
Setting = dict[str, Any]


class Model(Protocol):
    """A model that was learned from items. It holds numbers only, so that it can be saved."""

    def __call__(self, X: Matrix) -> Floats:
        """Return the scores of the rows of X, one column per label."""


class Comparator(PartialLabelEstimator):
    """Base of LEML, FastTag, MLRGL and others. A subclass defines ``_settings`` and ``_learn``.

    Labels that were not assigned in an annotated item are coded -1 like irrelevant ones, as by Zhao and Guo; they are
    filled in when probabilities become 0/1. Of several settings the one with the largest
    :func:`halflabel.labels.positive_only.pu_f1` on held-out items is chosen.
    """

    scale: str | None
    n_folds: int
    random_state: int | None
    model_: Model

    #: Whether the choice adds macro-AUC to F1, as that of :class:`halflabel.LowRankVVMR` does.
    adds_auc = False

    _transductive: ClassVar[tuple[str, ...]] = (*PartialLabelEstimator._transductive, "label_scores_", "cv_results_")

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the annotated items.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            All items, annotated and unannotated.
        y : PartialLabels, array-like or DataFrame of shape (n_items, n_labels) or (n_items,)
            Positive-only labels, from :meth:`PartialLabels.from_positives` or ``from_tags(..., absent="unknown")``;
            or 1 relevant, 0 irrelevant, missing unknown.
        """
        self.positive_only_ = isinstance(y, PartialLabels) and y.positive_only
        X, labels = self._enter(X, mark_unassigned(y) if self.positive_only_ else y)
        settings = self._settings()
        require_whole(self, n_folds=2)
        self.scaler_ = Scaler.learn(X, self.scale)
        with limit_threads(len(labels)):
            return self._choose_and_fit(self.scaler_(X), labels, settings)

    def _settings(self) -> list[Setting]:
        """Return the settings to choose from. Raise if a parameter is out of its range."""
        raise NotImplementedError

    def _learn(self, X: Matrix, state: Floats, settings: Sequence[Setting]) -> list[tuple[Model, Solution]]:
        """Return a model for each setting. ``state`` is +1, -1 or 0, and every column has both values."""
        raise NotImplementedError

    def _choose_and_fit(self, X: Matrix, labels: PartialLabels, settings: list[Setting]) -> Self:
        rows = np.flatnonzero(~labels.unlabelled)
        held_out = list(self._held_out(X[rows], labels[rows], settings))
        best = self._choose(labels[rows], held_out, settings)
        out_of_fold = np.full(labels.shape, np.nan)
        out_of_fold[rows] = held_out[best]
        self.learned_ = labels.learnable
        if self.learned_.any():
            state = labels.state[rows][:, self.learned_].astype(np.float64)
            [(self.model_, self.solution_)] = self._learn(X[rows], state, [self.setting_])
            self._warn_unless_converged(self.solution_.status, self.solution_.residual)
        return self._decide(labels, self._score(X), out_of_fold)

    def _choose(self, labels: PartialLabels, held_out: Sequence[Floats], settings: list[Setting]) -> int:
        """Return the place of the setting with the best held-out scores, and keep it with all others."""
        rule = self.resolve_rule()
        cut = rule.threshold if rule.name == "fixed" else None
        f1 = [pu_f1(labels, scores, threshold=cut) for scores in held_out]
        ranked = [rate_held_out(labels, scores, cut) for scores in held_out] if self.adds_auc else f1
        best = int(np.argmax(ranked))
        self.setting_ = settings[best]
        self.cv_results_ = {name: np.array([s[name] for s in settings]) for name in self.setting_} | {
            "pu_f1": np.array(f1)
        }
        return best

    def _held_out(self, X: Matrix, labels: PartialLabels, settings: list[Setting]) -> Floats:
        """Return the out-of-fold scores of annotated items, one table per setting.

        A score is NaN where the other folds do not hold both values of the label.
        """

        def score_held_out(held_out: Mask) -> Floats:
            rest = labels[~held_out]
            scores = np.full((int(held_out.sum()), labels.shape[1], len(settings)), np.nan)
            if rest.learnable.any():
                state = rest.state[:, rest.learnable].astype(np.float64)
                for k, (model, _) in enumerate(self._learn(X[~held_out], state, settings)):
                    scores[:, rest.learnable, k] = model(X[held_out])
            return scores

        folds = folds_of_labelled(labels, self.n_folds, np.random.default_rng(self.random_state))
        scores = score_out_of_fold(score_held_out, folds, (*labels.shape, len(settings)))
        return np.ascontiguousarray(np.moveaxis(scores, -1, 0))

    def _decide(self, labels: PartialLabels, scores: Floats, out_of_fold: Floats) -> Self:
        """Decide as for any labels, then open the entries again that were only not assigned."""
        super()._decide(labels, scores, out_of_fold)
        if self.positive_only_:
            likely = self.resolve_rule().apply(self.label_scores_, self.label_probabilities_, self.thresholds_)
            relevant = self._restore_order(labels.relevant) | likely
            self.transduction_ = self._restore_shape(relevant.astype(np.int64))
        return self

    def _score_new(self, X: Matrix) -> Floats:
        return self._score(self.scaler_(X))

    def _score(self, X: Matrix) -> Floats:
        """Return the scores of scaled items, or NaN for labels that cannot be learned."""
        scores = np.full((X.shape[0], len(self.learned_)), np.nan)
        if self.learned_.any():
            scores[:, self.learned_] = self.model_(X)
        return scores


def rate_held_out(labels: PartialLabels, scores: Floats, threshold: float | None) -> float:
    """Return the F1 of held-out scores, at the best threshold if None, plus their macro-AUC, as LowRankVVMR does."""
    auc = macro_auc(labels.hide(np.isnan(scores)), scores)
    return pu_f1(labels, scores, threshold=threshold) + float(np.nan_to_num(auc, nan=0.5))
