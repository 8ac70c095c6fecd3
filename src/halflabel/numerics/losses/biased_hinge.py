"""The squared hinge loss of labels with gaps, with the best bias of each label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats
from halflabel.numerics.losses.entrywise import Entrywise, SquaredHinge
from halflabel.numerics.losses.logistic import BiasedLogistic


@dataclass(frozen=True, eq=False)
class BiasedSquaredHinge(BiasedLogistic):
    r"""As :class:`BiasedLogistic`, with :math:`\tfrac12\max(0, 1 - y_{ij}(z_{ij} + b_j))^2` for each observed entry."""

    @property
    def lipschitz(self) -> float:
        """The weight."""
        return self.weight

    def at(self, Z: Floats) -> Entrywise:
        """Return the term with its bias fixed at the best for Z."""
        return Entrywise(SquaredHinge(), self.sign, self.sign != 0, self.weight, self.bias(Z))

    def bias(self, Z: Floats) -> Floats:
        """Return the best bias of every label, in closed form.

        The slope by b is piecewise linear and increasing. A relevant entry pulls b up to 1 - z, an irrelevant one down
        to -1 - z: at these points, in order, the slope is known from sums over the entries before and after.
        """
        ends = self.sign - Z
        order = np.argsort(ends, axis=0)
        t, y = (np.take_along_axis(values, order, axis=0) for values in (ends, self.sign))
        curvature, pull = (
            np.vstack([np.zeros(t.shape[1]), np.cumsum((y < 0) * values, axis=0)])
            + np.vstack([np.cumsum(((y > 0) * values)[::-1], axis=0)[::-1], np.zeros(t.shape[1])])
            for values in (self.weight, self.weight * t)
        )
        curvature += self.ridge
        piece = np.sum(curvature[1:] * t < pull[1:], axis=0)[None]  # of the root: the slope is below 0 before it
        return np.asarray(np.take_along_axis(pull, piece, 0)[0] / np.take_along_axis(curvature, piece, 0)[0])
