r"""Ridge regression of thousands of labels at once, with every labelled item left out in closed form.

With features :math:`\Phi`, labels Y (1 relevant, 0 irrelevant) and the kernel :math:`K = \Phi\Phi^T + 11^T`, whose
constant is an intercept, the minimiser of :math:`\|\Phi W + 1b^T - Y\|_F^2 + \alpha(\|W\|_F^2 + \|b\|^2)` is
:math:`W = \Phi^TA,\ b = A^T1` with :math:`A = (K + \alpha I)^{-1}Y`. Without item i, its prediction is
:math:`y_i - A_i / ((K + \alpha I)^{-1})_{ii}`. So one inverse serves all labels and all left-out items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse

from halflabel.plugins import Floats, Ints, is_sparse, step

#: Ridge weights that are compared, in units of one squared error: the features of an item have length 1.
ALPHAS: Floats = np.logspace(-2, 2, 9)

#: Maximum number of weights (features x labels); 1.2 GB. Above it, each label keeps the weights farthest from 0.
MAX_WEIGHTS = 3 * 10**8

#: Number of labels, or of items, that are computed at a time.
BLOCK = 512


def invert(Phi: Any, alpha: float) -> Floats:
    r"""Return :math:`(\Phi\Phi^T + 11^T + \alpha I)^{-1}`, by items or by features, whichever are fewer."""
    n, d = Phi.shape
    if d + 1 < n and not is_sparse(Phi):
        wide = np.column_stack([Phi, np.ones(n)])
        inner = linalg.cho_factor(wide.T @ wide + alpha * np.eye(d + 1), overwrite_a=True)
        inverse = wide @ linalg.cho_solve(inner, wide.T)
        inverse /= -alpha
        inverse[np.diag_indices(n)] += 1 / alpha
        return np.asarray(inverse)
    gram = np.empty((n, n))
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        product = Phi[rows] @ Phi.T
        gram[rows] = product.toarray() if is_sparse(product) else product
    gram += 1
    gram[np.diag_indices(n)] += alpha
    factor, _ = linalg.lapack.dpotrf(gram.T, overwrite_a=1)  # the transpose is in the order of LAPACK: no copy
    inverse, _ = linalg.lapack.dpotri(factor, overwrite_c=1)
    for start in range(0, n, BLOCK):  # only the upper triangle was computed
        end = min(start + BLOCK, n)
        own = np.triu(inverse[start:end, start:end])
        inverse[start:end, start:end] = own + np.triu(own, 1).T
        inverse[end:, start:end] = inverse[start:end, end:].T
    return np.asarray(inverse)


def choose_alpha(Phi: Any, Y: sparse.csr_array) -> tuple[float, float]:
    """Return the smallest leave-one-out squared error over all labels, and the ridge weight that has it.

    With :math:`B` the inverse whose rows are divided by their diagonal, the errors are BY. Their sum of squares is the
    trace of :math:`B(YY^T)B^T`, so that its cost does not depend on the number of labels.
    """
    both = (Y @ Y.T).toarray()

    def measure(alpha: float) -> float:
        inverse = invert(Phi, alpha)
        left_out = inverse / np.diag(inverse)[:, None]
        return float(((left_out @ both) * left_out).sum())

    return min((measure(alpha), float(alpha)) for alpha in ALPHAS)


@dataclass(frozen=True, eq=False)
class RidgeScores:
    """Scores that are linear in the features."""

    #: Csr_array or ndarray of shape (n_features, n_labels), in single precision.
    weights: Any
    #: Shape (n_labels,).
    intercept: Floats

    def __call__(self, Phi: Any) -> Floats:
        """Return the scores of some rows, dense."""
        product = Phi.astype(np.float32) @ self.weights
        return np.asarray((product.toarray() if is_sparse(product) else product) + self.intercept)


def weigh_features(Phi: Any, inverse: Floats, Y: sparse.csr_array) -> RidgeScores:
    """Return the ridge regression of all labels."""
    n_labels, n_features = Y.shape[1], Phi.shape[1]
    max_weights, parts = MAX_WEIGHTS // n_labels, []
    weights = None if max_weights < n_features else np.empty((n_features, n_labels), dtype=np.float32)
    targets, turned, intercept = sparse.csr_array(Y.T), Phi.T, np.empty(n_labels)
    for start in range(0, n_labels, BLOCK):
        step("ridge regression", start, n_labels)
        block = slice(start, start + BLOCK)
        A = np.asarray(targets[block] @ inverse).T
        intercept[block] = A.sum(axis=0)
        if weights is None:
            parts.append(_keep_largest(np.asarray(turned @ A).T, max_weights))
        else:
            weights[:, block] = turned @ A
    return RidgeScores(sparse.vstack(parts, format="csc").T if weights is None else weights, intercept)


def leave_out(inverse: Floats, Y: sparse.csr_array, rows: Ints) -> Floats:
    """Return the predictions of some labelled items, each by the regression without it."""
    fitted = np.asarray(Y.T @ inverse[rows].T).T
    return np.asarray(Y[rows].toarray() - fitted / np.diag(inverse)[rows, None])


def _keep_largest(weights: Floats, number: int) -> sparse.csr_array:
    """Return at most ``number`` weights of each row, in single precision: the ones farthest from 0."""
    size = np.abs(weights)
    limit = np.partition(size, -number, axis=1)[:, -number, None]
    return sparse.csr_array(np.where(size >= limit, weights, 0).astype(np.float32))
