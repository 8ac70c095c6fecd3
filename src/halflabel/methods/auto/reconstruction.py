"""A member for words: items rebuilt from their neighbours among all words, not among sixty principal components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel._progress import step
from halflabel.methods.auto.task import Fitted, Items, Task
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.propagation import minimizer
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.kernels import KernelRidge

#: Neighbours of an item, and the pull of an observed entry and of the anchor; as in :class:`halflabel.SSDRMC`.
N_NEIGHBORS, FIT, PULL = 15, 1.0, 0.3

#: Relative residual at which a solve stops, and its limit of iterations.
TOL, MAX_ITER = 1e-4, 200


@dataclass(frozen=True, eq=False)
class Rebuilt:
    """Scores at the nodes of a graph, from which those of any other item are rebuilt.

    Attributes
    ----------
    nodes : matrix of shape (n_nodes, n_features)
    field : ndarray of shape (n_nodes, n_labels)
    anchor : KernelRidge
    """

    nodes: Matrix
    field: Floats
    anchor: KernelRidge

    def predict(self, items: Items) -> Floats:
        """Return for each item the minimiser of its own row, all others held fixed."""
        return _between(_weights(self.nodes, items.X) @ self.field, self.anchor.predict(items.X))


def reconstruction(task: Task) -> Fitted:
    r"""SSDR-MC with an anchor: scores that neighbours rebuild, in the space of all features.

    Eq. (10) of Qian and Davidson (2010), its fitting term masked, as :class:`halflabel.SSDRMC` has it by default:
    minimises, with W the weights that rebuild the features of each node from 15 others,

    .. math::
        \|(I - W)F\|_F^2 + \sum_{\mathrm{observed}} (F_{ij} - Y_{ij})^2
        + 0.3 \sum_{\mathrm{unknown}} (F_{ij} - F^0_{ij})^2

    and :math:`F^0` the kernel ridge regression that also stands in for unknown entries, :attr:`Task.stand_in`.
    """
    anchors, rebuilding = task.stand_in, _Rebuilding(task)
    field = rebuilding.field(task.observed, anchors[0])
    out_of_fold = np.full(task.Y.shape, np.nan)
    for group in task.groups if len(task.rows) > 1 else ():
        step("holding out folds", group, len(task.groups))
        out = task.folds == group
        without = anchors[task.own_stand_in(group)]
        held_out = rebuilding.field(task.observed & ~out[:, None], without)
        out_of_fold[out] = rebuilding.at(task.rows[out], held_out, without)
    scores = rebuilding.at(np.arange(task.X.shape[0]), field, anchors[0])
    return Fitted(Rebuilt(rebuilding.nodes, field, anchors[0]), scores, out_of_fold)


class _Rebuilding:
    """Rebuilds items of a task from nodes."""

    def __init__(self, task: Task) -> None:
        self.task, self.nodes = task, task.X[task.nodes]
        self.among = _weights(self.nodes)
        #: Items outside the graph, in order, and what ties them to it.
        self.others = np.flatnonzero(task.place < 0)
        self.ties = _weights(self.nodes, task.X[self.others]) if len(self.others) else None

    def field(self, known: Mask, anchor: KernelRidge) -> Floats:
        """Return F at the nodes, given the known entries of labelled items."""
        at = self.task.place[self.task.rows]
        known, Y, at = known[at >= 0], self.task.Y[at >= 0], at[at >= 0]
        target = anchor.predict(self.nodes)
        weight = np.full(target.shape, PULL)
        target[at], weight[at] = np.where(known, Y, target[at]), np.where(known, FIT, PULL)
        return minimizer(self.among, target, weight, tol=TOL, max_iter=MAX_ITER).x

    def at(self, items: Ints, field: Floats, anchor: KernelRidge) -> Floats:
        """Return the scores of items."""
        node = self.task.place[items]
        scores: Floats = field[node]
        outside = items[node < 0]
        if self.ties is not None and len(outside):
            rebuilt = self.ties[np.searchsorted(self.others, outside)] @ field
            scores[node < 0] = _between(rebuilt, anchor.predict(self.task.X[outside]))
        return scores


def _weights(nodes: Matrix, X: Matrix | None = None) -> sparse.csr_array:
    """Return the weights that rebuild the rows of ``X`` from nodes, or each node from others."""
    indices, _ = neighbors(nodes, min(N_NEIGHBORS, nodes.shape[0]), query=X)
    return reconstruction_weights(nodes, indices, query=X)


def _between(rebuilt: Floats, anchor: Floats) -> Floats:
    """Return the mean of what neighbours and anchor say, by their weights."""
    return np.asarray((rebuilt + PULL * anchor) / (1 + PULL))
