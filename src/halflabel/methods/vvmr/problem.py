"""Input kernel, output kernel and graph of eq. (2) to (5), factorised once per kernel width."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import linalg, sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.methods.canonical_order import order_columns
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import affinity, laplacian, reconstruction_weights
from halflabel.numerics.kernels import KernelRidge, NystroemMap, nystroem
from halflabel.numerics.solvers.row_kernel import Group, RowBasis, RowKernel, deform, row_basis

MANIFOLDS = ("normalized", "laplacian", "reconstruction")

#: Share of all labels that are neighbours of a label, about as in the paper.
LABEL_NEIGHBORS = 0.3


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
    r"""A kernel as features in which the graph operator is diagonal.

    Attributes
    ----------
    features : NystroemMap
    rows : ndarray of shape (n_used, r)
        W = C V of the items that the fit uses, :math:`G = WW^T`.
    roughness : ndarray of shape (r,)
        d of :math:`W^T L W = \mathrm{diag}(d)`. 0 without a graph.
    rotation : ndarray of shape (r, r) or None
        V. None is the identity.
    annotated : ndarray of int
        Positions of the annotated items in ``rows``.
    operator : csr_array of shape (n_used, n_used), or None
        L.
    """

    features: NystroemMap
    rows: Floats
    roughness: Floats
    rotation: Floats | None
    annotated: Ints
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
        *,
        kind: str = "rbf",
        columns: Ints | None = None,
    ) -> InputKernel:
        """Factorise the kernel on all items. Without a graph, only annotated items have an effect, and are enough.

        ``columns`` are the columns of a precomputed kernel that belong to ``items``.
        """
        used = items[annotated] if L is None else items
        own = columns[annotated] if columns is not None and L is None else columns
        features = nystroem(used, bandwidth, max_landmarks, rng, kind=kind, columns=own)
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


@dataclass(frozen=True, eq=False)
class OutputKernel:
    """Eigenvalues and eigenvectors of Q.

    Attributes
    ----------
    values : ndarray of shape (n_labels,)
    vectors : ndarray of shape (n_labels, n_labels) or None
        None is the identity.
    """

    values: Floats
    vectors: Floats | None

    def matrix(self) -> Floats:
        """Return Q."""
        return np.diag(self.values) if self.vectors is None else (self.vectors * self.values) @ self.vectors.T


def given_graph(name: str, given: Any, n: int) -> sparse.csr_array:
    """Return the Laplacian of a user's graph. Raise unless it is symmetric and its weights are not negative."""
    whole: Any = given if sparse.issparse(given) else np.asarray(given, dtype=np.float64)
    W = sparse.csr_array(whole)
    if W.shape != (n, n):
        raise ValueError(f"{name} must be a graph of shape ({n}, {n}), not of shape {W.shape}.")
    if not np.isfinite(W.data).all() or (W.data < 0).any() or abs(W - W.T).max() > 0:
        raise ValueError(f"{name} must hold weights of edges, symmetric and not negative: give (W + W.T) / 2.")
    return laplacian(sparse.csr_array(W - sparse.diags_array(W.diagonal())), normalized=True)


def output_kernel(Y: Floats, weight: float, *, normalize: bool, graph: object = None) -> OutputKernel:
    r"""Return :math:`Q = \gamma_O L_{out}^\dagger + (1 - \gamma_O) I`, eq. (3).

    Parameters
    ----------
    Y : ndarray of shape (n_rows, n_labels)
        Labels in the coding of the paper. The graph connects each column with the nearest columns.
    weight : float
        :math:`\gamma_O`, at least 0 and below 1.
    normalize : bool
        Divide :math:`L_{out}^\dagger` by its mean eigenvalue. The mean eigenvalue of Q is then 1 for every weight.
    graph : matrix of shape (n_labels, n_labels), optional
        Weights between labels, in place of that graph.
    """
    n = Y.shape[1]
    if weight == 0 or n < 2:
        return OutputKernel(np.ones(n), None)
    order = order_columns(Y) if graph is None else np.arange(n)  # it decides between labels at equal distances
    if graph is None:
        indices, distances = neighbors(np.ascontiguousarray(Y.T[order]), round(LABEL_NEIGHBORS * n))
        L = laplacian(affinity(indices, distances, bandwidth=np.inf)).toarray()
    else:
        L = given_graph("label_graph", graph, n).toarray()
    values, vectors = linalg.eigh(L)
    kept = values > 1e-10 * values[-1]
    inverse = np.divide(1.0, values, out=np.zeros(n), where=kept)
    if normalize:
        inverse /= inverse.mean()
    return OutputKernel(weight * inverse + 1 - weight, vectors[np.argsort(order)])


@dataclass(eq=False)
class Problem:
    """The annotated items of one fit, and the kernel between them at any weights.

    Attributes
    ----------
    kernel : InputKernel
    output : OutputKernel
    rows : ndarray of int
        Positions of the annotated items to which the functions are fitted.
    Y : ndarray of shape (len(rows), n_labels)
        +1 relevant, -1 irrelevant or not assigned.
    observed : ndarray of bool, same shape
    free : ndarray of bool, same shape
        Entries that a recovery may raise.
    """

    kernel: InputKernel
    output: OutputKernel
    rows: Ints
    Y: Floats
    observed: Mask
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
