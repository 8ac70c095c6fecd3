"""How a paper measures: from one run's data and method to its figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Mask
from halflabel.datasets import Dataset
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import RULES, thresholds
from halflabel.labels.folds import deal_items
from halflabel.labels.masking import hide_items
from halflabel.labels.metrics import METRICS
from halflabel.reproduction.chain import Answer, Chain
from halflabel.reproduction.drawn import drawn
from halflabel.reproduction.plan import Run
from halflabel.reproduction.positives_protocol import positives
from halflabel.reproduction.scoring import Outcome, features_of, figures
from halflabel.reproduction.sources import load


def split(run: Run, folder: Path | None) -> Outcome:
    """Fit on the training part, score on the test part: the set's own split, or a stratified one.

    Options: ``dense`` (turn sparse features into dense ones), ``rankable`` (ranking metrics leave out items without
    both a relevant and an irrelevant label, as the ML-kNN tradition does), ``rules`` (further threshold rules for
    the metrics of 0/1 labels; "H" and "count" cut scores, all others probabilities), ``H`` (.3), ``train_share``
    (of a set that has no split of its own; .5). The columns of a user's table are encoded before the split, so that a
    gap among its features is filled with the help of test rows.
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
    ``without_features`` (one that is 0 everywhere instead), and ``dense``, ``rankable``, ``rules``, ``H`` as in
    :func:`split`. Entries and feature values are drawn uniformly, in exact number. ``imputation_error`` is the root
    of the squared error over the sum of squares, both over hidden feature values. Of a method that rebuilds items from
    their neighbours: ``n_alternations``, and the share of its weights below 0 and below -.1, ``negative_weights`` and
    ``strongly_negative_weights``; NaN for others. With the option ``draw`` the first trial of a method whose last step
    sees two features leaves them as the fact ``map`` (:func:`halflabel.reproduction.drawn.drawn`).
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
    metrics |= {name: of_last(chain.steps[-1]) for name, of_last in _OF_GRAPHS.items() if name in run.metrics}
    facts = chain.facts()
    if run.options.get("draw", False) and run.trial == 0 and (places := chain.coordinates()) is not None:
        facts["map"] = drawn(places, whole.Y, known, rng)
    return Outcome(metrics, facts, chain.seconds)


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


def _share_below(bound: float) -> Callable[[Any], float]:
    def share(estimator: Any) -> float:
        weights = getattr(estimator, "weights_", None)
        return float((weights.data < bound).mean()) if isinstance(weights, sparse.csr_array) else np.nan

    return share


#: What a method that rebuilds items from their neighbours says of itself.
_OF_GRAPHS: Mapping[str, Callable[[Any], float]] = {
    "n_alternations": lambda estimator: float(getattr(estimator, "n_alternations_", np.nan)),
    "negative_weights": _share_below(0.0),
    "strongly_negative_weights": _share_below(-0.1),
}


def _scored(
    truth: PartialLabels, answer: Answer, metrics: Sequence[str], options: Mapping[str, Any], cardinality: float
) -> dict[str, float]:
    """Return every metric asked for, those of 0/1 labels also under rules that cut scores or probabilities."""
    p = None if answer.probabilities is None else np.where(truth.observed, answer.probabilities, np.nan)
    scores = np.where(truth.observed, answer.scores, np.nan)
    cuts = {rule: _by_rule(scores, p, rule, cardinality, options.get("H", 0.3)) for rule in options.get("rules", ())}
    by_rule = {rule: cut for rule, cut in cuts.items() if cut is not None}
    return figures(truth, answer, metrics, by_rule, pairs=bool(options.get("rankable")))


def _by_rule(scores: Floats, probabilities: Floats | None, rule: str, cardinality: float, H: float) -> Mask | None:
    """Return what a rule calls relevant, None for want of probabilities; NaN is no entry to decide."""
    if rule == "H":
        return np.asarray(scores >= H)
    if rule == "count":
        return np.asarray(scores >= thresholds(scores, "cardinality", cardinality=cardinality))
    if probabilities is None:
        return None
    return np.asarray(
        probabilities >= (0.5 if rule == "half" else thresholds(probabilities, rule, cardinality=cardinality))
    )


#: What protocols measure beside the metrics of the library.
MEASUREMENTS = ("imputation_error", *_OF_GRAPHS)

#: Threshold rules that each protocol knows.
RULES_OF: Mapping[str, tuple[str, ...]] = {
    "split": (*RULES, "half", "H", "count"),
    "transduction": (*RULES, "half", "H", "count"),
    "positives": (*RULES, "half", "zero", "count", "pu_f1"),
}

#: What a paper's description may name.
PROTOCOLS: Mapping[str, Callable[[Run, Path | None], Outcome]] = {
    each.__name__: each for each in (split, transduction, positives)
}
