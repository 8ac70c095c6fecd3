"""Input kernel and graph of eq. (2) to (5), factorised once per kernel width."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.output_kernel import OutputKernel
from halflabel.numerics.graph.weights import affinity, laplacian, reconstruction_weights
from halflabel.numerics.kernels import KernelRidge, NystroemMap, nystroem
from halflabel.numerics.solvers.row_kernel import Group, RowBasis, RowKernel, deform, row_basis

MANIFOLDS = ("normalized", "laplacian", "reconstruction")


def graph_operator(items: Matrix, manifold: str, n_neighbors: int) -> sparse.csr_array:
    r"""Return L of :math:`\langle f, L f\rangle`, positive semidefinite, shape (n_items, n_items).

    "laplacian" is the paper's D - W with 0/1 weights between neighbours of either direction, "normalized" the same
    graph's :math:`I - D^{-1/2} W D^{-1/2}`, "reconstruction" :math:`(I - W)^T(I - W)` with weights that
    rebuild every item from its neighbours.
    """
    indices, distances = neighbors(items, n_neighbors)
    if manifold == "reconstruction":
        rest = sparse.eye_array(len(indices), format="csr") - reconstruction_weights(items, indices)
        return sparse.csr_array(rest.T @ rest)
    adjacency = affinity(indices, distances, bandwidth=np.inf)
    return laplacian(adjacency, normalized=manifold == "normalized")


@dataclass(frozen=True, eq=False)
class InputKernel:
    r"""A kernel as features in which the graph operator is diagonal."""

    features: NystroemMap
    #: Shape (n_used, r). W = C V of the items that the fit uses, :math:`G = WW^T`.
    rows: Floats
    #: Shape (r,). d of :math:`W^T L W = \mathrm{diag}(d)`. 0 without a graph.
    roughness: Floats
    #: Shape (r, r). V. None is the identity.
    rotation: Floats | None
    #: Positions of the annotated items in ``rows``.
    annotated: Ints
    #: Shape (n_used, n_used). L.
    operator: sparse.csr_array | None

    @classmethod
    def learn(
        cls,
        items: Matrix,
        annotated: Ints,
        L: sparse.csr_array | None,
        bandwidth: float,
        max_landmarks: int,
        rng: np.random.Generator,
    ) -> InputKernel:
        """Factorise the kernel on all items. Without a graph, only annotated items have an effect, and are enough."""
        used = items[annotated] if L is None else items
        features = nystroem(used, bandwidth, max_landmarks, rng, pivoted=True)
        C = features.kernel(used) @ features.projection
        if L is None:
            return cls(features, C, np.zeros(C.shape[1]), None, np.arange(len(annotated)), None)
        V, d = deform(C, L @ C)
        return cls(features, C @ V, d, V, annotated, L)

    def model(self, weights: Floats) -> KernelRidge:
        """Return the regression with these weights of the features, shape (r, n_labels), for any item."""
        plain = weights if self.rotation is None else self.rotation @ weights
        n = weights.shape[1]
        return KernelRidge(self.features, self.features.projection @ plain, np.zeros(n), np.full(n, np.nan))


@dataclass(eq=False)
class Problem:
    """The annotated items of one fit, and the kernel between them at any weights."""

    kernel: InputKernel
    output: OutputKernel
    #: Positions of the annotated items to which the functions are fitted.
    rows: Ints
    #: Shape (len(rows), n_labels). +1 relevant, -1 irrelevant or not assigned.
    Y: Floats
    #: Of the same shape.
    observed: Mask
    #: Of the same shape. Entries that a recovery may raise.
    free: Mask
    _ratio: float = field(default=np.nan, init=False)
    _bases: list[tuple[Ints, RowBasis]] = field(default_factory=list, init=False)

    def at(self, alpha: float, alpha_manifold: float) -> RowKernel:
        """Return K for these weights. A call with the ratio of the last call needs no decomposition."""
        ratio = alpha_manifold / alpha
        if ratio != self._ratio:
            self._bases, self._ratio = self._decompose(ratio), ratio
        q = self.output.values
        groups = [Group(modes, q[modes] / alpha, basis) for modes, basis in self._bases]
        return RowKernel(groups, self.output.vectors, len(self.rows))

    def _decompose(self, ratio: float) -> list[tuple[Ints, RowBasis]]:
        """Return (modes, basis), with one basis for all label modes that have the same share of the graph."""
        labelled = self.kernel.rows[self.kernel.annotated[self.rows]]
        shares, member = np.unique(ratio * self.output.values, return_inverse=True)
        shrinks = (1 / (1 + share * self.kernel.roughness) for share in shares)
        return [(np.flatnonzero(member == k), row_basis(labelled, shrink)) for k, shrink in enumerate(shrinks)]
