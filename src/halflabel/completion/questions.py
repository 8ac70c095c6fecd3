"""The items whose labels help most: typical items first, uncertain ones once enough items are labelled."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import entr
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels

#: Share of labelled items up to which typical items are asked first.
TYPICAL_UNTIL = 0.15

#: Maximum number of items that are compared, and of clusters.
MAX_ITEMS, MAX_CLUSTERS = 5000, 500

#: Number of neighbours that decide how typical an item is.
NEIGHBORS = 20


def rank_questions(
    labels: PartialLabels, probabilities: Floats, components: Floats, n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the ``n`` items with gaps whose labels help most.

    Up to 15 % labelled items these are typical items of regions without labels: a model learns nothing from a rare item
    that it is unsure about. Later they are the items whose unknown entries have the largest entropy.

    Columns: position, bits (entropy of the unknown entries, summed), unknown (number of unknown entries).

    Parameters
    ----------
    labels : PartialLabels
    probabilities : ndarray of shape (n_items, n_labels)
    components : ndarray of shape (n_items, n_components)
        Coordinates in which items are compared.
    n : int
    rng : Generator
    """
    bits = np.where(labels.observed, 0.0, (entr(probabilities) + entr(1 - probabilities)) / np.log(2)).sum(axis=1)
    unknown = (~labels.observed).sum(axis=1)
    order = np.argsort(-bits, kind="stable")
    order = order[unknown[order] > 0]
    labelled = ~labels.unlabelled
    if labelled.mean() < TYPICAL_UNTIL and labels.unlabelled.any():
        typical = choose_typical(components, labelled, n, rng)
        order = np.concatenate([typical, order[~np.isin(order, typical)]])
    order = order[:n]
    return pd.DataFrame({"position": order, "bits": bits[order], "unknown": unknown[order]})


def choose_typical(components: Floats, labelled: Mask, n: int, rng: np.random.Generator) -> Ints:
    """Return at most ``n`` unlabelled items: of the clusters with the fewest labelled items, the most typical one each.

    The method is TypiClust [1]_: as many clusters as labelled and asked items, the larger cluster first among equals,
    and an item is typical whose nearest neighbours are near.

    References
    ----------
    .. [1] G. Hacohen, A. Dekel and D. Weinshall, "Active Learning on a Budget: Opposite Strategies Suit High and Low
       Budgets", ICML 2022.
    """
    some = rng.permutation(len(components))[:MAX_ITEMS]
    points, known = components[some], labelled[some]
    n_clusters = min(int(known.sum()) + n, MAX_CLUSTERS, len(some))
    cluster = KMeans(n_clusters, n_init=1, random_state=int(rng.integers(2**31))).fit_predict(points)
    typicality = _measure_typicality(points)
    size = np.bincount(cluster, minlength=n_clusters)
    covered = np.bincount(cluster[known], minlength=n_clusters)
    open_items = ~known
    chosen: list[int] = []
    while len(chosen) < n and open_items.any():
        has_open = np.bincount(cluster[open_items], minlength=n_clusters) > 0
        best = np.lexsort((-size, covered, ~has_open))[0]
        item = int(np.argmax(np.where(open_items & (cluster == best), typicality, -np.inf)))
        chosen.append(item)
        open_items[item] = False
        covered[best] += 1
    return np.asarray(some[chosen], dtype=np.intp)


def _measure_typicality(points: Floats) -> Floats:
    """Return the negative mean distance of each item to its nearest neighbours."""
    neighbors = min(NEIGHBORS, len(points) - 1)
    if neighbors < 1:
        return np.zeros(len(points))
    distance, _ = NearestNeighbors(n_neighbors=neighbors).fit(points).kneighbors()
    return np.asarray(-distance.mean(axis=1))
