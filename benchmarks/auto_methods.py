"""What AutoLabeler is compared with, each as strong as its own defaults or a small choice make it.

Every entry of ``METHODS`` maps features and known labels to a fitted model with calibrated ``label_probabilities_``.
All calibrate on out-of-fold scores of labelled items by Platt scaling, but AutoLabeler checks its calibration as well;
"auto, plain" is AutoLabeler without that. Where several settings are tried, the least out-of-fold Brier score decides,
and hidden labels are never seen. All but "ssdrmc" and "ssdrmc as published" are given the features as AutoLabeler
weighs them for itself: standardised where dense (as "ssdrmc" does too), words by rarity.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression

from halflabel import MC1, SSDRMC, VVMR, LowRankVVMR, MCb, PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.labels.metrics import brier
from halflabel.methods.auto import MEMBERS, AutoLabeler
from halflabel.methods.auto.features import Weighting
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.baselines import BinaryRelevance
from halflabel.methods.model_selection import item_folds

__all__ = ["METHODS", "POOLED", "missing"]


class Together(PartialLabelEstimator):
    """A regressor of all labels at once, coded 1 and 0, fitted to the labelled items; calibrated out of fold.

    Parameters
    ----------
    regressor : scikit-learn regressor of several outputs
    n_folds : int, default=5
    decision, threshold, cost_ratio
        As in :class:`halflabel.SSDRMC`.
    """

    def __init__(self, regressor=None, *, n_folds=5, decision="micro_f1", threshold=0.5, cost_ratio=1.0):
        self.regressor = regressor
        self.n_folds = n_folds
        self.decision = decision
        self.threshold = threshold
        self.cost_ratio = cost_ratio

    def fit(self, X, y):
        """Fit to the items of which every label is known."""
        X, labels = self._enter(X, y)
        rows = np.flatnonzero(labels.observed.all(axis=1))
        folds = item_folds(labels[rows], min(self.n_folds, len(rows)), np.random.default_rng(0))
        out_of_fold = np.full(labels.shape, np.nan)
        for fold in np.unique(folds):
            held_out = rows[folds == fold]
            out_of_fold[held_out] = self._answer(X, labels, rows[folds != fold], X[held_out])
        return self._decide(labels, self._answer(X, labels, rows, X), out_of_fold)

    def _answer(self, X, labels, rows, asked):
        model = clone(self.regressor).fit(X[rows], labels.relevant[rows].astype(float))
        return model.predict(asked).reshape(asked.shape[0], -1)


class PlainAuto(AutoLabeler):
    """AutoLabeler calibrated as all others here are, by Platt scaling alone: what the pool is ahead by, unchecked."""

    def _calibrate(self, out_of_fold, labels):
        return fit_platt(out_of_fold, labels)


class LabelRate(PartialLabelEstimator):
    """The share of relevant entries of each label, for every item: what one knows without features."""

    def __init__(self, decision="micro_f1", threshold=0.5, cost_ratio=1.0):
        self.decision = decision
        self.threshold = threshold
        self.cost_ratio = cost_ratio

    def fit(self, X, y):
        """Count."""
        _, labels = self._enter(X, y)
        nothing = np.full(labels.shape, np.nan)
        return self._decide(labels, nothing, nothing)


def weighted(X):
    """Return the features as AutoLabeler sees them."""
    return Weighting.learn(X, "auto")(X)


def chosen(models, X, known):
    """Fit all and return the one with the least out-of-fold Brier score."""
    fitted = [model.fit(X, known) for model in models]
    return min(fitted, key=lambda model: brier(known, model.label_probabilities_))


def logistic(X, known):
    """Return one logistic regression per label, its penalty chosen."""
    penalties = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
    models = [
        BinaryRelevance(LogisticRegression(C=C, max_iter=300, tol=1e-3), scale=None, n_folds=3) for C in penalties
    ]
    return chosen(models, weighted(X), known)


def extra_trees(X, known):
    """Return 300 extremely randomised trees of all labels, the number of features tried at a split chosen.

    Variance of 0/1 targets is half of Gini's impurity: these are the splits and leaves of ExtraTreesClassifier.
    """
    forests = [
        ExtraTreesRegressor(300, min_samples_leaf=2, max_features=tried, random_state=0) for tried in ("sqrt", 0.3)
    ]
    return chosen(map(Together, forests), weighted(X), known)


def boosted_trees(X, known):
    """Return LightGBM, one model per label, one of three speeds of learning chosen."""
    from lightgbm import LGBMClassifier

    settings = ((40, 0.1, 4), (80, 0.1, 8), (200, 0.05, 16))
    models = [
        LGBMClassifier(
            n_estimators=n_trees,
            learning_rate=rate,
            num_leaves=leaves,
            min_child_samples=5,
            colsample_bytree=0.5,
            reg_lambda=1.0,
            random_state=0,
            n_jobs=1,
            verbosity=-1,
        )
        for n_trees, rate, leaves in settings
    ]
    return chosen([BinaryRelevance(model, scale=None, n_folds=3) for model in models], weighted(X), known)


def vector_valued(X, known):
    """Return VVMR, the width of its kernel chosen too."""
    return chosen([VVMR(width=width) for width in (0.5, 1.0, 2.0)], weighted(X), known)


def low_rank(X, known):
    """Return LowRankVVMR on labels as its paper reads them, where one not assigned may be relevant.

    With ``observed_rate=1`` probabilities are of being relevant: nothing was forgotten here. Told that 0 means
    irrelevant, it would be VVMR.
    """
    positives = PartialLabels.from_positives(known.values())
    return LowRankVVMR(observed_rate=1.0).fit(weighted(X), positives)


#: AutoLabeler, whole and in parts; every other method is a single one.
POOLED = (
    {name: lambda X, known, name=name: AutoLabeler(name).fit(X, known) for name in ("fast", "best")}
    | {"auto, plain": lambda X, known: PlainAuto().fit(X, known)}
    | {name: lambda X, known, name=name: AutoLabeler(members=(name,)).fit(X, known) for name in MEMBERS}
)

METHODS = {
    "auto": lambda X, known: AutoLabeler().fit(X, known),
    "ssdrmc": lambda X, known: SSDRMC().fit(X, known),
    "ssdrmc weighted": lambda X, known: SSDRMC().fit(weighted(X), known),
    "ssdrmc as published": lambda X, known: SSDRMC.as_published().fit(X, known),
    "mc1": lambda X, known: MC1().fit(weighted(X), known),
    "mcb": lambda X, known: MCb().fit(weighted(X), known),
    "vvmr": vector_valued,
    "lowrank": low_rank,
    "logistic": logistic,
    "extratrees": extra_trees,
    "lightgbm": boosted_trees,
    "label rate": lambda X, known: LabelRate().fit(X, known),
} | POOLED


def missing(method):
    """Return why a method cannot run here, or nothing."""
    if method == "lightgbm" and find_spec("lightgbm") is None:
        return "lightgbm is not installed and left out: pip install lightgbm."
    return ""
