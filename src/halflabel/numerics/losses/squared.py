"""The squared loss of features with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel.numerics.losses.smooth import Loss, row_blocks


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

    def split(self, size: int) -> Sequence[tuple[slice, Loss]]:
        """Return the term row block by row block."""
        seen = self.observed
        return [
            (rows, replace(self, target=self.target[rows], observed=None if seen is None else seen[rows]))
            for rows in row_blocks(len(self.target), size)
        ]
