"""Slow, obvious forms of the computations of the ensemble's members."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def refitted_ridge(Phi, Y, alpha):
    """Return each row's answer by the ridge regression fitted without it."""
    answers = np.empty_like(Y)
    for i in range(len(Phi)):
        rest = np.arange(len(Phi)) != i
        gram = Phi[rest].T @ Phi[rest] + alpha * np.eye(Phi.shape[1])
        answers[i] = Phi[i] @ linalg.solve(gram, Phi[rest].T @ Y[rest])
    return answers


def propagate(W, target, weight, pull, rest):
    """Solve the normal equations of the propagation objective, one label after the other."""
    degree = np.asarray(W.sum(axis=1)).ravel()
    F = np.empty(target.shape)
    for j in range(target.shape[1]):
        system = np.diag(degree) - W.toarray() + np.diag(degree * (weight[:, j] + pull))
        F[:, j] = linalg.solve(system, degree * (weight[:, j] * target[:, j] + pull * rest[j]))
    return F


def leaf_of(tree, row):
    """Return the leaf of a row in a scikit-learn tree, step by step from the root, in single precision."""
    node = 0
    while tree.children_left[node] >= 0:
        low = np.float32(row[tree.feature[node]]) <= tree.threshold[node]
        node = tree.children_left[node] if low else tree.children_right[node]
    return node
