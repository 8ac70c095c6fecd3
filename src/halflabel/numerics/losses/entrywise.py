r"""Losses of single entries for other kinds of values than Gaussian ones: bits, counts, outliers, and hinge labels.

Each kind is a convex function :math:`\varphi(z, x)` of the score z of a value x, never negative, with bounds of its
derivatives by z. :class:`Entrywise` sums it over a matrix with gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.special import expit, xlogy

from halflabel._arrays import Floats, Mask
from halflabel.numerics.losses.smooth import Loss, Squares, row_blocks


class Kind(Protocol):
    r""":math:`\varphi`, elementwise."""

    @property
    def lipschitz(self) -> float:
        """Bound of the second derivative."""

    @property
    def roughness(self) -> float:
        """Bound of the third derivative in units of the second."""

    def value_and_slope(self, z: Floats, x: Floats) -> tuple[Floats, Floats]:
        """Return the values and the first derivatives."""

    def curvature(self, z: Floats, x: Floats) -> Floats:
        """Return the second derivatives, or an upper bound where there is none."""

    def mean(self, z: Floats) -> Floats:
        """Return the expected x at z."""

    def link(self, mean: Floats) -> Floats:
        """Return the z of an expected x."""


@dataclass(frozen=True)
class Bits:
    r""":math:`\log(1 + e^z) - xz` for x = 0 or 1: the logistic loss."""

    lipschitz: float = 0.25
    roughness: float = 1.0

    def value_and_slope(self, z: Floats, x: Floats) -> tuple[Floats, Floats]:
        """Return the values and the first derivatives."""
        return np.logaddexp(0, z) - x * z, expit(z) - x

    def curvature(self, z: Floats, x: Floats) -> Floats:
        """Return the second derivatives."""
        return np.asarray(expit(z) * expit(-z))

    def mean(self, z: Floats) -> Floats:
        """Return the probability of 1."""
        return np.asarray(expit(z))

    def link(self, mean: Floats) -> Floats:
        """Return the log odds."""
        return np.asarray(np.log(mean) - np.log1p(-mean))


@dataclass(frozen=True)
class Counts:
    r""":math:`e^z - xz` for counts x, above its minimum: the Poisson loss, with a parabola beyond :math:`e^z = m`."""

    #: m. Without the parabola the derivative would have no Lipschitz constant.
    largest: float
    roughness: float = 1.0

    @property
    def lipschitz(self) -> float:
        """The largest mean."""
        return self.largest

    def value_and_slope(self, z: Floats, x: Floats) -> tuple[Floats, Floats]:
        """Return the values and the first derivatives."""
        inside = np.minimum(z, np.log(self.largest))
        mean, beyond = np.exp(inside), z - inside
        least = x - xlogy(x, x)
        return mean * (1 + beyond + beyond**2 / 2) - x * z - least, mean * (1 + beyond) - x

    def curvature(self, z: Floats, x: Floats) -> Floats:
        """Return the second derivatives."""
        return np.asarray(np.exp(np.minimum(z, np.log(self.largest))))

    def mean(self, z: Floats) -> Floats:
        """Return the expected count, at most the largest one."""
        return np.asarray(np.exp(np.minimum(z, np.log(self.largest))))

    def link(self, mean: Floats) -> Floats:
        """Return the logarithm."""
        return np.asarray(np.log(mean))


@dataclass(frozen=True)
class Huber:
    r""":math:`\delta^2(\sqrt{1 + (z - x)^2/\delta^2} - 1)`: squares near x, absolute values far from it."""

    delta: float = 1.0
    lipschitz: float = 1.0

    @property
    def roughness(self) -> float:
        r""":math:`3 / (2\delta)`."""
        return 1.5 / self.delta

    def value_and_slope(self, z: Floats, x: Floats) -> tuple[Floats, Floats]:
        """Return the values and the first derivatives."""
        root = np.sqrt(1 + ((z - x) / self.delta) ** 2)
        return self.delta**2 * (root - 1), (z - x) / root

    def curvature(self, z: Floats, x: Floats) -> Floats:
        """Return the second derivatives."""
        return np.asarray((1 + ((z - x) / self.delta) ** 2) ** -1.5)

    def mean(self, z: Floats) -> Floats:
        """Return z."""
        return z

    def link(self, mean: Floats) -> Floats:
        """Return the mean."""
        return mean


@dataclass(frozen=True)
class SquaredHinge:
    r""":math:`\tfrac12 \max(0, 1 - xz)^2` for labels x = -1 or 1."""

    lipschitz: float = 1.0
    roughness: float = 1.0

    def value_and_slope(self, z: Floats, x: Floats) -> tuple[Floats, Floats]:
        """Return the values and the first derivatives."""
        short = np.maximum(1 - x * z, 0.0)
        return short**2 / 2, -x * short

    def curvature(self, z: Floats, x: Floats) -> Floats:
        """Return 1, the bound of the second derivative, which jumps where xz = 1."""
        return np.ones_like(z)

    def mean(self, z: Floats) -> Floats:
        """Return the score."""
        return z

    def link(self, mean: Floats) -> Floats:
        """Return the score."""
        return mean


@dataclass(frozen=True, eq=False)
class Entrywise:
    r""":math:`w\sum_{\mathrm{observed}} \varphi(z_{ij} + b_j, x_{ij})`.

    Examples
    --------
    >>> loss = Entrywise(Bits(), np.array([[1.0, 0.0]]), np.array([[True, False]]), 2.0)
    >>> value, grad = loss.value_and_grad(np.array([[0.0, 7.0]]))
    >>> round(value, 4), grad
    (1.3863, array([[-1.,  0.]]))
    """

    #: :math:`\varphi`.
    kind: Kind
    #: Shape (n, m). x; finite, and 0 where it is not observed.
    target: Floats
    #: Shape (n, m). None means that all entries are observed.
    observed: Mask | None
    #: w, of one entry.
    weight: float
    #: Shape (m,). b.
    offset: Floats | float = 0.0

    @property
    def lipschitz(self) -> float:
        """The weight times the bound of one entry."""
        return self.weight * self.kind.lipschitz

    @property
    def roughness(self) -> Floats:
        """The same for every column."""
        return np.full(self.target.shape[1], self.kind.roughness)

    def _mask(self, values: Floats) -> Floats:
        return values if self.observed is None else np.where(self.observed, values, 0.0)

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the value and the gradient."""
        value, slope = self.kind.value_and_slope(Z + self.offset, self.target)
        return self.weight * float(self._mask(value).sum()), np.multiply(self._mask(slope), self.weight, out=out)

    def curvature(self, Z: Floats) -> Floats | float:
        """Return the second derivatives."""
        return self.weight * self._mask(self.kind.curvature(Z + self.offset, self.target))

    def majorizer(self, Z: Floats) -> Squares:
        """Return a quadratic upper bound, with the largest curvature everywhere."""
        C = self._mask(np.full(Z.shape, self.lipschitz))
        return C, C * Z - self.value_and_grad(Z)[1]

    def mean(self, Z: Floats) -> Floats:
        """Return the expected values."""
        return self.kind.mean(Z + self.offset)

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""
        seen = self.observed
        return [
            (rows, replace(self, target=self.target[rows], observed=None if seen is None else seen[rows]))
            for rows in row_blocks(len(self.target), size)
        ]
