"""Fit several methods on the same labels and score them on the same hidden labels."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from halflabel._arrays import Floats, Ints
from halflabel._progress import step
from halflabel.completion import build_default_method
from halflabel.evaluation.hiding import Hiding, Split
from halflabel.evaluation.learning_curve import fit_clone
from halflabel.labels import PartialLabels
from halflabel.methods.auto import CalibratedPrior
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.baselines import BinaryRelevance
from halflabel.methods.ssdrmc import SSDRMC
from halflabel.methods.vvmr import LowRankVVMR

#: Name of the method behind ``complete`` in tables. Every other method is compared with it.
DEFAULT = "halflabel"

#: Name of the method that uses no features.
RATE = "rate of the label"

#: Names of the default without the prior that was given, and of the prior without the default.
WITHOUT_PRIOR, PRIOR_ALONE = "without the prior", "the prior alone"

#: The threshold rule of all methods in a comparison, because F1 is among the metrics.
COMMON_RULE = "micro_f1"

#: LowRankVVMR is fitted many times here: above the maximum number of items its kernel is approximated by landmarks.
MAX_EXACT_ITEMS, N_LANDMARKS = 1000, 500

#: In a table of more entries (such as 5000 items with 100 labels) LowRankVVMR tries one knee instead of three.
MAX_ENTRIES_FOR_KNEES = 500_000


def build_methods(
    labels: PartialLabels,
    random_state: int | None = 0,
    observed_rate: float | None = None,
    effort: str = "default",
    *,
    prior: bool = False,
) -> dict[str, PartialLabelEstimator]:
    """Return the default and the methods a user would try otherwise, all calibrated and cut by the same rule.

    The methods will be fitted on ``labels``. For positive-only labels LowRankVVMR takes the place of
    SSDR-MC, which needs irrelevant entries. If there is a ``prior``, the default without it and the prior alone are
    added.
    """
    # A fold holds out a fifth, or more where items are few: the rarest label must keep k entries.
    entries = labels.annotated.sum() if labels.positive_only else labels.observed.sum(axis=0).min()
    k = max(1, min(15, int(entries * 0.6)))
    classifiers = {
        "logistic regression": LogisticRegression(max_iter=1000),
        f"{k} nearest neighbours": KNeighborsClassifier(k),
        RATE: DummyClassifier(strategy="prior"),
    }
    per_label = {
        name: BinaryRelevance(classifier, random_state=random_state) for name, classifier in classifiers.items()
    }
    default = build_default(random_state, observed_rate, effort)
    parts = {WITHOUT_PRIOR: default, PRIOR_ALONE: CalibratedPrior(observed_rate=observed_rate)} if prior else {}
    return {DEFAULT: default, **parts, **_build_published(labels, random_state, observed_rate), **per_label}


def build_default(random_state: int | None, observed_rate: float | None, effort: str) -> PartialLabelEstimator:
    """Return the method behind ``complete`` with the common rule."""
    return build_default_method(observed_rate, random_state, effort).use_rule(COMMON_RULE)


def _build_published(
    labels: PartialLabels, random_state: int | None, observed_rate: float | None
) -> dict[str, PartialLabelEstimator]:
    """Return the published method for labels of this kind."""
    if not labels.positive_only:
        return {"SSDR-MC": SSDRMC(random_state=random_state)}
    knee = 0.1 if labels.state.size > MAX_ENTRIES_FOR_KNEES else (0.05, 0.1, 0.2)
    return {
        "LowRankVVMR": LowRankVVMR(
            knee=knee,
            observed_rate=observed_rate,
            max_exact=MAX_EXACT_ITEMS,
            n_landmarks=N_LANDMARKS,
            random_state=random_state,
        )
    }


def compare(
    methods: Mapping[str, PartialLabelEstimator],
    X: Any,
    split: Split,
    hiding: Hiding,
    groups: Ints | None = None,
    prior: Floats | None = None,
) -> pd.DataFrame:
    """Fit every method on the known labels and score it on the hidden labels.

    ``hiding`` prepares the known labels for each method and scores it. The result has one row per method: its scores,
    and the ``seconds`` of its fit.
    """
    rows = {}
    for done, (name, method) in enumerate(methods.items()):
        step("comparing methods", done, len(methods))
        known = hiding.training_labels(method, split.known)
        started = time.perf_counter()
        model = fit_clone(method, X, known, groups, None if name == WITHOUT_PRIOR else prior)
        seconds = time.perf_counter() - started
        rows[name] = {**hiding.score(model, split), "seconds": seconds}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")
