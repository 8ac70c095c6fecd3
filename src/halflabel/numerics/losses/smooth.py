"""Interfaces of smooth terms, as solvers need them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from halflabel._arrays import Floats


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
    """Interface of Newton steps: a smooth function that is a sum over entries."""

    @property
    def roughness(self) -> Floats:
        """Bound of the third derivative in units of the second, for each column."""

    def curvature(self, Z: Floats) -> Floats | float:
        """Return the second derivative by each entry of Z."""

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""


def row_blocks(n: int, size: int) -> list[slice]:
    """Return the slices of n rows with ``size`` rows each. The last slice may have fewer rows."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
