"""An upper bound of the memory that a fit of AutoLabeler takes: the sum of its large arrays."""

from __future__ import annotations

import numpy as np

from halflabel._arrays import Matrix, is_sparse
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.features import has_word_features
from halflabel.methods.auto.logistic import MAX_WEIGHTS
from halflabel.methods.auto.ridge import MAX_ITEMS
from halflabel.methods.auto.targets import MAX_LANDMARKS
from halflabel.methods.auto.words import MAX_WORDS

#: Bytes of a number, of an item's edges in the graph, and of everything that does not grow with the table.
NUMBER, EDGES, BASE = 8, 640, 20 * 10**6


def estimate_memory(X: Matrix, labels: PartialLabels, effort: str, *, grouped: bool = False) -> int:
    """Return an upper bound of the peak memory of a fit in bytes, in addition to the features and labels themselves.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
    labels : PartialLabels of shape (n_items, n_labels)
    effort : {"fast", "default", "best"}
    grouped : bool, default=False
        Whether groups of items are held out together.

    Notes
    -----
    The arrays of all stages are added, although they do not exist at the same time: the bound is up to about three
    times the peak, and simple enough to hold after a change of the ensemble.
    """
    work, (n, d), n_labels = EFFORTS[effort], X.shape, labels.shape[1]
    members = work.members + (work.text_members if has_word_features(X) else ())
    n_members = len(members)
    observed = np.count_nonzero(mark_unassigned(labels).state if labels.positive_only else labels.state, axis=0)
    labelled = int(np.count_nonzero(labels.annotated if labels.positive_only else ~labels.unlabelled))
    nodes, rank, rows = min(n, work.max_nodes), min(n, work.n_landmarks), min(labelled, 4096)
    copies = 3 if is_sparse(X) else 4.5
    features = (NUMBER + X.indices.itemsize) * X.nnz if is_sparse(X) else NUMBER * X.size
    tables = NUMBER * n_labels * (n * (10 + 1.5 * n_members) + labelled * (10 + 1.5 * n_members))
    ridge = 4 * rows * rank + 4 * rank**2 + 32 * min(rows * n_labels, 2**19)
    kernels = NUMBER * max(ridge, 9 * min(labelled, MAX_ITEMS) ** 2)
    held_out = NUMBER * labelled * (4 * rank + rows / 8) if grouped else 0.0
    graph = nodes * (2 * NUMBER * rank + 16 * NUMBER * n_labels) + EDGES * n if "harmonic" in members else 0.0
    components = NUMBER * (3 * d**2 if d <= 2000 else 240 * (min(n, 20_000) + d))
    bags, seen = min(labelled, work.max_tree_items), min(d, MAX_WORDS) if is_sparse(X) else d
    leaves = min(0.4 * work.n_trees * bags * (4 * n_labels + 48), 2**29) + 4 * bags * min(d, 2000)
    boosted = ("boosting" in members) * (12 * bags * seen + 40 * 8 * work.n_rounds * n_labels)
    linear = ("logistic" in members) * NUMBER * 8 * min(d * n_labels, MAX_WEIGHTS)
    stage_2 = NUMBER * (MAX_LANDMARKS * (4 * rows + 3 * MAX_LANDMARKS) + 200 * rows * n_labels * (n_labels <= 32))
    gaps = stage_2 if (observed < labelled).any() else 0.0
    return int(
        copies * features + tables + held_out + kernels + graph + components + leaves + boosted + linear + gaps + BASE
    )
