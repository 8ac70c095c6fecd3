"""Solvers, one algorithm per file. They take arrays and operators, and return a :class:`Solution`."""

from halflabel.numerics.solvers.bicgstab import bicgstab
from halflabel.numerics.solvers.davis_yin import davis_yin
from halflabel.numerics.solvers.factors import Factors, factorize, gradient_norm
from halflabel.numerics.solvers.fold_in import fold_in
from halflabel.numerics.solvers.fpc import fpc
from halflabel.numerics.solvers.pcg import pcg
from halflabel.numerics.solvers.proximal_gradient import certify, proximal_gradient
from halflabel.numerics.solvers.solution import Solution, Status

__all__ = [
    "Factors",
    "Solution",
    "Status",
    "bicgstab",
    "certify",
    "davis_yin",
    "factorize",
    "fold_in",
    "fpc",
    "gradient_norm",
    "pcg",
    "proximal_gradient",
]
