"""The result of a solver."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from halflabel._arrays import Floats


class Status(enum.Enum):
    """How a solver ended. The value is a sentence for users."""

    CONVERGED = "The solver reached its tolerance."
    MAX_ITER = "The solver stopped at its iteration limit before it reached its tolerance; raise max_iter or tol."


@dataclass(frozen=True)
class Solution:
    """A solution and its certificate."""

    #: The solution.
    x: Floats
    #: Value of the objective at the start and after each iteration.
    objective: tuple[float, ...]
    #: Certificate of optimality, recomputed at ``x``. Each solver documents its certificate.
    residual: float
    n_iter: int
    status: Status
