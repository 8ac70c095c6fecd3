"""How a paper measures: the protocols that turn the data and the method of one run into its figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import RULES
from halflabel.labels.folds import split_items
from halflabel.labels.masking import hide_items
from halflabel.labels.positive_only import divide_by_frequency
from halflabel.plugins import Floats, Ints, Mask, Matrix, is_sparse
from halflabel_papers.chain import Chain, Prediction
from halflabel_papers.imports import import_object
from halflabel_papers.maps import make_map_record
from halflabel_papers.metrics import METRICS
from halflabel_papers.plan import Run
from halflabel_papers.published.ssdrmc import measure_alpha
from halflabel_papers.scoring import Outcome, Thresholds, score_prediction
from halflabel_papers.sources import load_data


def split(run: Run, folder: Path | None) -> Outcome:
    """Fit on the training part and score the test part of the set's own split, or of a stratified one.

    Options: ``dense`` (turn sparse features into dense ones), ``rankable`` (ranking metrics leave out items without
    both a relevant and an irrelevant label, as the ML-kNN tradition does), ``rules`` (further threshold rules for
    the metrics of 0/1 labels; "H" and "count" apply to scores, all others to probabilities), ``H`` (.3),
    ``train_share`` (of a set without its own split; .5). The columns of a user's table are encoded before the split,
    so that test rows contribute to the values that fill gaps among its features.
    """
    train, test = _load_parts(run, folder, np.random.default_rng(run.seed))
    X, X_new = (_prepare_features(each, run.options) for each in (train, test))
    chain = Chain.fit(run.steps, run.helpers, X, train.Y)
    started = time.process_time()
    prediction = chain.predict_new(X_new, test.Y.shape)
    seconds = {**chain.seconds, "predict": time.process_time() - started}
    cardinality = float(np.nansum(train.Y.rates))
    metrics = _score_entries(test.Y, prediction, run.metrics, run.options, cardinality)
    return Outcome(metrics, _list_facts(chain, prediction), seconds)


def transduction(run: Run, folder: Path | None) -> Outcome:
    """Hide labels, and features if required, fit on all items, and score the hidden entries.

    Options: ``hide`` ("items" or "entries"), ``observed`` (share of them that stays), ``features_observed`` (share of
    the single feature values that stays; 1), ``standardised`` (standardise features before anything is hidden),
    and ``dense``, ``rankable``, ``rules``, ``H`` as in :func:`split`. Entries and feature values are chosen uniformly,
    in exact number. ``imputation_error`` is the root of the squared error over the sum of squares, both over hidden
    feature values. For a method that rebuilds items from their neighbours: ``n_alternations``, and the share of its
    weights below 0 and below -.1, ``negative_weights`` and ``strongly_negative_weights``; for SSDR-MC
    ``normalised_alpha``, its alpha in units of mean traces; NaN for other methods. With the option ``draw`` the first
    trial of a method whose last step has two features as input adds the fact ``map``
    (:func:`halflabel_papers.maps.make_map_record`).
    """
    rng = np.random.default_rng(run.seed)
    whole = load_data(run.source, folder, "whole", rng)
    X, known = _prepare_features(whole, run.options), _hide_labels(whole.Y, run.options, rng)
    gaps = _choose_share(X.shape, 1 - run.options.get("features_observed", 1.0), rng)
    seen = np.where(gaps, np.nan, X) if gaps.any() else X
    chain = Chain.fit(run.steps, run.helpers, seen, known)
    hidden = whole.Y.hide(known.observed)
    wanted = [name for name in run.metrics if name in METRICS]
    cardinality = float(np.nansum(known.rates))
    prediction = chain.predict_fitted(hidden.shape)
    metrics = _score_entries(hidden, prediction, wanted, run.options, cardinality)
    if "imputation_error" in run.metrics:
        metrics["imputation_error"] = _imputation_error(chain.complete_features(seen), X, gaps)
    metrics |= {name: measure(chain.steps[-1]) for name, measure in _OF_GRAPHS.items() if name in run.metrics}
    facts = _list_facts(chain, prediction)
    if run.options.get("draw", False) and run.trial == 0 and (places := chain.map_items()) is not None:
        facts["map"] = make_map_record(places, whole.Y, known, rng)
    return Outcome(metrics, facts, chain.seconds)


def positives(run: Run, folder: Path | None) -> Outcome:
    """Remove relevant labels of the labelled items, fit with additional unlabelled items, score the other items.

    This is the protocol of Zhao & Guo (2015). Options: ``labelled`` and ``unlabelled`` (maximum number of items; 500
    and 1000), ``labelled_share`` and ``unlabelled_share`` (maximum share of all items; .3 and .5), ``test`` (maximum
    number of test items among the other items; all of them), ``hidden`` (share of the labelled items' relevant labels
    that is removed, uniformly and in exact number), ``absent`` (the state of an unassigned label: "irrelevant", or
    "unknown" for a method for positive-only labels), ``rules``, ``dense``.
    The label frequency c = 1 - ``hidden`` is taken as known: a probability is P(assigned) divided by c, except with the
    option ``returns`` "relevant", for a method that returns P(relevant). The rule
    "count" applies to the scores of the test items; the rules on probabilities take their thresholds from the
    unlabelled items.
    """
    if not 0 <= run.options["hidden"] < 1:
        raise ValueError(f"hidden must be at least 0 and below 1, not {run.options['hidden']!r}.")
    rng = np.random.default_rng(run.seed)
    whole = load_data(run.source, folder, "whole", rng)
    labelled, unlabelled, test = _assign_items(len(whole.Y), run.options, rng)
    seen = np.concatenate([labelled, unlabelled])
    annotated = np.arange(len(seen)) < len(labelled)
    absent = run.options.get("absent", "irrelevant")
    known = remove_positives(whole.Y[seen], annotated, run.options["hidden"], rng, absent=absent)
    X, truth = _prepare_features(whole, run.options), whole.Y[test]
    chain = Chain.fit(run.steps, run.helpers, X[seen], known)
    started = time.process_time()
    prediction = chain.predict_new(X[test], truth.shape)
    seconds = {**chain.seconds, "predict": time.process_time() - started}
    frequency = 1 - run.options["hidden"]
    divisor = 1.0 if run.options.get("returns") == "relevant" else frequency
    prediction = replace(prediction, probabilities=_correct(prediction.probabilities, divisor))
    rules = _positive_thresholds(prediction, chain, known, frequency, divisor)
    by_rule = rules.decide_all(run.options.get("rules", ()))
    return Outcome(score_prediction(truth, prediction, run.metrics, by_rule), _list_facts(chain, prediction), seconds)


def study(run: Run, folder: Path | None) -> Outcome:
    """Measure a statement that is not a prediction: the only step is a function of the data set and its settings.

    The function has the arguments ``data``, ``rng`` and the other values of the step, and returns numbers by name.
    """
    rng = np.random.default_rng(run.seed)
    data = load_data(run.source, folder, "whole", rng)
    settings = dict(run.steps[0])
    measure = import_object(settings.pop("use"))
    started = time.process_time()
    values = measure(data, rng, **settings)
    seconds = {"fit": time.process_time() - started}
    return Outcome({name: values[name] for name in run.metrics if name in values}, {}, seconds)


# -- data ----------------------------------------------------------------------------


def _load_parts(run: Run, folder: Path | None, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
    if run.source["make"] or run.source["settings"].get("file"):
        whole = load_data(run.source, folder, "whole", rng)
        share = run.options.get("train_share", 0.5)
        first = split_items(whole.Y, (share, 1 - share), rng) == 0
        return _select_items(whole, first), _select_items(whole, ~first)
    return load_data(run.source, folder, "train", rng), load_data(run.source, folder, "test", rng)


def _select_items(data: Dataset, rows: Mask) -> Dataset:
    return Dataset(data.name, data.X[rows], data.Y[rows], data.feature_names, data.source, data.licence, data.sha256)


def _prepare_features(data: Dataset, options: Mapping[str, Any]) -> Matrix:
    """Return the features after the options ``dense`` and ``standardised``."""
    X = data.X.toarray() if options.get("dense", False) and is_sparse(data.X) else data.X
    if not options.get("standardised", False):
        return X
    sd = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(sd > 0, sd, 1.0)


def _hide_labels(labels: PartialLabels, options: Mapping[str, Any], rng: np.random.Generator) -> PartialLabels:
    """Hide whole items, except each label's last relevant entry, or single entries without exception."""
    hidden = 1 - options["observed"]
    if options["hide"] == "items":
        return hide_items(labels, hidden, rng)
    return labels.hide(_choose_share(labels.shape, hidden, rng))


