"""Regularised least squares with a Kronecker kernel and unknown targets."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from halflabel._arrays import Floats, Mask
from halflabel.numerics.kernels import iterate_row_patterns
from halflabel.numerics.solvers.pcg import pcg
from halflabel.numerics.solvers.row_kernel import RowKernel
from halflabel.numerics.solvers.solution import Solution, Status

#: Maximum number of observed rows (or basis vectors) for which the dense system of each label is solved.
MAX_DENSE = 2000


def masked_least_squares(
    kernel: RowKernel, Y: Floats, observed: Mask, *, tol: float = 1e-10, max_iter: int = 1000
) -> Solution:
    r"""Minimise :math:`\frac1l\sum_{\mathrm{observed}} (f_{ij} - y_{ij})^2` + the kernel norm of f.

    Parameters
    ----------
    Y : ndarray of shape (n_rows, n_labels)
        Values where ``observed``, anything elsewhere.
    observed : ndarray of bool, same shape
    tol, max_iter : float, int
        Of the conjugate gradients.

    Returns
    -------
    Solution
        ``x`` are the weights of the features, shape (r, n_labels). ``residual`` is the relative residual.

    Notes
    -----
    Without gaps there is a closed form. If the labels are independent (Q = qI), each is a dense system of its observed
    rows, with one factorisation of :math:`s^3/3` operations per pattern of gaps. Otherwise, or above 2000 rows,
    conjugate gradients solve for all coordinates at once, in the eigenbasis of the system without gaps and scaled by
    its diagonal. With a share s of each label's rows observed they need about :math:`1/\sqrt{s}` times a few dozen
    steps.
    """
    if observed.all():
        return Solution(kernel.weights(Y), (), 0.0, 0, Status.CONVERGED)
    small = max(min(len(group.basis.values), kernel.n_rows) for group in kernel.groups) <= MAX_DENSE
    if kernel.rotation is None and len(kernel.groups) == 1 and small:
        return Solution(_solve_each_label(kernel, Y, observed), (), 0.0, 0, Status.CONVERGED)
    return _solve_together(kernel, np.where(observed, Y, 0.0), observed, tol, max_iter)


def _solve_each_label(kernel: RowKernel, Y: Floats, observed: Mask) -> Floats:
    """Solve for each label on its observed rows. Labels with the same gaps share the factorisation."""
    (group,) = kernel.groups
    coordinates = np.zeros((len(group.basis.values), Y.shape[1]))
    for rows, columns in iterate_row_patterns(observed):
        A = group.basis.vectors[rows] * np.sqrt(group.values[:, 0])
        coordinates[:, columns] = _solve_ridge(A, Y[np.ix_(rows, columns)], kernel.n_rows)
    return kernel.assemble([coordinates])


def _solve_ridge(A: Floats, Y: Floats, weight: float) -> Floats:
    """Return the minimiser of |A x - y|^2 + weight |x|^2, from the smaller of the two normal equations."""
    wide = A.shape[0] < A.shape[1]
    gram = A @ A.T if wide else A.T @ A
    gram.flat[:: len(gram) + 1] += weight
    factor = linalg.cho_factor(gram, overwrite_a=True, check_finite=False)
    return np.asarray(A.T @ linalg.cho_solve(factor, Y) if wide else linalg.cho_solve(factor, A.T @ Y))


def _solve_together(kernel: RowKernel, Y: Floats, observed: Mask, tol: float, max_iter: int) -> Solution:
    space = _Coordinates(kernel)

    def apply(x: Floats) -> Floats:
        seen = np.where(observed, space.values_at(x), 0.0)
        return np.asarray(space.transposed(seen) + kernel.n_rows * x)

    diagonal = space.diagonal(observed) + kernel.n_rows
    solution = pcg(apply, space.transposed(Y), diagonal, tol=tol, max_iter=max_iter)
    weights = kernel.assemble(space.split(solution.x))
    return Solution(weights, solution.objective, solution.residual, solution.n_iter, solution.status)


class _Coordinates:
    """All coordinates of a row kernel as one column, and the values at the rows that follow from them."""

    def __init__(self, kernel: RowKernel) -> None:
        self.groups = kernel.groups
        self.roots = [np.sqrt(group.values) for group in kernel.groups]
        n = sum(len(group.modes) for group in kernel.groups)
        U = np.eye(n) if kernel.rotation is None else kernel.rotation
        self.modes = [U[:, group.modes] for group in kernel.groups]
        self.ends = np.cumsum([root.size for root in self.roots])[:-1]

    def split(self, x: Floats) -> list[Floats]:
        """Return one matrix per group."""
        parts = np.split(x.ravel(), self.ends)
        return [part.reshape(root.shape) for part, root in zip(parts, self.roots, strict=True)]

    def values_at(self, x: Floats) -> Floats:
        """Return f at the rows, shape (n_rows, n_labels)."""
        parts = zip(self.groups, self.roots, self.modes, self.split(x), strict=True)
        return np.asarray(sum((g.basis.vectors @ (root * xi)) @ U.T for g, root, U, xi in parts))

    def transposed(self, F: Floats) -> Floats:
        """Return the adjoint of :meth:`values_at`, as a column."""
        parts = zip(self.groups, self.roots, self.modes, strict=True)
        return np.concatenate([(root * (g.basis.vectors.T @ (F @ U))).ravel() for g, root, U in parts])[:, None]

    def diagonal(self, observed: Mask) -> Floats:
        """Return the diagonal of the normal matrix of the observed entries, as a column."""
        seen = observed.astype(np.float64)
        parts = zip(self.groups, self.roots, self.modes, strict=True)
        blocks = [root**2 * ((g.basis.vectors**2).T @ seen @ U**2) for g, root, U in parts]
        return np.concatenate([block.ravel() for block in blocks])[:, None]
