"""The kernel Q between labels, from a graph of the labels (Minh & Sindhwani 2011, eq. 3 of Zhao & Guo 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from halflabel._arrays import Floats
from halflabel.numerics.column_order import order_columns
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import affinity, laplacian

#: Share of all labels that are neighbours of a label, about as in the paper.
LABEL_NEIGHBORS = 0.3


@dataclass(frozen=True, eq=False)
class OutputKernel:
    """Eigenvalues and eigenvectors of Q."""

    #: Shape (n_labels,).
    values: Floats
    #: Shape (n_labels, n_labels). None is the identity.
    vectors: Floats | None

    def matrix(self) -> Floats:
        """Return Q."""
        return np.diag(self.values) if self.vectors is None else (self.vectors * self.values) @ self.vectors.T


def output_kernel(Y: Floats, weight: float, *, normalize: bool, graph: sparse.csr_array | None = None) -> OutputKernel:
    r"""Return :math:`Q = \gamma_O L_{out}^\dagger + (1 - \gamma_O) I`, eq. (3).

    Parameters
    ----------
    Y : ndarray of shape (n_rows, n_labels)
        Labels in the coding of the paper. The graph connects each column with the nearest columns.
    weight : float
        :math:`\gamma_O`, at least 0 and below 1.
    normalize : bool
        Divide :math:`L_{out}^\dagger` by its mean eigenvalue. The mean eigenvalue of Q is then 1 for every weight.
    graph : csr_array of shape (n_labels, n_labels), optional
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
        L = laplacian(graph, normalized=True).toarray()
    values, vectors = linalg.eigh(L)
    kept = values > 1e-10 * values[-1]
    inverse = np.divide(1.0, values, out=np.zeros(n), where=kept)
    if normalize and kept.any():  # a graph without edges has no mean to divide by
        inverse /= inverse.mean()
    return OutputKernel(weight * inverse + 1 - weight, vectors[np.argsort(order)])
