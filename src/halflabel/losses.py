r"""Smooth terms: sums over entries of a matrix Z, one row per item.

A loss has ``lipschitz`` (of its gradient), ``roughness`` (M with :math:`|f^{(3)}| \le M f^{(2)}`; 0 for a quadratic),
``value_and_grad(Z)``, ``curvature(Z)`` and, for alternating least squares, ``majorizer(Z)``. ``split(size)`` gives the
same term as a sum over blocks of rows, as far as these do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from halflabel.arrays import Floats, Mask

__all__ = ["BiasedLogistic", "Logistic", "Loss", "SideBySide", "Smooth", "SparseSquared", "Squared", "Squares"]

#: Weights C of squares, one for all entries or one each, and C * targets as an array or an operator.
Squares = tuple[Floats | float, Any]


class Smooth(Protocol):
    """A smooth convex function of a matrix, never negative: all that proximal gradient steps need."""

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant of the gradient."""

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the value at Z and the gradient, written to ``out`` where it is given."""

    def split(self, size: int) -> Sequence[tuple[slice, Smooth]]:
        """Return (rows, the function on these rows) of which the whole is the sum."""


class Loss(Smooth, Protocol):
    """A smooth function that is a sum over entries, with what Newton steps and alternating least squares need."""

    @property
    def roughness(self) -> Floats:
        """Bound of the third derivative in units of the second, per column."""

    def curvature(self, Z: Floats) -> Floats | float:
        """Return the second derivative by each entry of Z."""

    def majorizer(self, Z: Floats) -> Squares:
        """Return (C, C * T): up to a constant the term is at most sum C (Z' - T)^2 / 2 at every Z', and equal at Z."""

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""


def _blocks(n: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


@dataclass(frozen=True, eq=False)
class Squared:
    r""":math:`\tfrac{w}{2}\sum_{\mathrm{observed}} (z_{ij} - x_{ij})^2`.

    Parameters
    ----------
    target : ndarray of shape (n, m)
        x; finite everywhere, and 0 where it is not observed.
    observed : ndarray of bool, shape (n, m), or None
        None means all.
    weight : float
        w, of one entry.

    Examples
    --------
    >>> Squared(np.array([[1.0, 0.0]]), np.array([[True, False]]), 0.5).value_and_grad(np.array([[3.0, 9.0]]))
    (1.0, array([[1., 0.]]))
    """

    target: Floats
    observed: Mask | None
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
        """Return the term itself; Z is not read."""
        return self.curvature(Z), self.weight * self.target

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""
        seen = self.observed
        return [
            (rows, replace(self, target=self.target[rows], observed=None if seen is None else seen[rows]))
            for rows in _blocks(len(self.target), size)
        ]


@dataclass(frozen=True, eq=False)
class SparseSquared:
    r""":math:`\tfrac{w}{2}\|Z - (X - 1c^T)\,\mathrm{diag}(1/s)\|_F^2` for sparse X, whose zeros are data.

    Parameters
    ----------
    X : csr_array of shape (n, m)
    center, scale : ndarray of shape (m,)
        c and s; X itself is never centred.
    weight : float
        w, of one entry.
    """

    X: sparse.csr_array
    center: Floats
    scale: Floats
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
        """What Z is to be, as an operator on dense matrices."""
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
        """Return the value and the gradient; dense, so meant for blocks of rows."""
        dense = (self.X.toarray() - self.center) / self.scale
        return Squared(dense, None, self.weight).value_and_grad(Z, out)

    def value(self, U: Floats, V: Floats) -> float:
        """Return the value at U V^T without forming it."""
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
        """Return the term itself; Z is not read."""
        return self.weight, self.weight * self.target

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""
        return [(rows, replace(self, X=self.X[rows])) for rows in _blocks(self.X.shape[0], size)]


@dataclass(frozen=True, eq=False)
class Logistic:
    r""":math:`w\sum_{\mathrm{observed}} \log(1 + e^{-y_{ij}(z_{ij} + b_j)})`.

    Parameters
    ----------
    sign : ndarray of shape (n, t)
        y: +1 or -1 where observed, 0 elsewhere.
    weight : float
        w, of one entry.
    offset : ndarray of shape (t,), optional
        b.

    Examples
    --------
    >>> value, grad = Logistic(np.array([[1.0, 0.0]]), 2.0).value_and_grad(np.array([[0.0, 7.0]]))
    >>> round(float(value), 4), grad
    (1.3863, array([[-1., -0.]]))
    """

    sign: Floats
    weight: float
    offset: Floats | float = 0.0

    @property
    def lipschitz(self) -> float:
        """A quarter of the weight."""
        return self.weight / 4

    @property
    def roughness(self) -> Floats:
        """One: the third derivative is at most the second."""
        return np.ones(self.sign.shape[1])

    def wrong(self, Z: Floats) -> tuple[float, Floats]:
        """Return the value, and the probability that each observed entry would be wrong (1/2 elsewhere)."""
        margin = Z + self.offset
        margin *= self.sign
        e = np.exp(-np.abs(margin))
        whole = 1 + e
        # One logarithm per row and 512 labels: a product of that many numbers up to 2 stays finite.
        logs = float(np.log(np.multiply.reduceat(whole, range(0, whole.shape[1], 512), axis=1)).sum())
        unseen = margin.size - np.count_nonzero(self.sign)
        value = logs - float(np.minimum(margin, 0).sum()) - float(np.log(2)) * unseen
        return float(self.weight * value), np.where(margin > 0, e, 1.0) / whole

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the value and the gradient."""
        value, wrong = self.wrong(Z)
        grad = np.multiply(wrong, self.sign, out=out)
        grad *= -self.weight
        return value, grad

    def curvature(self, Z: Floats) -> Floats | float:
        """Return the second derivatives."""
        wrong = self.wrong(Z)[1]
        return np.asarray(self.weight * wrong * (1 - wrong) * (self.sign != 0))

    def majorizer(self, Z: Floats) -> Squares:
        """Return squares with the largest curvature there is, a quarter of the weight."""
        C = (self.sign != 0) * (self.weight / 4)
        return C, C * Z - self.value_and_grad(Z)[1]

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""
        return [(rows, replace(self, sign=self.sign[rows])) for rows in _blocks(len(self.sign), size)]


@dataclass(frozen=True, eq=False)
class BiasedLogistic:
    r"""The logistic term of eq. (2) at its best bias, :math:`\min_b f(Z, b) + \tfrac{w_b}{2}\|b\|^2`.

    Minimising over b leaves a convex function of Z alone, whose gradient is that of :math:`f(\cdot, b)` at the
    best b and no steeper, so that a solver need not know of the bias.

    Parameters
    ----------
    sign : ndarray of shape (n, t)
        As in :class:`Logistic`.
    weight : float
        As in :class:`Logistic`.
    ridge : float
        :math:`w_b`, positive: without it a label whose observed entries agree sends its bias to infinity.
    """

    sign: Floats
    weight: float
    ridge: float
    _last: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Where the search for the bias begins: solvers move Z little by little, and the bias with it.
        object.__setattr__(self, "_last", np.zeros(self.sign.shape[1]))

    @property
    def lipschitz(self) -> float:
        """A quarter of the weight."""
        return self.weight / 4

    @property
    def roughness(self) -> Floats:
        """One, as for every fixed bias."""
        return np.ones(self.sign.shape[1])

    def at(self, Z: Floats) -> Logistic:
        """Return the term with its bias fixed at the best for Z."""
        return Logistic(self.sign, self.weight, self.bias(Z))

    def bias(self, Z: Floats) -> Floats:
        """Return the best bias of every label, by Newton steps damped so that none overshoots."""
        b, seen = self._last, self.sign != 0
        for _ in range(100):
            wrong = Logistic(self.sign, self.weight, b).wrong(Z)[1]
            slope = self.ridge * b - self.weight * np.einsum("ij,ij->j", wrong, self.sign)
            wrong *= 1 - wrong
            full = slope / (self.ridge + self.weight * np.einsum("ij,ij->j", wrong, seen))
            b -= np.sign(full) * np.log1p(np.abs(full))
            if np.abs(full).max(initial=0.0) < 1e-6:  # what is left is of the order of its square
                break
        return b.copy()

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the value and the gradient."""
        fixed = self.at(Z)
        value, grad = fixed.value_and_grad(Z, out)
        return value + 0.5 * self.ridge * float(np.sum(np.square(fixed.offset))), grad

    def curvature(self, Z: Floats) -> Floats | float:
        """Return the second derivatives with the bias held."""
        return self.at(Z).curvature(Z)

    def majorizer(self, Z: Floats) -> Squares:
        """Return squares with the largest curvature there is: at its best bias the term is no more curved."""
        return self.at(Z).majorizer(Z)

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the whole: every row has its say in the bias."""
        return [(slice(0, len(self.sign)), self)]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """A sum of terms, each on columns of its own.

    Parameters
    ----------
    terms : sequence of Loss
    widths : sequence of int
        How many columns each has, from the left.
    """

    terms: Sequence[Loss]
    widths: Sequence[int]

    @property
    def columns(self) -> list[slice]:
        """The columns of each term."""
        return [slice(a, b) for a, b in pairwise(np.cumsum([0, *self.widths]).tolist())]

    @property
    def lipschitz(self) -> float:
        """The largest of all."""
        return max(term.lipschitz for term in self.terms)

    @property
    def roughness(self) -> Floats:
        """That of each term, in its columns."""
        return np.concatenate([term.roughness for term in self.terms])

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the value and the gradient."""
        grad = np.empty_like(Z) if out is None else out
        pairs = zip(self.terms, self.columns, strict=True)
        return sum(term.value_and_grad(Z[:, c], grad[:, c])[0] for term, c in pairs), grad

    def split(self, size: int) -> Sequence[tuple[slice, SideBySide]]:
        """Return the sum row block by row block; one block if any term needs all rows at once."""
        parts = [term.split(size) for term in self.terms]
        if len({len(part) for part in parts}) > 1:
            return [(slice(0, max(part[-1][0].stop for part in parts)), self)]
        rows = [block for block, _ in parts[0]]
        together = zip(*([term for _, term in part] for part in parts), strict=True)
        return [(block, SideBySide(terms, self.widths)) for block, terms in zip(rows, together, strict=True)]
