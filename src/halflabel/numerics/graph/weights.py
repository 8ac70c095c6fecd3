"""Reconstruction weights, Laplacians, components and reachability of a graph of items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix, is_sparse, stored

#: Rows of one batch of local Gram matrices: few enough for the cache, many enough to hide the loop.
BLOCK, SPARSE_BLOCK = 32, 128

#: Maximum number of columns when each row of a sparse batch has columns of its own, 16 MB.
MAX_COLUMNS = 2**22


def reconstruction_weights(
    X: Matrix,
    indices: Ints,
    ridge: float = 1.0,
    query: Matrix | None = None,
    *,
    scores: Floats | None = None,
    alpha: float = 0.0,
    raw_units: bool = False,
    drop_negative: bool = False,
) -> sparse.csr_array:
    r"""Return the weights that rebuild each row from its neighbours (Qian & Davidson 2010, eq. 4 and 13).

    Row i minimises :math:`\|x_i - \sum_j w_{ij} x_j\|^2` over the neighbours j with weights that
    sum to 1, its local Gram matrix loaded as in eq. (13), :math:`L_i + \xi\,\mathrm{tr}(L_i)/k\, I`.
    Where all neighbours coincide with the row, :math:`L_i = 0` and the weights are 1/k.

    Parameters
    ----------
    X : matrix of shape (n_items, n_features)
    indices : ndarray of shape (n_queries, k)
        Neighbours, from :func:`halflabel.numerics.graph.neighbors.neighbors`.
    ridge : float
        :math:`\xi`. The paper recommends less than 0.1. A ridge of 1 gives better scores, hardly any negative weight
        and a well-conditioned solve.
    query : matrix of shape (n_queries, n_features), optional
        Rows to rebuild. The default is the rows of ``X``.
    scores : ndarray of shape (n_items, n_labels), optional
        F: the weights rebuild the scores too, with share ``alpha``: :math:`L_i = (1 - \alpha) P_i + \alpha Q_i`. P and
        Q are divided by their mean traces first, so that the meaning of alpha does not depend on units.
    alpha : float
        :math:`\alpha` of eq. (1) and (4), between 0 and 1.
    raw_units : bool
        Mix P and Q as they are, which is eq. (4) to the letter.
    drop_negative : bool
        Set negative weights to 0, and rescale the positive weights to sum 1.

    Returns
    -------
    csr_array of shape (n_queries, n_items), rows sum to 1.
    """
    n, k = indices.shape
    weights = np.empty((n, k))
    own = X if query is None else query
    grams = _local_grams(X, indices, own) if scores is None else _mixed_grams(X, scores, indices, alpha, raw_units)
    for rows, gram in grams:
        trace = np.trace(gram, axis1=1, axis2=2)
        # Where the trace is 0, load with 1: the solution of I w = 1 is uniform.
        load = np.where(trace > 0, (ridge or np.finfo(float).eps) * trace / k, 1.0)
        gram[:, range(k), range(k)] += load[:, None]
        raw = np.linalg.solve(gram, np.ones((len(gram), k, 1)))[..., 0]
        weights[rows] = raw / raw.sum(axis=1, keepdims=True)
    if drop_negative:
        weights = np.maximum(weights, 0)
        weights /= weights.sum(axis=1, keepdims=True)
    indptr = np.arange(0, n * k + 1, k)
    W = sparse.csr_array((weights.ravel(), indices.ravel(), indptr), shape=(n, X.shape[0]))
    W.sort_indices()
    return W


def normalise_alpha(X: Matrix, scores: Floats, indices: Ints, alpha: float) -> float:
    """Return the alpha in units of mean traces that mixes P and Q of eq. (4) in the same way as ``alpha`` in raw units.

    The function has the parameters of :func:`reconstruction_weights`, which returns the same weights with this alpha
    as with ``alpha`` and ``raw_units=True``.

    Examples
    --------
    >>> X, scores = np.array([[0.0], [3.0], [6.0]]), np.array([[0.0], [1.0], [2.0]])
    >>> indices = np.array([[1], [2], [1]])
    >>> normalise_alpha(X, scores, indices, 0.1)  # .1 x 1 against .9 x 9
    0.012...
    """
    of_features, of_scores = (1 - alpha) * _mean_trace(X, indices), alpha * _mean_trace(scores, indices)
    return of_scores / (of_features + of_scores)


def _local_grams(X: Matrix, indices: Ints, query: Matrix, size: int | None = None) -> Iterator[tuple[slice, Floats]]:
    """Yield (rows, Gram matrices of the neighbours minus each row) block by block."""
    size = size or _choose_block(X)
    for start in range(0, len(indices), size):
        rows = slice(start, min(start + size, len(indices)))
        own = stored(query[rows], as_sparse=is_sparse(X))
        if is_sparse(X):
            yield rows, _sparse_gram(X, indices[rows], own)
        else:
            offsets = np.take(X, indices[rows], axis=0)
            offsets -= own[:, None, :]
            # With a copy: for one buffer NumPy calls the symmetric product, which is slower at this size.
            yield rows, (offsets @ offsets.copy().transpose(0, 2, 1)).astype(np.float64)


def _choose_block(X: Matrix) -> int:
    """Return the number of rows of one batch."""
    return max(1, min(SPARSE_BLOCK, MAX_COLUMNS // X.shape[1])) if is_sparse(X) else BLOCK


def _mixed_grams(
    X: Matrix, scores: Floats, indices: Ints, alpha: float, raw_units: bool
) -> Iterator[tuple[slice, Floats]]:
    """Yield the local Gram matrices of eq. (4), features and scores in units of their mean traces, or raw."""
    unit_P, unit_Q = (1.0 if raw_units else _mean_trace(A, indices) for A in (X, scores))
    size = _choose_block(X)
    both = zip(_local_grams(X, indices, X, size), _local_grams(scores, indices, scores, size), strict=True)
    for (rows, P), (_, Q) in both:
        yield rows, (1 - alpha) / unit_P * P + alpha / unit_Q * Q


def _mean_trace(A: Matrix, indices: Ints) -> float:
    total = sum(np.trace(gram, axis1=1, axis2=2).sum() for _, gram in _local_grams(A, indices, A))
    return float(total) / len(indices) or 1.0


def _sparse_gram(X: sparse.csr_array, indices: Ints, query: sparse.csr_array) -> Floats:
    """Local Gram matrices from inner products: <a - x, b - x> = <a, b> - <a, x> - <b, x> + <x, x>.

    Each row of the query and its neighbours get columns of their own, so that one sparse product has exactly the
    inner products within these groups.
    """
    n, k = indices.shape
    group = np.append(np.repeat(np.arange(n), k), np.arange(n))
    place = np.append(np.tile(np.arange(k), n), np.full(n, k))  # the row itself comes last
    rows = sparse.csr_array(sparse.vstack([X[indices.ravel()], query], format="csr"))
    shift = np.repeat(group, np.diff(rows.indptr)) * X.shape[1]
    apart = sparse.csr_array((rows.data, rows.indices + shift, rows.indptr), shape=(len(group), n * X.shape[1]))
    product = sparse.coo_array(apart @ apart.T)
    inner = np.zeros((n, k + 1, k + 1))
    inner[group[product.row], place[product.row], place[product.col]] = product.data
    to_own = inner[:, :k, k]
    return np.asarray(inner[:, :k, :k] - to_own[:, :, None] - to_own[:, None, :] + inner[:, k, k, None, None])


def affinity(indices: Ints, distances: Floats, bandwidth: float | None = None) -> sparse.csr_array:
    r"""Return the symmetric heat-kernel graph :math:`\exp(-d^2 / 2\sigma^2)`.

    Two items are joined if either is a neighbour of the other. ``bandwidth`` (:math:`\sigma`) is by default the mean
    distance to the k-th neighbour (Qian & Davidson 2010, section 4, for ML-GFHF).
    """
    n, k = indices.shape
    sigma = bandwidth or float(distances[:, -1].mean()) or 1.0
    values = np.exp(-(distances**2) / (2 * sigma**2))
    W = sparse.csr_array((values.ravel(), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    return W.maximum(W.T).tocsr()


def laplacian(W: sparse.csr_array, *, normalized: bool = False) -> sparse.csr_array:
    """Return D - W, or I - D^-1/2 W D^-1/2. An isolated item has a row of zeros in both."""
    graph: Any = sparse.csgraph.laplacian(W, normed=normalized)
    return sparse.csr_array(graph)


def components(W: sparse.csr_array) -> Ints:
    """Return the weakly connected component of each item, numbered from 0."""
    _, labels = sparse.csgraph.connected_components(W, directed=False)
    return np.asarray(labels, dtype=np.intp)


def supported(component: Ints, observed: Mask) -> Mask:
    """Return, per item and label, whether the item's component holds an observed entry of the label.

    Where it does not, propagation alone has no evidence: its system is singular.
    """
    evidence = np.zeros((component.max() + 1, observed.shape[1]), dtype=bool)
    np.logical_or.at(evidence, component, observed)
    return evidence[component]


def reachable(W: sparse.csr_array, observed: Mask) -> Mask:
    """Return, per item and label, whether a path along the rows of W leads from the item to an observed entry.

    Where none does, eq. (7) of Qian & Davidson is singular: the score of the item does not depend on any label.
    """
    pattern = sparse.csr_array(((W.data != 0).astype(np.float32), W.indices, W.indptr), shape=W.shape)
    reached = observed.copy()
    while True:
        further = reached | (pattern @ reached.astype(np.float32) > 0)
        if (further == reached).all():
            return reached
        reached = further
