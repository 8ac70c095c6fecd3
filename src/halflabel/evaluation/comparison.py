"""Methods side by side on the same hidden entries."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from halflabel._arrays import Floats, Ints
from halflabel._progress import step
from halflabel.completion import default_method
from halflabel.labels import PartialLabels
from halflabel.labels.metrics import METRICS
from halflabel.methods.auto import CalibratedPrior
from halflabel.methods.base import PartialLabelEstimator, fit_beside
from halflabel.methods.baselines import BinaryRelevance
from halflabel.methods.ssdrmc import SSDRMC
from halflabel.methods.vvmr import LowRankVVMR

#: The method behind ``complete``, as it is called in tables.
DEFAULT = "halflabel"

#: The one that knows no features.
RATE = "rate of the label"

#: The default without a prior that was given, and the prior without it.
WITHOUT_PRIOR, PRIOR_ALONE = "without the prior", "the prior alone"

#: LowRankVVMR is fitted many times here: up to so many items its kernel is exact, beyond a map of so many landmarks.
EXACT, LANDMARKS = 1000, 500

#: In a table of more entries (such as 5000 items with 100 labels) it tries one knee instead of three.
WIDE = 500_000

#: Metrics that are shown, the first one decides; higher is better but for the last two.
SHOWN = ("average_precision", "macro_auc", "micro_f1", "macro_f1", "brier", "ece")


def usual_methods(
    labels: PartialLabels,
    seed: int = 0,
    observed_rate: float | None = None,
    effort: str = "default",
    *,
    prior: bool = False,
) -> dict[str, PartialLabelEstimator]:
    """Return the default and what a user would do otherwise, all calibrated and cut by the same rule.

    ``labels`` are those that the methods will learn from. For positive-only labels LowRankVVMR takes the place of
    SSDR-MC, which needs irrelevant entries. With a ``prior``, it is shown alone, and the default without it.
    """
    # A fold holds out a fifth, or, where items are few, more: k must fit into what is left of the rarest label.
    entries = labels.annotated.sum() if labels.positive_only else labels.observed.sum(axis=0).min()
    k = max(1, min(15, int(entries * 0.6)))
    others = {
        "logistic regression": LogisticRegression(max_iter=1000),
        f"{k} nearest neighbours": KNeighborsClassifier(k),
        RATE: DummyClassifier(strategy="prior"),
    }
    relevance = {name: BinaryRelevance(classifier, random_state=seed) for name, classifier in others.items()}
    default = default_method(observed_rate, seed, effort)
    parts = {WITHOUT_PRIOR: default, PRIOR_ALONE: CalibratedPrior(observed_rate=observed_rate)} if prior else {}
    return {DEFAULT: default, **parts, **_published(labels, seed, observed_rate), **relevance}


def _published(labels: PartialLabels, seed: int, observed_rate: float | None) -> dict[str, PartialLabelEstimator]:
    """Return the published method for labels of this kind."""
    if not labels.positive_only:
        return {"SSDR-MC": SSDRMC(random_state=seed)}
    knee = 0.1 if labels.state.size > WIDE else (0.05, 0.1, 0.2)
    return {
        "LowRankVVMR": LowRankVVMR(
            knee=knee, observed_rate=observed_rate, max_exact=EXACT, n_landmarks=LANDMARKS, random_state=seed
        )
    }


def compare(
    methods: Mapping[str, PartialLabelEstimator],
    X: Any,
    known: PartialLabels,
    hidden: PartialLabels,
    groups: Ints | None = None,
    prior: Floats | None = None,
) -> pd.DataFrame:
    """Fit every method on ``known`` and score it on the entries observed in ``hidden``.

    Returns
    -------
    DataFrame
        One row per method: what :func:`measured` returns, and ``seconds``.
    """
    rows = {}
    for done, (name, method) in enumerate(methods.items()):
        step("comparing methods", done, len(methods))
        started = time.perf_counter()
        model = fitted(method, X, known, groups, None if name == WITHOUT_PRIOR else prior)
        seconds = time.perf_counter() - started
        rows[name] = {**measured(model, hidden), "seconds": seconds}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")


def measured(model: Any, hidden: PartialLabels) -> dict[str, float]:
    """Score a fitted method on the entries observed in ``hidden``.

    Returns
    -------
    dict of str to float
        The metrics of :data:`SHOWN`; ``expected_f1``, see :func:`expected_f1`; ``micro_f1_at_half``, the method's own
        scores cut at .5 as its library would, NaN for methods that do not cut there (log odds, for example).
    """
    p, answer = model.label_probabilities_, np.asarray(model.transduction_).reshape(hidden.shape)
    values = {m: METRICS[m].function(hidden, answer if METRICS[m].needs == "labels" else p) for m in SHOWN}
    at_half = np.nan_to_num(model.label_scores_, nan=0.0) >= 0.5
    own = METRICS["micro_f1"].function(hidden, at_half.astype(int)) if model.threshold == 0.5 else np.nan
    return {**values, "expected_f1": expected_f1(hidden, answer, p), "micro_f1_at_half": own}


def expected_f1(hidden: PartialLabels, answer: Ints, probabilities: Floats) -> float:
    r"""Return the micro-F1 of an answer that its own probabilities let expect, on the entries observed in ``hidden``.

    The plug-in :math:`2\sum_{a = 1} p \,/\, (\#\{a = 1\} + \sum p)`: expectations of numerator and denominator. It
    reads which entries were hidden, never what they hold.
    """
    p, chosen = probabilities[hidden.observed], answer[hidden.observed] == 1
    return float(2 * p[chosen].sum() / (chosen.sum() + p.sum()))


def fitted(
    method: PartialLabelEstimator,
    X: Any,
    known: PartialLabels,
    groups: Ints | None = None,
    prior: Floats | None = None,
) -> Any:
    """Fit a copy; what it warns about its own labels is not the reader's concern here."""
    with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):  # thousands of small fits
        warnings.simplefilter("ignore")
        return fit_beside(clone(method), X, known, groups=groups, prior=prior)
