"""The member that propagates labels along the heat-kernel graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Mask
from halflabel._progress import step
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.graph import Graph
from halflabel.methods.auto.member import Evidence, Fitted, Items
from halflabel.methods.auto.task import Task
from halflabel.methods.contributions import Carriers, Examples
from halflabel.numerics.solvers.pcg import pcg

#: Weight of a known label relative to all edges of its item, and weight of the pull towards the label's rate.
LABEL_WEIGHT, PULL = 30.0, 0.01


@dataclass(frozen=True, eq=False)
class NodeValues:
    """Values at the nodes of the graph. Another item has the mean of its neighbours, weighted by affinity."""

    evidence: ClassVar[Evidence] = "graph"

    #: Shape (n_nodes, n_labels).
    values: Floats

    def predict(self, items: Items) -> Floats:
        """Return the weighted means."""
        assert items.transition is not None  # a model with values at nodes is saved with the neighbourhood of the nodes
        return np.asarray(items.transition @ self.values)

    def find_carriers(self, item: Items, label: int, fold: int, examples: Examples | None) -> Carriers:
        """Return the share of each neighbour: its weight times the distance of its value from the mean."""
        assert item.transition is not None
        values = self.values[:, label]
        return Carriers(nodes=item.transition.toarray()[0] * (values - values.mean()))


def harmonic(task: Task) -> Fitted[NodeValues]:
    """Labels propagated along the graph (Gaussian fields), with the rates of labels far from all labelled items."""
    return propagate_labels(task.graph, task.folds, task.labels.rates)


def propagate_labels(graph: Graph, folds: Folds, rates: Floats) -> Fitted[NodeValues]:
    """Propagate the labels of the labelled items, once all of them and once without each fold."""
    rest = np.nan_to_num(rates)
    at_nodes = _solve(graph, folds, folds.observed, rest)
    scores = np.asarray(graph.transition @ at_nodes)
    scores[graph.nodes.items] = at_nodes
    return Fitted(NodeValues(at_nodes), scores, _hold_out(graph, folds, rest))


def _solve(graph: Graph, folds: Folds, known: Mask, rest: Floats) -> Floats:
    """Return the values at the nodes, given the known entries of the labelled items."""
    node = graph.nodes.place[folds.rows]
    inside = node >= 0
    target, weight = np.zeros((2, len(graph.nodes.items), folds.Y.shape[1]))
    target[node[inside]] = folds.Y[inside]
    weight[node[inside]] = LABEL_WEIGHT * known[inside]
    return propagate(graph.affinities, target, weight, PULL, rest)


def _hold_out(graph: Graph, folds: Folds, rest: Floats) -> Floats:
    """Return the value of each labelled item while its fold is unknown, or NaN for a single item."""
    node, held_out = graph.nodes.place[folds.rows], np.full(folds.Y.shape, np.nan)
    for fold in folds.numbers if len(folds.rows) > 1 else ():
        step("holding out folds", fold, len(folds.numbers))
        out = folds.fold == fold
        at_nodes = _solve(graph, folds, folds.observed & ~out[:, None], rest)
        inside, outside = out & (node >= 0), out & (node < 0)
        held_out[inside] = at_nodes[node[inside]]
        held_out[outside] = graph.transition[folds.rows[outside]] @ at_nodes
    return held_out


def propagate(
    W: sparse.csr_array, target: Floats, weight: Floats, pull: float, rest: Floats, tol: float = 1e-4
) -> Floats:
    r"""Propagate known values along a graph.

    Minimises, for each label separately and with the degrees :math:`d_i = \sum_j w_{ij}`,

    .. math::
        \tfrac12 \sum_{ij} w_{ij} (f_i - f_j)^2 + \sum_i d_i m_i (f_i - t_i)^2 + \epsilon \sum_i d_i (f_i - r)^2

    Parameters
    ----------
    W : csr_array of shape (n_nodes, n_nodes)
        Symmetric affinities.
    target : ndarray of shape (n_nodes, n_labels)
        t, used where the weight is positive.
    weight : ndarray of the same shape
        m, 0 where nothing is known.
    pull : float
        :math:`\epsilon`, positive: a component without any known value has the value r.
    rest : ndarray of shape (n_labels,)
        r.
    tol : float
        Relative residual at which conjugate gradients stop.
    """
    degree = np.asarray(W.sum(axis=1))[:, None]
    linked = degree > 0  # the affinities of an outlier may all underflow: only its label and the pull act on it
    degree = np.where(linked, degree, 1.0)
    diagonal = degree * (linked + weight + pull)
    known, rest = np.where(weight > 0, target, 0.0), np.broadcast_to(rest, target.shape)
    right = degree * (weight * known + pull * rest)
    start = np.where(weight > 0, known, rest)
    return pcg(lambda F: diagonal * F - W @ F, right, diagonal, start=start, tol=tol).x
