"""Interfaces of smooth terms, as solvers need them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from halflabel._arrays import Floats

#: Weights C of squares, one for all entries or one each, and C * targets as an array or an operator.
Squares = tuple[Floats | float, Any]


class Smooth(Protocol):
    """Interface of proximal gradient steps: a smooth convex function of a matrix that is never negative."""

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant of the gradient."""

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the value at Z and the gradient. ``out``, if given, receives the gradient."""

    def split(self, size: int) -> Sequence[tuple[slice, Smooth]]:
        """Return pairs (rows, function of these rows). The function of all rows is the sum of these functions."""


class Loss(Smooth, Protocol):
    """Interface of Newton steps and alternating least squares: a smooth function that is a sum over entries."""

    @property
    def roughness(self) -> Floats:
        """Bound of the third derivative in units of the second, for each column."""

    def curvature(self, Z: Floats) -> Floats | float:
        """Return the second derivative by each entry of Z."""

    def majorizer(self, Z: Floats) -> Squares:
        """Return (C, C * T): up to a constant the term is at most sum C (Z' - T)^2 / 2 at every Z', and equal at Z."""

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""


def row_blocks(n: int, size: int) -> list[slice]:
    """Return the slices of n rows with ``size`` rows each. The last slice may have fewer rows."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
