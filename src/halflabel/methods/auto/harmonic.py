"""Members that propagate values along the heat-kernel graph: labels, or the errors of a forest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Mask
from halflabel._progress import step
from halflabel.methods.auto.forest import Forest
from halflabel.methods.auto.member import Evidence, Fitted, Items
from halflabel.methods.auto.sampling import Stream
from halflabel.methods.auto.task import Task
from halflabel.methods.contributions import Carriers, Examples
from halflabel.numerics.solvers import pcg

#: Weight of a known label relative to all edges of its item, and weight of the pull towards the label's rate.
LABEL_WEIGHT, LABEL_PULL = 30.0, 0.01

#: Weight of a known error, and the weights of the pull towards 0 among which the best is chosen.
ERROR_WEIGHT, ERROR_PULLS = 3.0, (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

#: Maximum number of labels on which the pull is chosen.
MAX_LABELS = 24


@dataclass(frozen=True, eq=False)
class NodeValues:
    """Values at the nodes of the graph. Another item has the mean of its neighbours, weighted by affinity.

    Attributes
    ----------
    values : ndarray of shape (n_nodes, n_labels)
    """

    evidence: ClassVar[Evidence] = "graph"

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


@dataclass(frozen=True, eq=False)
class CorrectedForest:
    """A forest and its propagated errors.

    Attributes
    ----------
    forest : Forest
    errors : NodeValues
    """

    evidence: ClassVar[Evidence] = "features"

    forest: Forest
    errors: NodeValues

    def predict(self, items: Items) -> Floats:
        """Return the forest's prediction plus the errors nearby."""
        return self.forest.predict(items) + self.errors.predict(items)

    def find_carriers(self, item: Items, label: int, fold: int, examples: Examples | None) -> Carriers:
        """Return the share of each feature in the forest, and of each neighbour in the error."""
        features = self.forest.find_carriers(item, label, fold, examples).features
        return Carriers(features, nodes=self.errors.find_carriers(item, label, fold, examples).nodes)


def harmonic(task: Task) -> Fitted[NodeValues]:
    """Labels propagated along the graph (Gaussian fields), with the rates of labels far from all labelled items."""
    folds, rates = task.folds, np.nan_to_num(task.labels.rates)
    propagation = _Propagation(task)
    at_nodes = propagation.solve(folds.Y, folds.observed, LABEL_WEIGHT, LABEL_PULL, rates)
    out_of_fold = propagation.hold_out(folds.Y, folds.observed, LABEL_WEIGHT, LABEL_PULL, rates)
    return Fitted(NodeValues(at_nodes), propagation.extend(at_nodes), out_of_fold)


def corrected_trees(task: Task) -> Fitted[CorrectedForest]:
    """Trees, plus their out-of-fold errors on labelled items propagated along the graph ("correct and smooth" [1]_).

    This is the first of the two steps of that method: the second one, smoothing the predictions, would return an item's
    own label to it. An item's out-of-fold correction comes from errors in other folds. The trees behind these errors
    were grown with the item, and have smaller errors near it, so that the out-of-fold correction is slightly smaller
    than the correction of a new item.

    References
    ----------
    .. [1] Q. Huang et al., "Combining label propagation and simple models out-performs graph neural networks",
       ICLR 2021.
    """
    forest, propagation = task.forest, _Propagation(task)
    known = task.folds.observed & ~np.isnan(forest.out_of_fold)
    errors = np.where(known, task.folds.Y - forest.out_of_fold, 0.0)
    some = task.rng(Stream.ERROR_PULL).permutation(errors.shape[1])[:MAX_LABELS]

    def loss(pull: float) -> float:
        corrections = propagation.hold_out(errors[:, some], known[:, some], ERROR_WEIGHT, pull, 0.0)
        return float(((errors[:, some] - corrections)[known[:, some]] ** 2).sum())

    pull = min(ERROR_PULLS, key=loss)
    at_nodes = propagation.solve(errors, known, ERROR_WEIGHT, pull, 0.0)
    out_of_fold = forest.out_of_fold + propagation.hold_out(errors, known, ERROR_WEIGHT, pull, 0.0)
    scores = forest.scores + propagation.extend(at_nodes)
    return Fitted(CorrectedForest(forest.model, NodeValues(at_nodes)), scores, out_of_fold)


class _Propagation:
    """Propagates values of the labelled items along the graph of a task."""

    def __init__(self, task: Task) -> None:
        self.folds, self.graph = task.folds, task.graph
        #: Node of each labelled item, -1 for an item outside the graph.
        self.node = self.graph.nodes.place[self.folds.rows]

    def solve(self, values: Floats, known: Mask, weight: float, pull: float, rest: Floats | float) -> Floats:
        """Return the values at the nodes that :func:`propagate` finds."""
        inside = self.node >= 0
        target, weights = np.zeros((2, len(self.graph.nodes.items), values.shape[1]))
        target[self.node[inside]] = values[inside]
        weights[self.node[inside]] = weight * known[inside]
        return propagate(self.graph.affinities, target, weights, pull, rest)

    def extend(self, at_nodes: Floats) -> Floats:
        """Return the values of all items."""
        values = np.asarray(self.graph.transition @ at_nodes)
        values[self.graph.nodes.items] = at_nodes
        return values

    def hold_out(self, values: Floats, known: Mask, weight: float, pull: float, rest: Floats | float) -> Floats:
        """Return the value of each labelled item while its fold is unknown, or NaN for a single item."""
        folds, numbers = self.folds, self.folds.numbers
        if len(folds.rows) < 2:
            return np.full(values.shape, np.nan)
        held_out = np.empty(values.shape)
        for fold in numbers:
            step("holding out folds", fold, len(numbers))
            out = folds.fold == fold
            at_nodes = self.solve(values, known & ~out[:, None], weight, pull, rest)
            inside, outside = out & (self.node >= 0), out & (self.node < 0)
            held_out[inside] = at_nodes[self.node[inside]]
            held_out[outside] = self.graph.transition[folds.rows[outside]] @ at_nodes
        return held_out


def propagate(
    W: sparse.csr_array, target: Floats, weight: Floats, pull: float, rest: Floats | float, tol: float = 1e-4
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
    rest : ndarray of shape (n_labels,) or float
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
