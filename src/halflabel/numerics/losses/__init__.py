r"""Smooth terms: sums over entries of a matrix Z, one row per item.

A loss has ``lipschitz`` (of its gradient), ``roughness`` (M with :math:`|f^{(3)}| \le M f^{(2)}`; 0 for a quadratic),
``value_and_grad(Z)`` and ``curvature(Z)``. ``split(size)`` gives the same term as a sum over blocks of rows if these do
not depend on each other.
"""

from halflabel.numerics.losses.logistic import BiasedLogistic, Logistic
from halflabel.numerics.losses.side_by_side import SideBySide
from halflabel.numerics.losses.smooth import Loss, Smooth
from halflabel.numerics.losses.squared import Squared

__all__ = [
    "BiasedLogistic",
    "Logistic",
    "Loss",
    "SideBySide",
    "Smooth",
    "Squared",
]
