"""The ensemble: the mean of its members' log odds, each calibrated on its own out-of-fold scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from halflabel._arrays import Floats
from halflabel._progress import step
from halflabel.labels.calibration import Calibration, fit_platt
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.harmonic import corrected_trees, harmonic
from halflabel.methods.auto.kernel import deformed_kernel, kernel
from halflabel.methods.auto.member import Fitted, Items, Model
from halflabel.methods.auto.reconstruction import reconstruction
from halflabel.methods.auto.task import Task
from halflabel.methods.auto.tree_members import self_trained_trees, trees

#: Every member by name: a function from a task to a fit.
MEMBERS: Mapping[str, Callable[[Task], Fitted[Model]]] = {
    member.__name__: member
    for member in (kernel, deformed_kernel, harmonic, trees, corrected_trees, self_trained_trees, reconstruction)
}

#: The members that use the heat-kernel graph.
GRAPH_MEMBERS = frozenset(("deformed_kernel", "harmonic", "corrected_trees"))

#: Ridge weight of the members' calibrations; larger than that of the ensemble, which is fitted to their results.
RIDGE = 10.0

#: Maximum number of cells (items x labels) that a calibration is fitted to.
MAX_CELLS = 2**20

#: Number of items whose log odds are added at a time: the intermediate steps take the memory of several tables.
BLOCK = 4096


@dataclass(frozen=True, eq=False)
class CalibratedMember:
    """A fitted member and the calibration of its scores.

    Attributes
    ----------
    model : Model
    calibration : Calibration
    """

    model: Model
    calibration: Calibration

    def log_odds(self, items: Items) -> Floats:
        """Return calibrated log odds of new items."""
        return np.asarray(logit(self.calibration(self.model.predict(items))))


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Calibrated members with equal weights.

    Attributes
    ----------
    members : list of CalibratedMember
    """

    members: list[CalibratedMember]

    def predict(self, items: Items) -> Floats:
        """Return the mean log odds of new items, shape (n_items, n_labels)."""
        return np.asarray(sum(member.log_odds(items) for member in self.members) / len(self.members))


@dataclass(frozen=True, eq=False)
class FittedEnsemble:
    """The fit of an ensemble.

    Attributes
    ----------
    log_odds : ndarray of shape (n_items, n_labels)
        Log odds of every cell, by the fits to all labelled items.
    out_of_fold : ndarray of shape (n_labelled, n_labels)
        Log odds of the labelled items, by fits without any label of the item; NaN where nothing can be held out.
    model : Ensemble
        Scores new items.
    brier : dict of str to float
        Out-of-fold Brier score of each member on the observed entries.
    """

    log_odds: Floats
    out_of_fold: Floats
    model: Ensemble
    brier: dict[str, float]


def fit_ensemble(task: Task, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> FittedEnsemble:
    """Fit the named members and take the mean of their calibrated log odds.

    The weights are equal: with tens to thousands of labelled items, out-of-fold errors are too noisy to learn weights
    from them. The errors suffice to find a member that is better than the ensemble of all others, which is rare: an
    optional member is included, with the same weight, if its Brier score alone is lower than that of the members
    before it together; otherwise it is excluded.

    Parameters
    ----------
    task : Task
    names : tuple of str
        Members that are always included.
    optional : tuple of str
        Members that are included only if they have the lower Brier score.
    """
    log_odds, out_of_fold = np.zeros(task.labels.shape), np.zeros(task.folds.Y.shape)
    members: list[CalibratedMember] = []
    brier: dict[str, float] = {}
    for done, name in enumerate((*names, *optional)):
        step("fitting members", done, len(names) + len(optional))
        fitted = MEMBERS[name](task)
        member = _calibrate(task, fitted)
        held_out = _to_log_odds(fitted.out_of_fold, member.calibration)
        score = _score_brier(task.folds, expit(held_out))
        if name in names or score < _score_brier(task.folds, expit(out_of_fold / len(members))):
            members.append(member)
            brier[name] = score
            out_of_fold += held_out
            _add_log_odds(log_odds, fitted.scores, member.calibration)
        del fitted, held_out  # their memory is free while the next member is fitted
    log_odds /= len(members)
    out_of_fold /= len(members)
    return FittedEnsemble(log_odds, out_of_fold, Ensemble(members), brier)


def uses_graph(names: Iterable[str]) -> bool:
    """Return whether any of these members uses the heat-kernel graph."""
    return not GRAPH_MEMBERS.isdisjoint(names)


def _calibrate(task: Task, fitted: Fitted[Model]) -> CalibratedMember:
    """Calibrate a member on its out-of-fold scores of all labelled items, or of a sample."""
    max_items = max(MAX_CELLS // task.folds.Y.shape[1], 1000)
    some = task.rng("calibration").permutation(len(task.folds.rows))[:max_items]
    labels = task.labels[task.folds.rows[some]]
    return CalibratedMember(fitted.model, fit_platt(fitted.out_of_fold[some], labels, RIDGE))


def _to_log_odds(scores: Floats, calibration: Calibration) -> Floats:
    """Return calibrated log odds; NaN where there is no score."""
    return np.where(np.isnan(scores), np.nan, logit(calibration(scores)))


def _add_log_odds(total: Floats, scores: Floats, calibration: Calibration) -> None:
    """Add calibrated log odds to ``total``, in place."""
    for start in range(0, len(total), BLOCK):
        rows = slice(start, start + BLOCK)
        total[rows] += logit(calibration(scores[rows]))


def _score_brier(folds: Folds, p: Floats) -> float:
    """Return the Brier score on the observed entries."""
    return float(np.mean((p - folds.Y)[folds.observed] ** 2))
