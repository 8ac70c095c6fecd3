"""Recovery by Algorithm 1 of Zhao & Guo (2015), with a certificate in addition."""

from __future__ import annotations

import numpy as np

from halflabel.methods.vvmr.kernel_setting import KernelSetting
from halflabel.methods.vvmr.problem import Problem
from halflabel.numerics.solvers.low_rank_plus_sparse import RecoveryProblem
from halflabel.numerics.solvers.solution import Solution, Status
from halflabel.plugins import Floats
from halflabel_papers.published.continuation import Continuation, PublishedTerms


def solve_as_published(
    problem: Problem, terms: RecoveryProblem, setting: KernelSetting, iterations: int, tol: float, *, takes_abs: bool
) -> tuple[Floats, Solution]:
    """Return the weights of the features and Z = Y + E after a number of iterations at each penalty.

    ``residual`` is the gap between eq. (11) at the A and E of the algorithm, and a dual bound computed there.
    """
    kernel, Q = problem.kernel, problem.output.matrix()
    published = PublishedTerms(
        kernel.rows @ kernel.rows.T,
        kernel.operator,
        kernel.annotated[problem.rows],
        Q,
        problem.Y,
        problem.free,
        setting.alpha,
        setting.alpha_manifold,
        terms.trace,
        terms.slope,
    )
    run = Continuation(published, takes_abs=takes_abs)
    run.run(iterations)
    A, E = run.theta.A, run.theta.E
    Z, value = problem.Y + E, published.objective(A, E)
    gap = (value - terms.bound(Z, np.zeros_like(Z))) / value
    status = Status.CONVERGED if gap <= tol else Status.MAX_ITER
    return kernel.rows.T @ A @ Q, Solution(Z, (value,), gap, iterations, status)
