"""Non-smooth terms: a value and a proximal step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from halflabel._arrays import Floats

#: A threshold below this share of the largest singular value is too small for the Gram matrix: rounding would change
#: more than 1e-12 of the result.
MIN_THRESHOLD = 1e-3


@dataclass(frozen=True, eq=False)
class Shrinkage:
    r"""The map that shrinks the singular values of a matrix, :math:`A \mapsto A\,V\,\mathrm{diag}(f)\,V^T`."""

    #: Shape (m, rank). V: the right singular vectors that remain.
    vectors: Floats
    #: Shape (rank,). f: the factor of each, above 0 and at most 1.
    factors: Floats
    #: Shape (rank,). The singular values of the result, ascending.
    values: Floats

    def __call__(self, A: Floats) -> Floats:
        """Return the shrunk matrix, computed through the low rank where that is cheaper."""
        V = self.vectors
        if 2 * V.shape[1] < V.shape[0]:
            return np.asarray((A @ (V * self.factors)) @ V.T)
        return np.asarray(A @ ((V * self.factors) @ V.T))


@dataclass(frozen=True)
class NuclearNorm:
    r""":math:`\alpha\|Z\|_*`, the sum of the singular values.

    Notes
    -----
    The proximal step (singular value thresholding) needs the singular vectors on one side only. These are the
    eigenvectors of the small Gram matrix: for m columns :math:`3 m^2 n + 10 m^3` operations instead of a full SVD.
    Squaring loses digits: the relative error is about machine precision over (threshold / largest singular value).
    Where the error is more than 1e-12, :meth:`prox` uses the SVD. :meth:`shrink`, which solvers call, does not.

    Examples
    --------
    >>> NuclearNorm(2.0).prox(np.diag([5.0, 1.0, 0.0]), step=1.0)
    array([[3., 0., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """

    #: :math:`\alpha`, positive.
    weight: float

    def value(self, Z: Floats) -> float:
        """Return the weighted nuclear norm."""
        return self.weight * nuclear_norm(Z)

    def prox(self, Z: Floats, step: float) -> Floats:
        r"""Return the minimiser over W of :math:`\tfrac12\|W - Z\|_F^2 + \mathrm{step}\cdot\alpha\|W\|_*`."""
        if Z.shape[0] < Z.shape[1]:
            return np.ascontiguousarray(self.prox(Z.T, step).T)
        shrinkage = self.shrink(Z.T @ Z, step)
        threshold = self.weight * step
        if threshold < MIN_THRESHOLD * (shrinkage.values.max(initial=0.0) + threshold):
            U, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False)
            return np.asarray((U * np.maximum(s - threshold, 0)) @ Vt)
        return shrinkage(Z)

    def shrink(self, gram: Floats, step: float) -> Shrinkage:
        """Return the proximal step of every matrix A with :math:`A^T A` = ``gram``, shape (m, m)."""
        threshold = self.weight * step
        values, V = linalg.eigh(gram, check_finite=False, driver="evd")
        kept = values > threshold**2
        s = np.sqrt(values[kept])
        return Shrinkage(V[:, kept], 1 - threshold / s, s - threshold)


def nuclear_norm(Z: Floats) -> float:
    """Return the sum of the singular values."""
    return float(linalg.svdvals(Z, check_finite=False).sum())


def spectral_norm(gram: Floats) -> float:
    """Return the largest eigenvalue of a Gram matrix: the squared spectral norm of its root."""
    m = len(gram)
    top = linalg.eigvalsh(gram, subset_by_index=[m - 1, m - 1], check_finite=False)[0]
    return max(float(top), 0.0)
