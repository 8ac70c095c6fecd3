"""SSDR-MC with every setting of Table 1 and of eq. (4), (10) and (12) as a parameter of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

import halflabel
from halflabel.labels.rules import Rule
from halflabel.methods.ssdrmc.alternation import Alternation, Alternator, Inference, ItemGraph, Stopped, feed_back
from halflabel.methods.ssdrmc.estimator import PUBLISHED_T
from halflabel.methods.validation import require_choice, require_whole
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import normalise_alpha, reconstruction_weights
from halflabel.numerics.solvers import Solution
from halflabel.plugins import Floats, Mask, Matrix


class SSDRMC(halflabel.SSDRMC):
    """:class:`halflabel.SSDRMC` with further settings. All other parameters, attributes and notes are the same.

    Parameters
    ----------
    n_neighbors : int, default=15
    label_units : {"normalised", "raw"}, default="normalised"
        Units of features and labels in eq. (4): "normalised" divides P and Q by their mean traces; "raw" mixes them as
        they are, as printed.
    unknown_as_zero : bool, default=False
        Fit unknown entries to 0 as well, as eq. (10) and (12) are printed; ``fit_weight`` must be finite. With
        "fixed_point" this is eq. (12), with "minimizer" the minimiser of eq. (10).
    drop_negative : bool, default=False
        Drop negative weights and rescale the other weights.
    feedback : {"soft", "rounded"}, default="soft"
        The scores from which the next W follows: clipped to [0, 1], or rounded at H as printed.
    max_changes : int or None, default=None
        T as printed, a number of entries; it replaces ``tol``.
    confidence : float or None, default=None
        For weak priors: after each alternation, scores of at least this value, or of at most 1 minus it, join the
        observed entries.
    n_components, inference, ridge, alpha, fit_weight, anchor_weight, max_alternations, tol, scale, max_landmarks
        As in :class:`halflabel.SSDRMC`, without ``inference="published"``.
    n_folds, rule, solver_tol, max_iter, random_state
        As in :class:`halflabel.SSDRMC`.

    Examples
    --------
    >>> X = np.vstack([np.linspace(0, 1, 10)[:, None], np.linspace(5, 6, 10)[:, None]])
    >>> y = np.full(20, np.nan)
    >>> y[[0, 3, 10, 13]] = [0, 0, 1, 1]
    >>> SSDRMC(n_neighbors=4, drop_negative=True).fit(X, y).transduction_
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 15,
        *,
        n_components: int | None = None,
        inference: str = "anchored",
        ridge: float = 1.0,
        alpha: float = 0.1,
        label_units: str = "normalised",
        fit_weight: float | None = None,
        anchor_weight: float = 0.3,
        unknown_as_zero: bool = False,
        drop_negative: bool = False,
        max_alternations: int = 1,
        feedback: str = "soft",
        tol: float = 1e-4,
        max_changes: int | None = None,
        confidence: float | None = None,
        scale: str | None = "auto",
        max_landmarks: int = 2000,
        n_folds: int = 5,
        rule: str | Rule = "micro_f1",
        solver_tol: float = 1e-5,
        max_iter: int = 300,
        random_state: int | None = 0,
    ) -> None:
        super().__init__(
            n_neighbors,
            n_components=n_components,
            inference=inference,
            ridge=ridge,
            alpha=alpha,
            fit_weight=fit_weight,
            anchor_weight=anchor_weight,
            max_alternations=max_alternations,
            tol=tol,
            scale=scale,
            max_landmarks=max_landmarks,
            n_folds=n_folds,
            rule=rule,
            solver_tol=solver_tol,
            max_iter=max_iter,
            random_state=random_state,
        )
        self.label_units = label_units
        self.unknown_as_zero = unknown_as_zero
        self.drop_negative = drop_negative
        self.feedback = feedback
        self.max_changes = max_changes
        self.confidence = confidence

    @classmethod
    def as_published(cls) -> Self:
        """Return an instance with the settings of the paper's experiments, each of them a parameter."""
        model = super().as_published()
        model.set_params(inference="fixed_point", label_units="raw", feedback="rounded", max_changes=PUBLISHED_T)
        return model

    def _validate_parameters(self) -> None:
        super()._validate_parameters()
        require_choice(
            self,
            inference=("anchored", "minimizer", "fixed_point"),
            feedback=("soft", "rounded"),
            label_units=("normalised", "raw"),
        )
        if self.max_changes is not None:
            require_whole(self, max_changes=0)
        if self.unknown_as_zero and (self.inference == "anchored" or not np.isfinite(self.fit_weight or np.inf)):
            raise ValueError(
                "unknown_as_zero is for inference='fixed_point' or 'minimizer' with a finite fit_weight: the anchored "
                "inference holds unknown entries at its prior, and with fit_weight=inf every unknown entry would be 0."
            )

    def _alternator(self) -> Alternator:
        raw = self.label_units == "raw"
        graph = ItemGraph(self.items_, self.neighbors_, self.ridge, self.alpha, raw, self.drop_negative)
        settings = (
            graph,
            self._inference(),
            graph.weigh(),
            self.max_alternations,
            self._round_at,
            self.feedback == "rounded",
            self.tol,
            self.max_changes,
        )
        return Alternator(*settings) if self.confidence is None else ConfidentAlternator(*settings, self.confidence)

    def _inference(self) -> Inference:
        masked = super()._inference()
        return ZeroFilled(**vars(masked)) if self.unknown_as_zero else masked

    def _weights_of_new(self, items: Matrix) -> sparse.csr_array:
        indices, _ = neighbors(self.items_, min(self.n_neighbors, self.items_.shape[0]), query=items)
        return reconstruction_weights(self.items_, indices, self.ridge, query=items, drop_negative=self.drop_negative)


