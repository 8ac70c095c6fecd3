"""MDDM: the directions of the features on which the labels depend most (Zhang & Zhou 2008)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import ClassifierTags, Tags, gen_batches
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from halflabel._arrays import Floats, Ints, Matrix, MatrixLike
from halflabel.labels import PartialLabels
from halflabel.labels.partial import LabelsLike
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.canonical_order import order_items
from halflabel.methods.mddm import dependence
from halflabel.methods.validation import (
    require_choice,
    require_positive,
    require_share,
    require_whole,
)
from halflabel.numerics.kernels import BLOCK, NystroemMap, mean_distance, nystroem

#: A function of the distinct label vectors that returns their kernel matrix.
LabelKernel = Callable[[Floats], Floats]

LABEL_KERNELS = ("linear", "quadratic", "rbf")
CORRELATIONS = (None, "learned", "whitened")
CHOICES = {
    "kernel": (None, "rbf"),
    "null_space": ("refuse", "variance"),
}


class MDDM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc] # no types
    r"""Projection of the features that depends most on the labels, by the Hilbert-Schmidt independence criterion.

    With items as rows of X, the label kernel matrix L and :math:`H = I - 11^T/N`, the rows of ``components_`` are the
    columns of P that maximise eq. (3),

    .. math::
        \mathrm{tr}(P^T X^T H L H X P) \quad\text{subject to}\quad P^TP = I,

    the leading eigenvectors of :math:`X^THLHX`. For the linear label kernel L = YY' with Y coded 1 (relevant) and
    0 (irrelevant), these are the left singular vectors of :math:`S = X^THY`. Only Y is centred (H is idempotent):
    sparse X stays sparse.

    Parameters
    ----------
    n_components : int or None, default=None
        d. None takes the number that ``threshold`` determines.
    threshold : float, default=0.99
        thr, from 0 to 1: d is the smallest number of eigenvalues whose sum is at least this share of the total. Used if
        ``n_components`` is None.
    uncorrelated : float or None, default=None
        :math:`\mu` of the journal version, from 0 to 1: the constraint becomes
        :math:`P^T(\mu X_c^TX_c + (1-\mu)I)P = I` with :math:`X_c` all fitted items, labelled or not, centred and not
        divided by their number. With 1 the projected features of these items are uncorrelated, each with a sum of
        squares of 1. None and 0 give the orthonormal projection.
    label_kernel : {"linear", "quadratic", "rbf"}, callable or array of shape (n_items, n_items), default="linear"
        :math:`\langle y, y'\rangle`, :math:`(\langle y, y'\rangle + 1)^2` or
        :math:`\exp(-\mathrm{label\_gamma}\,\|y - y'\|^2)`. A function gets the distinct label vectors, one per row, and
        returns their kernel matrix. An array is L itself, positive semidefinite, for all fitted items.
    label_gamma : float or None, default=None
        For ``label_kernel="rbf"``: weight of one label in which two label sets differ. None is 1 / n_labels.
    label_correlation : None, {"learned", "whitened"} or array of shape (n_labels, n_labels), default=None
        A positive semidefinite C for :math:`L = YCY^T`, so that correlated labels support each other. "learned" is Q of
        :class:`halflabel.VVMR` with half its weight on the graph of the labels. "whitened" is the inverse covariance of
        the labels: with ``uncorrelated=1`` the projection is then canonical correlation analysis (see :meth:`cca`).
    kernel : {None, "rbf"}, default=None
        "rbf" is kernel MDDM, with the kernel :math:`\exp(-\mathrm{gamma}\,\|x - x'\|^2)` of the items.
    gamma : float or None, default=None
        For ``kernel="rbf"``. None is :math:`1/(2\sigma^2)` with :math:`\sigma` the mean distance between items.
    max_landmarks : int, default=2000
        Maximum number of items for which the kernel is exact. Above, it is a Nystroem approximation with this number of
        random landmarks.
    null_space : {"refuse", "variance"}, default="refuse"
        How to fill dimensions beyond the rank of the dependence, which the criterion does not determine. "refuse"
        raises an error. "variance" takes the leading principal directions of X in the orthogonal complement of the
        directions that carry dependence. With ``n_components = n_features`` the latter is a rotation of the whole
        space.
    random_state : int or None, default=0
        Seed of landmarks and the sample for the bandwidth.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        P', with orthonormal rows (unless ``uncorrelated`` is given); the entry of largest size is positive. With
        ``kernel`` its columns are the coordinates of ``kernel_map_``, without the last, constant one.
    eigenvalues_ : ndarray of shape (rank_,)
        All positive eigenvalues of :math:`X^THLHX`, descending, also beyond ``n_components_``. With ``uncorrelated``
        they are the generalised eigenvalues.
    hsic_ : float
        Eq. (1) of the projected items: the sum of the first ``n_components_`` eigenvalues over :math:`(N-1)^2`, with N
        labelled items.
    rank_ : int
        Number of directions that carry dependence. For the linear label kernel at most one per label.
    n_components_ : int
        d.
    kernel_map_ : NystroemMap or None
        The features of the kernel.
    kernel_error_ : float
        Mean share of k(x, x) that the Nystroem map loses. 0 with an exact kernel, or without a kernel.
    n_features_in_, feature_names_in_
        As in every estimator of scikit-learn.

    Raises
    ------
    ValueError
        If nothing is observed, or a label holds anything but 1, 0 or missing; if no label depends on a feature, or the
        dependence has fewer than ``n_components`` directions; if a given matrix has another shape or is not positive
        semidefinite; if a step that needs dense features would take more than 0.8 GB.

    Notes
    -----
    The linear label kernel costs O(nnz(X) q + D q^2) for q labels and D features, where the D x D eigenproblem costs
    O(N D^2 + D^3). The other two also cost a q x q problem, with q the number of *distinct* label sets U. Items with
    equal label sets have equal rows of L, so that :math:`L = Z L_U Z^T` exactly, and no N x N matrix is formed.
    ``uncorrelated`` and ``null_space="variance"`` need dense features, O(N D min(N, D)).

    ``transform`` does not scale the features, like the paper. Features in different units need a scaler first.

    **Departures from the paper.** Labels may have gaps. With the linear label kernel, column j of S is
    :math:`\sqrt{(N-1)/(n_j-1)}\sum_i (x_i - \bar x)(y_{ij} - \bar y_j)` over the :math:`n_j` observed entries of label
    j, with their mean :math:`\bar y_j`. The root gives all labels noise of equal size, and the paper's form when
    everything is observed. Eigenvalues and ``hsic_`` belong to this S. A label with one value only has no effect.
    Unlabelled items affect only ``uncorrelated``, the features of the kernel and the filled null space. For other label
    kernels, an unknown entry of a labelled item is the rate of its label; for the linear one this would be S without
    the root. In positive-only labels an entry that was not assigned counts as 0: if relevant entries are missing at
    random, at one rate for all labels, S is c times the S of the complete labels on average, with the same directions.
    The paper does not define d beyond the rank (its Figure 2a has up to 100 % of D).

    References
    ----------
    .. [1] Y. Zhang and Z.-H. Zhou, "Multi-Label Dimensionality Reduction via Dependence Maximization", AAAI 2008,
       eq. (1)-(4) and Figure 1.
    .. [2] Y. Zhang and Z.-H. Zhou, "Multilabel Dimensionality Reduction via Dependence Maximization", ACM TKDD 4(3),
       2010.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 5, 1], [1, 1, 0], [2, 4, 0], [3, 2, 1]])
    >>> y = np.array([[0, 1], [0, 0], [1, np.nan], [1, np.nan]])
    >>> mddm = MDDM(n_components=1).fit(X, y)
    >>> mddm.components_.round(2), mddm.rank_
    (array([[-0.32,  0.92,  0.23]]), 2)
    >>> mddm.transform(X).shape
    (4, 1)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        threshold: float = 0.99,
        uncorrelated: float | None = None,
        label_kernel: str | LabelKernel | Floats = "linear",
        label_gamma: float | None = None,
        label_correlation: str | Floats | None = None,
        kernel: str | None = None,
        gamma: float | None = None,
        max_landmarks: int = 2000,
        null_space: str = "refuse",
        random_state: int | None = 0,
    ) -> None:
        self.n_components = n_components
        self.threshold = threshold
        self.uncorrelated = uncorrelated
        self.label_kernel = label_kernel
        self.label_gamma = label_gamma
        self.label_correlation = label_correlation
        self.kernel = kernel
        self.gamma = gamma
        self.max_landmarks = max_landmarks
        self.null_space = null_space
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        return tags

    @classmethod
    def as_published(cls) -> Self:
        """Return an instance with the settings of the paper's first experiments: thr = 99 %, linear label kernel."""
        return cls(
            n_components=None,
            threshold=0.99,
            uncorrelated=None,
            label_kernel="linear",
            kernel=None,
            null_space="refuse",
        )

    @classmethod
    def cca(cls, n_components: int | None = None, *, uncorrelated: float = 1.0, **parameters: Any) -> Self:
        """Return canonical correlation analysis, whose ``eigenvalues_`` are the squared canonical correlations.

        With ``uncorrelated`` below 1 the features are regularised.
        """
        return cls(n_components, uncorrelated=uncorrelated, label_correlation="whitened", **parameters)

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Compute the projection.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            All items, labelled and unlabelled.
        y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels) or (n_items,)
            1 relevant, 0 irrelevant, missing unknown; or positive-only labels.
        """
        self._validate_parameters()
        X, labels = self._enter(X, y)
        features = self._learn_features(X)
        P, values = self._directions(features, labels)
        if not len(values):
            raise ValueError(
                "no label depends on any feature: each observed label, or each feature, has one value only."
            )
        if self.uncorrelated:
            P, values = dependence.uncorrelated_directions(P * values, features, self.uncorrelated)
        self.eigenvalues_, self.rank_ = values**2, len(values)
        self.n_components_ = self._dimensions(features.shape[1])
        if self.n_components_ > self.rank_:
            rest = dependence.principal_complement(P, features, self.n_components_ - self.rank_)
            P = np.hstack([P, rest])
        self.components_ = np.ascontiguousarray(dependence.fixed_signs(P[:, : self.n_components_]).T)
        n_labelled = int((~labels.unlabelled).sum())
        self.hsic_ = float(self.eigenvalues_[: self.n_components_].sum() / (n_labelled - 1) ** 2)
        return self

    def transform(self, X: MatrixLike) -> Floats:
        """Return the projected items :math:`P^Tx`, shape (n_items, n_components_)."""
        check_is_fitted(self)
        items = self._validate_features(X, reset=False)
        if self.kernel_map_ is None:
            return np.asarray(items @ self.components_.T)
        weights = self.kernel_map_.projection @ self.components_.T
        blocks = gen_batches(items.shape[0], BLOCK)
        return np.vstack([self.kernel_map_.kernel(items[rows]) @ weights for rows in blocks])

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _validate_parameters(self) -> None:
        require_choice(self, **CHOICES)
        if isinstance(self.label_kernel, str):
            require_choice(self, label_kernel=LABEL_KERNELS)
        if self.label_correlation is None or isinstance(self.label_correlation, str):
            require_choice(self, label_correlation=CORRELATIONS)
        if self.label_correlation is not None and not (
            isinstance(self.label_kernel, str) and self.label_kernel == "linear"
        ):
            raise ValueError(
                "label_correlation is for label_kernel='linear': leave it at None for another label kernel."
            )
        require_whole(self, max_landmarks=2)
        if self.n_components is not None:
            require_whole(self, n_components=1)
        require_share(self, "threshold")
        if self.uncorrelated is not None:
            require_share(self, "uncorrelated")
        require_positive(self, "gamma", "label_gamma", finite=True, optional=True)
        if self.uncorrelated and self.null_space == "variance":
            raise ValueError("null_space='variance' fills an orthonormal projection only: leave uncorrelated at None.")

    def _enter(self, X: Any, y: Any) -> tuple[Matrix, PartialLabels]:
        """Validate features, as a float array or csr, and labels."""
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X = self._validate_features(X, reset=True)
        labels = PartialLabels.from_table(y)
        check_consistent_length(X, labels)
        labels.require_observed()
        return X, mark_unassigned(labels) if labels.positive_only else labels

    def _validate_features(self, X: Any, *, reset: bool) -> Matrix:
        min_items = 2 if reset else 1
        return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_min_samples=min_items)

    def _learn_features(self, X: Matrix) -> Matrix:
        """Return X itself, or the features whose inner products are the kernel."""
        self.kernel_map_: NystroemMap | None = None
        self.kernel_error_ = 0.0
        if self.kernel is None:
            return X
        rng, items = np.random.default_rng(self.random_state), X[order_items(X)]
        bandwidth = mean_distance(items, rng) if self.gamma is None else float(np.sqrt(0.5 / self.gamma))
        self.kernel_map_ = nystroem(items, bandwidth, self.max_landmarks, rng)
        self.kernel_error_ = self.kernel_map_.error
        return self.kernel_map_(X)[:, :-1]  # its last feature is a constant

    def _directions(self, X: Matrix, labels: PartialLabels) -> tuple[Floats, Floats]:
        """Return the orthonormal directions that carry dependence, and the singular values of S."""
        if isinstance(self.label_kernel, str) and self.label_kernel == "linear":
            Y, observed = labels.values(unknown=0.0), labels.observed
            S, size = dependence.label_covariance(X, Y, observed)
            if self.label_correlation is not None:
                root = dependence.correlation_root(self.label_correlation, Y, observed)
                S, size = S @ root, size * max(np.linalg.svdvals(root), default=0.0)
            return dependence.directions(S, size)
        rows = np.flatnonzero(~labels.unlabelled)
        gram, Z = self._compare_labels(labels, rows)
        counts: Floats = np.asarray(Z.sum(axis=0), dtype=np.float64)
        S, size = dependence.cross_covariance(X[rows], Z)
        trace = float(counts @ gram.diagonal())  # of L, which is the squared norm of its factor before centring
        return dependence.directions(S @ dependence.label_factor(gram, counts), size * np.sqrt(trace))

    def _compare_labels(self, labels: PartialLabels, rows: Ints) -> tuple[Floats, sparse.csr_array]:
        """Return the kernel matrix of the distinct label vectors, and the indicator matrix of the items among them."""
        if not isinstance(self.label_kernel, str) and not callable(self.label_kernel):
            L = dependence.require_semidefinite("label_kernel", self.label_kernel, len(labels))
            return L[np.ix_(rows, rows)], sparse.csr_array(sparse.eye_array(len(rows), format="csr"))
        Y, observed = labels[rows].values(unknown=0.0), labels[rows].observed
        rates = Y.sum(axis=0) / np.maximum(observed.sum(axis=0), 1)
        sets, Z = dependence.label_sets(np.where(observed, Y, rates))
        if callable(self.label_kernel):
            return dependence.require_semidefinite("label_kernel", self.label_kernel(sets), len(sets)), Z
        return dependence.label_gram(sets, self.label_kernel, self.label_gamma), Z

    def _dimensions(self, n_features: int) -> int:
        """Return d (Figure 1, steps 3-7). Raise if there are fewer dimensions."""
        if self.n_components is None:
            sums = np.cumsum(self.eigenvalues_)
            return int(np.searchsorted(sums, self.threshold * sums[-1])) + 1
        available = self.rank_ if self.null_space == "refuse" else n_features
        if self.n_components > available:
            raise ValueError(_explain_excess(self.n_components, self.rank_, n_features, self.null_space))
        return int(self.n_components)


def _explain_excess(n_components: int, rank: int, n_features: int, null_space: str) -> str:
    if null_space == "variance":
        return f"n_components={n_components}, but there are only {n_features} features to project."
    return (
        f"n_components={n_components}, but only {rank} of {n_features} directions depend on the labels: set it to at "
        f"most {rank}, or set null_space='variance' to add principal directions of the features."
    )
