"""The items whose labels help most, because they reduce the uncertainty of a regression over all items."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from scipy.special import entr
from sklearn.metrics.pairwise import euclidean_distances

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels

#: Maximum number of unlabelled items that are compared, and of labelled items that they are compared with.
MAX_UNLABELLED, MAX_LABELLED = 2000, 1000

#: Approximate number of items whose distances decide the bandwidth.
MAX_WIDTH = 500

#: Variance of the noise of a label, relative to the variance of the learned function.
NOISE = 0.3


def rank_questions(
    labels: PartialLabels, probabilities: Floats, components: Floats, n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the ``n`` items with gaps whose labels help most.

    Unlabelled items come first, in the order of :func:`choose_informative`. The items whose unknown entries have the
    largest entropy follow: a model learns less from them, because an item can be uncertain and still unlike all other
    items.

    Columns: position, bits (entropy of the unknown entries, summed), unknown (number of unknown entries).

    Items are compared in the coordinates ``components``.
    """
    bits = np.where(labels.observed, 0.0, (entr(probabilities) + entr(1 - probabilities)) / np.log(2)).sum(axis=1)
    unknown = (~labels.observed).sum(axis=1)
    order = np.argsort(-bits, kind="stable")
    order = order[unknown[order] > 0]
    if labels.unlabelled.any():
        first = choose_informative(components, ~labels.unlabelled, n, rng)
        order = np.concatenate([first, order[~np.isin(order, first)]])
    order = order[:n]
    return pd.DataFrame({"position": order, "bits": bits[order], "unknown": unknown[order]})


def choose_informative(components: Floats, labelled: Mask, n: int, rng: np.random.Generator) -> Ints:
    r"""Return at most ``n`` unlabelled items that, one after the other, reduce the expected error most.

    The error is the mean posterior variance of a Gaussian process over the unlabelled items, with an RBF kernel whose
    squared bandwidth is the median squared distance. An item that is labelled reduces it by

    .. math:: \frac{\sum_i C_{ij}^2}{C_{jj} + \sigma^2}

    with C the posterior covariance given the labelled and the chosen items ([1]_, V-optimality). This favours items in
    dense regions that are far from labelled items. It uses no probabilities, which are unreliable with few labels.

    References
    ----------
    .. [1] K. Yu, J. Bi and V. Tresp, "Active Learning via Transductive Experimental Design", ICML 2006.
    """
    items = rng.permutation(np.flatnonzero(~labelled))[:MAX_UNLABELLED]
    known = rng.permutation(np.flatnonzero(labelled))[:MAX_LABELLED]
    covariance = _condition(components[items], components[known])
    squares, variances = np.einsum("ij,ij->j", covariance, covariance), covariance.diagonal().copy()
    is_open = np.ones(len(items), dtype=bool)
    chosen: list[int] = []
    removed = np.empty((0, len(items)))  # C is the first covariance minus removed' removed, which is not formed
    for _ in range(min(n, len(items))):
        best = int(np.argmax(np.where(is_open, squares / (variances + NOISE), -np.inf)))
        chosen.append(best)
        is_open[best] = False
        row = covariance[best] - removed[:, best] @ removed
        row /= np.sqrt(row[best] + NOISE)
        product = covariance @ row - (removed @ row) @ removed
        squares += row * (row * (row @ row) - 2 * product)
        variances -= row**2
        removed = np.vstack([removed, row])
    return np.asarray(items[chosen], dtype=np.intp)


def _condition(points: Floats, known: Floats) -> Floats:
    """Return the covariance of points, given noisy values at known points."""
    both = np.concatenate([points, known])
    squares = euclidean_distances(both, squared=True)
    step = max(1, len(both) // MAX_WIDTH)  # both parts are in random order
    distinct = squares[::step, ::step]
    distinct = distinct[distinct > 0]
    kernel = np.exp(-squares / (np.median(distinct) if distinct.size else 1.0))
    n = len(points)
    if n == len(both):
        return np.asarray(kernel)
    factor = cho_factor(kernel[n:, n:] + NOISE * np.eye(len(known)))
    return np.asarray(kernel[:n, :n] - kernel[:n, n:] @ cho_solve(factor, kernel[n:, :n]))
