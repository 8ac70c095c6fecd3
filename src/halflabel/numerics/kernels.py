"""Gram matrices, the Nystroem map, and kernel ridge regression with closed-form leave-one-out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.linalg import lapack
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from halflabel._arrays import Floats, Ints, Mask, Matrix, is_sparse

#: Ridge weights to choose from, in units of one squared error: an RBF kernel has ones on its diagonal.
ALPHAS: Floats = np.logspace(-3, 2, 16)

#: Parts of a Gram matrix below this share of its largest eigenvalue, or of its trace, are rounding: duplicates make it
#: singular.
MIN_SHARE = 1e-10

#: Rows of one block of the Gram matrix against all landmarks: with more, a block does not stay in the cache.
BLOCK = 512


def mean_distance(X: Matrix, rng: np.random.Generator, sample: int = 1000) -> float:
    """Return the mean Euclidean distance between distinct rows, of at most ``sample`` rows drawn at random."""
    rows = np.arange(X.shape[0]) if X.shape[0] <= sample else rng.choice(X.shape[0], sample, replace=False)
    distances = euclidean_distances(X[rows])
    return float(distances.sum() / max(len(rows) * (len(rows) - 1), 1)) or 1.0


@dataclass(frozen=True)
class NystroemMap:
    """Features whose inner products are an RBF kernel on (or near) the landmarks, plus a constant."""

    #: Shape (n_landmarks, n_features).
    landmarks: Matrix
    #: Unit of length; sigma of exp(-d^2 / 2 sigma^2).
    bandwidth: float
    #: Shape (n_landmarks, rank). Inverse square root of the landmarks' Gram matrix.
    projection: Floats
    #: Mean share of k(x, x) that the map loses on the rows from which it was learned. 0 if all are landmarks.
    error: float = 0.0

    def __call__(self, X: Matrix) -> Floats:
        """Return the features of the rows of ``X``, shape (n_rows, rank + 1)."""
        return np.column_stack([self.kernel(X) @ self.projection, np.ones(X.shape[0])])

    def kernel(self, X: Matrix) -> Floats:
        """Return the Gram matrix of ``X`` against the landmarks."""
        if not X.shape[0]:  # scikit-learn needs a row
            return np.empty((0, self.landmarks.shape[0]))
        return np.asarray(rbf_kernel(X, self.landmarks, gamma=0.5 / self.bandwidth**2), dtype=np.float64)

    def extend(self, X: Matrix) -> NystroemMap:
        """Return a map whose inner products are exact on the rows of ``X``, too. Their own features come first."""
        if not X.shape[0]:
            return self
        known = self.kernel(X) @ self.projection
        own = _root(replace(self, landmarks=X).kernel(X) - known @ known.T)
        projection = np.block([[-self.projection @ (known.T @ own), self.projection], [own, np.zeros_like(known)]])
        stack = sparse.vstack if is_sparse(X) else np.vstack
        return replace(self, landmarks=stack([self.landmarks, X]), projection=projection)


def nystroem(
    X: Matrix,
    bandwidth: float,
    max_landmarks: int,
    rng: np.random.Generator,
    *,
    pivoted: bool = False,
) -> NystroemMap:
    """Learn a :class:`NystroemMap` from ``X``. It is exact up to ``max_landmarks`` rows, else from a random subset.

    With ``pivoted``, the root is a Cholesky factor, for a tenth of the time: the features are of other coordinates, in
    no order of importance.
    """
    rows = np.arange(X.shape[0])
    if len(rows) > max_landmarks:
        rows = np.sort(rng.choice(rows, max_landmarks, replace=False))
    sample = X if len(rows) == X.shape[0] else X[rows]
    plain = NystroemMap(sample, bandwidth, np.empty((0, 0)))
    learned = replace(plain, projection=(_pivoted_root if pivoted else _root)(plain.kernel(sample)))
    if len(rows) == X.shape[0]:
        return learned
    tried = rng.choice(X.shape[0], min(1000, X.shape[0]), replace=False)
    kept_shares = (learned(X[tried])[:, :-1] ** 2).sum(axis=1)
    return replace(learned, error=float((1 - kept_shares).mean()))


def _root(gram: Floats) -> Floats:
    """Return the inverse square root of a Gram matrix on its range. It is overwritten."""
    values, vectors = linalg.eigh(gram, overwrite_a=True, check_finite=False)
    kept = values > max(values[-1], 1.0) * MIN_SHARE
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def _pivoted_root(gram: Floats) -> Floats:
    """Return the inverse of a Cholesky factor on rows that span all rows, and 0 elsewhere. It is overwritten."""
    tol = MIN_SHARE * float(np.trace(gram))
    factor, pivots, rank, _ = lapack.dpstrf(gram.T, tol=tol, overwrite_a=True)
    root = np.zeros((len(gram), rank))
    root[pivots[:rank] - 1] = lapack.dtrtri(np.triu(factor[:rank, :rank]))[0]
    return root


@dataclass(frozen=True)
class RidgePath:
    r"""Ridge regression at the weight with the smallest leave-one-out error. Any of its rows can be removed again."""

    #: Shape (n_features, n_targets).
    coef: Floats
    alpha: float
    #: Shape (n_rows, n_targets). The prediction of each row by the model that is fitted without it.
    loo: Floats
    #: ``Q``, ``V``, ``shrink``: :math:`(\Phi^T\Phi + \alpha I)^{-1} = V\,\mathrm{diag}(\mathrm{shrink})\,V^T` and
    #: :math:`Q = \Phi V`.
    Q: Floats
    V: Floats
    shrink: Floats
    #: Shape (n_rows, n_targets). Targets minus fitted values.
    error: Floats

    def without(self, rows: Mask) -> Floats:
        r"""Return the coefficients of the same regression without some rows, in closed form.

        With S the rows and :math:`H_{SS}` their block of the hat matrix,
        :math:`C - (\Phi^T\Phi + \alpha I)^{-1}\Phi_S^T (I - H_{SS})^{-1}(Y_S - \Phi_S C)`.
        """
        Q = self.Q[rows]
        hat = (Q * self.shrink) @ Q.T
        weights = linalg.cho_solve(linalg.cho_factor(np.eye(len(hat)) - hat), self.error[rows])
        return np.asarray(self.coef - self.V @ (self.shrink[:, None] * (Q.T @ weights)))


def ridge_path(Phi: Floats, Y: Floats, alphas: Floats = ALPHAS) -> RidgePath:
    r"""Minimise :math:`\|\Phi C - Y\|_F^2 + \alpha\|C\|_F^2` with alpha chosen by closed-form leave-one-out.

    With the leverages :math:`h_i = \phi_i^T(\Phi^T\Phi + \alpha I)^{-1}\phi_i` the left-out prediction
    is :math:`y_i - (y_i - \hat y_i)/(1 - h_i)`. One eigendecomposition is enough for all alpha.
    """
    values, V, Q = _decompose(Phi)
    Q2, QtY = Q**2, Q.T @ Y
    fits = []
    for alpha in alphas:
        shrink = 1 / (np.maximum(values, 0) + alpha)
        error = Y - Q @ (shrink[:, None] * QtY)
        left_out = error / (1 - Q2 @ shrink)[:, None]
        fits.append((float((left_out**2).sum()), float(alpha), shrink, error, left_out))
    _, alpha, shrink, error, left_out = min(fits, key=lambda fit: fit[0])
    return RidgePath(V @ (shrink[:, None] * QtY), alpha, Y - left_out, Q, V, shrink, error)


def _decompose(Phi: Floats) -> tuple[Floats, Floats, Floats]:
    """Return eigenvalues and eigenvectors V of Phi' Phi, and Phi V. With few rows, only the span of the rows."""
    if Phi.shape[0] >= Phi.shape[1]:
        values, V = linalg.eigh(Phi.T @ Phi, overwrite_a=True, check_finite=False)
        return values, V, Phi @ V
    values, U = linalg.eigh(Phi @ Phi.T, overwrite_a=True, check_finite=False)
    kept = values > values[-1] * 1e-12
    values, U = values[kept], U[:, kept]
    return values, Phi.T @ (U / np.sqrt(values)), U * np.sqrt(values)