def _choose_share(shape: tuple[int, int], share: float, rng: np.random.Generator) -> Mask:
    """Return a mask of exactly that share of the cells, uniformly."""
    mask = np.zeros(shape[0] * shape[1], dtype=bool)
    if share:
        mask[rng.choice(mask.size, round(share * mask.size), replace=False)] = True
    return mask.reshape(shape)


def _assign_items(n_items: int, options: Mapping[str, Any], rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Return the labelled, the unlabelled and the test items, chosen uniformly."""
    n_labelled = min(options.get("labelled", 500), int(options.get("labelled_share", 0.3) * n_items))
    n_unlabelled = min(options.get("unlabelled", 1000), int(options.get("unlabelled_share", 0.5) * n_items))
    order = rng.permutation(n_items)
    first, second, rest = np.split(order, [n_labelled, n_labelled + n_unlabelled])
    return first, second, rest[: options.get("test")]


def remove_positives(
    labels: PartialLabels, annotated: Mask, share: float, rng: np.random.Generator, *, absent: str
) -> PartialLabels:
    """Remove a share of the relevant entries of the annotated items.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    annotated : ndarray of bool, shape (n_items,)
        All other items are unlabelled.
    share : float
        The entries are the first ones of a random order: with the same generator, a larger share removes the same
        entries and more.
    absent : {"unknown", "irrelevant"}
        The new state of a removed or irrelevant entry. An unknown entry stays unknown.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 1], [0, 1], [1, 0]])
    >>> known = np.array([True, True, False])
    >>> remove_positives(labels, known, 1 / 3, np.random.default_rng(0), absent="irrelevant").state.tolist()
    [[1, 1], [-1, -1], [0, 0]]
    """
    state = np.where(annotated[:, None], labels.state, 0)
    order = rng.permutation(np.flatnonzero(state > 0))
    state.ravel()[order[: round(share * len(order))]] = -1
    annotated = annotated & labels.annotated
    if absent == "unknown":
        return replace(labels, state=np.maximum(state, 0), annotated=annotated, positives=True)
    return replace(labels, state=state, annotated=annotated)


# -- figures ---------------------------------------------------------------------------


def _score_entries(
    truth: PartialLabels, prediction: Prediction, metrics: Sequence[str], options: Mapping[str, Any], cardinality: float
) -> dict[str, float]:
    """Return every metric. Thresholds are chosen on the entries that are scored."""
    p = None if prediction.probabilities is None else np.where(truth.observed, prediction.probabilities, np.nan)
    scores = np.where(truth.observed, prediction.scores, np.nan)
    by_rule = Thresholds(scores, p, p, cardinality, options.get("H", 0.3)).decide_all(options.get("rules", ()))
    return score_prediction(truth, prediction, metrics, by_rule, pairs=bool(options.get("rankable")))


def _positive_thresholds(
    prediction: Prediction, chain: Chain, known: PartialLabels, frequency: float, divisor: float
) -> Thresholds:
    """Return the rules for test items. They use scores of annotated items and P(relevant) of unlabelled items."""
    rows = known.annotated
    fitted = chain.predict_fitted(known.shape).probabilities
    reference = None if fitted is None else _correct(fitted[~rows], divisor)
    labels = known[rows]
    cardinality = float(labels.relevant.sum() / len(labels) / frequency)
    return Thresholds(prediction.scores, prediction.probabilities, reference, cardinality)


def _list_facts(chain: Chain, prediction: Prediction) -> dict[str, Any]:
    """Return the choices of a chain, and the number of entries that it predicted as NaN, if there are any."""
    missing = {"missing_predictions": prediction.n_missing} if prediction.n_missing else {}
    return {**chain.list_choices(), **missing}


def _correct(probabilities: Floats | None, frequency: float) -> Floats | None:
    """Return P(relevant) from P(assigned)."""
    return None if probabilities is None else divide_by_frequency(probabilities, frequency)


def _imputation_error(completed: Floats | None, X: Floats, gaps: Mask) -> float:
    if completed is None or not X[gaps].any():
        return np.nan  # nothing hidden, or zeros only
    return float(np.linalg.norm((completed - X)[gaps]) / np.linalg.norm(X[gaps]))


def _measure_share_below(bound: float) -> Callable[[Any], float]:
    def share(estimator: Any) -> float:
        weights = getattr(estimator, "weights_", None)
        return float((weights.data < bound).mean()) if isinstance(weights, sparse.csr_array) else np.nan

    return share


#: Measurements of a method that rebuilds items from their neighbours.
_OF_GRAPHS: Mapping[str, Callable[[Any], float]] = {
    "normalised_alpha": measure_alpha,
    "n_alternations": lambda estimator: float(getattr(estimator, "n_alternations_", np.nan)),
    "negative_weights": _measure_share_below(0.0),
    "strongly_negative_weights": _measure_share_below(-0.1),
}

#: Measurements of the protocols in addition to the metrics of the library.
MEASUREMENTS = ("imputation_error", *_OF_GRAPHS)

#: The threshold rules of each protocol.
RULES_OF: Mapping[str, tuple[str, ...]] = {
    "split": (*RULES, "half", "H", "count"),
    "transduction": (*RULES, "half", "H", "count"),
    "positives": (*RULES, "half", "count"),
}

#: The protocols by the name that a paper's description uses.
PROTOCOLS: Mapping[str, Callable[[Run, Path | None], Outcome]] = {
    each.__name__: each for each in (split, transduction, positives, study)
}
