"""Table 1 of Qian & Davidson (2010): weights W from scores F and scores from weights, in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.numerics.graph.propagation import fixed_point, minimizer
from halflabel.numerics.graph.weights import components, reachable, reconstruction_weights, supported
from halflabel.numerics.solvers import Solution

Stopped = Literal["stable", "cycle", "cap"]


@dataclass(frozen=True, eq=False)
class ItemGraph:
    """Items with their neighbours, and the settings of the weights that rebuild each item from its neighbours."""

    #: Shape (n_items, n_features).
    items: Matrix
    #: Shape (n_items, k).
    neighbors: Ints
    #: ``ridge``, ``alpha``, ``raw_units``, ``drop_negative``: See
    #: :func:`halflabel.numerics.graph.weights.reconstruction_weights`.
    ridge: float
    alpha: float
    raw_units: bool = False
    drop_negative: bool = False

    def weigh(self, scores: Floats | None = None) -> sparse.csr_array:
        """Return W of eq. (4), from features and scores, or from the features alone."""
        return reconstruction_weights(
            self.items,
            self.neighbors,
            self.ridge,
            scores=scores,
            alpha=self.alpha,
            raw_units=self.raw_units,
            drop_negative=self.drop_negative,
        )


@dataclass(frozen=True)
class Inference:
    """How scores follow from weights."""

    #: One of "anchored", "minimizer", "fixed_point".
    name: str
    #: Weight of an observed entry.
    fit_weight: float
    #: For "anchored": weight of an unknown entry's distance to the anchor.
    anchor_weight: float
    tol: float
    max_iter: int

    def infer(self, W: sparse.csr_array, Y: Floats, observed: Mask, anchor: Floats, start: Floats | None) -> Solution:
        """Return the scores for W. An unknown entry without evidence is held at the anchor."""
        if self.name == "anchored":
            held = np.full(Y.shape, self.anchor_weight)
        else:
            held = np.where(self.has_evidence(W, observed), 0.0, np.inf)
        return self.solve(W, np.where(observed, Y, anchor), np.where(observed, self.fit_weight, held), start)

    def solve(self, W: sparse.csr_array, target: Floats, weight: Floats, start: Floats | None) -> Solution:
        """Return the scores for W, targets, and the weight of each target."""
        solver = fixed_point if self.name == "fixed_point" else minimizer
        return solver(W, target, weight, start=start, tol=self.tol, max_iter=self.max_iter)

    def has_evidence(self, W: sparse.csr_array, observed: Mask) -> Mask:
        """Return the mask of entries whose score follows from an observed entry of the label, or from the anchor."""
        if self.name == "anchored":
            return np.ones_like(observed)
        return reachable(W, observed) if self.name == "fixed_point" else supported(components(W), observed)


def feed_back(F: Floats, threshold: float | None) -> Floats:
    """Return the scores from which the next W follows: rounded at the threshold, or clipped to [0, 1] without one."""
    if threshold is None:
        return np.clip(F, 0, 1)
    return (threshold <= F).astype(np.float64)


@dataclass(frozen=True)
class Alternation:
    """The end of an alternation."""

    #: The last W.
    weights: sparse.csr_array
    #: The last inference.
    solution: Solution
    #: Shape (n_items, n_labels). Its scores, NaN without evidence.
    scores: Floats
    n_alternations: int
    #: One of "stable", "cycle", "cap". Why: at most the tolerated share of the entries changed, a state came back, or
    #: the maximum number was reached.
    stopped: Stopped


@dataclass(frozen=True, eq=False)
class Alternator:
    """Runs Table 1: weights from scores by eq. (4), scores from weights, until the rounded scores are stable."""

    graph: ItemGraph
    inference: Inference
    #: W of the features alone, where each run starts: unlabelled items that started at 0 would look like items
    #: without labels, and the next W would keep them there.
    first: sparse.csr_array
    max_alternations: int
    #: H: scores are rounded here to compare states (and, if ``rounded``, to feed them back).
    threshold: float
    #: Feed back 0/1, otherwise the scores, clipped to [0, 1].
    rounded: bool
    #: Stop when at most this share of the entries changed its rounded value.
    tol: float
    #: T of the paper, in entries. It replaces ``tol``.
    max_changes: int | None = None

    def run(self, Y: Floats, observed: Mask, anchor: Floats, start: Floats | None = None) -> Alternation:
        """Return the weights and scores at the end.

        Y is 0 or 1 where observed, ``anchor`` is as in :meth:`Inference.infer`, and the first inference starts at
        ``start``.
        """
        W = self.first
        stopped: Stopped = "cap"
        solution = self.inference.infer(W, Y, observed, anchor, start)
        state, done = self.round(solution.x, Y, observed), 1
        seen = {np.packbits(state).tobytes()}
        while done < self.max_alternations and stopped == "cap":
            F, done = solution.x, done + 1
            W = self.graph.weigh(np.where(observed, Y, feed_back(F, self.threshold if self.rounded else None)))
            solution = self.inference.infer(W, Y, observed, anchor, F)
            before, state = state, self.round(solution.x, Y, observed)
            stopped = self.stop(before, state, seen)
            seen.add(np.packbits(state).tobytes())
        scores = np.where(self.inference.has_evidence(W, observed), solution.x, np.nan)
        return Alternation(W, solution, scores, done, stopped)

    def stop(self, before: Mask, state: Mask, seen: set[bytes]) -> Stopped:
        """Return the reason to stop now, or "cap" if only the maximum number stops the alternation."""
        limit = self.tol * state.size if self.max_changes is None else self.max_changes
        if np.count_nonzero(state != before) <= limit:
            return "stable"
        return "cycle" if np.packbits(state).tobytes() in seen else "cap"

    def round(self, F: Floats, Y: Floats, observed: Mask) -> Mask:
        """Return the state of the alternation: which entries are relevant, observed or by their scores."""
        return np.asarray(np.where(observed, Y, F) >= self.threshold)
