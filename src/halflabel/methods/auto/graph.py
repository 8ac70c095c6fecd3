"""The heat-kernel graph of the items: its nodes, their affinities, and the transition matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints, Matrix
from halflabel.methods.auto.features import Coordinates
from halflabel.numerics.graph.neighbors import neighbors


@dataclass(frozen=True, eq=False)
class Nodes:
    """The items that a graph connects: all, or a sample."""

    #: Shape (n_nodes,). Positions of the nodes among all items, in order.
    items: Ints
    #: Shape (n_items,). Place of each item among the nodes; -1 for an item outside the graph.
    place: Ints

    @classmethod
    def choose(cls, n_items: int, labelled: Ints, max_nodes: int, rng: np.random.Generator) -> Nodes:
        """Choose at most ``max_nodes`` items, half of them labelled if there are enough of both kinds."""
        items = np.arange(n_items)
        if n_items > max_nodes:
            others = np.setdiff1d(items, labelled)
            n_labelled = min(len(labelled), max(max_nodes // 2, max_nodes - len(others)))
            some = rng.choice(labelled, n_labelled, replace=False)
            items = np.sort(np.concatenate([some, rng.choice(others, max_nodes - n_labelled, replace=False)]))
        place = np.full(n_items, -1)
        place[items] = np.arange(len(items))
        return cls(items, place)

    @property
    def others(self) -> Ints:
        """Positions of the items outside the graph, in order."""
        return np.flatnonzero(self.place < 0)


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    r"""Connects any item to the nodes by affinities :math:`w_{ij} = \exp(-d_{ij}^2 / \sigma_i\sigma_j)`."""

    #: The space in which distances are measured.
    coordinates: Coordinates
    #: Shape (n_nodes, n_coordinates). Coordinates of the nodes.
    nodes: Matrix
    #: Shape (n_nodes,). :math:`\sigma`, the distance to the last of the nearest neighbours.
    widths: Floats
    n_neighbors: int

    def transition(self, X: Matrix) -> sparse.csr_array:
        """Return the weights of the nodes for new items, rows with sum 1."""
        indices, distances = neighbors(self.nodes, self.n_neighbors, query=self.coordinates(X))
        widths = _bound_widths(distances, float(self.widths.mean()))
        exponents = distances**2 / (widths[:, None] * self.widths[indices])
        # Only ratios matter; without the shift, every affinity would underflow far away from all nodes.
        values = np.exp(exponents.min(axis=1, keepdims=True) - exponents)
        shape = (len(indices), self.nodes.shape[0])
        return to_transition_matrix(_to_sparse(values, indices, shape))


@dataclass(frozen=True, eq=False)
class Graph:
    """The graph of the fitted items."""

    nodes: Nodes
    #: Connects new items to the nodes.
    neighbourhood: Neighbourhood
    #: Shape (n_nodes, n_nodes). W, symmetric.
    affinities: sparse.csr_array
    #: Shape (n_items, n_nodes). Weights of the nodes for every item, rows with sum 1: the random walk P for nodes;
    #: items outside the graph get the weights that new items get.
    transition: sparse.csr_array

    @classmethod
    def build(cls, X: Matrix, nodes: Nodes, n_neighbors: int, rng: np.random.Generator) -> Graph:
        """Connect the nodes among the rows of ``X``."""
        neighbourhood, W = connect(X[nodes.items], Coordinates.learn(X, rng), n_neighbors)
        transition = to_transition_matrix(W)
        if len(nodes.others):
            outside = neighbourhood.transition(X[nodes.others])
            place = np.empty(len(nodes.place), dtype=np.intp)
            place[np.concatenate([nodes.items, nodes.others])] = np.arange(len(place))
            transition = sparse.csr_array(sparse.vstack([transition, outside], format="csr")[place])
        return cls(nodes, neighbourhood, W, transition)

    def between_items(self) -> sparse.csr_array:
        """Return the transition matrix with the columns of the nodes at their positions among all items."""
        P, n = self.transition, len(self.nodes.place)
        return sparse.csr_array((P.data, self.nodes.items[P.indices], P.indptr), shape=(n, n))


def connect(X: Matrix, coordinates: Coordinates, n_neighbors: int) -> tuple[Neighbourhood, sparse.csr_array]:
    """Connect the rows of ``X``. W is symmetric: an edge exists if one end is a neighbour of the other end."""
    nodes = coordinates(X)
    indices, distances = neighbors(nodes, n_neighbors)
    widths = _bound_widths(distances, float(distances.mean()))
    values = np.exp(-(distances**2) / (widths[:, None] * widths[indices]))
    W = _to_sparse(values, indices, (len(indices), len(indices)))
    return Neighbourhood(coordinates, nodes, widths, n_neighbors), sparse.csr_array(W.maximum(W.T))


def to_transition_matrix(W: sparse.csr_array) -> sparse.csr_array:
    """Return affinities divided by their sum in each row: the random walk P."""
    total = np.asarray(W.sum(axis=1)).ravel()
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ W)


def _to_sparse(values: Floats, indices: Ints, shape: tuple[int, int]) -> sparse.csr_array:
    """Return the values of each row's neighbours as a sparse matrix."""
    k = indices.shape[1]
    return sparse.csr_array((values.ravel(), indices.ravel(), np.arange(0, values.size + 1, k)), shape=shape)


def _bound_widths(distances: Floats, unit: float) -> Floats:
    """Return the distances to the last neighbour, bounded below because duplicates have distance 0."""
    return np.asarray(np.maximum(distances[:, -1], 1e-3 * unit or 1.0))
