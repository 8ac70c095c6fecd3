"""Algorithm 1 of Zhao & Guo (2015) as published: a yardstick, not a solver to use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import linalg

from halflabel.arrays import Floats, Ints, Mask
from halflabel.penalties import NuclearNorm, nuclear_norm
from halflabel.progress import step

__all__ = ["Continuation", "PublishedTerms"]

Theta = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class PublishedTerms:
    r"""The terms of eq. (12) with :math:`G = WW^T` and :math:`W^T L W = \mathrm{diag}(d)`.

    Parameters
    ----------
    W : ndarray of shape (n_items, r)
    roughness : ndarray of shape (r,)
        d.
    annotated : ndarray of int, shape (l,)
        Rows of W that S selects.
    Q : ndarray of shape (n, n)
        Output kernel.
    Y : ndarray of shape (l, n)
        +1 and -1.
    free : ndarray of bool, shape (l, n)
        Where E may be positive.
    alpha, alpha_manifold, trace, slope : float
        :math:`\gamma_A, \gamma_I, \mu, \mu\lambda`.
    """

    W: Floats
    roughness: Floats
    annotated: Ints
    Q: Floats
    Y: Floats
    free: Mask
    alpha: float
    alpha_manifold: float
    trace: float
    slope: float

    def smooth(self, A: Floats, Z: Floats) -> tuple[float, Floats, Floats]:
        """Return h without its penalty term, and its gradients by A and Z (eq. 14)."""
        W_l, n_rows = self.W[self.annotated], len(self.Y)
        H = self.W.T @ A
        error = W_l @ (H @ self.Q) - Z
        rough = self.alpha_manifold * self.roughness[:, None] * (H @ self.Q)
        value = (error**2).sum() / n_rows + self.alpha * np.vdot(H @ self.Q, H) + np.vdot(rough, H @ self.Q)
        inner = W_l.T @ error / n_rows + self.alpha * H + rough
        return float(value), 2 * self.W @ (inner @ self.Q), -2 / n_rows * error

    def rest(self, Z: Floats, E: Floats) -> float:
        """Return g (eq. 15)."""
        return (self.trace * nuclear_norm(Z) if self.trace else 0.0) + self.slope * float(E.sum())

    def objective(self, A: Floats, E: Floats) -> float:
        """Return eq. (11) at A and the feasible Z = Y + E."""
        Z = self.Y + E
        return self.smooth(A, Z)[0] + self.rest(Z, E)


@dataclass
class Continuation:
    r"""Accelerated proximal gradient on A, Z and E together, the constraint as a penalty that grows.

    Departs from the page in one line: eq. (22) takes ``abs`` of the argument, which is no proximal step and does not
    lead to the minimum; here it is :math:`\max(\hat E - \mu\lambda/\nu, 0)`.

    Parameters
    ----------
    terms : PublishedTerms
    rhos : sequence of float
        :math:`\rho_1 < \dots < \rho_k`; the paper names none.
    growth : float
        :math:`\eta`.

    Notes
    -----
    One step length is shared by A, Z and E, and the curvature in A is that of G squared, about the square of the number
    of items: backtracking sets a step with which A hardly moves. That is why the objective stays far above the minimum.
    """

    terms: PublishedTerms
    rhos: Sequence[float] = (1e-3, 1e-2, 1e-1, 1.0)
    growth: float = 2.0
    nu: float = field(default=1.0, init=False)
    theta: Theta = field(init=False)

    def __post_init__(self) -> None:
        Y = self.terms.Y
        self.theta = (np.zeros((len(self.terms.W), Y.shape[1])), Y.copy(), np.zeros_like(Y))

    def run(self, iterations: int) -> None:
        """Run every stage for so many iterations."""
        for k, rho in enumerate(self.rhos):
            step("Algorithm 1", k, len(self.rhos))
            self.stage(rho, iterations)

    def stage(self, rho: float, iterations: int) -> None:
        """Run one stage from where the last one ended, with fresh momentum."""
        omega, q = self.theta, 1.0
        for _ in range(iterations):
            theta = self._backtrack(omega, rho)
            following = (1 + np.sqrt(1 + 4 * q**2)) / 2
            momentum = (q - 1) / following
            before, self.theta, q = self.theta, theta, following
            A, Z, E = (new + momentum * (new - old) for new, old in zip(theta, before, strict=True))
            omega = (A, Z, E)

    def _backtrack(self, omega: Theta, rho: float) -> Theta:
        """Return the proximal step, its length cut until the model of eq. (16) is above the objective."""
        value, gradients = self._penalised(omega, rho)
        while True:
            theta = self._proximal(omega, gradients)
            moves = [new - old for new, old in zip(theta, omega, strict=True)]
            model = value + sum(float(np.vdot(m, g)) for m, g in zip(moves, gradients, strict=True))
            model += self.nu / 2 * sum(linalg.norm(m) ** 2 for m in moves)
            if self._penalised(theta, rho)[0] <= model * (1 + 1e-12):
                return theta
            self.nu *= self.growth

    def _penalised(self, theta: Theta, rho: float) -> tuple[float, Theta]:
        """Return h of eq. (14) and its gradients."""
        A, Z, E = theta
        value, by_A, by_Z = self.terms.smooth(A, Z)
        gap = E + self.terms.Y - Z
        return value + rho * float((gap**2).sum()), (by_A, by_Z - 2 * rho * gap, 2 * rho * gap)

    def _proximal(self, omega: Theta, gradients: Theta) -> Theta:
        """Return eq. (18) to (20)."""
        A, Z, E = (point - g / self.nu for point, g in zip(omega, gradients, strict=True))
        terms = self.terms
        if terms.trace:
            Z = NuclearNorm(terms.trace).prox(Z, 1 / self.nu)
        return A, Z, np.where(terms.free, np.maximum(E - terms.slope / self.nu, 0), 0.0)