def measure_alpha(model: Any) -> float:
    """Return the alpha with which normalised units give the weights of a fit, or NaN for another method."""
    if not isinstance(model, halflabel.SSDRMC):
        return np.nan
    raw, soft = getattr(model, "label_units", "normalised") == "raw", getattr(model, "feedback", "rounded") == "soft"
    if not raw and model.inference != "published":
        return model.alpha
    scores = feed_back(np.nan_to_num(model.label_scores_), None if soft else model._round_at)
    return normalise_alpha(model._restore_order(model.items_), scores, model.neighbors_, model.alpha)


@dataclass(frozen=True)
class ZeroFilled(Inference):
    """Unknown entries are fitted to 0 with the weight of observed ones, as eq. (10) and (12) are printed."""

    def infer(self, W: sparse.csr_array, Y: Floats, observed: Mask, anchor: Floats, start: Floats | None) -> Solution:
        """Return the scores for W. The anchor is not used."""
        return self.solve(W, np.where(observed, Y, 0.0), np.full(Y.shape, self.fit_weight), start)

    def has_evidence(self, W: sparse.csr_array, observed: Mask) -> Mask:
        """Return that every entry has evidence: the unknown ones are fitted, too."""
        return np.ones_like(observed)


@dataclass(frozen=True, eq=False)
class ConfidentAlternator(Alternator):
    """For weak priors: after each alternation, confident scores join the observed entries."""

    #: Scores of at least this value, or of at most 1 minus it.
    confidence: float = 1.0

    def run(self, Y: Floats, observed: Mask, anchor: Floats, start: Floats | None = None) -> Alternation:
        """Return the weights and scores at the end, as :meth:`Alternator.run` does."""
        given, W, done = observed, self.first, 1
        stopped: Stopped = "cap"
        solution = self.inference.infer(W, Y, observed, anchor, start)
        state = self.round(solution.x, Y, observed)
        seen = {np.packbits(state).tobytes()}
        while done < self.max_alternations and stopped == "cap":
            F, done = solution.x, done + 1
            Y, observed = self.add_confident(F, Y, observed)
            W = self.graph.weigh(np.where(observed, Y, feed_back(F, self.threshold if self.rounded else None)))
            solution = self.inference.infer(W, Y, observed, anchor, F)
            before, state = state, self.round(solution.x, Y, observed)
            stopped = self.stop(before, state, seen)
            seen.add(np.packbits(state).tobytes())
        scores = np.where(self.inference.has_evidence(W, given), solution.x, np.nan)
        return Alternation(W, solution, scores, done, stopped)

    def add_confident(self, F: Floats, Y: Floats, observed: Mask) -> tuple[Floats, Mask]:
        """Return the labels with the confident scores added to the observed entries, rounded at 1/2."""
        sure = ~observed & (np.abs(F - 0.5) >= self.confidence - 0.5)
        return np.where(sure, F >= 0.5, Y).astype(np.float64), observed | sure
