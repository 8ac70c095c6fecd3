"""The pool: the mean of its members' log odds, each calibrated on its own out-of-fold scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from halflabel._arrays import Floats
from halflabel._progress import step
from halflabel.labels.calibration import Calibration, fit_platt
from halflabel.methods.auto.forest import self_trained_trees, trees
from halflabel.methods.auto.harmonic import corrected_trees, harmonic
from halflabel.methods.auto.kernel import deformed_kernel, kernel
from halflabel.methods.auto.reconstruction import reconstruction
from halflabel.methods.auto.task import Fitted, Items, Model, Task

#: Every member by name: a function from a task to a fit.
MEMBERS: Mapping[str, Callable[[Task], Fitted]] = {
    member.__name__: member
    for member in (kernel, deformed_kernel, harmonic, trees, corrected_trees, self_trained_trees, reconstruction)
}

#: The members that others build on: their fits are kept, those of all others go once they have been heard.
BASES = (trees,)

#: How strongly the calibrations of members are shrunk; more than that of the pool, which is fitted to what they said.
RIDGE = 10.0

#: Cells (items x labels) that a calibration is fitted to at most.
CELLS = 2**20

#: Items whose log odds are added at a time: the steps on the way there take the memory of several answers.
BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Voice:
    """A fitted member and how it is heard.

    Attributes
    ----------
    model : Model
    calibration : Calibration
    """

    model: Model
    calibration: Calibration

    def log_odds(self, items: Items) -> Floats:
        """Return calibrated log odds."""
        return np.asarray(logit(self.calibration(self.model.predict(items))))

    def held_out(self, fitted: Fitted) -> Floats:
        """Return what the member says out of fold, in calibrated log odds; NaN where it says nothing."""
        scores = fitted.out_of_fold
        return np.where(np.isnan(scores), np.nan, logit(self.calibration(scores)))


@dataclass(frozen=True, eq=False)
class Pool:
    """Members with equal say.

    Attributes
    ----------
    voices : list of Voice
    """

    voices: list[Voice]

    def predict(self, items: Items) -> Floats:
        """Return the mean log odds of new items, shape (n_items, n_labels)."""
        return np.asarray(sum(voice.log_odds(items) for voice in self.voices) / len(self.voices))


@dataclass(frozen=True, eq=False)
class Pooled:
    """What a pool says.

    Attributes
    ----------
    log_odds : ndarray of shape (n_items, n_labels)
        Of every cell, by the whole fit.
    out_of_fold : ndarray of shape (n_items, n_labels)
        The same for items with an observed label, by fits that saw no label of the item; NaN for the others.
    pool : Pool
        For new items.
    brier : dict of str to float
        Out-of-fold Brier score of each member on the observed entries.
    """

    log_odds: Floats
    out_of_fold: Floats
    pool: Pool
    brier: dict[str, float]


def pool(task: Task, names: tuple[str, ...], guests: tuple[str, ...] = ()) -> Pooled:
    """Fit the named members and pool them.

    Equal weights: with tens to thousands of labelled items, out-of-fold errors are too noisy to learn weights from.
    They do tell when a model is ahead of the pool as a whole, which is rare: a guest that alone has a lower Brier score
    than the others together is heard like any of them, and else not at all.
    """
    log_odds, held_out = np.zeros(task.labels.shape), np.zeros(task.Y.shape)
    voices: list[Voice] = []
    brier: dict[str, float] = {}
    for done, name in enumerate((*names, *guests)):
        step("fitting members", done, len(names) + len(guests))
        member = MEMBERS[name]
        fitted = task.once(member) if member in BASES else member(task)
        voice = _voice(task, fitted)
        said = voice.held_out(fitted)
        worth = _brier(task, expit(said))
        if name in names or worth < _brier(task, expit(held_out / len(voices))):
            voices.append(voice)
            brier[name] = worth
            held_out += said
            _add(log_odds, fitted, voice)
        del fitted, said  # not beside the next one
    log_odds /= len(voices)
    task.forget()
    out_of_fold = np.full(task.labels.shape, np.nan)
    out_of_fold[task.rows] = held_out / len(voices)
    return Pooled(log_odds, out_of_fold, Pool(voices), brier)


def _voice(task: Task, fitted: Fitted) -> Voice:
    """Calibrate a member on what it says out of fold about some items."""
    most = max(CELLS // task.Y.shape[1], 1000)
    some = task.rng("calibration").permutation(len(task.rows))[:most]
    return Voice(fitted.model, fit_platt(fitted.out_of_fold[some], task.labels[task.rows[some]], RIDGE))


def _add(log_odds: Floats, fitted: Fitted, voice: Voice) -> None:
    """Add a member's log odds, in place, to the sums of all."""
    for start in range(0, len(log_odds), BLOCK):
        rows = slice(start, start + BLOCK)
        log_odds[rows] += logit(voice.calibration(fitted.scores[rows]))


def _brier(task: Task, p: Floats) -> float:
    """Return the Brier score on the observed entries."""
    return float(np.mean((p - task.Y)[task.observed] ** 2))
