"""What a fit of AutoLabeler takes of the memory, reckoned from sizes before it starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Matrix, is_sparse
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.auto.features import COMPONENTS, SAMPLE, like_words
from halflabel.methods.auto.forest import FEWER, LEAF_CELLS
from halflabel.methods.auto.residuals import FOREST_CELLS, FOREST_LABELS, TREE_ITEMS
from halflabel.methods.auto.ridge import BLOCK, CELLS
from halflabel.methods.auto.task import EFFORTS, LEARNED, STAND_IN, Effort

#: Bytes of a number in double and in single precision, of a node of a tree, and of an item's ties to the graph.
DOUBLE, SINGLE, NODE, TIES = 8, 4, 24, 640

#: Leaves of a tree as a share of its items, of several labels and of one.
LEAVES, PURE = 0.43, 0.3

#: Folds of a fit, and trees of one label in stage 2, by default.
FOLDS, TREES = 5, 100

#: What is added to the sum of the arrays, as a share and in bytes.
MARGIN, BASE = 1.15, 100 * 10**6


def memory(X: Matrix, labels: PartialLabels, effort: str, *, grouped: bool = False) -> int:
    """Return the bytes that a fit takes at its peak, beside the features and labels that are there already.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
    labels : PartialLabels of shape (n_items, n_labels)
    effort : {"fast", "default", "best"}
    grouped : bool, default=False
        Whether groups of items are held out together.

    Notes
    -----
    What stands side by side in the largest stage, plus 15 % and 100 MB. With many items that is four tables in double
    precision, one number per item and label, beside the weighted features while the members are fitted, or ten tables
    and the forests when thresholds are chosen. Other members than those of ``effort`` are not reckoned with.
    """
    positive_only = labels.positive_only
    labels = mark_unassigned(labels) if positive_only else labels
    n_seen, entries = int(np.count_nonzero(~labels.unlabelled)), np.count_nonzero(labels.state, axis=0)
    sizes = _Sizes(
        n=len(labels),
        n_features=X.shape[1],
        n_labels=labels.shape[1],
        n_seen=n_seen,
        positive_only=positive_only,
        gaps=bool((entries < n_seen).any()),
        densest=float(entries.max() / n_seen),
        alike=int(np.unique(entries, return_counts=True)[1].max()),
        features=2 * DOUBLE * X.nnz if is_sparse(X) else DOUBLE * X.size,
        sparse=is_sparse(X),
        grouped=grouped,
        guests=bool(EFFORTS[effort].guests) and like_words(X),
        work=EFFORTS[effort],
    )
    return int(MARGIN * max(sizes.stages) + BASE)


@dataclass(frozen=True)
class _Sizes:
    """Sizes of a task, and from them bytes.

    Attributes
    ----------
    n, n_features, n_labels, n_seen : int
        Items, features, labels, items with an observed label.
    positive_only : bool
    gaps : bool
        Whether any of the latter has an unknown entry.
    densest : float
        Share of them for which the label is known that is known most often.
    alike : int
        Labels at most that may be known for the same items: their regressions are one.
    features : int
        Bytes of the weighted features.
    sparse, grouped : bool
    guests : bool
        Whether the pool invites members for words.
    work : Effort
    """

    n: int
    n_features: int
    n_labels: int
    n_seen: int
    positive_only: bool
    gaps: bool
    densest: float
    alike: int
    features: int
    sparse: bool
    grouped: bool
    guests: bool
    work: Effort

    @property
    def stages(self) -> Iterator[float]:
        """What each stage takes."""
        yield self.features * (2 if self.sparse else 9 / 8)  # weighing: a mask and the differences from the mean
        yield from self._members()
        if self.gaps:
            yield self._pooling + sum(self._forests) + self._ties + 4 * self._table + 9 * self._seen + self._per_label()
        more = int(self.positive_only)  # scores as if nobody had looked
        deciding = (4 + more) * self._table + max((6 + more) * self._table, 10 * self._seen)  # thresholds, calibration
        yield sum(self._forests) + self._ties / 2 + deciding

    def _members(self) -> Iterator[float]:
        """Yield what the members take, in the order of the pool."""
        held, table, seen = self._pooling, self._table, self._seen
        rows = self.features * self.n_seen / self.n
        summed = table + seen if self._ties else 0.0  # before the second kernel; before the first, nothing is
        yield self.features + rows + summed + 2 * seen + max(self._kernels(), 3 * table + seen)
        if self.grouped:
            yield held + table + 2 * seen + rows + max(self._in_folds(), 12 * seen)
        own, self_trained = self._forests
        if self._ties:
            held += self._ties
            yield held + seen + max(self._coordinates(), self._deforming(), self._kernels())
        if self.gaps:
            held += FOLDS * seen + self._standing_in  # what trees learn for unknown entries, and the source of it
            yield held + 2 * table + 2 * seen + rows + self._stand_in()
        if self._ties:
            yield held + 2 * table + 4 * seen + own + 16 * DOUBLE * self._nodes * self.n_labels
        yield held + 3 * table + 3 * seen + 1.2 * (own + self_trained) + self._growing()
        if self.guests:
            yield held + own + self_trained + 2 * table + 3 * seen + self._stand_in() + self._rebuilding()

    @property
    def _table(self) -> float:
        return DOUBLE * self.n * self.n_labels

    @property
    def _seen(self) -> float:
        return DOUBLE * self.n_seen * self.n_labels

    @property
    def _pooling(self) -> float:
        """What stands beside any member: features, sums of log odds, labels as numbers."""
        return self.features + self._table + 2 * self._seen

    @property
    def _ties(self) -> float:
        return TIES * self.n if "harmonic" in self.work.members else 0.0

    @property
    def _nodes(self) -> int:
        return min(self.n, self.work.n_nodes)

    @property
    def _rank(self) -> int:
        return min(self.n, self.work.n_landmarks // (2 if self.gaps else 1))

    def _kernels(self) -> float:
        """Return what the kernel map of a block takes, and ridge regression with every weight that is tried."""
        learned, asked = min(self.n_seen, BLOCK), min(self.n, BLOCK)
        tried = 32 * min(CELLS, learned * self.alike)
        return DOUBLE * (max(4 * learned, 2 * asked) * self._rank + 4 * self._rank**2 + tried)

    def _rebuilding(self) -> float:
        """Return what nodes take that are rebuilt from each other, and the solve for their scores."""
        return self.features * self._nodes / self.n + TIES * self.n + 12 * DOUBLE * self._nodes * self.n_labels

    def _in_folds(self) -> float:
        """Return what kernel ridge takes that holds out groups: a map, every weight or a fold's hat matrix."""
        own = self.n_seen * self.densest
        return DOUBLE * (4 * self.n_seen * self._rank + max(32 * own * self.alike, 3 * (own / FOLDS) ** 2))

    @property
    def _standing_in(self) -> float:
        return DOUBLE * (1 + FOLDS) * min(self.n_seen, STAND_IN) * self.n_labels

    def _stand_in(self) -> float:
        """Return what the kernel map takes, its part for one label, and every weight or a fold's hat matrix."""
        learned = min(self.n_seen, LEARNED)
        own = learned * self.densest
        fitting = max(32 * own * self.alike, 3 * (own / FOLDS) ** 2)
        return DOUBLE * ((learned + 3 * own + 3 * STAND_IN) * STAND_IN + fitting)

    def _coordinates(self) -> float:
        """Return what principal components take."""
        sample = self.features * min(self.n, SAMPLE) / self.n
        return 2 * sample + 3 * DOUBLE * min(self.n_features, 2000) ** 2 if self.n_features > COMPONENTS else 0.0

    def _deforming(self) -> float:
        return DOUBLE * self._nodes * (2 * self._rank + self.n_features)

    @property
    def _forests(self) -> tuple[float, float]:
        """What trees on the labelled items of four folds take, and fewer ones on all items."""
        most = LEAF_CELLS / (self.work.n_trees * self.n_labels)
        leaf = SINGLE * self.n_labels + 2 * NODE
        own, all_items = (min(LEAVES * min(rows, self.work.n_grown), most) for rows in (0.8 * self.n_seen, self.n))
        fewer = FEWER if "self_trained_trees" in self.work.members else 0.0
        return self.work.n_trees * own * leaf, fewer * self.work.n_trees * all_items * leaf

    def _per_label(self) -> float:
        """Return what the forests of stage 2 take, one per label."""
        if self.n_labels > FOREST_LABELS or self.n_seen * self.n_labels > FOREST_CELLS:
            return 0.0
        rows = min(0.8 * self.densest * self.n_seen, TREE_ITEMS)
        return self.n_labels * TREES * PURE * rows * (SINGLE + 2 * NODE)

    def _growing(self) -> float:
        return min(self.n, self.work.n_grown) * (2 * SINGLE * self.n_features + 2 * DOUBLE * self.n_labels)