@dataclass(frozen=True)
class KernelRidge:
    """Kernel ridge regression, one column per target."""

    features: NystroemMap
    #: Shape (n_landmarks, ...). Weight of each landmark's kernel. The axes after the first are the axes of the
    #: prediction.
    weights: Floats
    #: Shape (...).
    intercept: Floats
    #: Shape (n_targets,). Ridge weight of each target. NaN for a target without an observed row.
    alpha: Floats

    def predict(self, X: Matrix) -> Floats:
        """Return the regression values, shape (n_rows, ...), with one block of the Gram matrix in memory at a time."""
        flat, blocks = self.weights.reshape(len(self.weights), -1), []
        # A last block of one row would be multiplied with another rounding: the row joins the block before it.
        for start, end in pairwise([*range(0, max(X.shape[0] - 1, 1), BLOCK), X.shape[0]]):
            blocks.append(self.features.kernel(X[start:end]) @ flat)
        return np.asarray(np.concatenate(blocks).reshape(X.shape[0], *self.intercept.shape) + self.intercept)

    def __getitem__(self, model: int) -> KernelRidge:
        """Return one model of a family: 0 is the fit to all rows, 1 + v is the fit without fold v."""
        return replace(self, weights=self.weights[:, model], intercept=self.intercept[model])


