"""Soft-impute: low-rank completion of features by the nuclear norm (Mazumder, Hastie and Tibshirani 2010)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from halflabel._arrays import Floats, Ints, Mask, MatrixLike
from halflabel._progress import step
from halflabel.methods.canonical_order import order_items
from halflabel.methods.impute.imputer import Imputer
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.losses import Squared
from halflabel.numerics.penalties import NuclearNorm, spectral_norm
from halflabel.numerics.solvers import Solution
from halflabel.numerics.solvers.proximal_gradient import proximal_gradient
from halflabel.numerics.threads import limit_threads

#: Ratio of two weights of a path, and their maximum number: from alpha_max down to alpha_max / 2^13.
RATIO, MAX_LENGTH = 0.5, 14

#: A path ends after this number of consecutive weights that do not improve on the best weight.
PATIENCE = 2

#: Certified gap of the solutions on a path, and relative difference below which two errors count as equal.
ROUGH = 1e-3


class SoftImputer(Imputer):
    r"""Fills in gaps with a matrix of low rank.

    On the scaled features x the completed matrix Z of the fitted rows is the minimiser of

    .. math::
        \frac12 \sum_{\mathrm{observed}} (z_{ij} - x_{ij})^2 + \alpha \|Z\|_*,

    where :math:`\|Z\|_*` is the sum of the singular values. A new row is folded in: with :math:`Z = U S V^T` and
    :math:`B = V S^{1/2}` it gets :math:`B a`, where a minimises
    :math:`\frac12 \sum_{\mathrm{observed}} (x_j - b_j^T a)^2 + \frac\alpha2 \|a\|^2`. That is the nuclear norm in
    its variational form: a fitted row that is folded in gets its row of Z.

    Parameters
    ----------
    alpha : float or None, default=None
        Weight of one unit of a singular value against one half squared error of a scaled cell: the amount by which
        every singular value shrinks. From ``alpha_max`` on, the spectral norm of the scaled matrix with gaps as 0, all
        gaps are filled in with 0 (the mean, if features are standardised). None chooses among alpha_max, alpha_max / 2,
        ..., alpha_max / 2^13 by the squared error of observed cells that were hidden; of the weights whose error is
        within 0.1 % of the smallest, the largest is chosen.
    n_folds : int, default=3
        Number of parts of the observed cells that are hidden in turn to choose alpha.
    scale : {"standard", None}, default="standard"
        Standardise features with the mean and deviation of their observed cells. Results are in the original units.
    tol : float, default=1e-4
        Certified bound of (objective - minimum) / objective at which the solver stops.
    max_iter : int, default=1000
        Maximum number of its iterations, for each alpha.
    random_state : int or None, default=0
        Seed of the parts.

    Attributes
    ----------
    alpha_ : float
        The weight of the fit.
    cv_results_ : dict of str to ndarray
        "alpha" and "error", the mean squared error of hidden cells in scaled units, in the order of the path. The path
        ends when two weights in a row do not improve the error. Empty if alpha was given.
    low_rank_ : ndarray of shape (n_items, n_features)
        Z for the fitted rows, in the units of X, including known cells.
    components_ : ndarray of shape (rank, n_features_in_)
        The rows of :math:`B^T`, in scaled units. 0 for a feature without any value.
    objective_ : tuple of float
        Values of the objective where the solver computed it.
    residual_ : float
        The certified bound at the solution.
    n_iter_ : int
    status_ : Status
    scaler_ : Scaler
    observed_features_ : ndarray of bool, shape (n_features_in_,)
        Features with any value in ``fit``. All other features stay and are filled with 0, as with
        ``keep_empty_features=True`` of scikit-learn's imputers, and there is a warning.

    Raises
    ------
    TypeError
        If X is sparse, because there an absent cell is a zero and not a gap.
    ValueError
        If X holds inf or has no value.

    Notes
    -----
    For n rows and d features with d <= n, an iteration costs :math:`3 d^2 n` operations and memory is about six arrays
    of the size of X, and n_folds more while alpha is chosen. A new row costs an inverse whose size is the number of its
    values or of its gaps, whichever is smaller. Rows with the same gaps share it. Input is converted to float64.

    **Departures from the paper.** The minimiser is found by accelerated proximal gradient with a certified gap and not
    by the plain iteration (algorithm 1), whose stopping rule is a relative change. Features are standardised. This is
    the baseline "FPC" of Goldberg et al. on X alone, whose mu is alpha over the number of observed cells.

    References
    ----------
    .. [1] R. Mazumder, T. Hastie and R. Tibshirani, "Spectral Regularization Algorithms for Learning Large Incomplete
       Matrices", Journal of Machine Learning Research 11 (2010), eq. (4) and algorithm 1.
    .. [2] A. Goldberg, X. Zhu, B. Recht, J. Xu and R. Nowak, "Transduction with Matrix Completion: Three Birds with
       One Stone", NIPS 2010.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, -1.0])
    >>> X[3, 1] = np.nan
    >>> SoftImputer(alpha=0.01, scale=None).fit_transform(X)[3].round(1)
    array([ 4.,  8., -4.])
    """

    def __init__(
        self,
        alpha: float | None = None,
        *,
        n_folds: int = 3,
        scale: str | None = "standard",
        tol: float = 1e-4,
        max_iter: int = 1000,
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.n_folds = n_folds
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Complete X and learn its components.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            NaN where a value is missing.
        y : ignored
        """
        self._fit(X)
        return self

    def fit_transform(self, X: MatrixLike, y: object = None) -> Floats:
        """Return X with its gaps filled in from ``low_rank_``."""
        values = self._fit(X)
        return np.where(np.isnan(values), self.low_rank_, values)

    def _fit(self, X: Any) -> Floats:
        values, items = self._enter(X)
        known, items = ~np.isnan(items), np.nan_to_num(items)
        with limit_threads(*items.shape):
            self.alpha_, self.cv_results_ = self._choose(items, known)
            solution = self._solve(items, known, self.alpha_, np.zeros_like(items), self.tol)
            self._factorise(np.where(known, items, solution.x))
        self.objective_, self.residual_ = solution.objective, solution.residual
        self.n_iter_, self.status_ = solution.n_iter, solution.status
        self._warn_unless_converged()
        return values

    def _solve(self, items: Floats, known: Mask, alpha: float, start: Floats, tol: float) -> Solution:
        return proximal_gradient(Squared(items, known, 1.0), NuclearNorm(alpha), start, tol=tol, max_iter=self.max_iter)

    def _choose(self, items: Floats, known: Mask) -> tuple[float, dict[str, Floats]]:
        """Return the best weight, and the error of each weight on the path, with each part of the cells hidden once."""
        if self.alpha is not None:
            return float(self.alpha), _tabulate([])
        folds = self._folds(items, known)
        completed = [np.zeros_like(items) for _ in range(self.n_folds)]
        path: list[tuple[float, float]] = []
        for position, alpha in enumerate(_alpha_max(items) * RATIO ** np.arange(MAX_LENGTH)):
            step("choosing the weight of the low rank", position, MAX_LENGTH)
            error = 0.0
            for fold, start in enumerate(completed):
                hidden = folds == fold
                completed[fold] = self._solve(items, known & ~hidden, alpha, start, max(ROUGH, self.tol)).x
                error += float(((completed[fold][hidden] - items[hidden]) ** 2).sum())
            path.append((float(alpha), error / known.sum()))
            if position - _find_best(path) >= PATIENCE:
                break
        return path[_find_best(path)][0], _tabulate(path)

    def _folds(self, items: Floats, known: Mask) -> Ints:
        """Return the fold of each observed cell, -1 for gaps."""
        rng, order = np.random.default_rng(self.random_state), order_items(np.where(known, items, np.nan))
        folds = np.full(known.shape, -1, dtype=np.intp)
        folds[known[order]] = rng.permutation(int(known.sum())) % self.n_folds
        return folds[np.argsort(order)]

    def _factorise(self, A: Floats) -> None:
        """Compute Z and B by a last proximal step from A, which holds the values, and Z in the gaps."""
        tall = A.shape[0] >= A.shape[1]
        shrinkage = NuclearNorm(self.alpha_).shrink(A.T @ A if tall else A @ A.T, 1.0)
        V = shrinkage.vectors if tall else A.T @ shrinkage.vectors / (shrinkage.values + self.alpha_)
        self.components_ = np.zeros((V.shape[1], len(self.observed_features_)))
        self.components_[:, self.observed_features_] = (V * np.sqrt(shrinkage.values)).T
        self.low_rank_ = self._unscale((A @ (V * shrinkage.factors)) @ V.T)

    def _complete(self, X: Floats) -> Floats:
        return complete_rows(X, self.components_[:, self.observed_features_], self.alpha_)

    def _validate_parameters(self) -> None:
        super()._validate_parameters()
        require_whole(self, n_folds=2)
        if self.alpha is not None:
            require_positive(self, "alpha", reason="None chooses it by cross-validation")


