"""Canonical correlation analysis by one singular value decomposition (Hotelling 1936)."""

from __future__ import annotations

from typing import Self

from scipy import linalg

from halflabel.methods.validation import require_not_negative
from halflabel.plugins import Floats, Matrix, stored
from halflabel_papers.comparators.projection import LabelledProjection, whitening


class CanonicalCorrelation(LabelledProjection):
    r"""Canonical correlation analysis of features and labels.

    The directions w of the features, and v of the labels, have the largest correlation:

    .. math::
        \max_{w, v} w^T C_{xy} v \quad\text{subject to}\quad w^T (C_{xx} + \gamma I) w = v^T C_{yy} v = 1

    With whitening matrices :math:`S_x` and :math:`S_y` of both covariances, they are :math:`S_x U` with U the left
    singular vectors of :math:`S_x^T C_{xy} S_y`, and the correlations are the singular values.

    Parameters
    ----------
    n_components : int, default=2
        Number of directions.
    ridge : float, default=1e-6
        :math:`\gamma` in units of the mean eigenvalue of the covariance of the features.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The rows are w, the one with the largest correlation first, its largest entry positive.
    eigenvalues_ : ndarray of shape (n_components,)
        The squared canonical correlations.

    Raises
    ------
    ValueError
        If an item has some of its labels observed but not all, the labels are positive-only, or a parameter is out of
        its range. There are at most as many directions as the rank of the labels.

    Notes
    -----
    Costs :math:`O(n m^2 + m^3)` for n items and m features. Unlabelled items are left out.

    References
    ----------
    .. [1] H. Hotelling, "Relations between two sets of variates", Biometrika 28, 1936.

    Examples
    --------
    >>> X = [[2.0, 0, 1], [3, 0, 0], [0, 2, 1], [0, 3, 0], [1, 1, 1]]
    >>> Y = [[1, 0], [1, 0], [0, 1], [0, 1], [None, None]]
    >>> CanonicalCorrelation(n_components=1).fit_transform(X, Y).shape
    (5, 1)
    """

    def __init__(self, n_components: int = 2, *, ridge: float = 1e-6) -> None:
        self.n_components = n_components
        self.ridge = ridge

    def _validate_parameters(self) -> None:
        require_not_negative(self, "ridge")

    def _fit(self, X: Matrix, Y: Floats) -> Self:
        dense = stored(X, as_sparse=False)
        X, Y = dense - dense.mean(axis=0), Y - Y.mean(axis=0)
        S, T = whitening(X.T @ X, self.ridge), whitening(Y.T @ Y)
        U, correlations, _ = linalg.svd(S.T @ (X.T @ Y) @ T, full_matrices=False)
        self._require_components(len(correlations))
        self._project(correlations[: self.n_components] ** 2, S @ U[:, : self.n_components])
        return self
