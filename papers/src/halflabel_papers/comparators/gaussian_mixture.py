"""Gaussian mixtures, fitted by EM to rows with gaps: the baseline EM(k) of Goldberg et al. (2010)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.cluster import KMeans

from halflabel.methods.canonical_order import order_items
from halflabel.methods.impute.imputer import Imputer
from halflabel.methods.validation import require_positive, require_whole
from halflabel.numerics.solvers import Status
from halflabel.numerics.threads import limit_threads
from halflabel.plugins import Floats, Mask, Matrix, step
from halflabel_papers.comparators.expectation import (
    BLOCK,
    Gaussian,
    Mixture,
    Moments,
    conditional_means,
    expectation,
    group_rows,
)


class GaussianMixtureImputer(Imputer):
    r"""Fills in gaps with their expectation under a mixture of Gaussians.

    EM maximises the penalised log-likelihood of the observed cells of the scaled features,

    .. math::
        \sum_i \log \sum_k \pi_k\, N(x_i^o;\ \mu_k^o, \Sigma_k^{oo})
        - \frac{\lambda}{2} \sum_k \mathrm{tr}\,\Sigma_k^{-1}, \qquad \lambda = \mathrm{ridge} \cdot \bar v\, n / K,

    where :math:`x^o` are the values a row has, :math:`\bar v` is the mean variance of the features and n the number of
    rows with any value. Its M-step is :math:`\Sigma_k = S_k + (\lambda / n_k) I`, with :math:`S_k` the expected
    covariance and :math:`n_k` the rows of component k by responsibility. A gap gets
    :math:`\sum_k r_k\,E_k[x \mid x^o]`, r the responsibilities given the row's values.

    Parameters
    ----------
    n_components : int, default=1
        K, the k of EM(k).
    ridge : float, default=1e-3
        Amount that is added to the diagonal of every covariance, as a share of the mean variance of the features. For
        one component, or several of equal weight, it is ``reg_covar`` of scikit-learn's GaussianMixture; a component
        with less weight gets more.
    scale : {"standard", None}, default="standard"
        Standardise features with the mean and deviation of their observed cells. Results are in the original units.
    tol : float, default=5e-2
        EM stops when its step is shorter than this in the Fisher metric of the complete data; in this metric a step of
        length s increases the objective by about s^2/2 per row.
    max_iter : int, default=200
        Maximum number of steps that are computed.
    random_state : int or None, default=0
        Seed of the k-means clusters of mean-filled rows, from which the fit starts if K > 1.

    Attributes
    ----------
    mixture_ : Mixture
        Weights, means and covariances of the scaled features that hold any value.
    log_likelihood_ : tuple of float
        The objective at the start of each step, divided by n. It never decreases. The last value belongs to
        ``mixture_``.
    residual_ : float
        Length of the step that EM would take from ``mixture_``. It is 0 exactly if the gradient is 0.
    n_iter_ : int
        Number of computed steps, including the last one, which is not taken.
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
        If X holds inf, X has no value, or there are more components than rows.

    Notes
    -----
    A step costs, per pattern of gaps with o values and m gaps, one inverse of size min(o, m), and O(n d^2 K) in
    matrix products. Rows with the same gaps share the inverse. Memory is O(n d + K d^2). Input is turned to float64.

    **Departures from the paper.** Goldberg et al. do not give a ridge. The results of their EM were worse. Covariances
    are full. Features are standardised.

    References
    ----------
    .. [1] Z. Ghahramani and M. I. Jordan, "Supervised learning from incomplete data via an EM approach", NIPS 1994.
    .. [2] A. Goldberg, X. Zhu, B. Recht, J. Xu and R. Nowak, "Transduction with Matrix Completion: Three Birds with
       One Stone", NIPS 2010, section 4 (EM(k)).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [4.0, np.nan]])
    >>> GaussianMixtureImputer().fit_transform(X).round(1)
    array([[1., 2.],
           [2., 4.],
           [3., 6.],
           [4., 8.]])
    """

    def __init__(
        self,
        n_components: int = 1,
        *,
        ridge: float = 1e-3,
        scale: str | None = "standard",
        tol: float = 5e-2,
        max_iter: int = 200,
        random_state: int | None = 0,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Matrix, y: object = None) -> Self:
        """Fit the mixture.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            NaN where a value is missing.
        y : ignored
        """
        _, items = self._enter(X)
        known = ~np.isnan(items)
        has_values = known.any(axis=1)
        items, known = items[has_values], known[has_values]
        if len(items) < self.n_components:
            raise ValueError(
                f"{self.n_components} components cannot be learned from {len(items)} rows with values: lower "
                "n_components."
            )
        with limit_threads(BLOCK, 1):
            self._ascend(np.nan_to_num(items), known)
        self._warn_unless_converged()
        return self

    def _ascend(self, items: Floats, known: Mask) -> None:
        """Run EM until its step is shorter than ``tol``."""
        blocks = group_rows(known)
        mixture, load = self._start(items, known)
        history = []
        for done in range(1, self.max_iter + 1):
            step("fitting the mixture", done, self.max_iter)
            moments = expectation(mixture, items, blocks)
            history.append((moments.log_likelihood - _penalty(mixture, load)) / len(items))
            new = _maximise(mixture, moments, load)
            self.residual_ = _measure_step(mixture, new)
            if self.residual_ <= self.tol or done == self.max_iter:
                break
            mixture = new
        self.mixture_ = mixture
        self.log_likelihood_, self.n_iter_ = tuple(history), done
        self.status_ = Status.CONVERGED if self.residual_ <= self.tol else Status.MAX_ITER

    def _start(self, items: Floats, known: Mask) -> tuple[Mixture, float]:
        """Return the first mixture, an M-step for independent features in clusters of mean-filled rows, and lambda."""
        seen = known.sum(axis=0)
        mean = items.sum(axis=0, where=known) / seen
        variance = ((items - mean) ** 2).sum(axis=0, where=known) / seen
        load = self.ridge * (float(variance.mean()) or 1.0) * len(items) / self.n_components
        z = np.where(known, items - mean, 0.0)
        member = np.eye(self.n_components)[self._clusters(z)]
        scatter = np.einsum("ik,ia,ib->kab", member, z, z, optimize=True)
        scatter += np.einsum("ik,ia->ka", member, ~known * variance)[:, :, None] * np.eye(z.shape[1])
        moments = Moments(-np.inf, member.sum(axis=0), member.T @ z, scatter)
        origin = Gaussian.of(mean, np.eye(len(mean)))  # an M-step uses only its mean, as the origin of moments
        return _maximise(Mixture(member.mean(axis=0), (origin,) * self.n_components), moments, load), load

    def _clusters(self, items: Floats) -> Any:
        if self.n_components == 1:
            return np.zeros(len(items), dtype=np.intp)
        order = order_items(items)
        clusters = KMeans(self.n_components, n_init=5, random_state=self.random_state).fit_predict(items[order])
        return clusters[np.argsort(order)]

    def _complete(self, X: Floats) -> Floats:
        with limit_threads(BLOCK, 1):
            return conditional_means(self.mixture_, np.nan_to_num(X), group_rows(~np.isnan(X)))

    def _validate_parameters(self) -> None:
        super()._validate_parameters()
        require_whole(self, n_components=1)
        require_positive(self, "ridge", reason="without it a covariance can be singular")


def _maximise(mixture: Mixture, moments: Moments, load: float) -> Mixture:
    """Return the mixture that maximises the expected penalised log-likelihood of the completed rows (M-step)."""
    count = moments.count + 10 * np.finfo(float).eps  # keeps a covariance if a component loses all its rows
    parts = []
    for part, n, shift, scatter in zip(mixture.parts, count, moments.shift, moments.scatter, strict=True):
        move = shift / n
        cov = scatter / n - np.outer(move, move)
        cov = (cov + cov.T) / 2 + load / n * np.eye(len(move))
        parts.append(Gaussian.of(part.mean + move, cov))
    return Mixture(count / count.sum(), tuple(parts))


def _penalty(mixture: Mixture, load: float) -> float:
    return load / 2 * sum(float(np.trace(part.precision)) for part in mixture.parts)


def _measure_step(old: Mixture, new: Mixture) -> float:
    """Return the length of a step in the Fisher metric of the complete data, per row."""
    square = float(((new.weights - old.weights) ** 2 / old.weights).sum())
    for weight, a, b in zip(old.weights, old.parts, new.parts, strict=True):
        move, turn = b.mean - a.mean, a.precision @ (b.cov - a.cov)
        square += float(weight * (move @ a.precision @ move + 0.5 * (turn * turn.T).sum()))
    return float(np.sqrt(square))
