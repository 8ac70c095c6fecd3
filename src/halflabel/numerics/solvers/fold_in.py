"""New rows of a completed matrix, by Newton steps on its factored form."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats
from halflabel.numerics.losses import SideBySide
from halflabel.numerics.solvers.factored import row_block
from halflabel.numerics.solvers.packed import products, solve_packed, start_systems, weighted


def fold_in(
    smooth: SideBySide, right: Floats, alpha: float, n: int, *, tol: float = 1e-10, max_iter: int = 100
) -> Floats:
    r"""Return, for each row separately, the u that minimises :math:`f(u V^T) + \tfrac{\alpha}{2}\|u\|^2`.

    If V is the right factor of a solution, a row of that solution gets the u that it has there. Newton steps are
    shortened to :math:`\log(1 + d)/d` with d the largest change of an entry of z (times the roughness of its loss): for
    losses with :math:`|f'''| \le M f''` such steps never overshoot, whereas full steps can diverge.

    Parameters
    ----------
    smooth : SideBySide
        f on the new rows, with the weights of the fit.
    right : ndarray of shape (m, rank)
    n : int
        Number of rows.
    tol : float
        Stop when each full step is at most this times 1 + the length of its row.

    Returns
    -------
    ndarray of shape (n, rank)
    """
    left, pairs = np.zeros((n, right.shape[1])), products(right)
    for rows, block in smooth.split(row_block(smooth)):
        left[rows] = _newton(block, right, pairs, alpha, rows.stop - rows.start, tol, max_iter)
    return left


def _newton(block: SideBySide, V: Floats, pairs: Floats, alpha: float, n: int, tol: float, max_iter: int) -> Floats:
    U = np.zeros((n, V.shape[1]))
    rough = block.roughness
    for _ in range(max_iter if rough.any() else 1):  # one step minimises a quadratic
        H, R = start_systems(alpha, V.shape[1], n), alpha * U.T
        Z = U @ V.T
        for term, c in zip(block.terms, block.columns, strict=True):
            H += weighted(term.curvature(Z[:, c]), pairs[c])
            R += (term.value_and_grad(Z[:, c])[1] @ V[c]).T
        full = solve_packed(H, R).T
        d = np.abs((full @ V.T) * rough).max(axis=1, initial=0.0)
        U -= full * np.divide(np.log1p(d), d, out=np.ones_like(d), where=d > 0)[:, None]
        if (np.linalg.norm(full, axis=1) <= tol * (1 + np.linalg.norm(U, axis=1))).all():
            break
    return U
