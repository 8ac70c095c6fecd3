"""ML-kNN one label and one item at a time, as Zhang and Zhou (2007) print it in figure 1."""

from __future__ import annotations

import numpy as np


def nearest(X, query, k, skip=None):
    """The k nearest rows of X, the row ``skip`` left out, by sorting all distances."""
    distance = sorted((np.linalg.norm(query - x), i) for i, x in enumerate(X) if i != skip)
    return [i for _, i in distance[:k]]


def membership(neighbours, y):
    """C_t(l): how many neighbours have the label."""
    return sum(y[a] == 1 for a in neighbours)


def posterior(training, count, k, s):
    """P(H_1 | C = count) from a list of (C, y) of the training items, every table filled from scratch."""
    m = len(training)
    prior = (s + sum(y == 1 for _, y in training)) / (2 * s + m)
    c, c_prime = [0] * (k + 1), [0] * (k + 1)
    for delta, y in training:
        if y == 1:
            c[delta] += 1
        else:
            c_prime[delta] += 1
    has = prior * (s + c[count]) / (s * (k + 1) + sum(c))
    lacks = (1 - prior) * (s + c_prime[count]) / (s * (k + 1) + sum(c_prime))
    return has / (has + lacks)


def ml_knn(X, y, new, k, s=1.0):
    """Posteriors of one label for new items."""
    training = [(membership(nearest(X, x, k, skip=i), y), y[i]) for i, x in enumerate(X)]
    return [posterior(training, membership(nearest(X, x, k), y), k, s) for x in new]


def left_out(X, y, k, s=1.0):
    """Posteriors of one label for the training items, each without its own pair in the tables."""
    training = [(membership(nearest(X, x, k, skip=i), y), y[i]) for i, x in enumerate(X)]
    return [posterior(training[:i] + training[i + 1 :], training[i][0], k, s) for i in range(len(X))]


def score_fitted(X, y, k, s=1.0):
    """Posteriors of one label for the training items themselves."""
    training = [(membership(nearest(X, x, k, skip=i), y), y[i]) for i, x in enumerate(X)]
    return [posterior(training, delta, k, s) for delta, _ in training]
