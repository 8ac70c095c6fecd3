"""A member for text features: items reconstructed from neighbours in the space of all features, without projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel._progress import step
from halflabel.methods.auto.member import Evidence, Fitted, Items
from halflabel.methods.auto.task import Task
from halflabel.methods.contributions import Carriers, Examples
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.propagation import minimizer
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.kernels import KernelRidge

#: Neighbours of an item, and the weights of an observed entry and of the anchor; as in :class:`halflabel.SSDRMC`.
N_NEIGHBORS, FIT_WEIGHT, ANCHOR_WEIGHT = 15, 1.0, 0.3

#: A node at a smaller distance from an item is taken to be the item itself.
SAME_PLACE = 1e-6

#: Relative residual at which a solve stops, and maximum number of its iterations.
TOL, MAX_ITER = 1e-4, 200


@dataclass(frozen=True, eq=False)
class ReconstructedScores:
    """Scores at the nodes of a graph. The scores of other items are reconstructed from them.

    Attributes
    ----------
    nodes : matrix of shape (n_nodes, n_features)
    values : ndarray of shape (n_nodes, n_labels)
    anchor : KernelRidge
    """

    evidence: ClassVar[Evidence] = "graph"

    nodes: Matrix
    values: Floats
    anchor: KernelRidge

    def predict(self, items: Items) -> Floats:
        """Return for each item the minimiser of its own row, all others held fixed."""
        return _combine(_find_weights(self.nodes, items.X) @ self.values, self.anchor.predict(items.X))

    def find_carriers(self, item: Items, label: int, fold: int, examples: Examples | None) -> Carriers:
        """Return the share of each neighbour in the reconstruction, without a node at the place of the item."""
        others = np.flatnonzero(euclidean_distances(item.X, self.nodes)[0] > SAME_PLACE)
        values, shares = self.values[:, label], np.zeros(len(self.values))
        weights = _find_weights(self.nodes[others], item.X).toarray()[0]
        shares[others] = weights * (values[others] - values.mean()) / (1 + ANCHOR_WEIGHT)
        return Carriers(nodes=shares)


def reconstruction(task: Task) -> Fitted[ReconstructedScores]:
    r"""SSDR-MC with an anchor: scores that are reconstructed from neighbours, in the space of all features.

    Eq. (10) of Qian and Davidson (2010) with a masked fitting term, as :class:`halflabel.SSDRMC` has it by default:
    minimises, with W the weights that reconstruct the features of each node from 15 others,

    .. math::
        \|(I - W)F\|_F^2 + \sum_{\mathrm{observed}} (F_{ij} - Y_{ij})^2
        + 0.3 \sum_{\mathrm{unknown}} (F_{ij} - F^0_{ij})^2

    and :math:`F^0` the kernel ridge regression that also predicts unknown entries for the trees,
    :attr:`Task.surrogate`.
    """
    folds, anchor, inference = task.folds, task.surrogate.whole, _Inference(task)
    out_of_fold = np.full(folds.Y.shape, np.nan)
    for fold in folds.numbers if len(folds.rows) > 1 else ():
        step("holding out folds", fold, len(folds.numbers))
        out, without = folds.fold == fold, task.surrogate.without(fold)
        at_nodes = inference.solve(folds.observed & ~out[:, None], without)
        out_of_fold[out] = inference.extend(folds.rows[out], at_nodes, without)
    at_nodes = inference.solve(folds.observed, anchor)
    scores = inference.extend(np.arange(task.X.shape[0]), at_nodes, anchor)
    return Fitted(ReconstructedScores(inference.features, at_nodes, anchor), scores, out_of_fold)


class _Inference:
    """Infers the scores of a task's items from its nodes."""

    def __init__(self, task: Task) -> None:
        self.X, self.folds, self.nodes = task.X, task.folds, task.nodes
        #: Features of the nodes, the weights among them, and the weights of the items outside the graph.
        self.features = task.X[task.nodes.items]
        self.among = _find_weights(self.features)
        self.outside = _find_weights(self.features, task.X[task.nodes.others]) if len(task.nodes.others) else None

    def solve(self, known: Mask, anchor: KernelRidge) -> Floats:
        """Return F at the nodes, given the known entries of labelled items."""
        at = self.nodes.place[self.folds.rows]
        known, Y, at = known[at >= 0], self.folds.Y[at >= 0], at[at >= 0]
        target = anchor.predict(self.features)
        weight = np.full(target.shape, ANCHOR_WEIGHT)
        target[at], weight[at] = np.where(known, Y, target[at]), np.where(known, FIT_WEIGHT, ANCHOR_WEIGHT)
        return minimizer(self.among, target, weight, tol=TOL, max_iter=MAX_ITER).x

    def extend(self, items: Ints, at_nodes: Floats, anchor: KernelRidge) -> Floats:
        """Return the scores of items, given the scores of the nodes."""
        node = self.nodes.place[items]
        scores: Floats = at_nodes[node]
        others = items[node < 0]
        if self.outside is not None and len(others):
            reconstructed = self.outside[np.searchsorted(self.nodes.others, others)] @ at_nodes
            scores[node < 0] = _combine(reconstructed, anchor.predict(self.X[others]))
        return scores


def _find_weights(nodes: Matrix, X: Matrix | None = None) -> sparse.csr_array:
    """Return the weights that reconstruct the rows of ``X`` from nodes, or each node from other nodes."""
    indices, _ = neighbors(nodes, min(N_NEIGHBORS, nodes.shape[0]), query=X)
    return reconstruction_weights(nodes, indices, query=X)


def _combine(reconstructed: Floats, anchor: Floats) -> Floats:
    """Return the weighted mean of the reconstruction, with weight 1, and the anchor."""
    return np.asarray((reconstructed + ANCHOR_WEIGHT * anchor) / (1 + ANCHOR_WEIGHT))
