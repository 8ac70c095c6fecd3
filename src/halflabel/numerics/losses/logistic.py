"""Logistic losses of labels with gaps, with a given bias or with the best one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from halflabel._arrays import Floats
from halflabel.numerics.losses.smooth import Loss, row_blocks


@dataclass(frozen=True, eq=False)
class Logistic:
    r""":math:`w\sum_{\mathrm{observed}} \log(1 + e^{-y_{ij}(z_{ij} + b_j)})`.

    Examples
    --------
    >>> value, grad = Logistic(np.array([[1.0, 0.0]]), 2.0).value_and_grad(np.array([[0.0, 7.0]]))
    >>> round(float(value), 4), grad
    (1.3863, array([[-1., -0.]]))
    """

    #: Shape (n, t). y: +1 or -1 where observed, 0 elsewhere.
    sign: Floats
    #: w, of one entry.
    weight: float
    #: Shape (t,). b.
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
        """Return the value, and the probability of the wrong label for each observed entry (1/2 elsewhere)."""
        margin = Z + self.offset
        margin *= self.sign
        e = np.exp(-np.abs(margin))
        normalizer = 1 + e
        # One logarithm for each row and 512 labels: a product of 512 numbers, each at most 2, stays finite.
        logs = float(np.log(np.multiply.reduceat(normalizer, range(0, normalizer.shape[1], 512), axis=1)).sum())
        unseen = margin.size - np.count_nonzero(self.sign)
        value = logs - float(np.minimum(margin, 0).sum()) - float(np.log(2)) * unseen
        return float(self.weight * value), np.where(margin > 0, e, 1.0) / normalizer

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

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""
        return [(rows, replace(self, sign=self.sign[rows])) for rows in row_blocks(len(self.sign), size)]


@dataclass(frozen=True, eq=False)
class BiasedLogistic:
    r"""The logistic term of eq. (2), minimised over the bias, :math:`\min_b f(Z, b) + \tfrac{w_b}{2}\|b\|^2`.

    This is a convex function of Z alone. Its gradient is the gradient of :math:`f(\cdot, b)` at the best b, with the
    same Lipschitz constant, so that a solver handles it like any other term.
    """

    #: Shape (n, t). As in :class:`Logistic`.
    sign: Floats
    #: As in :class:`Logistic`.
    weight: float
    #: :math:`w_b`, positive: without it the bias of a label whose observed entries are all equal is infinite.
    ridge: float
    _last: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Start of the next search for the bias: between two calls of a solver, Z and the bias change little.
        object.__setattr__(self, "_last", np.zeros(self.sign.shape[1]))

    @property
    def lipschitz(self) -> float:
        """A quarter of the weight."""
        return self.weight / 4

    @property
    def roughness(self) -> Floats:
        """One, as for every fixed bias."""
        return np.ones(self.sign.shape[1])

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Sum of the signs, and number of observed entries, of every label."""
        return self.sign.sum(axis=0), np.count_nonzero(self.sign, axis=0).astype(np.float64)

    def at(self, Z: Floats) -> Logistic:
        """Return the term with its bias fixed at the best for Z."""
        return Logistic(self.sign, self.weight, self.bias(Z))

    def bias(self, Z: Floats) -> Floats:
        """Return the best bias of every label, by Newton steps that are damped so that none overshoots."""
        b = self._last
        signs, seen = self._sums
        for _ in range(100):
            margin = Z + b
            margin *= self.sign
            margin *= 0.5
            confidence = np.tanh(margin, out=margin)  # 1 - 2 P(wrong); 0 where nothing was observed
            slope = self.ridge * b - self.weight / 2 * (signs - np.einsum("ij,ij->j", confidence, self.sign))
            full = slope / (self.ridge + self.weight / 4 * (seen - np.einsum("ij,ij->j", confidence, confidence)))
            b -= np.sign(full) * np.log1p(np.abs(full))
            if (np.abs(full) < 1e-6).all():  # the remaining error is of the order of its square
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

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the whole term: the bias depends on every row."""
        return [(slice(0, len(self.sign)), self)]
