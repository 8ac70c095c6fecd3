"""One algorithm per file; arrays and operators in, a :class:`Solution` out."""

from halflabel.solvers.bicgstab import bicgstab
from halflabel.solvers.davis_yin import davis_yin
from halflabel.solvers.factored import FactoredSolution, Factors, factored, factorize, gradient_norm
from halflabel.solvers.fold_in import fold_in
from halflabel.solvers.fpc import fpc
from halflabel.solvers.pcg import pcg
from halflabel.solvers.proximal_gradient import certify, proximal_gradient
from halflabel.solvers.solution import Solution, Status

__all__ = [
    "FactoredSolution",
    "Factors",
    "Solution",
    "Status",
    "bicgstab",
    "certify",
    "davis_yin",
    "factored",
    "factorize",
    "fold_in",
    "fpc",
    "gradient_norm",
    "pcg",
    "proximal_gradient",
]
