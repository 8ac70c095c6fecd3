"""What a fit of AutoLabeler takes of the memory, reckoned from sizes before it starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from halflabel.arrays import Matrix, is_sparse
from halflabel.auto.forest import FEWER, LEAF_CELLS, MIN_LEAF
from halflabel.auto.ridge import BLOCK, CELLS
from halflabel.auto.task import EFFORTS, Effort
from halflabel.labels import PartialLabels

__all__ = ["memory"]

#: Bytes of a number in double and in single precision, of a node of a tree, and of an item's ties to the graph.
DOUBLE, SINGLE, NODE, TIES = 8, 4, 24, 640

#: What is added to the sum of the arrays, as a share and in bytes.
MARGIN, BASE = 1.1, 2**26


def memory(X: Matrix, labels: PartialLabels, effort: str) -> int:
    """Return the bytes that a fit takes at its peak, beside the features and labels that are there already.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
    labels : PartialLabels of shape (n_items, n_labels)
    effort : {"fast", "default", "best"}

    Notes
    -----
    What stands side by side in the largest stage, plus 10 % and 64 MB. With many items that is four tables in double
    precision, one number per item and label, beside the weighted features while the members are fitted, or ten tables
    and the forests when thresholds are chosen. Other members than those of ``effort`` are not reckoned with.
    """
    n, n_labels = labels.shape
    n_seen = int(np.count_nonzero(~labels.unlabelled))
    gaps = bool(np.count_nonzero(labels.state) < n_seen * n_labels)
    stored = X.nnz * (DOUBLE + DOUBLE) if is_sparse(X) else X.size * DOUBLE
    sizes = _Sizes(n, X.shape[1], n_labels, n_seen, gaps, stored, is_sparse(X), EFFORTS[effort])
    return int(MARGIN * max(sizes.stages()) + BASE)


@dataclass(frozen=True)
class _Sizes:
    """Sizes of a task, and from them bytes.

    Attributes
    ----------
    n, n_features, n_labels, n_seen : int
        Items, features, labels, items with an observed label.
    gaps : bool
        Whether any of these has an unknown entry.
    features : int
        Bytes of the weighted features.
    sparse : bool
    work : Effort
    """

    n: int
    n_features: int
    n_labels: int
    n_seen: int
    gaps: bool
    features: int
    sparse: bool
    work: Effort

    def stages(self) -> Iterator[float]:
        """Yield what each stage takes."""
        table, seen = DOUBLE * self.n * self.n_labels, DOUBLE * self.n_seen * self.n_labels
        yield self.features * (2 if self.sparse else 9 / 8)  # weighing: a mask and the differences from the mean
        # Beside any member: sums of log odds, the labels as numbers, what trees learn for unknown entries.
        pooling = self.features + table + (7 if self.gaps else 2) * seen
        yield pooling + 3 * table + 2 * seen + self.features * self.n_seen / self.n + self._kernels()
        forests = self._forests()
        yield pooling + 3 * table + 3 * seen + forests * 1.2 + self._growing()
        if "harmonic" in self.work.members:
            nodes = min(self.n, self.work.n_nodes)
            flows = 13 * DOUBLE * nodes * self.n_labels + 2 * table + 3 * seen
            yield pooling + table + seen + forests + TIES * self.n + max(flows, self._deforming(nodes))
        yield forests + TIES / 2 * self.n + 4 * table + max(6 * table, 10 * seen)  # thresholds, or Newton's steps

    def _kernels(self) -> float:
        rank = min(self.n, self.work.n_landmarks)
        tried = 32 * DOUBLE * min(CELLS, min(self.n_seen, BLOCK) * self.n_labels)
        return DOUBLE * (5 * min(self.n, BLOCK) * rank + 4 * rank**2) + tried

    def _deforming(self, nodes: int) -> float:
        return DOUBLE * nodes * (3 * min(self.n, self.work.n_landmarks) + self.n_features)

    def _forests(self) -> float:
        """Trees on labelled items, and in most pools fewer ones that see all."""
        room = LEAF_CELLS / (self.work.n_trees * self.n_labels)
        self_trained = FEWER if "self_trained_trees" in self.work.members else 0.0
        rows, share = np.array([self.n_seen, self.n]), np.array([1.0, self_trained])
        leaves = float(share @ np.minimum(np.minimum(rows, self.work.n_grown) / MIN_LEAF, room))
        return self.work.n_trees * leaves * (SINGLE * self.n_labels + 2 * NODE)

    def _growing(self) -> float:
        bag = min(self.n, self.work.n_grown)
        return bag * (2 * SINGLE * self.n_features + 2 * DOUBLE * self.n_labels)
