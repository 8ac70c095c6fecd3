"""The kernel of items with gaps as a table with gaps, for methods that complete a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from halflabel.methods.canonical_order import order_items
from halflabel.methods.impute.imputer import validate_gapped
from halflabel.methods.validation import require_choice, require_not_negative, require_positive, require_whole
from halflabel.numerics.scaling import Scaler
from halflabel.plugins import Floats

#: Kernels of items with gaps, of the means over shared features of :math:`xx'`, :math:`x^2` and :math:`x'^2`, and s.
SHARED_KERNELS: Mapping[str, Callable[[Floats, Floats, Floats, float], Floats]] = {
    "polynomial": lambda product, own, other, s: (product / s**2 + 1) ** 2,
    "rbf": lambda product, own, other, s: np.exp((product - (own + other) / 2) / s**2),
    "linear": lambda product, own, other, s: product / s**2,
}


def shared_kernel(X: Floats, Z: Floats, kind: str, width: float, min_shared: float) -> Floats:
    """Return a kernel of :data:`SHARED_KERNELS` of the rows of X and Z, from the features that are NaN in neither.

    It is NaN where the share of such features is 0, or below ``min_shared``.
    """
    (seen, values), (known, others) = ((~np.isnan(items) * 1.0, np.nan_to_num(items)) for items in (X, Z))
    count = seen @ known.T
    with np.errstate(divide="ignore", invalid="ignore"):
        product, own, other = values @ others.T / count, values**2 @ known.T / count, seen @ (others**2).T / count
        gram = SHARED_KERNELS[kind](product, own, other, width)
    return np.where(count >= max(min_shared * X.shape[1], 1.0), gram, np.nan)


class PartialKernel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    r"""Replace the features of an item by its kernel with other items, and leave gaps where it cannot be computed.

    Matrix completion is linear in the features. Goldberg et al. (section 5) propose to map features with gaps to "a
    partially observed polynomial (or other) kernel Gram matrix", and to complete that one together with the labels, so
    that labels can be other functions of the features: ``make_pipeline(PartialKernel(), MC1())``.

    Parameters
    ----------
    kernel : {"polynomial", "rbf", "linear"}, default="polynomial"
        :math:`(m/s^2 + 1)^2`, :math:`e^{-q/2s^2}` or :math:`m/s^2`, where m is the mean of :math:`x_k x'_k`, and q that
        of :math:`(x_k - x'_k)^2`, over the features k that two items share.
    width : float, default=1.0
        s, in standard deviations of a feature.
    min_shared : float, default=0.1
        The kernel of two items is unknown if they share less than this part of the features. 1 is the paper's
        reading: it is known for items without gaps only.
    max_landmarks : int, default=100
        Maximum number of columns: the kernel with a random sample of the fitted items.
    scale : {"standard", None}, default="standard"
        Centre each feature and divide it by its standard deviation, both computed from its observed entries.
    random_state : int or None, default=0
        Seed of the sample.

    Attributes
    ----------
    landmarks_ : ndarray of shape (n_landmarks, n_features_in_)
        The sample, scaled, with NaN for gaps, in the canonical order of its items.
    scaler_ : Scaler

    Raises
    ------
    TypeError
        If X is sparse, because there an absent cell is a zero and not a gap.
    ValueError
        If X holds inf or has no value, or a parameter is out of range.

    Notes
    -----
    Costs three products of the table with the landmarks. The paper states no kernel of two items with gaps. That of
    their shared features is unbiased for m and q if values are missing at random, but not for a function of them, and
    the fewer they share, the more it varies.

    References
    ----------
    .. [1] A. B. Goldberg, X. Zhu, B. Recht, J.-M. Xu, R. Nowak, "Transduction with Matrix Completion: Three Birds
       with One Stone", NIPS 2010, section 5.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, np.nan], [np.nan, -1.0]])
    >>> PartialKernel("linear", scale=None).fit(X[:1]).transform(X)
    array([[ 2.5],
           [ 3. ],
           [-2. ]])
    >>> PartialKernel("linear", scale=None, min_shared=1).fit(X[:1]).transform(X).ravel()
    array([2.5, nan, nan])
    """

    def __init__(
        self,
        kernel: str = "polynomial",
        *,
        width: float = 1.0,
        min_shared: float = 0.1,
        max_landmarks: int = 100,
        scale: str | None = "standard",
        random_state: int | None = 0,
    ) -> None:
        self.kernel = kernel
        self.width = width
        self.min_shared = min_shared
        self.max_landmarks = max_landmarks
        self.scale = scale
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.landmarks_)

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn the scale, and choose the landmarks.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            NaN where a value is missing.
        y : ignored
        """
        require_choice(self, kernel=tuple(SHARED_KERNELS))
        require_positive(self, "width")
        require_not_negative(self, "min_shared")
        require_whole(self, max_landmarks=1)
        items = validate_gapped(self, X, reset=True)
        items = items[order_items(items)]
        if np.isnan(items).all():
            raise ValueError("no cell of X is known: PartialKernel needs values that items share.")
        self.scaler_ = Scaler.learn(np.where(np.isnan(items).all(axis=0), 0.0, items), self.scale)
        chosen = np.random.default_rng(self.random_state).permutation(len(items))[: self.max_landmarks]
        self.landmarks_ = self.scaler_(items[np.sort(chosen)])
        return self

    def transform(self, X: Any) -> Floats:
        """Return the kernel of each item with each landmark.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            NaN where a value is missing.

        Returns
        -------
        ndarray of float64, shape (n_items, n_landmarks)
            NaN where an item and a landmark share too few features.
        """
        check_is_fitted(self)
        items = self.scaler_(validate_gapped(self, X, reset=False))
        return shared_kernel(items, self.landmarks_, self.kernel, self.width, self.min_shared)
