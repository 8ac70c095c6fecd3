"""Members that are flows along the heat-kernel graph: of labels, and of what trees got wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel._progress import step
from halflabel.methods.auto.forest import Forest, trees
from halflabel.methods.auto.heat import propagate
from halflabel.methods.auto.task import Fitted, Items, Task

#: Weight of a known label against all ties of its item, and how strongly a label rests at its rate.
CLAMP, REST = 30.0, 0.01

#: The same for a known error; how fast errors fade with distance is chosen among these.
FIT, FADING = 3.0, (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

#: Labels on which that is chosen.
FEW = 24


@dataclass(frozen=True, eq=False)
class Flow:
    """Values at the nodes of the graph; any other item has the mean of its neighbours', by affinity.

    Attributes
    ----------
    field : ndarray of shape (n_nodes, n_labels)
    """

    field: Floats

    def predict(self, items: Items) -> Floats:
        """Return the means."""
        return np.asarray(items.walk @ self.field)


@dataclass(frozen=True, eq=False)
class Corrected:
    """A forest and the flow of its errors.

    Attributes
    ----------
    forest : Forest
    errors : Flow
    """

    forest: Forest
    errors: Flow

    def predict(self, items: Items) -> Floats:
        """Return the forest's answer plus what it got wrong nearby."""
        return self.forest.predict(items) + self.errors.predict(items)


def harmonic(task: Task) -> Fitted:
    """Labels propagated along the graph (Gaussian fields), at their rates where none is near."""
    flow = _Flows(task)
    rates = np.nan_to_num(task.labels.rates)
    field = flow.spread(task.Y, task.observed, CLAMP, REST, rates)
    return Fitted(Flow(field), flow.everywhere(field), flow.held_out(task.Y, task.observed, CLAMP, REST, rates))


def corrected_trees(task: Task) -> Fitted:
    """Trees, plus their out-of-fold errors on labelled items propagated along the graph ("correct and smooth" [1]_).

    Only the first of that method's two steps: smoothed predictions would carry an item's own label back to it. What
    reaches an item out of fold are errors in other folds; the trees behind these did see the item, and were the less
    wrong about its neighbours for it, so that out of fold the correction looks a little smaller than it is.

    References
    ----------
    .. [1] Q. Huang et al., "Combining label propagation and simple models out-performs graph neural networks",
       ICLR 2021.
    """
    base, flow = task.once(trees), _Flows(task)
    known = task.observed & ~np.isnan(base.out_of_fold)
    errors = np.where(known, task.Y - base.out_of_fold, 0.0)
    few = task.rng("fading").permutation(errors.shape[1])[:FEW]

    def left(fading: float) -> float:
        rest = errors[:, few] - flow.held_out(errors[:, few], known[:, few], FIT, fading, 0.0)
        return float((rest[known[:, few]] ** 2).sum())

    fading = min(FADING, key=left)
    field = flow.spread(errors, known, FIT, fading, 0.0)
    out_of_fold = base.out_of_fold + flow.held_out(errors, known, FIT, fading, 0.0)
    assert isinstance(base.model, Forest)
    return Fitted(Corrected(base.model, Flow(field)), base.scores + flow.everywhere(field), out_of_fold)


class _Flows:
    """Spreads values of labelled items over the graph of a task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        #: Node of each labelled item, -1 for those outside the graph.
        self.node = task.place[task.rows]

    def spread(self, values: Floats, known: Mask, fit: float, pull: float, rest: Floats | float) -> Floats:
        """Return the field at the nodes."""
        inside = self.node >= 0
        shape = (len(self.task.nodes), values.shape[1])
        target, weight = np.zeros(shape), np.zeros(shape)
        target[self.node[inside]] = values[inside]
        weight[self.node[inside]] = fit * known[inside]
        return propagate(self.task.graph[1], target, weight, pull, rest)

    def everywhere(self, field: Floats) -> Floats:
        """Return the field for all items."""
        values = np.asarray(self.task.walk @ field)
        values[self.task.nodes] = field
        return values

    def held_out(self, values: Floats, known: Mask, fit: float, pull: float, rest: Floats | float) -> Floats:
        """Return what flows to each labelled item while its fold is unknown; NaN for a single item."""
        task = self.task
        if len(task.rows) < 2:
            return np.full(values.shape, np.nan)
        answer = np.empty(values.shape)
        for group in task.groups:
            step("holding out folds", group, len(task.groups))
            out = task.folds == group
            field = self.spread(values, known & ~out[:, None], fit, pull, rest)
            inside = out & (self.node >= 0)
            answer[inside] = field[self.node[inside]]
            outside = out & (self.node < 0)
            answer[outside] = task.walk[task.rows[outside]] @ field
        return answer
