"""The labels that an item may have: by the highest scores, and by the labels of the nearest labelled items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from halflabel.plugins import Floats, Ints, Mask, is_sparse


@dataclass(frozen=True, eq=False)
class Candidates:
    """Entries that are scored, ordered by item."""

    #: ``rows``, ``ids``: shape (n_entries,). Item and label of each entry.
    rows: Ints
    ids: Ints
    #: Shape (n_entries,). Of the ridge regression.
    score: Floats
    #: Shape (n_entries,). Share of the nearest labelled items that have the label, weighted by similarity.
    share: Floats

    def take(self, which: Mask) -> Candidates:
        """Return some of the entries."""
        return Candidates(self.rows[which], self.ids[which], self.score[which], self.share[which])


def choose_candidates(scores: Floats, shares: sparse.csr_array, n_candidates: int) -> Candidates:
    """Return the labels with the highest scores of each item, and all labels of its nearest items.

    ``shares`` are from :func:`share_neighbours`, and ``n_candidates`` labels are chosen by score.
    """
    n, n_labels = scores.shape
    k = min(n_candidates, n_labels)
    highest = np.argpartition(scores, n_labels - k, axis=1)[:, n_labels - k :]
    near = shares.tocoo()
    flat = np.concatenate([(np.arange(n)[:, None] * n_labels + highest).ravel(), near.row * n_labels + near.col])
    rows, ids = np.divmod(np.unique(flat), n_labels)
    return Candidates(rows, ids, scores[rows, ids], shares.toarray()[rows, ids])


def share_neighbours(
    similarity: Any, Y: sparse.csr_array, n_neighbors: int, own: Ints | None = None
) -> sparse.csr_array:
    """Return the share of the most similar labelled items that have each label, weighted by similarity.

    An item that is not similar to any other (0 or below) has no neighbours. ``own`` is the position of each row among
    the labelled items, which is not its own neighbour.
    """
    near = similarity.toarray() if is_sparse(similarity) else np.array(similarity)
    if own is not None:
        near[np.arange(len(near)), own] = 0
    n = near.shape[1]
    k = min(n_neighbors, n)
    chosen = np.argpartition(near, n - k, axis=1)[:, n - k :]
    weight = np.maximum(np.take_along_axis(near, chosen, axis=1), 0)
    weight /= np.maximum(weight.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    rows = np.repeat(np.arange(len(near)), k)
    kept = weight.ravel() > 0
    links = sparse.csr_array((weight.ravel()[kept], (rows[kept], chosen.ravel()[kept])), shape=near.shape)
    return sparse.csr_array(links @ Y)
