"""What the members of a pool share: the table, its folds, and each heavy step done once."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel.labels import PartialLabels
from halflabel.methods.auto.features import Coordinates
from halflabel.methods.auto.heat import Surroundings, heat_graph, walk
from halflabel.methods.auto.ridge import choose_bandwidth, shared_map
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.numerics.kernels import KernelRidge, NystroemMap, kernel_ridge, mean_distance, nystroem


@dataclass(frozen=True)
class Effort:
    """How much work a pool may be.

    Attributes
    ----------
    members : tuple of str
    n_trees : int
        Of a forest.
    n_landmarks : int
        Rank of the kernel map.
    n_nodes : int
        Items of the graph; others are scored as new ones.
    n_grown : int
        Items that one tree sees.
    guests : tuple of str
        Members for words that are heard only if they are ahead of all others together.
    """

    members: tuple[str, ...]
    n_trees: int
    n_landmarks: int
    n_nodes: int
    n_grown: int
    guests: tuple[str, ...] = ()


#: The pool that did best over six sets and four shares of labelled items.
POOL = ("kernel", "deformed_kernel", "harmonic", "corrected_trees", "self_trained_trees")

#: On text this one was at times ahead of that pool.
GUESTS = ("reconstruction",)

#: By name; the numbers bound time and memory.
EFFORTS = {
    "fast": Effort(("kernel", "trees"), n_trees=100, n_landmarks=600, n_nodes=10_000, n_grown=5_000),
    "default": Effort(POOL, n_trees=200, n_landmarks=800, n_nodes=20_000, n_grown=10_000, guests=GUESTS),
    "best": Effort(POOL, n_trees=600, n_landmarks=2_500, n_nodes=40_000, n_grown=40_000, guests=GUESTS),
}

#: Landmarks of the kernel that stands in for entries missing one by one, and items it learns from at most: to hold a
#: fold out takes the cube of what the fold holds, label by label.
STAND_IN, LEARNED = 400, 10_000


@dataclass(eq=False)
class Items:
    """Items to be scored, with what several members ask about them.

    Attributes
    ----------
    X : matrix of shape (n_items, n_features)
        Weighted features.
    surroundings : Surroundings or None
        None where no member asks for neighbours.
    """

    X: Matrix
    surroundings: Surroundings | None

    @cached_property
    def walk(self) -> sparse.csr_array:
        """Weights of the nodes, one row per item."""
        assert self.surroundings is not None
        return self.surroundings.walk(self.X)


class Model(Protocol):
    """A member after its fit."""

    def predict(self, items: Items) -> Floats:
        """Return scores of new items, shape (n_items, n_labels)."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a member hands to the pool.

    Attributes
    ----------
    model : Model
        For new items.
    scores : ndarray of shape (n_items, n_labels)
        Of all fitted items, by the whole fit.
    out_of_fold : ndarray of shape (n_rows, n_labels)
        Of the items with an observed label, by models that saw no label of the item; NaN for a single one.
    """

    model: Model
    scores: Floats
    out_of_fold: Floats


@dataclass(eq=False)
class Task:
    """A table to be filled.

    Attributes
    ----------
    X : matrix of shape (n_items, n_features)
        Weighted features.
    labels : PartialLabels
    effort : Effort
    seed : int
        Decides everything random, each thing by its name, so that no member depends on which others there are.
    n_folds : int
    n_neighbors : int
    together : ndarray of int, shape (n_items,), or None
        Group of each item; those of one are held out together.
    """

    X: Matrix
    labels: PartialLabels
    effort: Effort
    seed: int
    n_folds: int = 5
    n_neighbors: int = 10
    together: Ints | None = None
    _fits: dict[str, Fitted] = field(default_factory=dict, init=False)

    def rng(self, name: str) -> np.random.Generator:
        """Return the generator that belongs to a name."""
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])

    def once(self, member: Callable[[Task], Fitted]) -> Fitted:
        """Return the fit of a member that others may build on; it is fitted the first time only."""
        if member.__name__ not in self._fits:
            self._fits[member.__name__] = member(self)
        return self._fits[member.__name__]

    def forget(self) -> None:
        """Let go of the fits and targets that only members ask for."""
        self._fits.clear()
        vars(self).pop("targets", None)
        vars(self).pop("stand_in", None)

    @cached_property
    def rows(self) -> Ints:
        """Items with an observed label."""
        return np.flatnonzero(~self.labels.unlabelled)

    @cached_property
    def Y(self) -> Floats:
        """1 relevant, 0 irrelevant or unknown; of the items of ``rows``."""
        return self.labels[self.rows].values(unknown=0.0)

    @cached_property
    def observed(self) -> Mask:
        """Mask of the known entries; of the items of ``rows``."""
        return self.labels[self.rows].observed

    @cached_property
    def has_single_gaps(self) -> bool:
        """Whether an item has both observed and unknown entries."""
        return not self.observed.all()

    @cached_property
    def folds(self) -> Ints:
        """Fold of each item of ``rows``; -1 for a single one, which cannot be held out."""
        return folds_of_labelled(self.labels, self.n_folds, self.rng("folds"), self.together)[self.rows]

    @property
    def groups(self) -> range:
        """Numbers of the folds; one that holds nothing out where there is a single labelled item."""
        return range(max(int(self.folds.max()) + 1, 1))

    @property
    def n_group(self) -> int:
        """Trees of a forest that belong to one fold."""
        return max(1, self.effort.n_trees // len(self.groups))

    @cached_property
    def features(self) -> NystroemMap:
        """The kernel map; of half the rank where every label may have an eigenbasis of its own."""
        bandwidth = choose_bandwidth(self.X[self.rows], self.Y, self.observed, self.rng("bandwidth"))
        most = self.effort.n_landmarks if self.observed.all() else self.effort.n_landmarks // 2
        return shared_map(self.X, self.rows, bandwidth, most, self.rng("landmarks"))

    @cached_property
    def nodes(self) -> Ints:
        """Items of the graph: all, or as many as it may hold, half of them labelled where there are so many."""
        n, most = self.X.shape[0], self.effort.n_nodes
        if n <= most:
            return np.arange(n)
        rng, others = self.rng("nodes"), np.flatnonzero(self.labels.unlabelled)
        n_labelled = min(len(self.rows), max(most // 2, most - len(others)))
        drawn = (
            rng.choice(these, m, replace=False) for these, m in ((self.rows, n_labelled), (others, most - n_labelled))
        )
        return np.sort(np.concatenate(list(drawn)))

    @cached_property
    def place(self) -> Ints:
        """Place of each item among the nodes, -1 for those outside the graph."""
        place = np.full(self.X.shape[0], -1)
        place[self.nodes] = np.arange(len(self.nodes))
        return place

    @property
    def has_graph(self) -> bool:
        """Whether any member asked for the graph."""
        return "graph" in vars(self)

    @cached_property
    def graph(self) -> tuple[Surroundings, sparse.csr_array]:
        """What ties items to nodes, and the affinities of the nodes."""
        coordinates = Coordinates.learn(self.X, self.rng("coordinates"))
        return heat_graph(self.X[self.nodes], coordinates, self.n_neighbors)

    @cached_property
    def walk(self) -> sparse.csr_array:
        """Weights of the nodes for all items: the random walk for nodes, for the others as for new items."""
        surroundings, W = self.graph
        n, among = self.X.shape[0], walk(W)
        if len(self.nodes) == n:
            return among
        others = np.setdiff1d(np.arange(n), self.nodes)
        place = np.empty(n, dtype=np.intp)
        place[np.concatenate([self.nodes, others])] = np.arange(n)
        return sparse.csr_array(sparse.vstack([among, surroundings.walk(self.X[others])], format="csr")[place])

    @cached_property
    def targets(self) -> Floats:
        """What trees learn for the items of ``rows``, shape (n_folds or 1, n_rows, n_labels).

        An unknown entry of a partly observed item counts as much as a kernel ridge says that was fitted without the
        fold, on 10 000 of the items at most.
        """
        if self.observed.all():
            return self.Y[None]
        X, targets = self.X[self.rows], np.empty((len(self.groups), *self.Y.shape))
        for group in self.groups:
            answer = self.stand_in[self.own_stand_in(group)].predict(X)
            targets[group] = np.where(self.observed, self.Y, np.clip(answer, 0, 1))
        return targets

    @cached_property
    def stand_in(self) -> KernelRidge:
        """Kernel ridges on at most 10 000 labelled items and 400 landmarks: of all of them, and without each fold."""
        X, rng = self.X[self.rows], self.rng("stand-in")
        features = nystroem(X, mean_distance(self.X, rng), STAND_IN, rng)
        m = len(self.rows)
        few = np.arange(m) if m <= LEARNED else rng.choice(m, LEARNED, replace=False)
        few = np.union1d(few, np.unique(self.folds, return_index=True)[1])  # every fold has its model
        return kernel_ridge(X[few], self.Y[few], self.observed[few], self.folds[few], features)

    def own_stand_in(self, group: int) -> int:
        """Return which of them was fitted without a fold; the whole one where nothing can be held out."""
        return group + int(self.folds.max() >= 0)
