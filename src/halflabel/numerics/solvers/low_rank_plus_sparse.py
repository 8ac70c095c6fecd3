"""The recovered label matrix of Zhao & Guo's eq. (11) as a problem in Z alone, to its global optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel.numerics.penalties import NuclearNorm, nuclear_norm
from halflabel.numerics.solvers.davis_yin import davis_yin
from halflabel.numerics.solvers.row_kernel import RowKernel
from halflabel.numerics.solvers.solution import Solution, Status

#: Over-relaxation of the copies.
RELAXATION = 1.6

#: Number of iterations between two certificates, and between two changes of the step.
CHECK_EVERY, BALANCE_EVERY = 5, 20

#: First step, in units of 1 / n_rows.
FIRST_STEP = 0.3

#: The step changes when the larger relative residual is more than this factor times the smaller one.
MAX_RATIO = 5.0


@dataclass(frozen=True, eq=False)
class RecoveryProblem:
    r"""Minimise :math:`\langle Z, (K + lI)^{-1} Z\rangle + \tau\|Z\|_* + \theta\sum(Z - Y)` over :math:`Z \ge Y`.

    This is eq. (11) after the weights are eliminated. Z = Y where an entry is not free.
    """

    #: K and l.
    kernel: RowKernel
    #: Shape (n_rows, n_labels). Lower bounds: the paper's +1 and -1.
    Y: Floats
    #: Of the same shape. Entries that may rise above Y.
    free: Mask
    #: :math:`\tau`, the paper's :math:`\mu`: weight of one unit of singular value.
    trace: float
    #: :math:`\theta`, the paper's :math:`\mu\lambda`: weight of one unit of one entry.
    slope: float

    def value(self, Z: Floats) -> float:
        """Return the objective at a feasible Z."""
        smooth = float(np.vdot(Z, self.kernel.inverse(Z))) + self.slope * float((Z - self.Y).sum())
        return smooth + (self.trace * nuclear_norm(Z) if self.trace else 0.0)

    def bound(self, Z: Floats, R: Floats) -> float:
        r"""Return a lower bound of the minimum: the dual value of a feasible pair (P, R) near the gradients at Z.

        The dual is :math:`\max -\frac14\langle P, (K + lI)P\rangle + \langle P + R, Y\rangle` subject to
        :math:`\|R\|_2 \le \tau` and :math:`P + R + \theta \ge 0` on free entries.

        R is near a subgradient of the weighted trace norm; its singular values are clipped.
        """
        R = self.clip(R)
        slack = 2 * self.kernel.inverse(Z) + R + self.slope
        P = np.where(self.free, np.maximum(slack, 0), slack) - R - self.slope
        curved = float(np.vdot(P, self.kernel.spectral(lambda k: k + self.kernel.n_rows, P)))
        return float(np.vdot(P + R, self.Y)) - curved / 4

    def clip(self, R: Floats) -> Floats:
        """Return the nearest matrix of spectral norm at most the trace weight."""
        return R - NuclearNorm(self.trace).prox(R, 1.0) if self.trace else np.zeros_like(R)

    def project(self, Z: Floats) -> Floats:
        """Return the nearest feasible matrix."""
        return np.where(self.free, np.maximum(Z, self.Y), self.Y)

    # -- the smooth part, with the interface of proximal solvers -------------------------

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant of the gradient of the smooth part."""
        return 2 / self.kernel.n_rows

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the quadratic and linear part at Z, never negative on the feasible set, and its gradient."""
        applied = self.kernel.inverse(Z)
        value = float(np.vdot(Z, applied)) + self.slope * float((Z - self.Y).sum())
        return value, np.add(2 * applied, self.slope, out=out)

    def split(self, size: int) -> Sequence[tuple[slice, RecoveryProblem]]:
        """Return the whole problem: the quadratic couples the rows."""
        return [(slice(0, len(self.Y)), self)]


@dataclass(frozen=True, eq=False)
class Recovery:
    r"""A recovered label matrix and its certificate."""

    #: ``x`` is Z, which is exactly feasible. ``residual`` is its relative duality gap.
    solution: Solution
    #: R, the multiplier of the trace norm in the last iteration of ADMM, :math:`\|R\|_2 \le \tau`.
    dual: Floats


def recover(problem: RecoveryProblem, *, tol: float = 1e-4, max_iter: int = 400, rescue: bool = True) -> Recovery:
    r"""Solve by ADMM on copies of Z, one for each non-smooth term, until the relative duality gap is at most ``tol``.

    Parameters
    ----------
    tol : float
        Of (objective - dual bound) / objective.
    rescue : bool
        Continue an unfinished problem with a trace norm by :func:`recover_by_davis_yin`.

    Notes
    -----
    The quadratic step is spectral in K and costs 4 n_rows p operations per label, the trace norm costs a small
    eigenproblem and the constraint nothing. The iteration is over-relaxed. Relative residuals are balanced every 20
    iterations.

    References
    ----------
    .. [1] S. Boyd, N. Parikh, E. Chu, B. Peleato, J. Eckstein, "Distributed optimization and statistical learning via
       the alternating direction method of multipliers", Foundations and Trends in Machine Learning 3 (2011) 1-122.
    """
    state = _Copies(problem)
    objective, gap, n_iter = [problem.value(problem.Y)], np.inf, 0
    while gap > tol and n_iter < max_iter:
        state.advance()
        n_iter += 1
        if n_iter % BALANCE_EVERY == 0:
            state.balance()
        if n_iter % CHECK_EVERY == 0 or n_iter == max_iter:
            value = problem.value(state.boxed)
            gap = (value - problem.bound(state.Z, state.dual)) / (abs(value) or 1.0)
            objective.append(value)
    status = Status.CONVERGED if gap <= tol else Status.MAX_ITER
    solution = Solution(state.boxed, tuple(objective), gap, n_iter, status)
    if rescue and status is Status.MAX_ITER and problem.trace:
        further = recover_by_davis_yin(problem, start=state.boxed, tol=tol, max_iter=10 * max_iter)
        solution = min(solution, further, key=lambda one: one.residual)
    return Recovery(solution, problem.clip(state.dual))


class _Copies:
    """Z of the quadratic, its copies under the constraint and under the trace norm, and their scaled duals."""

    def __init__(self, problem: RecoveryProblem) -> None:
        self.problem = problem
        self.step = FIRST_STEP / problem.kernel.n_rows
        count = 2 if problem.trace else 1
        self.copies = [problem.Y.copy() for _ in range(count)]
        self.duals = [np.zeros_like(problem.Y) for _ in range(count)]
        self.before = self.copies
        self.Z = problem.Y

    @property
    def boxed(self) -> Floats:
        """The feasible copy."""
        return self.copies[0]

    @property
    def dual(self) -> Floats:
        """The multiplier of the trace norm."""
        return self.step * self.duals[1] if self.problem.trace else np.zeros_like(self.Z)

    def advance(self) -> None:
        """Take one step."""
        n, step, count = self.problem.kernel.n_rows, self.step, len(self.copies)
        pulls = sum(copy - dual for copy, dual in zip(self.copies, self.duals, strict=True))
        self.Z = self.problem.kernel.spectral(lambda k: step / (2 / (k + n) + count * step), np.asarray(pulls))
        relaxed = [
            RELAXATION * self.Z + (1 - RELAXATION) * copy + dual
            for copy, dual in zip(self.copies, self.duals, strict=True)
        ]
        self.before = self.copies
        self.copies = [self.problem.project(relaxed[0] - self.problem.slope / step)]
        if self.problem.trace:
            self.copies.append(NuclearNorm(self.problem.trace).prox(relaxed[1], 1 / step))
        self.duals = [point - copy for point, copy in zip(relaxed, self.copies, strict=True)]

    def balance(self) -> None:
        """Change the step to bring the relative primal and dual residuals closer, and rescale the duals with it."""
        primal = _norm([self.Z - copy for copy in self.copies]) / _norm(self.copies)
        dual = _norm([new - old for new, old in zip(self.copies, self.before, strict=True)]) / _norm(self.duals)
        if not 1 / MAX_RATIO < primal / dual < MAX_RATIO:
            factor = float(np.clip(np.sqrt(primal / dual), 0.1, 10))
            self.step *= factor
            self.duals = [one / factor for one in self.duals]


def _norm(parts: Sequence[Floats]) -> float:
    """Return the norm of several matrices as one vector, and never exactly 0."""
    return float(np.sqrt(sum(np.vdot(part, part) for part in parts))) + np.finfo(float).tiny


def recover_by_davis_yin(
    problem: RecoveryProblem, *, start: Floats | None = None, tol: float = 1e-4, max_iter: int = 10000
) -> Solution:
    """Solve by three-operator splitting, which only multiplies by the inverse: for kernels without an eigenbasis.

    It needs a positive trace weight, and takes the parameters of :func:`recover`. It shares only the terms with the
    other solver, so that it can check the other solver. ``residual`` is the bound of the relative gap of
    :func:`davis_yin`.
    """
    if not problem.trace > 0:
        raise ValueError("three-operator splitting needs a positive trace weight: use recover.")
    first = problem.Y if start is None else start
    return davis_yin(problem, NuclearNorm(problem.trace), problem.project, first, tol=tol, max_iter=max_iter)
