"""The labelled items of a fit, split into folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.methods.model_selection import folds_of_labelled

#: Number of folds, and the larger one with fewer labelled items than a minimum: there, the items that are held out
#: change a model most, so that another draw of folds is another result.
N_FOLDS, MORE_FOLDS, MIN_ITEMS = 5, 10, 500


@dataclass(frozen=True, eq=False)
class Folds:
    """The labelled items (items with an observed label), each in one fold."""

    #: Shape (n_labelled,). Positions of the labelled items among all items, in order.
    rows: Ints
    #: Shape (n_labelled, n_labels). 1 relevant, 0 irrelevant or unknown.
    Y: Floats
    #: Shape (n_labelled, n_labels).
    observed: Mask
    #: Shape (n_labelled,). Fold of each labelled item; -1 if there is only one item or one group, which cannot be held
    #: out.
    fold: Ints
    #: Number of the user's groups of labelled items, which stay in one fold; 0 without groups.
    n_groups: int = 0

    @classmethod
    def split(
        cls, labels: PartialLabels, n_folds: int | None, rng: np.random.Generator, groups: Ints | None = None
    ) -> Folds:
        """Split the labelled items into at most ``n_folds`` folds. Items of one group stay together."""
        rows = np.flatnonzero(~labels.unlabelled)
        n_folds = n_folds or (MORE_FOLDS if len(rows) < MIN_ITEMS else N_FOLDS)
        fold = folds_of_labelled(labels, n_folds, rng, groups)[rows]
        labelled = labels[rows]
        n_groups = 0 if groups is None else len(np.unique(groups[rows]))
        return cls(rows, labelled.values(unknown=0.0), labelled.observed, fold, n_groups)

    @property
    def n_units(self) -> int:
        """Number of groups, or of labelled items without groups: the units of independent draws."""
        return self.n_groups or len(self.rows)

    @property
    def numbers(self) -> range:
        """Numbers of the folds. If nothing can be held out, it is a single fold without items."""
        return range(max(int(self.fold.max()) + 1, 1))

    @property
    def have_gaps(self) -> bool:
        """Whether a labelled item has both observed and unknown entries."""
        return not self.observed.all()
