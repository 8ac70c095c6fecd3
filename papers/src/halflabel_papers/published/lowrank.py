"""LowRankVVMR by Algorithm 1 of Zhao & Guo (2015)."""

from __future__ import annotations

from typing import ClassVar

import halflabel
from halflabel.methods.vvmr.kernel_setting import KernelSetting
from halflabel.methods.vvmr.problem import Problem
from halflabel.numerics.solvers import Solution
from halflabel.numerics.solvers.low_rank_plus_sparse import RecoveryProblem
from halflabel.plugins import Floats
from halflabel_papers.published.algorithm1 import solve_as_published


class LowRankVVMR(halflabel.LowRankVVMR):
    """:class:`halflabel.LowRankVVMR` with two further solvers. All parameters, attributes and notes are the same.

    ``solver="published"`` is Algorithm 1 with ``max_iter`` iterations at each of four penalties, for comparison: it
    stays far from the minimum. ``solver="printed"`` is the same with the absolute value of eq. (22), which is not a
    proximal step.
    """

    _solvers: ClassVar[tuple[str, ...]] = (*halflabel.LowRankVVMR._solvers, "published", "printed")

    def _solve(self, problem: Problem, setting: KernelSetting, *, rough: bool) -> tuple[Floats, Solution]:
        if self.solver not in ("published", "printed"):
            return super()._solve(problem, setting, rough=rough)
        kernel = problem.at(setting.alpha, setting.alpha_manifold)
        terms = RecoveryProblem(kernel, problem.Y, problem.free, setting.alpha_trace, setting.slope(*problem.Y.shape))
        takes_abs = self.solver == "printed"
        return solve_as_published(problem, terms, setting, self.max_iter, self.tol, takes_abs=takes_abs)
