"""Kernel ridge: its bandwidth, and its fit to many rows, with leave-one-out errors."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from sklearn.metrics.pairwise import euclidean_distances

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel._progress import step
from halflabel.methods.auto.sampling import draw
from halflabel.numerics.kernels import (
    ALPHAS,
    KernelRidge,
    NystroemMap,
    iterate_row_patterns,
    mean_distance,
    ridge_path,
)

#: Bandwidths that are compared, in units of the mean distance.
WIDTHS = (0.35, 0.5, 0.7, 1.0)

#: Maximum number of items on which bandwidths are compared.
MAX_ITEMS = 400

#: Maximum number of cells (items x labels) on which ridge weights are compared, and rows of one block.
MAX_CELLS, BLOCK = 2**19, 4096


def choose_bandwidth(X: Matrix, Y: Floats, observed: Mask, rng: np.random.Generator) -> tuple[float, float]:
    """Return the smallest leave-one-out error of kernel ridge on at most 400 labelled items, and its bandwidth.

    Unknown entries are set to their label's rate, so that one decomposition serves all labels; they do not count as
    errors.
    """
    unit = mean_distance(X, rng)
    some = draw(np.arange(X.shape[0]), MAX_ITEMS, rng)
    Y, observed, squared = Y[some], observed[some], euclidean_distances(X[some], squared=True)
    target = np.where(observed, Y, (Y * observed).sum(axis=0) / np.maximum(observed.sum(axis=0), 1))

    grams = (np.exp(-0.5 / (width * unit) ** 2 * squared) + 1 for width in WIDTHS)
    error, width = min(zip((measure_left_out(gram, target, observed) for gram in grams), WIDTHS, strict=True))
    return error, unit * width


def measure_left_out(gram: Floats, target: Floats, observed: Mask) -> float:
    r"""Return the mean squared leave-one-out error of kernel ridge on some entries, at its best ridge weight.

    With the eigenvectors U and eigenvalues :math:`\lambda` of the Gram matrix and
    :math:`s_{\alpha k} = \alpha / (\lambda_k + \alpha)`, the errors of the fit are :math:`Us_\alpha U^TY`. To leave out
    row i divides row i of them by :math:`\sum_k u_{ik}^2 s_{\alpha k}`. So one decomposition serves all ridge weights.
    """
    values, U = linalg.eigh(gram, overwrite_a=True, check_finite=False)
    shares = ALPHAS / (np.maximum(values, 0)[:, None] + ALPHAS)
    rest, moments = U**2 @ shares, U.T @ target
    left_out = ((U @ (share[:, None] * moments)) / each[:, None] for share, each in zip(shares.T, rest.T, strict=True))
    return min(float((error[observed] ** 2).mean()) for error in left_out)


def fit_ridge(
    features: NystroemMap, X: Matrix, Y: Floats, observed: Mask, rng: np.random.Generator
) -> tuple[KernelRidge, Floats]:
    """Fit every label on its own observed rows.

    The second result has the predictions for each row by the regression without it; NaN where the entry is not
    observed.

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
        path = ridge_path(features(X[some]), Y[np.ix_(some, columns)])
        coef[:, columns], alpha[columns], left_out = path.coef, path.alpha, path.loo
        if len(some) < len(rows):
            coef[:, columns], left_out = _solve_in_blocks(features, X, rows, Y[np.ix_(rows, columns)], path.alpha)
        loo[np.ix_(rows, columns)] = left_out
    return KernelRidge(features, features.projection @ coef[:-1], coef[-1], alpha), loo


def sample_rows(n_rows: int, n_labels: int, rng: np.random.Generator) -> Ints:
    """Return all rows, or a sample on which settings are compared."""
    return draw(np.arange(n_rows), min(max(MAX_CELLS // n_labels, 500), BLOCK), rng)


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
