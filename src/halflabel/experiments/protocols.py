"""How a paper measures: from one run's data and method to its figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halflabel.arrays import Floats, Mask
from halflabel.datasets import Dataset
from halflabel.decision import RULES, thresholds
from halflabel.experiments.chain import Answer, Chain
from halflabel.experiments.plan import Run
from halflabel.experiments.positives_protocol import positives
from halflabel.experiments.scoring import Outcome, features_of, figures
from halflabel.experiments.sources import load
from halflabel.labels import PartialLabels
from halflabel.masking import hide_items
from halflabel.metrics import METRICS
from halflabel.stratification import deal_items

__all__ = ["MEASUREMENTS", "PROTOCOLS", "RULES_OF", "split", "transduction"]


def split(run: Run, folder: Path | None) -> Outcome:
    """Fit on the training part, score on the test part: the set's own split, or a stratified one.

    Options: ``dense`` (turn sparse features into dense ones), ``rankable`` (ranking metrics leave out items without
    both a relevant and an irrelevant label, as the ML-kNN tradition does), ``rules`` (further threshold rules for
    the metrics of 0/1 labels), ``train_share`` (of a set that has no split of its own; .5). The columns of a user's
    table are encoded before the split, so that a gap among its features is filled with the help of test rows.
    """
    train, test = _parts(run, folder, np.random.default_rng(run.seed))
    X, X_new = (features_of(each, run.options) for each in (train, test))
    chain = Chain.fit(run.steps, run.helpers, X, train.Y)
    started = time.perf_counter()
    answer = chain.new(X_new, test.Y.shape)
    seconds = {**chain.seconds, "predict": time.perf_counter() - started}
    cardinality = float(np.nansum(train.Y.rates))
    return Outcome(_scored(test.Y, answer, run.metrics, run.options, cardinality), chain.facts(), seconds)


def transduction(run: Run, folder: Path | None) -> Outcome:
    """Hide labels, and features if asked; fit on all items; score what was hidden.

    Options: ``hide`` ("items" or "entries"), ``observed`` (share of them that stays), ``features_observed`` (share of
    the single feature values that stays; 1), ``standardised`` (features are standardised before anything is hidden),
    ``without_features`` (one that is 0 everywhere instead), and ``dense``, ``rankable``, ``rules`` as in
    :func:`split`. Entries and feature values are drawn uniformly, in exact number. ``imputation_error`` is the root
    of the squared error over the sum of squares, both over hidden feature values.
    """
    rng = np.random.default_rng(run.seed)
    whole = load(run.source, folder, "whole", rng)
    X, known = features_of(whole, run.options), _known(whole.Y, run.options, rng)
    gaps = _exact_share(X.shape, 1 - run.options.get("features_observed", 1.0), rng)
    seen = np.where(gaps, np.nan, X) if gaps.any() else X
    chain = Chain.fit(run.steps, run.helpers, seen, known)
    hidden = whole.Y.hide(known.observed)
    wanted = [name for name in run.metrics if name in METRICS]
    cardinality = float(np.nansum(known.rates))
    metrics = _scored(hidden, chain.fitted(hidden.shape), wanted, run.options, cardinality)
    if "imputation_error" in run.metrics:
        metrics["imputation_error"] = _imputation_error(chain.completed(seen), X, gaps)
    return Outcome(metrics, chain.facts(), chain.seconds)


def _known(labels: PartialLabels, options: Mapping[str, Any], rng: np.random.Generator) -> PartialLabels:
    """Hide whole items, each label's last relevant entry spared, or single entries, whatever is left."""
    hidden = 1 - options["observed"]
    if options["hide"] == "items":
        return hide_items(labels, hidden, rng)
    return labels.hide(_exact_share(labels.shape, hidden, rng))


# -- data ----------------------------------------------------------------------------


def _parts(run: Run, folder: Path | None, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
    if run.source["make"] or run.source["settings"].get("file"):
        whole = load(run.source, folder, "whole", rng)
        share = run.options.get("train_share", 0.5)
        first = deal_items(whole.Y, (share, 1 - share), rng) == 0
        return _rows(whole, first), _rows(whole, ~first)
    return load(run.source, folder, "train", rng), load(run.source, folder, "test", rng)


def _rows(data: Dataset, rows: Mask) -> Dataset:
    return Dataset(data.name, data.X[rows], data.Y[rows], data.feature_names, data.source, data.licence, data.sha256)


def _exact_share(shape: tuple[int, int], share: float, rng: np.random.Generator) -> Mask:
    """Return a mask of exactly that share of the cells, uniformly."""
    mask = np.zeros(shape[0] * shape[1], dtype=bool)
    if share:
        mask[rng.choice(mask.size, round(share * mask.size), replace=False)] = True
    return mask.reshape(shape)


# -- figures ---------------------------------------------------------------------------


def _imputation_error(completed: Floats | None, X: Floats, gaps: Mask) -> float:
    if completed is None or not X[gaps].any():
        return np.nan  # nothing hidden, or zeros only
    return float(np.linalg.norm((completed - X)[gaps]) / np.linalg.norm(X[gaps]))


def _scored(
    truth: PartialLabels, answer: Answer, metrics: Sequence[str], options: Mapping[str, Any], cardinality: float
) -> dict[str, float]:
    """Return every metric asked for, those of 0/1 labels also under rules that cut the probabilities given."""
    p = answer.probabilities
    rules = options.get("rules", ())
    asked = None if p is None else np.where(truth.observed, p, np.nan)
    by_rule = {} if asked is None else {rule: _by_rule(asked, rule, cardinality) for rule in rules}
    return figures(truth, answer, metrics, by_rule, pairs=bool(options.get("rankable")))


def _by_rule(probabilities: Floats, rule: str, cardinality: float) -> Mask:
    """Cut probabilities at one half, or by a rule of :data:`halflabel.decision.RULES`; NaN is no entry to decide."""
    if rule in RULES:
        return np.asarray(probabilities >= thresholds(probabilities, rule, cardinality=cardinality))
    return np.asarray(probabilities >= 0.5)


#: What protocols measure beside the metrics of the library.
MEASUREMENTS = ("imputation_error",)

#: Threshold rules that each protocol knows.
RULES_OF: Mapping[str, tuple[str, ...]] = {
    "split": (*RULES, "half"),
    "transduction": (*RULES, "half"),
    "positives": (*RULES, "half", "zero", "count", "pu_f1"),
}

#: What a paper's description may name.
PROTOCOLS: Mapping[str, Callable[[Run, Path | None], Outcome]] = {
    each.__name__: each for each in (split, transduction, positives)
}
