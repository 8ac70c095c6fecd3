"""Metrics agree with slow loops and, on complete labels, with scikit-learn; hidden values never matter."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import metrics as oracle

from halflabel.labels import PartialLabels
from halflabel.labels.metrics import METRICS

SHAPES = st.tuples(st.integers(1, 7), st.integers(2, 6))
# Few distinct values, so that ties are the rule; 0.95 shares the last calibration bin with 1.
TIED_VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.95, 1.0])


def partial_labels(state):
    names = tuple(f"label{j}" for j in range(state.shape[1]))
    return PartialLabels(state, names, (state != 0).any(axis=1))


@st.composite
def cases(draw, values=(-1, 0, 1)):
    """Labels and an array of probabilities with many ties."""
    shape = draw(SHAPES)
    state = draw(hnp.arrays(np.int8, shape, elements=st.sampled_from(values)))
    return partial_labels(state), draw(hnp.arrays(np.float64, shape, elements=TIED_VALUES))


def answer_for(metric, probabilities):
    return probabilities >= 0.5 if metric.needs == "labels" else probabilities


@given(case=cases())
def test_equals_the_loop(case):
    labels, probabilities = case
    for name, metric in METRICS.items():
        answer = answer_for(metric, probabilities)
        expected = getattr(oracle, name)(labels.state.tolist(), answer.tolist())
        assert metric.function(labels, answer) == pytest.approx(expected, nan_ok=True, abs=1e-12), name


@given(case=cases(), junk=st.sampled_from([np.nan, np.inf, -np.inf, -3.0, 0.0, 1.0, 7.0]))
def test_hidden_values_never_matter(case, junk):
    labels, probabilities = case
    for name, metric in METRICS.items():
        answer = answer_for(metric, probabilities).astype(float)
        changed = np.where(labels.observed, answer, junk)
        np.testing.assert_equal(metric.function(labels, changed), metric.function(labels, answer), name)


SCIKIT_LEARN = {
    "micro_f1": lambda y, p: sk.f1_score(y, p, average="micro", zero_division=0),
    "macro_f1": lambda y, p: sk.f1_score(y, p, average="macro", zero_division=0),
    "average_precision": sk.label_ranking_average_precision_score,
    "brier": lambda y, p: sk.mean_squared_error(y, p),
}


@given(case=cases(values=(-1, 1)))
def test_equals_scikit_learn_on_complete_labels(case):
    labels, probabilities = case
    for name, theirs in SCIKIT_LEARN.items():
        answer = answer_for(METRICS[name], probabilities)
        expected = theirs(labels.relevant.astype(int), answer)
        assert METRICS[name].function(labels, answer) == pytest.approx(expected, abs=1e-12), name


@given(case=cases())
def test_auc_equals_scikit_learn_label_by_label(case):
    labels, scores = case
    areas = [
        sk.roc_auc_score(labels.relevant[seen, j], scores[seen, j])
        for j, seen in enumerate(labels.observed.T)
        if labels.learnable[j]
    ]
    expected = np.mean(areas) if areas else np.nan
    assert METRICS["macro_auc"].function(labels, scores) == pytest.approx(expected, nan_ok=True, abs=1e-12)


@given(case=cases())
def test_ranking_metrics_ignore_monotone_changes_of_scores(case):
    labels, scores = case
    for metric in METRICS.values():
        if metric.needs == "scores":
            np.testing.assert_equal(metric.function(labels, np.exp(5 * scores) - 7), metric.function(labels, scores))


@given(case=cases())
def test_perfect_answers_are_the_best_there_are(case):
    labels, _ = case
    perfect = labels.values()
    for metric in METRICS.values():
        if not metric.greater_is_better:
            assert not metric.function(labels, perfect) > 0  # 0, or NaN where nothing can be measured
    keep = labels.relevant.any(axis=1)
    assert not METRICS["average_precision"].function(labels[keep], perfect[keep]) < 1
