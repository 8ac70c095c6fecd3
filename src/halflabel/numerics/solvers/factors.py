"""A matrix as the product of two factors of the same length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from halflabel._arrays import Floats
from halflabel.numerics.losses import SideBySide
from halflabel.numerics.penalties import spectral_norm


@dataclass(frozen=True, eq=False)
class Factors:
    """A matrix as left @ right.T, with left.T @ left = right.T @ right diagonal."""

    #: Shape (n, rank).
    left: Floats
    #: Shape (m, rank).
    right: Floats


def factorize(Z: Floats) -> Factors:
    """Return the factors of a matrix, without the singular values below 1e-12 times the largest."""
    U, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False)
    kept = s > 1e-12 * s.max(initial=0.0)
    root = np.sqrt(s[kept])
    return Factors(U[:, kept] * root, Vt[kept].T * root)


def gradient_norm(smooth: SideBySide, n: int) -> float:
    """Return the spectral norm of the gradient at 0: from this weight of the nuclear norm on, the minimum is 0."""
    gradient = smooth.value_and_grad(np.zeros((n, sum(smooth.widths))))[1]
    return float(np.sqrt(spectral_norm(gradient.T @ gradient if n >= gradient.shape[1] else gradient @ gradient.T)))
