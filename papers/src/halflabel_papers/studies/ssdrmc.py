"""Statements of Qian & Davidson (2010) about weights, inference and the alternation."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_items
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.propagation import fixed_point, minimizer
from halflabel.numerics.graph.weights import components as find_components
from halflabel.numerics.graph.weights import reconstruction_weights, supported
from halflabel.plugins import Floats
from halflabel_papers.published import SSDRMC
from halflabel_papers.studies.data import sample_items

#: Ridge within the paper's "far less than 0.1", and its number of neighbours.
RIDGE, NEIGHBORS = 1e-3, 15


def compare_optimum(data: Dataset, rng: np.random.Generator, *, items: int, share: float) -> dict[str, float]:
    """Return eq. (5) at eq. (7), as a multiple of its minimum, and the residual of unlabelled items at eq. (7)."""
    X, labels = _sample(data, rng, items, share)
    W = _weigh(X)
    observed, Y = labels.observed, labels.values(unknown=0.0)
    held = np.where(observed, np.inf, 0.0)
    held[~supported(find_components(W), observed)] = np.inf
    target = np.where(observed, Y, np.nan_to_num(labels.rates))
    F = fixed_point(W, target, held, tol=1e-10, max_iter=3000).x
    best = minimizer(W, target, held, tol=1e-10, max_iter=20000).x
    residual = F - W @ F
    free = np.isfinite(held) & ~observed
    return {
        "eq5_ratio": _eq5(W, F) / _eq5(W, best),
        "unlabelled_residual": float(np.abs(residual[free]).max(initial=0.0)),
    }


def measure_invariance(data: Dataset, rng: np.random.Generator, *, items: int) -> dict[str, float]:
    """Return the largest change of a weight when the items are rotated, scaled and translated."""
    X, _ = _sample(data, rng, items, 0.5)
    indices, _ = neighbors(X, NEIGHBORS)
    before = reconstruction_weights(X, indices, RIDGE).toarray()
    rotation = linalg.qr(rng.normal(size=(X.shape[1], X.shape[1])))[0]
    moved = 3.0 * X @ rotation + rng.normal(size=X.shape[1])
    return {"weight_change": float(np.abs(reconstruction_weights(moved, indices, RIDGE).toarray() - before).max())}


def follow_alternation(data: Dataset, rng: np.random.Generator, *, items: int, share: float) -> dict[str, float]:
    """Return how Table 1 ends with T = 5 (1 or 0 for each way), and whether it becomes stable with T = 0."""
    X, labels = _sample(data, rng, items, share)
    ends = [
        SSDRMC.as_published().set_params(n_folds=2, max_changes=T, max_alternations=30).fit(X, labels) for T in (5, 0)
    ]
    ways = {f"ends_{name}": float(ends[0].stopped_ == name) for name in ("stable", "cycle", "cap")}
    earlier = float(ends[0].n_alternations_ < ends[1].n_alternations_)
    without = {"stable_without_T": float(ends[1].stopped_ == "stable")}
    return {**ways, **without, "T_ends_earlier": earlier, "n_alternations": float(ends[0].n_alternations_)}


def follow_relaxed(data: Dataset, rng: np.random.Generator, *, items: int, share: float) -> dict[str, float]:
    """Return whether the alternation with eq. (12) as printed, and confident predictions added, becomes stable."""
    X, labels = _sample(data, rng, items, share)
    model = SSDRMC(
        inference="fixed_point", fit_weight=1.0, unknown_as_zero=True, confidence=0.7, feedback="rounded",
        max_alternations=50, max_changes=0, ridge=RIDGE, scale=None, n_folds=2, rule="fixed",
    ).fit(X, labels)  # fmt: skip
    return {"ends_stable": float(model.stopped_ == "stable"), "n_alternations": float(model.n_alternations_)}


def compare_limits(data: Dataset, rng: np.random.Generator, *, items: int, share: float) -> dict[str, float]:
    """Return the distance of eq. (10) at a very large beta from its two possible limits: Y, and eq. (5)."""
    X, labels = _sample(data, rng, items, share)
    W, beta = _weigh(X), 1e8
    observed, Y = labels.observed, labels.values(unknown=0.0)
    printed = minimizer(W, Y, np.full(Y.shape, beta), tol=1e-12, max_iter=3000).x
    held = np.where(observed, np.inf, 0.0)
    held[~supported(find_components(W), observed)] = np.inf
    eq5 = minimizer(W, Y, held, tol=1e-10, max_iter=20000).x
    return {"distance_to_Y": _distance(printed, Y), "distance_to_eq5": _distance(printed, eq5)}


def solve_weights(data: Dataset, rng: np.random.Generator, *, items: int, inverse: bool) -> dict[str, float]:
    """Return the largest residual of eq. (4) after 20 solutions by the inverse matrices, or by systems of equations."""
    X, _ = _sample(data, rng, items, 0.5)
    moves = X[neighbors(X, NEIGHBORS)[0]] - X[:, None]
    L = moves @ moves.transpose(0, 2, 1)
    L += RIDGE * np.trace(L, axis1=1, axis2=2)[:, None, None] / NEIGHBORS * np.eye(NEIGHBORS)
    ones = np.ones((len(L), NEIGHBORS, 1))
    for _ in range(20):
        w = np.linalg.inv(L) @ ones if inverse else np.linalg.solve(L, ones)
    return {"residual": float(np.abs(L @ w - 1).max())}


def _sample(data: Dataset, rng: np.random.Generator, items: int, share: float) -> tuple[Floats, PartialLabels]:
    """Return the dense features and the labels of a sample, a share of its items labelled."""
    X, labels = sample_items(data, rng, items)
    return X, hide_items(labels, 1 - share, rng)


def _weigh(X: Floats) -> sparse.csr_array:
    return reconstruction_weights(X, neighbors(X, NEIGHBORS)[0], RIDGE)


def _eq5(W: sparse.csr_array, F: Floats) -> float:
    return float(np.square(F - W @ F).sum())


def _distance(F: Floats, other: Floats) -> float:
    """Return the root mean square of the difference."""
    return float(np.sqrt(np.square(F - other).mean()))
