"""The data of a fit, and the parts that several members share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from halflabel._arrays import Matrix
from halflabel.labels import PartialLabels
from halflabel.methods.auto.effort import Effort
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.forest import Forest, grow_forest
from halflabel.methods.auto.graph import Graph, Nodes
from halflabel.methods.auto.member import Fitted
from halflabel.methods.auto.ridge import choose_bandwidth
from halflabel.methods.auto.sampling import Stream, make_rng
from halflabel.methods.auto.split_width import choose_max_features
from halflabel.methods.auto.targets import Surrogate, Targets
from halflabel.numerics.kernels import NystroemMap, nystroem


@dataclass(frozen=True, eq=False)
class Task:
    """A table with gaps, and the parts that members share. Each part is built when the first member uses it."""

    #: Shape (n_items, n_features). Weighted features.
    X: Matrix
    #: Shape (n_items, n_labels).
    labels: PartialLabels
    folds: Folds
    effort: Effort
    #: Decides everything random, see :func:`halflabel.methods.auto.sampling.make_rng`.
    seed: int
    #: Of the graph.
    n_neighbors: int = 10

    def rng(self, stream: Stream, fold: int | None = None) -> np.random.Generator:
        """Return the generator of a stream, or of a fold in it."""
        return make_rng(self.seed, stream, fold)

    @cached_property
    def kernel_map(self) -> NystroemMap:
        """Features of an RBF kernel. The rank is halved if every label may need its own eigenvectors."""
        folds, rank = self.folds, self.effort.n_landmarks // (2 if self.folds.have_gaps else 1)
        _, bandwidth = choose_bandwidth(self.X[folds.rows], folds.Y, folds.observed, self.rng(Stream.BANDWIDTH))
        return nystroem(self.X[folds.rows], bandwidth, rank, self.rng(Stream.LANDMARKS))

    @cached_property
    def nodes(self) -> Nodes:
        """The items that graphs connect."""
        return Nodes.choose(self.X.shape[0], self.folds.rows, self.effort.max_nodes, self.rng(Stream.NODES))

    @cached_property
    def graph(self) -> Graph:
        """The heat-kernel graph."""
        return Graph.build(self.X, self.nodes, self.n_neighbors, self.rng(Stream.COORDINATES))

    @cached_property
    def surrogate(self) -> Surrogate:
        """Kernel ridge regressions with predictions for unknown entries."""
        return Surrogate.fit(self.X, self.folds, self.rng(Stream.SURROGATE))

    @cached_property
    def targets(self) -> Targets:
        """Values that trees are fitted to."""
        if not self.folds.have_gaps:
            return Targets(self.folds.Y[None])
        return Targets.fill(self.X, self.folds, self.surrogate)

    @cached_property
    def max_features(self) -> int:
        """Number of features that a tree tries at each node."""
        return choose_max_features(self.X, self.folds, self.targets, self.rng(Stream.FEATURES_OF_SPLIT))

    @cached_property
    def forest(self) -> Fitted[Forest]:
        """Trees on the labelled items."""
        return grow_forest(self.X, self.folds, self.targets, self.max_features, self.effort, self.rng)
