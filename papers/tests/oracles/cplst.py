"""The objective that CPLST minimises."""

from __future__ import annotations

import numpy as np


def compute_error(X, Y, V, ridge):
    """Error of the code V of centred labels, and of the best ridge regression of the code on centred features."""
    code = Y @ V
    stacked = np.vstack([X, np.sqrt(ridge) * np.eye(X.shape[1])])
    target = np.vstack([code, np.zeros((X.shape[1], V.shape[1]))])
    W = np.linalg.lstsq(stacked, target, rcond=None)[0]
    return ((Y - code @ V.T) ** 2).sum() + ((target - stacked @ W) ** 2).sum()
