"""The words that trees see: the sparse features with the highest correlation with some label."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints

#: Maximum number of words. With more of them, most splits of a random tree would be on words without information.
MAX_WORDS = 2000

#: Maximum number of cells (words x labels) whose correlations are computed at a time; 128 MB.
CELLS = 2**24


def choose_words(X: sparse.csr_array, targets: Floats, min_rows: int) -> Ints:
    """Return at most 2000 features, in order, with the highest squared correlation with one of the targets.

    X and the targets are the rows that trees are grown on, so that a held-out label has no effect. A word of fewer than
    ``min_rows`` rows, the minimum of a leaf, cannot be a split.
    """
    n, n_words = X.shape
    if n_words <= MAX_WORDS:
        return np.arange(n_words)
    mean = np.asarray(X.sum(axis=0)).ravel() / n
    variance = np.asarray(X.multiply(X).sum(axis=0)).ravel() / n - mean**2
    centred = targets - targets.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    unit = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-12)
    best, size = np.zeros(n_words), max(1, CELLS // n_words)
    for start in range(0, unit.shape[1], size):
        np.maximum(best, ((X.T @ unit[:, start : start + size]) ** 2).max(axis=1), out=best)
    possible = (np.bincount(X.indices, minlength=n_words) >= min_rows) & (variance > 0)
    score = np.divide(best, variance, out=np.full(n_words, -1.0), where=possible)
    return np.sort(np.argsort(-score, kind="stable")[:MAX_WORDS])
