"""Squared losses of dense features with gaps, and of sparse features whose zeros are data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from halflabel._arrays import Floats, Mask
from halflabel.numerics.losses.smooth import Loss, Squares, row_blocks


@dataclass(frozen=True, eq=False)
class Squared:
    r""":math:`\tfrac{w}{2}\sum_{\mathrm{observed}} (z_{ij} - x_{ij})^2`.

    Examples
    --------
    >>> Squared(np.array([[1.0, 0.0]]), np.array([[True, False]]), 0.5).value_and_grad(np.array([[3.0, 9.0]]))
    (1.0, array([[1., 0.]]))
    """

    #: Shape (n, m). x; finite, and 0 where it is not observed.
    target: Floats
    #: Shape (n, m). None means that all entries are observed.
    observed: Mask | None
    #: w, of one entry.
    weight: float

    @property
    def lipschitz(self) -> float:
        """The weight."""
        return self.weight

    @property
    def roughness(self) -> Floats:
        """Zero: the term is quadratic."""
        return np.zeros(self.target.shape[1])

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the value and the gradient."""
        R = np.subtract(Z, self.target, out=out)
        if self.observed is not None:
            R *= self.observed
        value = 0.5 * self.weight * float(np.einsum("ij,ij", R, R))
        R *= self.weight
        return value, R

    def curvature(self, Z: Floats) -> Floats | float:
        """Return the weight where observed."""
        return self.weight if self.observed is None else np.asarray(self.observed * self.weight, dtype=np.float64)

    def majorizer(self, Z: Floats) -> Squares:
        """Return the term itself, for every Z."""
        return self.curvature(Z), self.weight * self.target

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""
        seen = self.observed
        return [
            (rows, replace(self, target=self.target[rows], observed=None if seen is None else seen[rows]))
            for rows in row_blocks(len(self.target), size)
        ]


@dataclass(frozen=True, eq=False)
class SparseSquared:
    r""":math:`\tfrac{w}{2}\|Z - (X - 1c^T)\,\mathrm{diag}(1/s)\|_F^2` for sparse X, whose zeros are data."""

    #: Shape (n, m).
    X: sparse.csr_array
    #: ``center``, ``scale``: shape (m,). c and s; X itself is never centred.
    center: Floats
    scale: Floats
    #: w, of one entry.
    weight: float

    @property
    def lipschitz(self) -> float:
        """The weight."""
        return self.weight

    @property
    def roughness(self) -> Floats:
        """Zero: the term is quadratic."""
        return np.zeros(self.X.shape[1])

    @property
    def target(self) -> Any:
        """Target of Z, as an operator on dense matrices."""
        X, c, s = self.X, self.center, self.scale
        return LinearOperator(
            dtype=np.float64,
            shape=X.shape,
            matvec=lambda v: X @ (v.ravel() / s) - (c / s) @ v.ravel(),
            rmatvec=lambda u: (X.T @ u.ravel() - c * u.sum()) / s,
            matmat=lambda V: X @ (V / s[:, None]) - (c / s) @ V,
            rmatmat=lambda U: (X.T @ U - np.outer(c, U.sum(axis=0))) / s[:, None],
        )

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the value and the gradient. Both need dense arrays and are meant for blocks of rows."""
        dense = (self.X.toarray() - self.center) / self.scale
        return Squared(dense, None, self.weight).value_and_grad(Z, out)

    def value(self, U: Floats, V: Floats) -> float:
        """Return the value at U V^T, which is not formed."""
        n = self.X.shape[0]
        columns = np.asarray(self.X.sum(axis=0)).ravel()
        squares = np.asarray(self.X.multiply(self.X).sum(axis=0)).ravel()
        total = ((squares - 2 * self.center * columns + n * self.center**2) / self.scale**2).sum()
        cross = float(np.vdot(self.target @ V, U))
        return 0.5 * self.weight * (float(total) - 2 * cross + float(np.vdot(U.T @ U, V.T @ V)))

    def curvature(self, Z: Floats) -> Floats | float:
        """Return the weight."""
        return self.weight

    def majorizer(self, Z: Floats) -> Squares:
        """Return the term itself, for every Z."""
        return self.weight, self.weight * self.target

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""
        return [(rows, replace(self, X=self.X[rows])) for rows in row_blocks(self.X.shape[0], size)]