def kernel_ridge(
    X: Matrix, Y: Floats, observed: Mask, folds: NDArray[np.integer], features: NystroemMap
) -> KernelRidge:
    """Fit every target to its observed rows, once to all these rows and once without each fold.

    Parameters
    ----------
    X : matrix of shape (n_rows, n_features)
    Y : ndarray of shape (n_rows, n_targets)
        Values where ``observed``, anything elsewhere.
    observed : ndarray of bool, shape (n_rows, n_targets)
    folds : ndarray of int, shape (n_rows,)
        The model of fold v is fitted to the rows of all other folds, at the ridge weights of the fit to all rows.

    Returns
    -------
    KernelRidge
        A family of models: its predictions have shape (n_rows, 1 + n_folds, n_targets) and need one pass over the
        kernel.

    Notes
    -----
    Targets that are observed on the same rows share one eigendecomposition, O(n m^2 + m^3) for m features.
    """
    Phi = features(X)
    n_folds = int(folds.max()) + 1
    coef = np.zeros((Phi.shape[1], 1 + n_folds, Y.shape[1]))
    alpha = np.full(Y.shape[1], np.nan)
    for rows, columns in iterate_row_patterns(observed):
        path = ridge_path(Phi[rows], Y[np.ix_(rows, columns)])
        alpha[columns] = path.alpha
        coef[:, 0, columns] = path.coef
        for fold in range(n_folds):
            coef[:, 1 + fold, columns] = path.without(folds[rows] == fold)
    weights = np.tensordot(features.projection, coef[:-1], axes=1)
    return KernelRidge(features, weights, coef[-1], alpha)


def iterate_row_patterns(observed: Mask) -> Iterator[tuple[Ints, Ints]]:
    """Yield (rows, targets) of every pattern of observed rows. Skip a target without an observed row."""
    patterns, group = np.unique(observed, axis=1, return_inverse=True)
    for g, pattern in enumerate(patterns.T):
        if pattern.any():
            yield np.flatnonzero(pattern), np.flatnonzero(group.ravel() == g)
