"""LPP: linear directions in which neighbours stay near each other (He & Niyogi 2003)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import linalg, sparse

from halflabel.methods.canonical_order import order_items
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import affinity, laplacian
from halflabel.plugins import Floats, Matrix, is_sparse, stored
from halflabel_papers.comparators.projection import LinearProjection, whitening


class LPP(LinearProjection):
    r"""Locality preserving projections.

    Two items are joined if either is among the ``n_neighbors`` nearest of the other, with the heat-kernel weight
    :math:`S_{ij} = \exp(-\|x_i - x_j\|^2 / 2\sigma^2)`. The directions w minimise

    .. math::
        \tfrac12 \sum_{ij} S_{ij} (w^T x_i - w^T x_j)^2 = w^T X^T L X w
        \quad\text{subject to}\quad w^T X^T D X w = 1

    with D the row sums of S and L = D - S, X centred at its mean weighted by D: the eigenvectors of
    :math:`X^T L X w = \lambda X^T D X w` with the smallest :math:`\lambda`, which lie between 0 and 2.

    Parameters
    ----------
    n_components : int, default=2
        Number of directions.
    n_neighbors : int, default=10
        k, the number of neighbours in the graph.
    bandwidth : float or None, default=None
        :math:`\sigma` in units of a distance; the paper's t is :math:`2\sigma^2`. None is the mean distance to the
        k-th neighbour. With ``inf`` every edge has the weight 1, the paper's "simple-minded" choice.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The rows are w, the one with the smallest :math:`\lambda` first, its largest entry positive.
    eigenvalues_ : ndarray of shape (n_components,)
        :math:`\lambda`.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or ``n_components`` is larger than the number of directions in which the
        items vary.

    Notes
    -----
    After the neighbour search, with m features: :math:`O(n k m + m^3)` time and a few m x m matrices. Sparse X stays
    sparse and is centred implicitly.

    **Departures from the paper.** X is centred. This changes neither L nor a distance but removes the constant vector,
    :math:`\lambda = 0`, if it is a combination of features. If :math:`X^T D X` is singular, directions in which the
    items do not vary (below 1e-10 of the largest eigenvalue) are left out; the PCA step of He et al. for faces has the
    same effect. A ridge would not help: such directions have :math:`w^T X^T L X w = 0` and would come first.

    References
    ----------
    .. [1] X. He and P. Niyogi, "Locality preserving projections", NIPS 16, 2003.
    .. [2] X. He, S. Yan, Y. Hu, P. Niyogi and H.-J. Zhang, "Face recognition using Laplacianfaces", IEEE TPAMI 27,
       2005.

    Examples
    --------
    Two groups are far apart along the first feature. It is the direction in which neighbours stay near each other:

    >>> import numpy as np
    >>> X = np.column_stack([np.repeat([0.0, 9.0], 4), [0, 1, 3, 2, 0, 2, 1, 3]])
    >>> np.abs(LPP(1, n_neighbors=3).fit(X).components_).argmax()
    np.int64(0)
    """

    def __init__(self, n_components: int = 2, *, n_neighbors: int = 10, bandwidth: float | None = None) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
        y : object, optional
            Not used.
        """
        X = self._enter(X)
        X = X[order_items(X)]  # the order decides between neighbours at equal distances
        require_whole(self, n_neighbors=1)
        require_positive(self, "bandwidth", optional=True)
        S = affinity(*neighbors(X, self.n_neighbors), self.bandwidth)
        XLX, XDX = _compute_forms(X, S)
        T = whitening(XDX)
        self._require_components(T.shape[1])
        eigenvalues, Z = linalg.eigh(T.T @ XLX @ T, subset_by_index=[0, self.n_components - 1])
        self._project(eigenvalues, T @ Z)
        return self


def _compute_forms(X: Matrix, S: sparse.csr_array) -> tuple[Floats, Floats]:
    """Return X'LX and X'DX of items centred at their mean weighted by D. Sparse X is centred implicitly."""
    degree = S.sum(axis=1)
    if not is_sparse(X):  # explicitly, which loses no digits
        X = X - np.average(X, axis=0, weights=degree)
    total = X.T @ degree
    XDX = stored(X.T @ (sparse.diags_array(degree) @ X), as_sparse=False) - np.outer(total, total) / degree.sum()
    return stored(X.T @ (laplacian(S) @ X), as_sparse=False), XDX
