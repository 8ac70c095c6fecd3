"""Quality of a map: how many neighbourhoods of the drawn space the map keeps, and how many it loses."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.utils import gen_batches

from halflabel._arrays import Floats, Ints, Mask
from halflabel.numerics.graph.neighbors import neighbors

#: Number of neighbours of an item in all figures.
NEIGHBORS = 15

#: Maximum number of items that are compared, and maximum number of items whose neighbourhoods are checked.
MAX_ITEMS, MAX_QUERIES = 10_000, 2000

#: Maximum number of distances that are in memory at once.
CELLS = 4_000_000

#: Share of the neighbours that is enough for a label.
SHARE = 0.3


def measure_trust(space: Floats, coordinates: Floats, rng: np.random.Generator) -> tuple[float, float]:
    r"""Return trustworthiness and continuity (Venna & Kaski 2001) of the 15 nearest neighbours.

    Trustworthiness is reduced by items that are neighbours on the map only, continuity by items that are neighbours in
    ``space`` only. Each such item counts by its rank in the other neighbourhood. 1 is perfect. Both figures of a large
    table are estimated from a random sample.

    Parameters
    ----------
    space : ndarray of shape (n_items, n_coordinates)
    coordinates : ndarray of shape (n_items, n_dimensions)
    """
    if len(space) > MAX_ITEMS:
        rows = np.sort(rng.choice(len(space), MAX_ITEMS, replace=False))
        space, coordinates = space[rows], coordinates[rows]
    n = len(space)
    queries = np.arange(n) if n <= MAX_QUERIES else np.sort(rng.choice(n, MAX_QUERIES, replace=False))
    k = min(NEIGHBORS, (n - 1) // 2)
    if k < 1:
        return np.nan, np.nan
    excess = np.zeros(2, dtype=np.intp)
    for part in gen_batches(len(queries), max(1, CELLS // n)):
        rows = queries[part]
        drawn, on_map = (pairwise_distances(each[rows], each) for each in (space, coordinates))
        drawn[np.arange(len(rows)), rows] = on_map[np.arange(len(rows)), rows] = np.inf  # an item is not near itself
        excess += [_count_excess(drawn, on_map, k), _count_excess(on_map, drawn, k)]
    trustworthiness, continuity = 1 - excess * 2 / (len(queries) * k * (2 * n - 3 * k - 1))
    return float(trustworthiness), float(continuity)


def _count_excess(distances: Floats, on_map: Floats, k: int) -> int:
    """Return how far, in ranks, the k nearest items of each row of ``on_map`` are beyond the k nearest of the other.

    Of items at the same distance, each has the lowest of their ranks, so that the order of the items changes nothing.
    """
    near = np.argpartition(on_map, k - 1, axis=1)[:, :k]
    limits = np.take_along_axis(distances, near, axis=1)
    nearer = [[np.count_nonzero(row < limit) for limit in own] for row, own in zip(distances, limits, strict=True)]
    return int(np.maximum(np.array(nearer) + 1 - k, 0).sum())


def score_vote(coordinates: Floats, relevant: Mask, observed: Mask, rng: np.random.Generator | None = None) -> float:
    """Return micro-F1 of labels that are taken from the 15 nearest labelled items, each item's own labels hidden.

    A label is taken if at least 30 % of the neighbours with an observed entry have it. ``coordinates`` are the places
    of items with an observed label. With ``rng``, random items replace the neighbours, which is the level of chance.
    """
    n, k = len(coordinates), min(NEIGHBORS, len(coordinates) - 1)
    if k < 1:
        return np.nan
    near = neighbors(coordinates, k)[0] if rng is None else (np.arange(n)[:, None] + rng.integers(1, n, (n, k))) % n
    return score_share(share_of_neighbors(near, relevant, observed), relevant, observed)


def share_of_neighbors(near: Ints, relevant: Mask, observed: Mask) -> Floats:
    """Return for each item and label the share of relevant entries among the observed entries of its neighbours."""
    have, seen = (np.zeros((len(near), relevant.shape[1])) for _ in range(2))
    for column in near.T:
        have += relevant[column]
        seen += observed[column]
    return np.divide(have, seen, out=np.zeros_like(have), where=seen > 0)


def score_share(share: Floats, relevant: Mask, observed: Mask) -> float:
    """Return micro-F1 of the labels with at least 30 % of the neighbours, on observed entries."""
    taken = (share >= SHARE) & observed
    total = int(taken.sum() + (relevant & observed).sum())
    return 2 * int((taken & relevant).sum()) / total if total else np.nan
