"""The features of the ridge regression: weighted words, or an RBF kernel map of other features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from halflabel._arrays import Ints, Matrix, is_sparse
from halflabel.methods.auto.features import Weighting
from halflabel.methods.auto.ridge import choose_bandwidth
from halflabel.numerics.kernels import NystroemMap, nystroem

#: Maximum number of landmarks of the kernel map, and of labels that its bandwidth is chosen on.
MAX_LANDMARKS, MAX_LABELS = 1000, 500


@dataclass(frozen=True, eq=False)
class Space:
    """Features whose inner products are similarities of items."""

    weighting: Weighting
    #: None for words, whose weighted rows have length 1.
    kernel_map: NystroemMap | None

    @classmethod
    def learn(cls, X: Matrix, labelled: Ints, relevant: sparse.csr_array, scale: str | None, seed: int) -> Space:
        """Learn weights from all items, and the kernel map from labelled ones.

        ``scale`` and ``seed`` are as in :class:`SparseLabeler`.
        """
        weighting = Weighting.learn(X, scale)
        if weighting.unit_rows:
            return cls(weighting, None)
        rng, Z = np.random.default_rng(seed), weighting(X[labelled])
        frequent = np.sort(np.argsort(-relevant.sum(axis=0), kind="stable")[:MAX_LABELS])
        Y = relevant[:, frequent].toarray()
        width = choose_bandwidth(Z, Y, np.ones(Y.shape, dtype=bool), rng)
        return cls(weighting, nystroem(Z, width, MAX_LANDMARKS, rng))

    def __call__(self, X: Matrix) -> Any:
        """Return the features of the rows of ``X``: a csr_array for sparse words, else dense."""
        Z = self.weighting(X)
        if self.kernel_map is not None:
            return self.kernel_map(Z)[:, :-1]
        return sparse.csr_array(Z) if is_sparse(Z) else Z
