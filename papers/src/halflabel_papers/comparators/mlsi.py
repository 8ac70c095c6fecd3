"""MLSI: latent variables from which features and labels can be rebuilt (Yu, Yu & Tresp 2005)."""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy import linalg

from halflabel.methods.validation import require_not_negative, require_share
from halflabel.plugins import Floats, Matrix, stored
from halflabel_papers.comparators.projection import LabelledProjection, whitening


class MLSI(LabelledProjection):
    r"""Multi-label informed latent semantic indexing.

    X are the features (one row per item, not centred) and Y the labels, coded 1 (relevant) and 0 (irrelevant). Latent
    variables V = XW rebuild both by linear maps:

    .. math::
        \min_{V, A, B} (1 - \beta)\|X - VA\|_F^2 + \beta\|Y - VB\|_F^2
        \quad\text{subject to}\quad V^T V = I.

    For a given V the best A and B are :math:`V^T X` and :math:`V^T Y`. Therefore V maximises
    :math:`\mathrm{tr}\,V^T K V` with :math:`K = (1 - \beta) XX^T + \beta YY^T`, and the columns of W solve

    .. math::
        X^T K X w = \lambda\,(X^T X + \gamma I)\,w

    for the largest :math:`\lambda`; each has :math:`w^T (X^T X + \gamma I) w = 1`.

    Parameters
    ----------
    n_components : int, default=2
        Number of latent variables.
    beta : float, default=0.5
        :math:`\beta`, from 0 (the features alone: latent semantic indexing) to 1 (the labels alone).
    ridge : float, default=1e-6
        :math:`\gamma` in units of the mean eigenvalue of :math:`X^T X`. Features should have comparable units.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The rows are w, the one with the largest :math:`\lambda` first, its largest entry positive.
    eigenvalues_ : ndarray of shape (n_components,)
        :math:`\lambda`, in squared units of X and Y: the part of both that each latent variable explains.

    Raises
    ------
    ValueError
        If an item has some of its labels observed but not all, the labels are positive-only, or a parameter is out of
        its range. With m features and c labels there are at most m directions, and at most c if ``beta`` is 1.

    Notes
    -----
    Costs :math:`O(\mathrm{nnz}(X)\,(m + c) + m^3)` time and a few m x m matrices; K, items by items, is never formed.
    Directions whose eigenvalue of :math:`X^T X` is below 1e-10 of the largest are left out.

    **Departures from the paper.** Only annotated items are fitted; unlabelled ones are left out, although they could
    contribute to the term of the features. Public implementations differ in whether X and Y are centred, where the
    ridge is and whether each latent variable is multiplied by :math:`\sqrt\lambda`. Here nothing is centred, the ridge
    is in the constraint, and latent variables have unit length.

    References
    ----------
    .. [1] K. Yu, S. Yu and V. Tresp, "Multi-label informed latent semantic indexing", SIGIR 2005.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0, 1], [3, 0, 0], [0, 2, 1], [0, 3, 0], [1, 1, 1]])
    >>> Y = [[1, 0], [1, 0], [0, 1], [0, 1], [None, None]]
    >>> MLSI(n_components=1).fit_transform(X, Y).shape
    (5, 1)
    """

    def __init__(self, n_components: int = 2, beta: float = 0.5, *, ridge: float = 1e-6) -> None:
        self.n_components = n_components
        self.beta = beta
        self.ridge = ridge

    def _validate_parameters(self) -> None:
        require_share(self, "beta")
        require_not_negative(self, "ridge")

    def _fit(self, X: Matrix, Y: Matrix) -> Self:
        return self._solve(stored(X.T @ X, as_sparse=False), X.T @ Y, self.ridge)

    def _solve(self, G: Floats, C: Floats, ridge: float) -> Self:
        """Project on the largest eigenvectors, from X'X and X'Y."""
        S = whitening(G, ridge)
        GS, CS = G @ S, C.T @ S
        self._require_components(S.shape[1] if self.beta < 1 else int(np.linalg.matrix_rank(CS)))
        A = (1 - self.beta) * GS.T @ GS + self.beta * CS.T @ CS  # S'X'KXS
        eigenvalues, Z = linalg.eigh(A, subset_by_index=[len(A) - self.n_components, len(A) - 1])
        self._project(eigenvalues[::-1], S @ Z[:, ::-1])
        return self


class ToolboxMLSI(MLSI):
    r"""MLSI as in the public MLC toolbox (``MLSI_train.m``): X and Y centred, :math:`\gamma = 1`, columns of length 1.

    Parameters
    ----------
    n_components : int, default=2
        Number of latent variables.
    beta : float, default=0.5
        As in :class:`MLSI`.
    """

    def __init__(self, n_components: int = 2, beta: float = 0.5) -> None:
        super().__init__(n_components, beta)

    def _fit(self, X: Matrix, Y: Matrix) -> Self:
        mean = np.asarray(X.mean(axis=0)).ravel()
        G = stored(X.T @ X, as_sparse=False) - len(Y) * np.outer(mean, mean)
        C = X.T @ (Y - Y.mean(axis=0))  # X is centred implicitly
        self._solve(G, C, 1 / max(float(np.trace(G)) / len(G), np.finfo(float).tiny))
        self.components_ /= np.linalg.norm(self.components_, axis=1, keepdims=True)
        return self
