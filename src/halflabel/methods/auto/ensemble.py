"""The ensemble: a weighted sum of its members' log odds, each calibrated on its own out-of-fold scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from halflabel._arrays import Floats, Ints
from halflabel._progress import step
from halflabel.labels.calibration import Calibration, fit_platt
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.harmonic import harmonic
from halflabel.methods.auto.kernel import kernel
from halflabel.methods.auto.logistic import logistic
from halflabel.methods.auto.member import Fitted, Items, Model
from halflabel.methods.auto.member_weights import RIDGE, learn_weights
from halflabel.methods.auto.sampling import Stream, draw
from halflabel.methods.auto.task import Task
from halflabel.methods.auto.tree_members import boosting, trees

#: Every member by name: a function from a task to a fit.
MEMBERS: Mapping[str, Callable[[Task], Fitted[Model]]] = {
    member.__name__: member for member in (kernel, harmonic, trees, boosting, logistic)
}

#: The members that use the heat-kernel graph.
GRAPH_MEMBERS = frozenset(("harmonic",))

#: Maximum number of cells (items x labels) that a calibration and the weights are fitted to.
MAX_CELLS = 2**20

#: Number of items whose scores are calibrated at a time: the intermediate steps take the memory of several tables.
BLOCK = 4096


@dataclass(frozen=True, eq=False)
class CalibratedMember:
    """A fitted member and the calibration of its scores."""

    model: Model
    calibration: Calibration


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Calibrated members and their weights."""

    members: list[CalibratedMember]
    #: Shape (n_members,). Positive.
    weights: Floats

    def predict(self, items: Items) -> Floats:
        """Return the sum of the weighted log odds of new items, shape (n_items, n_labels)."""
        return np.asarray(sum(self.contribute(items)))

    def contribute(self, items: Items) -> Iterator[Floats]:
        """Yield the weighted log odds of new items by each member."""
        for member, weight in zip(self.members, self.weights, strict=True):
            yield weight * logit(member.calibration(member.model.predict(items)))


@dataclass(frozen=True, eq=False)
class FittedEnsemble:
    """The fit of an ensemble."""

    #: Shape (n_items, n_labels). Log odds of every cell, by the fits to all labelled items.
    log_odds: Floats
    #: Shape (n_labelled, n_labels). Log odds of the labelled items, by fits without any label of the item; NaN where
    #: nothing can be held out.
    out_of_fold: Floats
    #: Scores new items.
    model: Ensemble
    #: Out-of-fold Brier score of each member on the observed entries.
    brier: dict[str, float]
    #: Weight of each member.
    weights: dict[str, float]
    #: Each of shape (n_items, n_labels). The weighted log odds of each member of the model, out of fold where there are
    #: any, in single precision.
    by_member: dict[str, NDArray[np.float32]]


def fit_ensemble(task: Task, names: tuple[str, ...]) -> FittedEnsemble:
    """Fit the named members, and add their calibrated log odds with weights that are learned out of fold.

    A member with weight 0 is not in the model, unless all weights are 0: then the first one is.
    Until the weights are learned, the log odds of all members exist.
    """
    members: list[CalibratedMember] = []
    log_odds: list[Floats] = []
    out_of_fold: list[Floats] = []
    for done, name in enumerate(names):
        step("fitting members", done, len(names))
        fitted = MEMBERS[name](task)
        members.append(_calibrate(task, fitted))
        out_of_fold.append(_to_log_odds(fitted.out_of_fold, members[-1].calibration))
        log_odds.append(_calibrate_in_blocks(fitted.scores, members[-1].calibration))
        del fitted  # its memory is free while the next member is fitted
    brier = {name: _score_brier(task.folds, expit(z)) for name, z in zip(names, out_of_fold, strict=True)}
    weights = _learn_weights(task, out_of_fold)
    kept = np.flatnonzero(weights) if weights.any() else np.array([0])
    model = Ensemble([members[k] for k in kept], weights[kept])
    by_name = dict(zip(names, weights.tolist(), strict=True))
    total, parts = _add(weights, log_odds)
    held_out, held_out_parts = _add(weights, out_of_fold)
    _replace_known(parts, held_out_parts, task.folds.rows)
    by_member = {names[k]: parts[k] for k in kept}
    return FittedEnsemble(total, held_out, model, brier, by_name, by_member)


def uses_graph(names: Iterable[str]) -> bool:
    """Return whether any of these members uses the heat-kernel graph."""
    return not GRAPH_MEMBERS.isdisjoint(names)


def _calibrate(task: Task, fitted: Fitted[Model]) -> CalibratedMember:
    """Calibrate a member on its out-of-fold scores of all labelled items, or of a sample."""
    some = _sample(task, Stream.CALIBRATION)
    labels = task.labels[task.folds.rows[some]]
    return CalibratedMember(fitted.model, fit_platt(fitted.out_of_fold[some], labels, RIDGE))


def _learn_weights(task: Task, out_of_fold: list[Floats]) -> Floats:
    """Return the weights of the members, from all labelled items or a sample."""
    some = _sample(task, Stream.MEMBER_WEIGHTS)
    z = np.array([table[some] for table in out_of_fold])
    used = task.folds.observed[some] & ~np.isnan(z).any(axis=0)
    return learn_weights(z[:, used], task.folds.Y[some][used], task.folds.n_units)


def _sample(task: Task, stream: Stream) -> Ints:
    """Return the positions of all labelled items, or of a sample of about a million cells."""
    max_items = max(MAX_CELLS // task.folds.Y.shape[1], 1000)
    return draw(np.arange(len(task.folds.rows)), max_items, task.rng(stream))


def _to_log_odds(scores: Floats, calibration: Calibration) -> Floats:
    """Return calibrated log odds, or NaN without a score."""
    return np.where(np.isnan(scores), np.nan, logit(calibration(scores)))


def _calibrate_in_blocks(scores: Floats, calibration: Calibration) -> Floats:
    """Return calibrated log odds."""
    log_odds = np.empty_like(scores)
    for start in range(0, len(scores), BLOCK):
        rows = slice(start, start + BLOCK)
        log_odds[rows] = logit(calibration(scores[rows]))
    return log_odds


def _add(weights: Floats, tables: list[Floats]) -> tuple[Floats, list[NDArray[np.float32]]]:
    """Return the weighted sum of tables, and its terms in single precision. It releases each table."""
    total, terms = np.zeros(tables[0].shape), []
    for weight in weights:
        term = weight * tables.pop(0)
        total += term
        terms.append(term.astype(np.float32))
    return total, terms


def _replace_known(tables: list[NDArray[np.float32]], held_out: list[NDArray[np.float32]], rows: Ints) -> None:
    """Write out-of-fold values into the rows of the labelled items, where there are any."""
    for table, values in zip(tables, held_out, strict=True):
        table[rows] = np.where(np.isnan(values), table[rows], values)


def _score_brier(folds: Folds, p: Floats) -> float:
    """Return the Brier score on the observed entries."""
    return float(np.mean((p - folds.Y)[folds.observed] ** 2))
