"""Linear support vector machine. Cross-validation chooses C. It works with few items."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from halflabel.plugins import Floats, Matrix


class LinearSVM(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    r"""Squared-hinge linear SVM with C by cross-validation, the comparator of Goldberg et al. (2010).

    Minimises :math:`\tfrac12(\|w\|^2 + b^2) + C\sum_i \max(0, 1 - s_i(w^Tx_i + b))^2`.

    Parameters
    ----------
    grid : sequence of float, default=(1e-3, 1e-2, 1e-1, 1, 10)
        Values of C; of several with the same accuracy the smallest is chosen.
    n_folds : int, default=5
        Number of stratified folds; fewer if a class has fewer items. With a single item of a class, C is the middle
        value of the grid.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    C_ : float
    svm_ : LinearSVC
    classes_ : ndarray of shape (2,)

    Notes
    -----
    **Departures from the paper.** Its grid has all powers of ten from -8 to 8; it does not give its loss.

    Examples
    --------
    >>> X = np.arange(12.0)[:, None] - 5.5
    >>> LinearSVM().fit(X, X[:, 0] > 0).predict([[-2.0], [3.0]])
    array([False,  True])
    """

    def __init__(
        self, grid: tuple[float, ...] = (1e-3, 1e-2, 1e-1, 1.0, 10.0), *, n_folds: int = 5, random_state: int | None = 0
    ) -> None:
        self.grid = grid
        self.n_folds = n_folds
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Choose C and fit. ``y`` takes two values."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) == 1:
            raise ValueError("Classifier can't train when only one class is present: this label has a single value.")
        if len(self.classes_) > 2:
            raise ValueError(f"Only binary classification is supported, but y has {len(self.classes_)} values.")
        self.C_ = self._choose_C(X, y == self.classes_[1])
        self.svm_ = self._create_svm(self.C_).fit(X, y == self.classes_[1])
        return self

    def _choose_C(self, X: Matrix, positive: Any) -> float:
        n_folds = min(self.n_folds, int(positive.sum()), int((~positive).sum()))
        if n_folds < 2:
            return float(self.grid[len(self.grid) // 2])
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        n_correct = np.zeros(len(self.grid))
        for train, test in folds.split(np.zeros(len(positive)), positive):
            for number, C in enumerate(self.grid):
                svm = self._create_svm(C).fit(X[train], positive[train])
                n_correct[number] += (svm.predict(X[test]) == positive[test]).sum()
        return float(self.grid[int(np.argmax(n_correct))])

    def _create_svm(self, C: float) -> LinearSVC:
        return LinearSVC(C=C, dual=False)

    def decision_function(self, X: Any) -> Floats:
        """Return the signed distance, in units of the margin. Positive means relevant."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return np.asarray(self.svm_.decision_function(X))

    def predict(self, X: Any) -> Any:
        """Return the class of the side of the plane on which each row lies."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]
