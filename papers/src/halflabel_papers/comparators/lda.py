"""LDA: linear directions that separate sets of labels (Fisher 1936, Belhumeur et al. 1997)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_consistent_length

from halflabel.labels import PartialLabels
from halflabel.methods.validation import require_irrelevant
from halflabel.plugins import Floats, Ints, Matrix, is_sparse
from halflabel_papers.comparators.projection import LinearProjection, to_dense, whitening


class LDA(LinearProjection):
    r"""Linear discriminant analysis. The items with the same set of labels are one class.

    With :math:`m_c` the mean of the :math:`n_c` items of class c and m that of all, the directions w maximise

    .. math::
        \frac{w^T S_B w / (C - 1)}{w^T S_W w / (n - C)}, \qquad
        S_B = \sum_c n_c (m_c - m)(m_c - m)^T, \qquad S_W = \sum_c \sum_{i \in c} (x_i - m_c)(x_i - m_c)^T

    for C classes and n items: the F statistic of a one-way analysis of variance. Each direction has
    :math:`w^T S_W w = n - C`, so that the pooled variance within classes is 1; within classes the directions are
    uncorrelated.

    Parameters
    ----------
    n_components : int, default=2
        Number of directions, at most C - 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The rows are w, the one with the largest F first, its largest entry positive.
    eigenvalues_ : ndarray of shape (n_components,)
        F of each direction; it has no unit.

    Raises
    ------
    ValueError
        If no item has all of its labels observed; if all such items have the same set of labels, or no two of them have
        the same set; if the labels are positive-only, or ``n_components`` is larger than the number of directions.

    Notes
    -----
    Costs :math:`O(\mathrm{nnz}(X)\,m + m^3)` time for m features and a few m x m matrices; sparse X stays sparse.
    Features should have comparable units: directions in which items of one class vary by less than 1e-10 of the largest
    eigenvalue of :math:`S_W` are left out. With more features than items, these are the directions that separate the
    training items without error; a PCA before LDA leaves them out too [2]_.

    **Departures from the papers.** A class is a distinct set of labels; in the papers an item has one label. Items with
    an unknown label belong to no class: they are left out of the fit, and can be transformed.

    References
    ----------
    .. [1] R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7, 1936.
    .. [2] P. N. Belhumeur, J. P. Hespanha and D. J. Kriegman, "Eigenfaces vs. Fisherfaces: recognition using class
       specific linear projection", IEEE TPAMI 19, 1997.

    Examples
    --------
    The first feature separates three sets of labels; the second varies more, but within them:

    >>> import numpy as np
    >>> X = np.array([[0.0, 9], [0, 1], [1, 5], [4, 8], [5, 2], [5, 5], [9, 1], [8, 6], [9, 9], [3, 3]])
    >>> Y = np.array([[1, 0]] * 3 + [[1, 1]] * 3 + [[0, 1]] * 3 + [[1, np.nan]])
    >>> LDA(n_components=1).fit(X, Y).components_.round(1)
    array([[1.8, 0.1]])
    """

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
        y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels) or (n_items,)
            1 relevant, 0 irrelevant; a row with an unknown entry is left out.
        """
        if y is None:
            raise ValueError("This LDA estimator requires y to be passed, but the target y is None.")
        X, labels = self._enter(X), PartialLabels.from_table(y)
        check_consistent_length(X, labels)
        labels.require_observed()
        require_irrelevant(self, labels)
        whole = np.flatnonzero(labels.observed.all(axis=1))
        sets, member, counts = np.unique(labels.state[whole], axis=0, return_inverse=True, return_counts=True)
        _require_classes(len(member), len(sets))
        return self._fit(X[whole], member.ravel(), counts)

    def _fit(self, X: Matrix, member: Ints, counts: Ints) -> Self:
        means, within = _compute_scatter(X, member, counts)
        n, C = len(member), len(counts)
        S = whitening(within)
        between = np.sqrt(counts)[:, None] * ((means - counts @ means / n) @ S)  # its square is S' S_B S
        self._require_components(int(np.linalg.matrix_rank(between)) if between.size else 0)
        _, lengths, V = np.linalg.svd(between, full_matrices=False)
        W = np.sqrt(n - C) * S @ V[: self.n_components].T
        self._project(lengths[: self.n_components] ** 2 * (n - C) / (C - 1), W)
        return self


def _require_classes(n_items: int, n_sets: int) -> None:
    """Raise unless there are at least two sets of labels, and two items with the same set."""
    if not n_items:
        raise ValueError(
            "LDA needs items of which all labels are observed, but there is none: fill in their gaps first."
        )
    if n_sets == 1 or n_sets == n_items:
        have = "the same set of labels" if n_sets == 1 else "a set of labels of its own"
        raise ValueError(
            f"LDA needs several sets of labels, and several items with the same set, but each of the {n_items} items "
            f"with all labels observed has {have}: label more items, or use fewer labels."
        )


def _compute_scatter(X: Matrix, member: Ints, counts: Ints) -> tuple[Floats, Floats]:
    """Return the mean of every class and :math:`S_W`. Sparse X is centred implicitly."""
    totals = np.zeros((len(counts), X.shape[1]))
    for c in range(len(counts)):
        totals[c] = X[member == c].sum(axis=0)
    means = totals / counts[:, None]
    if not is_sparse(X):  # explicitly, which loses no digits
        X = X - means[member]
        return means, X.T @ X
    return means, to_dense(X.T @ X) - means.T @ totals
