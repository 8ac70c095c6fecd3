"""Algorithm 1 of Zhao & Guo (2015) as published, for comparison. It stays far from the minimum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from halflabel.numerics.penalties import NuclearNorm, nuclear_norm
from halflabel.plugins import Floats, Ints, Mask, step

#: Largest inverse step of the backtracking.
MAX_CURVATURE = 1e12


@dataclass(frozen=True, eq=False)
class PublishedTerms:
    r"""The terms of eq. (12)."""

    #: Shape (N, N).
    G: Floats
    #: Shape (N, N). None if :math:`\gamma_I` is 0.
    L: sparse.csr_array | None
    #: Shape (l,). Items that S selects.
    annotated: Ints
    #: Shape (n, n). Output kernel.
    Q: Floats
    #: Shape (l, n). +1 and -1.
    Y: Floats
    #: Shape (l, n). Where E may be positive.
    free: Mask
    #: ``alpha``, ``alpha_manifold``, ``trace``, ``slope``: :math:`\gamma_A, \gamma_I, \mu, \mu\lambda`.
    alpha: float
    alpha_manifold: float
    trace: float
    slope: float

    def smooth(self, A: Floats, Z: Floats, GA: Floats) -> tuple[float, Floats, Floats]:
        """Return h without its penalty term (eq. 14), and its gradients by A (before the product with G) and by Z."""
        F = GA @ self.Q
        error = F[self.annotated] - Z
        inner = self.alpha * A
        if self.L is not None:
            inner += self.alpha_manifold * (self.L @ F)
        value = float((error**2).sum()) / len(Z) + float(np.vdot(F, inner))
        inner[self.annotated] += error / len(Z)
        return value, 2 * inner @ self.Q, -2 / len(Z) * error

    def objective(self, A: Floats, E: Floats) -> float:
        """Return eq. (11) at A and the feasible Z = Y + E."""
        Z = self.Y + E
        nonsmooth = self.trace * nuclear_norm(Z) if self.trace else 0.0
        return self.smooth(A, Z, self.G @ A)[0] + nonsmooth + self.slope * float(E.sum())


@dataclass(frozen=True, eq=False)
class Theta:
    """A, Z and E, and GA, which follows A linearly."""

    A: Floats
    Z: Floats
    E: Floats
    GA: Floats

    def parts(self) -> tuple[Floats, Floats, Floats]:
        """Return the three variables of the iteration."""
        return self.A, self.Z, self.E

    def beyond(self, old: Theta, momentum: float) -> Theta:
        """Return the extrapolation from ``old`` through this point."""
        pairs = zip((*self.parts(), self.GA), (*old.parts(), old.GA), strict=True)
        return Theta(*(new + momentum * (new - before) for new, before in pairs))


@dataclass
class Continuation:
    r"""Accelerated proximal gradient on A, Z and E together. The constraint is a penalty that grows.

    It departs from the paper in one line: eq. (22) takes ``abs`` of its argument, which is not a proximal
    step and does not lead to the minimum; here it is :math:`\max(\hat E - \mu\lambda/\nu, 0)`.

    Notes
    -----
    A, Z and E share one step length, and the curvature in A is that of G squared, about the square of the number of
    items: backtracking chooses a step with which A hardly moves. The objective therefore stays far above the minimum.
    """

    terms: PublishedTerms
    #: :math:`\rho_1 < \dots < \rho_k`; the paper names none.
    rhos: Sequence[float] = (1e-3, 1e-2, 1e-1, 1.0)
    #: :math:`\eta`.
    growth: float = 2.0
    #: Extrapolate with the momentum of Beck & Teboulle, as published.
    accelerated: bool = True
    nu: float = field(default=1.0, init=False)
    theta: Theta = field(init=False)

    def __post_init__(self) -> None:
        Y, zeros = self.terms.Y, np.zeros((len(self.terms.G), self.terms.Y.shape[1]))
        self.theta = Theta(zeros, Y, np.zeros_like(Y), zeros)

    def run(self, iterations: int) -> None:
        """Run every stage for a number of iterations."""
        for k, rho in enumerate(self.rhos):
            step("Algorithm 1", k, len(self.rhos))
            for _ in self.iterate(rho, iterations):
                pass

    def iterate(self, rho: float, iterations: int) -> Iterator[Theta]:
        """Run one stage from the end of the last one, with momentum 0 at its start. Yield every point."""
        omega, q = self.theta, 1.0
        for _ in range(iterations):
            before, self.theta = self.theta, self._backtrack(omega, rho)
            following = (1 + np.sqrt(1 + 4 * q**2)) / 2
            omega, q = self.theta.beyond(before, (q - 1) / following if self.accelerated else 0.0), following
            yield self.theta

    def _backtrack(self, omega: Theta, rho: float) -> Theta:
        """Return the proximal step, shortened until the model of eq. (16) is above the objective."""
        value, by_A, *others = self._penalised(omega, rho)
        gradients = (self.terms.G @ by_A, *others)
        while True:
            theta = self.proximal(omega, gradients)
            moves = [new - old for new, old in zip(theta.parts(), omega.parts(), strict=True)]
            model = value + sum(float(np.vdot(m, g)) for m, g in zip(moves, gradients, strict=True))
            model += self.nu / 2 * sum(float(np.vdot(m, m)) for m in moves)
            if self._penalised(theta, rho)[0] <= model * (1 + 1e-12) or self.nu > MAX_CURVATURE:
                return theta
            self.nu *= self.growth

    def _penalised(self, theta: Theta, rho: float) -> tuple[float, Floats, Floats, Floats]:
        """Return h of eq. (14) and its gradients. The gradient by A is taken before the product with G."""
        value, by_A, by_Z = self.terms.smooth(theta.A, theta.Z, theta.GA)
        gap = theta.E + self.terms.Y - theta.Z
        return value + rho * float((gap**2).sum()), by_A, by_Z - 2 * rho * gap, 2 * rho * gap

    def proximal(self, omega: Theta, gradients: Sequence[Floats]) -> Theta:
        """Return the minimiser of eq. (17): eq. (18) to (20)."""
        A, Z, E = (point - g / self.nu for point, g in zip(omega.parts(), gradients, strict=True))
        terms = self.terms
        if terms.trace:
            Z = NuclearNorm(terms.trace).prox(Z, 1 / self.nu)
        return Theta(A, Z, np.where(terms.free, np.maximum(E - terms.slope / self.nu, 0), 0.0), terms.G @ A)
