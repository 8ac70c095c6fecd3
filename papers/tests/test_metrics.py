"""The metrics of the papers: by hand, against loops, and against scikit-learn on complete labels."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given
from hypothesis import strategies as st
from papers.tests.oracles import metrics as oracle
from tests.labels.test_metrics import LABELS, NAN
from tests.properties.test_metric_properties import answer_for, cases

from halflabel.labels import PartialLabels
from halflabel_papers import metrics

OWN = ("hamming_loss", "ranking_loss", "one_error", "coverage")


def test_the_table_holds_every_metric_once_in_reading_order():
    assert list(metrics.METRICS) == ["micro_f1", "macro_f1", *OWN, "average_precision", "macro_auc", "brier", "ece"]
    for name in OWN:
        assert metrics.METRICS[name].name == name
        assert metrics.METRICS[name].function is getattr(metrics, name)
        assert not metrics.METRICS[name].greater_is_better


def test_labels_by_hand():
    predicted = np.array([[1, 1, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]])
    assert metrics.hamming_loss(LABELS, predicted) == 2 / 8


def test_rankings_by_hand():
    scores = np.array([[2.0, 3.0, 1.0], [0.0, 5.0, -1.0], [1.0, NAN, 1.0], [NAN, NAN, NAN]])
    assert metrics.ranking_loss(LABELS, scores) == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    assert metrics.one_error(LABELS, scores) == pytest.approx(2 / 3)
    assert metrics.coverage(LABELS, scores) == pytest.approx((1 + 2 + 1) / 3)


def test_items_that_cannot_be_ranked_count_as_in_scikit_learn_and_can_be_left_out():
    labels = PartialLabels.from_table([[1, 0], [1, 1], [0, 0], [1, NAN]])
    scores = np.array([[0.0, 1.0]] * 4)
    assert metrics.rankable(labels).tolist() == [True, False, False, False]
    assert metrics.ranking_loss(labels, scores) == 1 / 4
    assert metrics.ranking_loss(labels[metrics.rankable(labels)], scores[:1]) == 1.0
    assert metrics.one_error(labels, scores) == 1 / 3


def test_an_unknown_entry_at_the_top_is_no_error():
    labels = PartialLabels.from_table([[1, NAN, 0], [1, 0, NAN]])
    assert metrics.one_error(labels, [[0.5, 0.5, 0.1], [0.5, 0.5, 0.1]]) == 0.5


def test_infinite_scores_are_ordinary_scores():
    labels = PartialLabels.from_table([[1, 0, NAN]])
    assert metrics.ranking_loss(labels, [[np.inf, -np.inf, NAN]]) == 0
    assert metrics.one_error(labels, [[-np.inf, -np.inf, 0]]) == 1


@pytest.mark.parametrize("name", OWN)
def test_nothing_observed_is_nan(name):
    assert np.isnan(metrics.METRICS[name].function(LABELS[3:], np.zeros((1, 3))))


@given(case=cases(), junk=st.sampled_from([np.nan, np.inf, -3.0, 0.0, 1.0]))
def test_equals_the_loop_whatever_hidden_entries_hold(case, junk):
    labels, probabilities = case
    for name in OWN:
        answer = answer_for(metrics.METRICS[name], probabilities).astype(float)
        expected = getattr(oracle, name)(labels.state.tolist(), answer.tolist())
        found = metrics.METRICS[name].function(labels, np.where(labels.observed, answer, junk))
        assert found == pytest.approx(expected, nan_ok=True, abs=1e-12), name


SCIKIT_LEARN = {
    "hamming_loss": sk.hamming_loss,
    "ranking_loss": sk.label_ranking_loss,
    "coverage": lambda y, s: sk.coverage_error(y, s) - y.any(axis=1).mean(),
}


@given(case=cases(values=(-1, 1)))
def test_equals_scikit_learn_on_complete_labels(case):
    labels, probabilities = case
    for name, theirs in SCIKIT_LEARN.items():
        answer = answer_for(metrics.METRICS[name], probabilities)
        expected = theirs(labels.relevant.astype(int), answer)
        assert metrics.METRICS[name].function(labels, answer) == pytest.approx(expected, abs=1e-12), name


@given(case=cases())
def test_perfect_answers_are_the_best_there_are(case):
    labels, _ = case
    for name in ("hamming_loss", "ranking_loss", "one_error"):
        assert not metrics.METRICS[name].function(labels, labels.values()) > 0  # NaN where nothing can be measured
