"""The inputs of every member: weighted features, and coordinates of low dimension for distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.preprocessing import normalize

from halflabel._arrays import Floats, Ints, Matrix, is_sparse
from halflabel.methods.auto.sampling import draw
from halflabel.methods.canonical_order import order_features
from halflabel.numerics.scaling import Scaler

#: Features are treated as words (present or absent, or counted) if none is negative and at most this share is not 0.
MAX_WORD_DENSITY = 0.2

#: Number of principal components.
COMPONENTS = 60

#: Maximum number of items from which principal components are learned.
MAX_SAMPLE = 20_000


@dataclass(frozen=True, eq=False)
class Weighting:
    """Brings features to comparable units."""

    scaler: Scaler
    #: Whether each row is divided by its length afterwards; a row of zeros stays.
    unit_rows: bool
    #: Shape (n_features,). The order in which features are weighted, and in which a model sees them. None keeps the
    #: given order.
    order: Ints | None = None

    @classmethod
    def learn(cls, X: Matrix, scale: str | None) -> Weighting:
        """Learn from items in canonical order. ``"auto"`` is ``"idf"`` for words, else as in Scaler."""
        if scale not in ("auto", "standard", "idf", None):
            raise ValueError(f"scale must be 'auto', 'standard', 'idf' or None, not {scale!r}.")
        words = scale == "idf" or (scale == "auto" and has_word_features(X))
        order, scaler = order_features(X), _weigh_by_rarity(X) if words else Scaler.learn(X, scale)
        return cls(Scaler(scaler.scale[order], scaler.center[order]), words, order)

    def __call__(self, X: Matrix) -> Matrix:
        """Return weighted features. Dense features stay dense, and sparse features stay sparse."""
        X = X if self.order is None else _take_features(X, self.order)
        weighted = self.scaler(X)
        if not self.unit_rows:
            return weighted
        unit = normalize(weighted, copy=weighted is X)
        return sparse.csr_array(unit) if is_sparse(X) else unit

    def restore(self, values: Floats) -> Floats:
        """Return values per weighted feature in the given order of the features."""
        return values if self.order is None else values[np.argsort(self.order)]


def _weigh_by_rarity(X: Matrix) -> Scaler:
    present = np.asarray((X != 0).sum(axis=0)).ravel()
    return Scaler(1 / (1 + np.log((1 + X.shape[0]) / (1 + present))), np.zeros(X.shape[1]))


def _take_features(X: Matrix, features: Ints) -> Matrix:
    """Return some features in some order. The order of sums over a row follows from it, also in sparse rows."""
    taken = X[:, features]
    if is_sparse(taken):
        taken.sort_indices()
    return taken


def has_word_features(X: Matrix) -> bool:
    """Return whether no value is negative and at most one value in five is not 0."""
    values = X.data if is_sparse(X) else X
    present = np.count_nonzero(values)
    return bool(0 < present <= MAX_WORD_DENSITY * np.prod(X.shape) and (values >= 0).all())


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Principal components: the space in which nearest neighbours are searched."""

    #: Shape (n_features,).
    mean: Floats
    #: Shape (n_components, n_features). None keeps all features: distances are the same after a rotation.
    components: Floats | None

    @classmethod
    def learn(cls, X: Matrix, rng: np.random.Generator) -> Coordinates:
        """Learn 60 components from at most 20 000 rows of ``X``."""
        rows = draw(np.arange(X.shape[0]), MAX_SAMPLE, rng)
        if min(X.shape[1], len(rows) - 1) <= COMPONENTS:
            return cls(np.zeros(X.shape[1]), None)
        solver = "covariance_eigh" if X.shape[1] <= len(rows) and X.shape[1] <= 2000 else "arpack"
        pca = PCA(COMPONENTS, svd_solver=solver, random_state=int(rng.integers(2**31))).fit(X[rows])
        return cls(np.asarray(pca.mean_, dtype=np.float64), np.asarray(pca.components_, dtype=np.float64))

    def __call__(self, X: Matrix) -> Matrix:
        """Return the coordinates of the rows of ``X``, dense where there are components."""
        if self.components is None:
            return X
        return np.asarray(X @ self.components.T - self.mean @ self.components.T)
