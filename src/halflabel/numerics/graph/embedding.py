"""Spectral embedding: coordinates of the items in few dimensions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints
from halflabel.numerics.graph.weights import components
from halflabel.numerics.solvers import Status
from halflabel.numerics.solvers.eigen import EigenSolution, bottom_eigenvectors

#: Space between two components on the map, in standard deviations of a coordinate.
GAP = 1.0


@dataclass(frozen=True, eq=False)
class Embedding:
    """Coordinates of the items in few dimensions, with the quality of each dimension."""

    #: Shape (n_items, n_components). Within each component of the graph the coordinates have mean 0 and variance 1 and
    #: are uncorrelated, but the first one is shifted so that components lie side by side. A component with fewer items
    #: than coordinates has 0 in the coordinates that it cannot fill.
    coordinates: Floats
    #: Shape (n_components,). Eigenvalue of each coordinate, which is its reconstruction error per item, as a mean over
    #: all items.
    eigenvalues: Floats
    #: Shape (n_components,). Largest residual of a component, recomputed from the definition for vectors of length 1.
    residuals: Floats
    #: Shape (n_components,). n * sum(v^4) of each coordinate v at length 1, before the shift: 1 if all items have the
    #: same absolute value, n if only one item is not 0.
    localisation: Floats
    #: Shape (n_items,). Component of the graph that holds each item, numbered from 0. The distance between items of two
    #: components has no meaning.
    component: Ints
    #: Number of groups of items that have neighbours only among themselves, at least one per component.
    n_closed_groups: int
    status: Status


def spectral_embedding(
    W: sparse.csr_array,
    n_components: int = 2,
    *,
    tol: float = 1e-5,
    max_iter: int = 5000,
    rng: np.random.Generator,
) -> Embedding:
    r"""Return the coordinates that the weights rebuild with the smallest error (Qian & Davidson 2010, eq. 8 and 9).

    They minimise :math:`\sum_i \|x'_i - \sum_j w_{ij} x'_j\|^2` and have mean 0 and variance 1 and are uncorrelated:
    the eigenvectors of :math:`M = (I - W)^T(I - W)` with the smallest eigenvalues, without its null space. The paper
    discards the constant vector. There is one more null vector for every further *closed group*, a set of items with
    neighbours only among themselves: a component of the graph, or a set of near duplicates inside one. Such a vector
    separates groups and contains no other information. All such vectors are therefore discarded, each component is
    embedded separately, and the components are placed side by side. Two closed groups of one component may overlap on
    the map. ``n_closed_groups`` counts the closed groups.

    Parameters
    ----------
    W : csr_array of shape (n_items, n_items)
        Rows sum to 1, from :func:`halflabel.numerics.graph.weights.reconstruction_weights`. Use a ridge of at least
        0.1: near 0 each vector is concentrated on a few items, see ``localisation``.
    n_components : int
        d.
    tol, max_iter, rng
        See :func:`halflabel.numerics.solvers.eigen.bottom_eigenvectors`.

    Raises
    ------
    ValueError
        If rows do not sum to 1, or no component has ``n_components`` coordinates.

    References
    ----------
    .. [1] B. Qian and I. Davidson, "Semi-Supervised Dimension Reduction for Multi-Label Classification", AAAI 2010.

    Examples
    --------
    Items on a path, each the mean of its neighbours:

    >>> W = sparse.csr_array([[0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 1, 0]])
    >>> embedding = spectral_embedding(W, 1, rng=np.random.default_rng(0))
    >>> embedding.coordinates.ravel().round(1), embedding.component.tolist()
    (array([ 1.2,  0.7, -0.7, -1.2]), [0, 0, 0, 0])
    """
    if not np.allclose(W.sum(axis=1), 1):
        raise ValueError("the rows of W must sum to 1, like the rows of reconstruction_weights.")
    W = W.copy()
    W.eliminate_zeros()  # a weight of 0 does not make an edge
    component = components(W)
    parts = [np.flatnonzero(component == c) for c in range(component.max() + 1)]
    graphs = [sparse.csr_array(W[rows][:, rows]) for rows in parts]
    nulls = [_count_closed_groups(graph) for graph in graphs]
    largest = max(len(rows) - null for rows, null in zip(parts, nulls, strict=True))
    if not 1 <= n_components <= largest:
        raise ValueError(f"an embedding of this graph has between 1 and {largest} dimensions, not {n_components}.")
    embedded = [
        _embed_component(graph, null, n_components, tol, max_iter, rng)
        for graph, null in zip(graphs, nulls, strict=True)
    ]
    coordinates = np.empty((len(component), n_components))
    for rows, part in zip(parts, embedded, strict=True):
        coordinates[rows] = np.sqrt(len(rows)) * part.vectors
    return Embedding(
        coordinates=_place_side_by_side(coordinates, parts),
        eigenvalues=np.average([part.values for part in embedded], axis=0, weights=np.bincount(component)),
        residuals=np.max([part.residuals for part in embedded], axis=0),
        localisation=len(component) * (coordinates**4).sum(axis=0) / (coordinates**2).sum(axis=0) ** 2,
        component=component,
        n_closed_groups=sum(nulls),
        status=next((part.status for part in embedded if part.status is not Status.CONVERGED), Status.CONVERGED),
    )


def _embed_component(
    W: sparse.csr_array, null: int, d: int, tol: float, max_iter: int, rng: np.random.Generator
) -> EigenSolution:
    """Return d eigenpairs of one component above its null space, with zeros if it has fewer."""
    n = W.shape[0]
    A = sparse.csr_array(sparse.eye_array(n, format="csr") - W)
    solution = bottom_eigenvectors(A, min(n, null + d), tol=tol, max_iter=max_iter, rng=rng)
    n_missing = max(null + d - n, 0)
    vectors, values, residuals = (
        np.pad(part[..., null:], [(0, 0)] * (part.ndim - 1) + [(0, n_missing)])
        for part in (solution.vectors, solution.values, solution.residuals)
    )
    return replace(solution, vectors=vectors, values=values, residuals=residuals)


def _count_closed_groups(W: sparse.csr_array) -> int:
    """Count the strongly connected sets of items that no edge leaves: the dimension of the null space of I - W."""
    count, group = sparse.csgraph.connected_components(W, connection="strong")
    start, end = group[sparse.coo_array(W).row], group[sparse.coo_array(W).col]
    return int(count - len(np.unique(start[start != end])))


def _place_side_by_side(coordinates: Floats, parts: list[Ints]) -> Floats:
    """Shift components along the first coordinate so that none overlap, and centre the whole."""
    shifted, edge = coordinates.copy(), 0.0
    if len(parts) == 1:
        return shifted
    for rows in parts:
        shifted[rows, 0] += edge - coordinates[rows, 0].min()
        edge = shifted[rows, 0].max() + GAP
    shifted[:, 0] -= shifted[:, 0].mean()
    return shifted
