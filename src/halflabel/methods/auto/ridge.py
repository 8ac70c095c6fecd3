"""Kernel ridge on one shared map, plain or deformed by a graph operator, with leave-one-out errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy import linalg, sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel._progress import step
from halflabel.methods.auto.sampling import draw
from halflabel.numerics.kernels import (
    KernelRidge,
    NystroemMap,
    RidgePath,
    iterate_row_patterns,
    mean_distance,
    nystroem,
    ridge_path,
)
from halflabel.numerics.solvers.row_kernel import deform

#: Bandwidths that are compared, in units of the mean distance.
WIDTHS = (0.35, 0.5, 0.7, 1.0)

#: Weights of the graph operator that are compared; at 1 it weighs as much as the kernel norm on average.
STIFFNESS = (0.1, 1.0, 10.0, 100.0)

#: Maximum number of items on which bandwidths are compared.
MAX_ITEMS = 600

#: Maximum number of cells (items x labels) on which ridge weights are compared, and rows of one block.
MAX_CELLS, BLOCK = 2**19, 4096


def choose_bandwidth(X: Matrix, Y: Floats, observed: Mask, rng: np.random.Generator) -> float:
    """Return the bandwidth with the smallest leave-one-out error of kernel ridge on at most 600 labelled items."""
    unit = mean_distance(X, rng)
    some = draw(np.arange(X.shape[0]), MAX_ITEMS, rng)
    part = X[some]
    maps = [nystroem(part, width * unit, len(some), rng) for width in WIDTHS]
    return choose_map(maps, part, Y[some], observed[some]).bandwidth


def choose_map(maps: Iterable[NystroemMap], X: Matrix, Y: Floats, observed: Mask) -> NystroemMap:
    """Return the map on which ridge regression has the smallest leave-one-out error.

    Unknown entries are set to their label's rate, so that one factorisation serves all labels; they do not count as
    errors.
    """
    rates = (Y * observed).sum(axis=0) / np.maximum(observed.sum(axis=0), 1)
    target = np.where(observed, Y, rates)

    def error(features: NystroemMap) -> float:
        left_out = target - _fit_path(features(X), target).loo
        return float((left_out[observed] ** 2).mean())

    return min(maps, key=error)


def build_shared_map(X: Matrix, rows: Ints, bandwidth: float, rank: int, rng: np.random.Generator) -> NystroemMap:
    """Return the map with ``rank`` landmarks: labelled items (``rows``) first, then unlabelled ones."""
    if len(rows) < rank:
        others = np.setdiff1d(np.arange(X.shape[0]), rows)
        more = rng.choice(others, min(rank - len(rows), len(others)), replace=False)
        rows = np.sort(np.concatenate([rows, more]))
    return nystroem(X[rows], bandwidth, rank, rng)


def deform_map(features: NystroemMap, X: Matrix, P: sparse.csr_array) -> Iterator[NystroemMap]:
    r"""Yield maps of the kernel deformed by :math:`M = (I - P)^T(I - P)`, in order of rising stiffness.

    Their inner products are :math:`K - K(I + \eta M K)^{-1}\eta M K`: ridge regression on them has the additional
    penalty :math:`\eta\|(I - P)f\|^2` on differences between a score and the mean of the neighbours' scores. ``X`` has
    the nodes of P.
    """
    rough = features.kernel(X) @ features.projection
    rough -= P @ rough
    V, d = deform(rough, rough)
    del rough  # its memory is free while the maps are built
    for stiffness in STIFFNESS:
        shrink = 1 / (1 + stiffness * d / (d.mean() or 1.0))
        yield replace(features, projection=features.projection @ (V * np.sqrt(shrink)))


def fit_ridge(
    features: NystroemMap, X: Matrix, Y: Floats, observed: Mask, rng: np.random.Generator
) -> tuple[KernelRidge, Floats]:
    """Fit every label on its own observed rows.

    Returns
    -------
    model : KernelRidge
    loo : ndarray of shape (n_rows, n_labels)
        Predictions for each row by the regression without it; NaN where the entry is not observed.

    Notes
    -----
    Labels observed on the same rows share one factorisation, O(n r^2 + r^3) for r features. If there are many rows, the
    ridge weight is chosen on a sample and used for all rows: it is a ratio of variances.
    """
    loo = np.full(Y.shape, np.nan)
    coef = np.zeros((features.projection.shape[1] + 1, Y.shape[1]))
    alpha = np.full(Y.shape[1], np.nan)
    done = 0
    for rows, columns in iterate_row_patterns(observed):
        step("kernel ridge", done, Y.shape[1])
        done += len(columns)
        some = rows[sample_rows(len(rows), len(columns), rng)]
        path = _fit_path(features(X[some]), Y[np.ix_(some, columns)])
        coef[:, columns], alpha[columns], left_out = path.coef, path.alpha, path.loo
        if len(some) < len(rows):
            coef[:, columns], left_out = _solve_in_blocks(features, X, rows, Y[np.ix_(rows, columns)], path.alpha)
        loo[np.ix_(rows, columns)] = left_out
    return KernelRidge(features, features.projection @ coef[:-1], coef[-1], alpha), loo


def sample_rows(n_rows: int, n_labels: int, rng: np.random.Generator) -> Ints:
    """Return all rows, or a sample on which settings are compared."""
    return draw(np.arange(n_rows), min(max(MAX_CELLS // n_labels, 500), BLOCK), rng)


def _fit_path(Phi: Floats, Y: Floats) -> RidgePath:
    """Return the ridge path. With more features than rows, it is computed in the space that the rows span."""
    if Phi.shape[0] >= Phi.shape[1]:
        return ridge_path(Phi, Y)
    values, vectors = linalg.eigh(Phi @ Phi.T, overwrite_a=True, check_finite=False)
    kept = values > values[-1] * 1e-12
    root = np.sqrt(values[kept])
    path = ridge_path(vectors[:, kept] * root, Y)
    return replace(path, coef=Phi.T @ ((vectors[:, kept] / root) @ path.coef))


def _solve_in_blocks(features: NystroemMap, X: Matrix, rows: Ints, Y: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Solve ridge regression block by block. Return coefficients and leave-one-out predictions."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(rows), BLOCK)]
    r = features.projection.shape[1] + 1
    gram, moments = alpha * np.eye(r), np.zeros((r, Y.shape[1]))
    for block in blocks:
        Phi = features(X[rows[block]])
        gram += Phi.T @ Phi
        moments += Phi.T @ Y[block]
    factor = linalg.cho_factor(gram, overwrite_a=True, check_finite=False)
    coef, loo = linalg.cho_solve(factor, moments, check_finite=False), np.empty_like(Y)
    for block in blocks:
        Phi = features(X[rows[block]])
        leverage = np.einsum("ij,ji->i", Phi, linalg.cho_solve(factor, Phi.T, check_finite=False))
        loo[block] = Y[block] - (Y[block] - Phi @ coef) / (1 - leverage)[:, None]
    return coef, loo
