"""New rows of a completed matrix, by Newton steps on its factored form."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Floats
from halflabel.numerics.losses import SideBySide

#: Maximum number of cells (rows x entries x rank) of one block, 32 MB.
MAX_CELLS = 2**22


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
    left = np.zeros((n, right.shape[1]))
    for rows, block in smooth.split(max(1, MAX_CELLS // (len(right) * max(right.shape[1], 1)))):
        left[rows] = _newton(block, right, alpha, rows.stop - rows.start, tol, max_iter)
    return left


def _newton(block: SideBySide, V: Floats, alpha: float, n: int, tol: float, max_iter: int) -> Floats:
    U, rough = np.zeros((n, V.shape[1])), block.roughness
    for _ in range(max_iter if rough.any() else 1):  # one step minimises a quadratic
        Z = U @ V.T
        g = block.value_and_grad(Z)[1] @ V + alpha * U
        H = (block.curvature(Z)[:, :, None] * V).transpose(0, 2, 1) @ V + alpha * np.eye(V.shape[1])
        full = np.linalg.solve(H, g[:, :, None])[:, :, 0]
        d = np.abs((full @ V.T) * rough).max(axis=1, initial=0.0)
        U -= full * np.divide(np.log1p(d), d, out=np.ones_like(d), where=d > 0)[:, None]
        if (np.linalg.norm(full, axis=1) <= tol * (1 + np.linalg.norm(U, axis=1))).all():
            break
    return U
