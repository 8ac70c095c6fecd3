"""One algorithm per file; arrays and operators in, a :class:`Solution` out."""

from halflabel.solvers.bicgstab import bicgstab
from halflabel.solvers.pcg import pcg
from halflabel.solvers.solution import Solution, Status

__all__ = ["Solution", "Status", "bicgstab", "pcg"]