def complete_rows(X: Floats, components: Floats, alpha: float) -> Floats:
    r"""Return scaled rows with their gaps filled in. Known cells keep their values up to rounding.

    Parameters
    ----------
    X : ndarray of shape (n_rows, d)
        NaN where a value is missing.
    components : ndarray of shape (rank, d)
        :math:`B^T` of :class:`SoftImputer`.
    alpha : float

    Returns
    -------
    ndarray of shape (n_rows, d)

    Notes
    -----
    The ridge regression of a row's values on the rows of B predicts its gaps like the conditional mean of a normal
    distribution with covariance :math:`B B^T + \alpha I`. The latter needs one inverse for all rows with the same gaps,
    of the size of the gaps if these are few. The regression would need one of the size of the rank for each row.
    """
    cov = components.T @ components + alpha * np.eye(components.shape[1])
    precision: Floats = np.asarray(np.linalg.inv(cov), dtype=np.float64)
    known, completed = ~np.isnan(X), X.copy()
    _, member, counts = np.unique(np.packbits(known, axis=1), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(member.ravel(), kind="stable")
    with limit_threads(*cov.shape):
        for rows in np.split(order, np.cumsum(counts))[:-1]:  # rows with the same gaps
            values, gaps = np.flatnonzero(known[rows[0]]), np.flatnonzero(~known[rows[0]])
            completed[np.ix_(rows, gaps)] = np.dot(X[np.ix_(rows, values)], _regress(cov, precision, values, gaps))
    return completed


def _regress(cov: Floats, precision: Floats, values: Ints, gaps: Ints) -> Floats:
    """Return the coefficients of gaps on values. Both ways give the same, and the smaller system is cheaper."""
    if len(values) <= len(gaps):
        return np.asarray(np.linalg.solve(cov[np.ix_(values, values)], cov[np.ix_(values, gaps)]))
    return np.asarray(-np.linalg.solve(precision[np.ix_(gaps, gaps)], precision[np.ix_(gaps, values)]).T)


def _alpha_max(items: Floats) -> float:
    """Return the spectral norm of the matrix with gaps as 0: from this weight on Z is 0."""
    gram = items.T @ items if items.shape[0] >= items.shape[1] else items @ items.T
    return float(np.sqrt(spectral_norm(gram))) or 1.0


def _find_best(path: list[tuple[float, float]]) -> int:
    """Return the position of the first weight whose error is the smallest, or counts as equal to it."""
    errors = np.array([error for _, error in path])
    return int(np.argmax(errors <= (1 + ROUGH) * errors.min()))


def _tabulate(path: list[tuple[float, float]]) -> dict[str, Floats]:
    alphas, errors = np.array(path, dtype=np.float64).reshape(-1, 2).T
    return {"alpha": alphas, "error": errors}
