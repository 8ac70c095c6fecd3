"""A kernel between the annotated rows of several labels that is diagonal in one eigenbasis per graph weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from halflabel._arrays import Floats, Ints

#: Eigenvalues below this share of the largest are rounding: their eigenvectors get no weight.
MIN_EIGENVALUE = 1e-12


def deform(features: Floats, operator: Floats) -> tuple[Floats, Floats]:
    r"""Diagonalise a graph operator in feature space.

    ``features`` are C, with :math:`G = CC^T`, and ``operator`` is L C. The rotation is V with :math:`C^T L C =
    V\,\mathrm{diag}(d)\,V^T`, and the roughness is d, at least 0.
    """
    d, V = linalg.eigh(features.T @ operator, overwrite_a=True, check_finite=False)
    return V, np.maximum(d, 0)


@dataclass(frozen=True, eq=False)
class RowBasis:
    r"""Eigenbasis of :math:`\hat K = W_l D W_l^T` with :math:`D = \mathrm{diag}(1/(1 + \rho d))`."""

    #: Shape (n_rows, p). E, orthonormal up to columns of zeros.
    vectors: Floats
    #: Shape (p,). :math:`\hat\kappa \ge 0`. p is the smaller of the number of rows and of features.
    values: Floats
    #: Shape (r, p). :math:`D W_l^T E \hat\kappa^{-1/2}`: from the basis to weights of the features.
    back: Floats


def row_basis(rows: Floats, shrink: Floats) -> RowBasis:
    """Decompose the kernel between ``rows`` (n_rows, r), in which feature k has the weight ``shrink[k]``.

    The smaller side is solved: about 9 p^3 + 4 n_rows r p operations for p the smaller of n_rows and r.
    """
    n, r = rows.shape
    scaled = rows * np.sqrt(shrink)
    gram = scaled @ scaled.T if n <= r else scaled.T @ scaled
    values, vectors = linalg.eigh(gram, overwrite_a=True, check_finite=False)
    kept = values > MIN_EIGENVALUE * max(values[-1], np.finfo(float).tiny)
    values = np.where(kept, values, 0.0)
    root = np.divide(1.0, np.sqrt(values), out=np.zeros_like(values), where=kept)
    if n <= r:
        return RowBasis(vectors, values, np.sqrt(shrink)[:, None] * (scaled.T @ (vectors * root)))
    return RowBasis(scaled @ (vectors * root), values, np.sqrt(shrink)[:, None] * vectors)


@dataclass(frozen=True, eq=False)
class Group:
    """Label modes that share an eigenbasis."""

    #: Shape (g,). Columns of the label modes.
    modes: Ints
    #: Shape (g,). c: the kernel of mode j is ``c_j`` times the kernel of the basis.
    scale: Floats
    basis: RowBasis

    @property
    def values(self) -> Floats:
        """Eigenvalues of every mode's kernel, shape (p, g)."""
        return np.multiply.outer(self.basis.values, self.scale)


@dataclass(frozen=True, eq=False)
class RowKernel:
    r"""The operator :math:`K = \sum_j K_j \otimes u_j u_j^T` on matrices of annotated rows by labels.

    :math:`K_j = W_l\,\mathrm{diag}(\gamma_A/q_j + \gamma_I d)^{-1} W_l^T` belongs to label mode :math:`u_j`, an
    eigenvector of the output kernel Q with eigenvalue :math:`q_j`. Eliminating the weights from the regularised
    least squares leaves :math:`\langle Z, (K + l I)^{-1} Z\rangle`.
    """

    groups: Sequence[Group]
    #: Shape (n_labels, n_labels). The :math:`u_j` as columns. None is the identity.
    rotation: Floats | None
    #: l.
    n_rows: int

    def spectral(self, function: Callable[[Floats], Floats], Z: Floats) -> Floats:
        """Return h(K) Z for an elementwise function h of the eigenvalues, in 4 n_rows p operations per label."""
        at_zero = float(function(np.zeros(1))[0])
        modes, answer = self._to_modes(Z), np.empty_like(Z)
        for group in self.groups:
            E, part = group.basis.vectors, modes[:, group.modes]
            answer[:, group.modes] = at_zero * part + E @ ((function(group.values) - at_zero) * (E.T @ part))
        return self._from_modes(answer)

    def inverse(self, Z: Floats) -> Floats:
        """Return (K + l I)^-1 Z."""
        return self.spectral(lambda k: 1 / (k + self.n_rows), Z)

    def weights(self, Z: Floats) -> Floats:
        """Return the weights of the features, shape (r, n_labels), that minimise the objective for targets Z."""
        modes = self._to_modes(Z)
        return self.assemble(
            [
                np.sqrt(g.values) / (g.values + self.n_rows) * (g.basis.vectors.T @ modes[:, g.modes])
                for g in self.groups
            ]
        )

    def assemble(self, coordinates: Sequence[Floats]) -> Floats:
        r"""Return feature weights of penalty |xi|^2 from coordinates :math:`\xi` of shape (p, g) per group."""
        r, n = len(self.groups[0].basis.back), sum(len(group.modes) for group in self.groups)
        weights = np.empty((r, n))
        for group, xi in zip(self.groups, coordinates, strict=True):
            weights[:, group.modes] = group.basis.back @ (np.sqrt(group.scale) * xi)
        return self._from_modes(weights)

    def _to_modes(self, Z: Floats) -> Floats:
        return Z if self.rotation is None else Z @ self.rotation

    def _from_modes(self, Z: Floats) -> Floats:
        return Z if self.rotation is None else np.asarray(Z @ self.rotation.T)
