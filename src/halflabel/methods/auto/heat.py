"""The heat-kernel graph of the items, and what flows along it: labels, or the errors of another model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Matrix
from halflabel.methods.auto.features import Coordinates
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.solvers import pcg


@dataclass(frozen=True, eq=False)
class Surroundings:
    r"""What ties any item to those of the graph: affinities :math:`w_{ij} = \exp(-d_{ij}^2 / \sigma_i\sigma_j)`.

    Attributes
    ----------
    coordinates : Coordinates
        The space of the distances.
    nodes : matrix of shape (n_nodes, n_coordinates)
        Items of the graph.
    widths : ndarray of shape (n_nodes,)
        :math:`\sigma`, the distance to the farthest neighbour kept.
    n_neighbors : int
    """

    coordinates: Coordinates
    nodes: Matrix
    widths: Floats
    n_neighbors: int

    def walk(self, X: Matrix) -> sparse.csr_array:
        """Return the weights of the nodes for new items, rows with sum 1."""
        k = min(self.n_neighbors, self.nodes.shape[0])
        indices, distances = neighbors(self.nodes, k, query=self.coordinates(X))
        widths = _widths(distances, float(self.widths.mean()))
        exponents = distances**2 / (widths[:, None] * self.widths[indices])
        # Only ratios matter, and far away from all nodes every affinity would vanish.
        values = np.exp(exponents.min(axis=1, keepdims=True) - exponents)
        shape = (len(indices), self.nodes.shape[0])
        return walk(sparse.csr_array((values.ravel(), indices.ravel(), np.arange(0, values.size + 1, k)), shape))


def heat_graph(X: Matrix, coordinates: Coordinates, n_neighbors: int) -> tuple[Surroundings, sparse.csr_array]:
    """Connect the rows of ``X``; an edge of the symmetric graph W exists if either end names the other."""
    nodes = coordinates(X)
    indices, distances = neighbors(nodes, n_neighbors)
    widths = _widths(distances, float(distances.mean()))
    values = np.exp(-(distances**2) / (widths[:, None] * widths[indices]))
    n, k = indices.shape
    W = sparse.csr_array((values.ravel(), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    return Surroundings(coordinates, nodes, widths, n_neighbors), sparse.csr_array(W.maximum(W.T))


def _widths(distances: Floats, unit: float) -> Floats:
    """Distances to the farthest neighbour kept; among duplicates they would be 0."""
    return np.asarray(np.maximum(distances[:, -1], 1e-3 * unit or 1.0))


def walk(W: sparse.csr_array) -> sparse.csr_array:
    """Return affinities divided by their sum in each row: the random walk P."""
    total = np.asarray(W.sum(axis=1)).ravel()
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ W)


def propagate(
    W: sparse.csr_array, target: Floats, weight: Floats, pull: float, rest: Floats | float, tol: float = 1e-4
) -> Floats:
    r"""Let known values flow along a graph.

    Minimises, for each label on its own and with the degrees :math:`d_i = \sum_j w_{ij}`,

    .. math::
        \tfrac12 \sum_{ij} w_{ij} (f_i - f_j)^2 + \sum_i d_i m_i (f_i - t_i)^2 + \epsilon \sum_i d_i (f_i - r)^2

    Parameters
    ----------
    W : csr_array of shape (n_nodes, n_nodes)
        Symmetric affinities.
    target : ndarray of shape (n_nodes, n_labels)
        t, read where the weight is positive.
    weight : ndarray of the same shape
        m, 0 where nothing is known.
    pull : float
        :math:`\epsilon`, positive: a component without evidence rests at r.
    rest : ndarray of shape (n_labels,) or float
        r.
    tol : float
        Relative residual at which conjugate gradients stop.
    """
    degree = np.asarray(W.sum(axis=1))[:, None]
    degree = np.where(degree > 0, degree, 1.0)
    diagonal = degree * (1 + weight + pull)
    known, rest = np.where(weight > 0, target, 0.0), np.broadcast_to(rest, target.shape)
    right = degree * (weight * known + pull * rest)
    start = np.where(weight > 0, known, rest)
    return pcg(lambda F: diagonal * F - W @ F, right, diagonal, start=start, tol=tol).x
