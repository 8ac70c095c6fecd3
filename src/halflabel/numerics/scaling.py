"""Features divided by their standard deviation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from halflabel._arrays import Floats, Matrix, is_sparse

#: The largest spread of a constant feature, in units of its mean: differences of this size come from rounding.
ROUNDING = 1e-11


@dataclass(frozen=True)
class Scaler:
    """Divides features by their standard deviation. From dense X it subtracts the mean first.

    Sparse X stays sparse, so that nothing is subtracted from it. For a method that uses differences of features only,
    this makes no difference. Dense X is centred because otherwise a feature whose mean is large compared with its
    spread (a year, a time stamp) would lose its differences in rounding, and make a linear model ill-conditioned.
    """

    #: Shape (n_features,). Standard deviations. 1 for a feature that is constant except for rounding.
    scale: Floats
    #: Shape (n_features,). Means. 0 for sparse X.
    center: Floats

    @classmethod
    def learn(cls, X: Matrix, scale: str | None) -> Scaler:
        """Learn the scale. ``"auto"`` is ``"standard"`` for dense X and ``None`` for sparse X."""
        if scale not in ("auto", "standard", None):
            raise ValueError(f"scale must be 'auto', 'standard' or None, not {scale!r}.")
        if scale is None or (scale == "auto" and is_sparse(X)):
            return cls(np.ones(X.shape[1]), np.zeros(X.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            learned = StandardScaler(with_mean=False).fit(X)  # handles constant columns, dense or sparse
        finite = np.isfinite(learned.var_)
        if not finite.all():
            feature = int(np.argmin(finite))
            raise ValueError(f"feature {feature} has values too large to be squared: divide it by a constant first.")
        if is_sparse(X):
            return cls(learned.scale_, np.zeros(X.shape[1]))
        is_constant = learned.scale_ <= ROUNDING * np.abs(learned.mean_)
        return cls(np.where(is_constant, 1.0, learned.scale_), learned.mean_)

    def __call__(self, X: Matrix) -> Matrix:
        """Return scaled features. Dense features stay dense, and sparse features stay sparse."""
        if is_sparse(X):
            if (self.scale == 1).all():
                return X  # bit for bit: rounding would change which of two equally near neighbours comes first
            return sparse.csr_array(X @ sparse.diags_array(1 / self.scale))
        centred = X - self.center
        centred /= self.scale
        return centred
