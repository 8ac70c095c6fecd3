"""Solvers, one algorithm per file. They take arrays and operators, and return a :class:`Solution`."""

from halflabel.numerics.solvers.solution import Solution, Status

__all__ = ["Solution", "Status"]
