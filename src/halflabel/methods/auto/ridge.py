"""Kernel ridge on one shared map, plain or deformed by a graph operator, with closed-form leave-one-out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy import linalg, sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel._progress import step
from halflabel.numerics.kernels import (
    KernelRidge,
    NystroemMap,
    RidgePath,
    mean_distance,
    nystroem,
    ridge_path,
    same_rows,
)
from halflabel.numerics.solvers.row_kernel import deform

#: Bandwidths tried, in units of the mean distance.
WIDTHS = (0.35, 0.5, 0.7, 1.0)

#: Weights of the graph operator tried, in units in which it weighs as much as the kernel norm on average.
STIFFNESS = (0.1, 1.0, 10.0, 100.0)

#: Items on which bandwidths are compared.
FEW = 600

#: Cells (items x labels) on which ridge weights are compared, and rows of one block.
CELLS, BLOCK = 2**19, 4096


def choose_bandwidth(X: Matrix, Y: Floats, observed: Mask, rng: np.random.Generator) -> float:
    """Return the bandwidth with the least leave-one-out error of kernel ridge on at most 600 labelled items."""
    unit = mean_distance(X, rng)
    few = np.arange(X.shape[0]) if X.shape[0] <= FEW else np.sort(rng.choice(X.shape[0], FEW, replace=False))
    maps = [nystroem(X[few], width * unit, len(few), rng) for width in WIDTHS]
    return worthiest(maps, X[few], Y[few], observed[few]).bandwidth


def worthiest(maps: Iterable[NystroemMap], X: Matrix, Y: Floats, observed: Mask) -> NystroemMap:
    """Return the map on which ridge regression has the least leave-one-out error.

    Unknown entries stand at their label's rate meanwhile, so that one factorisation serves all labels; they do not
    count as errors.
    """
    rates = (Y * observed).sum(axis=0) / np.maximum(observed.sum(axis=0), 1)
    target = np.where(observed, Y, rates)

    def error(features: NystroemMap) -> float:
        left_out = target - _path(features(X), target).loo
        return float((left_out[observed] ** 2).mean())

    return min(maps, key=error)


def shared_map(X: Matrix, rows: Ints, bandwidth: float, most: int, rng: np.random.Generator) -> NystroemMap:
    """Return the map with labelled items (``rows``) as landmarks, filled up with unlabelled ones to ``most``."""
    if len(rows) < most:
        others = np.setdiff1d(np.arange(X.shape[0]), rows)
        more = rng.choice(others, min(most - len(rows), len(others)), replace=False)
        rows = np.sort(np.concatenate([rows, more]))
    return nystroem(X[rows], bandwidth, most, rng)


def deformations(features: NystroemMap, X: Matrix, P: sparse.csr_array) -> Iterator[NystroemMap]:
    r"""Yield maps of the kernel deformed by :math:`M = (I - P)^T(I - P)`, from limp to stiff.

    Their inner products are :math:`K - K(I + \eta M K)^{-1}\eta M K`, so that ridge regression on them also pays
    :math:`\eta\|(I - P)f\|^2` where scores differ from the mean of the neighbours'. ``X`` are the nodes of P.
    """
    rough = features.kernel(X) @ features.projection
    rough -= P @ rough
    V, d = deform(rough, rough)
    del rough  # not beside the maps
    for stiffness in STIFFNESS:
        shrink = 1 / (1 + stiffness * d / (d.mean() or 1.0))
        yield replace(features, projection=features.projection @ (V * np.sqrt(shrink)))


def ridge(
    features: NystroemMap, X: Matrix, Y: Floats, observed: Mask, rng: np.random.Generator
) -> tuple[KernelRidge, Floats]:
    """Fit every label on its own observed rows.

    Returns
    -------
    model : KernelRidge
    loo : ndarray of shape (n_rows, n_labels)
        What the regression without the row says about it; NaN where the entry is not observed.

    Notes
    -----
    Labels observed on the same rows share one factorisation, O(n r^2 + r^3) for r features. Of many rows the ridge
    weight is chosen on a sample and holds for all: it is a ratio of variances.
    """
    loo = np.full(Y.shape, np.nan)
    coef = np.zeros((features.projection.shape[1] + 1, Y.shape[1]))
    alpha = np.full(Y.shape[1], np.nan)
    done = 0
    for rows, columns in same_rows(observed):
        step("kernel ridge", done, Y.shape[1])
        done += len(columns)
        some = rows[sample_rows(len(rows), len(columns), rng)]
        path = _path(features(X[some]), Y[np.ix_(some, columns)])
        coef[:, columns], alpha[columns], left_out = path.coef, path.alpha, path.loo
        if len(some) < len(rows):
            coef[:, columns], left_out = _streamed(features, X, rows, Y[np.ix_(rows, columns)], path.alpha)
        loo[np.ix_(rows, columns)] = left_out
    return KernelRidge(features, features.projection @ coef[:-1], coef[-1], alpha), loo


def sample_rows(n_rows: int, n_labels: int, rng: np.random.Generator) -> Ints:
    """Return all rows, or as many as settings are compared on."""
    most = min(max(CELLS // n_labels, 500), BLOCK)
    return np.arange(n_rows) if n_rows <= most else np.sort(rng.choice(n_rows, most, replace=False))


def _path(Phi: Floats, Y: Floats) -> RidgePath:
    """Return the ridge path from the smaller side: of more features than rows, only those count that rows span."""
    if Phi.shape[0] >= Phi.shape[1]:
        return ridge_path(Phi, Y)
    values, vectors = linalg.eigh(Phi @ Phi.T, overwrite_a=True, check_finite=False)
    kept = values > values[-1] * 1e-12
    root = np.sqrt(values[kept])
    path = ridge_path(vectors[:, kept] * root, Y)
    return replace(path, coef=Phi.T @ ((vectors[:, kept] / root) @ path.coef))


def _streamed(features: NystroemMap, X: Matrix, rows: Ints, Y: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Solve ridge regression block by block: coefficients and left-out answers."""
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
