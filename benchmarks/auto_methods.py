"""The methods that AutoLabeler is compared with, each with its defaults or with a small choice of settings.

Every entry of ``METHODS`` maps features and known labels to a fitted model with calibrated ``label_probabilities_``.
All methods are calibrated by Platt scaling on out-of-fold scores of labelled items; AutoLabeler checks its calibration
as well, and "auto, plain" is AutoLabeler without this check. If several settings are tried, the one with the lowest
out-of-fold Brier score is used; no method uses hidden labels. All methods but "ssdrmc" and "ssdrmc as published" get
the features with the weights of AutoLabeler: standardised if dense (as in "ssdrmc"), words weighted by rarity.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading

from halflabel import MC1, SSDRMC, VVMR, LowRankVVMR, MCb, PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.labels.metrics import brier
from halflabel.methods.auto import MEMBERS, AutoLabeler
from halflabel.methods.auto.features import Weighting
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.baselines import BinaryRelevance
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.model_selection import item_folds


class JointRegressor(PartialLabelEstimator):
    """A regressor of all labels together, coded 1 and 0, fitted to the labelled items; calibrated out of fold.

    Parameters
    ----------
    regressor : scikit-learn regressor of several outputs
    n_folds : int, default=5
    rule
        As in :class:`halflabel.SSDRMC`.
    """

    def __init__(self, regressor=None, *, n_folds=5, rule="micro_f1"):
        self.regressor = regressor
        self.n_folds = n_folds
        self.rule = rule

    def fit(self, X, y):
        """Fit to the items whose labels are all known."""
        X, labels = self._enter(X, y)
        rows = np.flatnonzero(labels.observed.all(axis=1))
        folds = item_folds(labels[rows], min(self.n_folds, len(rows)), np.random.default_rng(0))
        out_of_fold = np.full(labels.shape, np.nan)
        for fold in np.unique(folds):
            held_out = rows[folds == fold]
            out_of_fold[held_out] = self._predict_new(X, labels, rows[folds != fold], X[held_out])
        return self._decide(labels, self._predict_new(X, labels, rows, X), out_of_fold)

    def _predict_new(self, X, labels, rows, X_new):
        model = clone(self.regressor).fit(X[rows], labels.relevant[rows].astype(float))
        return model.predict(X_new).reshape(X_new.shape[0], -1)


class SpreadLabels(PartialLabelEstimator):
    """LabelSpreading of scikit-learn, one model per label, on a graph of 15 neighbours; calibrated out of fold.

    Parameters
    ----------
    alpha : float, default=0.2
        The weight of the neighbours.
    n_folds : int, default=5
    rule
        As in :class:`halflabel.SSDRMC`.
    """

    def __init__(self, alpha=0.2, *, n_folds=5, rule="micro_f1"):
        self.alpha = alpha
        self.n_folds = n_folds
        self.rule = rule

    def fit(self, X, y):
        """Fit to all items."""
        X, labels = self._enter(X, y)
        rows = np.flatnonzero(~labels.unlabelled)
        folds = np.full(len(labels), -1)
        folds[rows] = item_folds(labels[rows], self.n_folds, np.random.default_rng(0))
        out_of_fold = score_out_of_fold(
            lambda held_out: self._spread(X, labels.hide(held_out[:, None]))[held_out], folds, labels.shape
        )
        return self._decide(labels, self._spread(X, labels), out_of_fold)

    def _spread(self, X, labels):
        """Return the probability of class 1 per label; the rate where the graph has no path to a labelled item."""
        scores = np.broadcast_to(labels.rates, labels.shape).copy()
        for j in np.flatnonzero(labels.learnable):
            target = np.select([labels.state[:, j] > 0, labels.state[:, j] < 0], [1, 0], -1)
            model = LabelSpreading(kernel="knn", n_neighbors=15, alpha=self.alpha).fit(X, target)
            p = model.label_distributions_[:, 1]
            scores[:, j] = np.where(np.isfinite(p), p, scores[:, j])
        return scores


class PlainAuto(AutoLabeler):
    """AutoLabeler calibrated by Platt scaling only, like the other methods here."""

    def _calibrate(self, out_of_fold, labels):
        return fit_platt(out_of_fold, labels)


class LabelRate(PartialLabelEstimator):
    """The share of relevant entries of each label, predicted for every item: the baseline without features."""

    def __init__(self, rule="micro_f1"):
        self.rule = rule

    def fit(self, X, y):
        """Store the rates."""
        _, labels = self._enter(X, y)
        nothing = np.full(labels.shape, np.nan)
        return self._decide(labels, nothing, nothing)


def weight_features(X):
    """Return the features with the weights of AutoLabeler."""
    return Weighting.learn(X, "auto")(X)


def fit_best(models, X, known):
    """Fit all models and return the one with the lowest out-of-fold Brier score."""
    fitted = [model.fit(X, known) for model in models]
    return min(fitted, key=lambda model: brier(known, model.label_probabilities_))


def fit_logistic(X, known):
    """Fit one logistic regression per label with the best of six penalties."""
    penalties = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
    models = [
        BinaryRelevance(LogisticRegression(C=C, max_iter=300, tol=1e-3), scale=None, n_folds=3) for C in penalties
    ]
    return fit_best(models, weight_features(X), known)


def fit_label_spreading(X, known):
    """Fit LabelSpreading with the better of two weights of the neighbours."""
    return fit_best(map(SpreadLabels, (0.2, 0.8)), weight_features(X), known)


def fit_extra_trees(X, known):
    """Fit 300 extremely randomised trees of all labels with the better of two numbers of features per split.

    The variance of 0/1 targets is half the Gini impurity, so splits and leaves are those of ExtraTreesClassifier.
    """
    forests = [
        ExtraTreesRegressor(300, min_samples_leaf=2, max_features=tried, random_state=0) for tried in ("sqrt", 0.3)
    ]
    return fit_best(map(JointRegressor, forests), weight_features(X), known)


def fit_boosted_trees(X, known):
    """Fit LightGBM, one model per label, with the best of three learning rates and sizes."""
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
    return fit_best([BinaryRelevance(model, scale=None, n_folds=3) for model in models], weight_features(X), known)


def fit_vvmr(X, known):
    """Fit VVMR with the best of three kernel widths."""
    return fit_best([VVMR(width=width) for width in (0.5, 1.0, 2.0)], weight_features(X), known)


def fit_low_rank(X, known):
    """Fit LowRankVVMR to positive-only labels, as in its paper.

    There are no missing positives here, so that the label frequency is 1. With irrelevant entries the method would be
    VVMR.
    """
    positives = PartialLabels.from_positives(known.values())
    return LowRankVVMR(observed_rate=1.0).fit(weight_features(X), positives)


#: AutoLabeler with other settings, and its members alone; every other method is a single one.
ENSEMBLES = (
    {name: lambda X, known, name=name: AutoLabeler(name, rule="micro_f1").fit(X, known) for name in ("fast", "best")}
    | {"auto, plain": lambda X, known: PlainAuto(rule="micro_f1").fit(X, known)}
    | {
        name: lambda X, known, name=name: AutoLabeler(members=(name,), rule="micro_f1").fit(X, known)
        for name in MEMBERS
    }
)

METHODS = {
    "auto": lambda X, known: AutoLabeler(rule="micro_f1").fit(X, known),
    "ssdrmc": lambda X, known: SSDRMC().fit(X, known),
    "ssdrmc weighted": lambda X, known: SSDRMC().fit(weight_features(X), known),
    "ssdrmc as published": lambda X, known: SSDRMC.as_published().fit(X, known),
    "mc1": lambda X, known: MC1().fit(weight_features(X), known),
    "mcb": lambda X, known: MCb().fit(weight_features(X), known),
    "vvmr": fit_vvmr,
    "lowrank": fit_low_rank,
    "logistic": fit_logistic,
    "label spreading": fit_label_spreading,
    "extratrees": fit_extra_trees,
    "lightgbm": fit_boosted_trees,
    "label rate": lambda X, known: LabelRate().fit(X, known),
} | ENSEMBLES


def missing_package(method):
    """Return the reason why a method cannot run here, or an empty string."""
    if method == "lightgbm" and find_spec("lightgbm") is None:
        return "lightgbm is skipped, because it is not installed: pip install lightgbm."
    return ""
