"""Metrics by hand, their errors and their table."""

import numpy as np
import pytest

from halflabel.labels import PartialLabels, metrics

NAN = np.nan
LABELS = PartialLabels.from_table([[1, 0, 0], [0, 1, 1], [1, NAN, 0], [NAN, NAN, NAN]])


def test_labels_by_hand():
    predicted = np.array([[1, 1, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]])
    assert metrics.f1_per_label(LABELS, predicted).tolist() == [1.0, 2 / 3, 0.0]
    assert metrics.micro_f1(LABELS, predicted) == 0.75


def test_rankings_by_hand():
    scores = np.array([[2.0, 3.0, 1.0], [0.0, 5.0, -1.0], [1.0, NAN, 1.0], [NAN, NAN, NAN]])
    assert metrics.average_precision(LABELS, scores) == pytest.approx((1 / 2 + (1 + 2 / 3) / 2 + 1 / 2) / 3)
    assert metrics.auc_per_label(LABELS, scores).tolist() == [1.0, 1.0, 0.0]
    none = PartialLabels.from_table([[1, 0], [0, 0]])
    assert metrics.average_precision(none, np.array([[1.0, 2.0], [1.0, 2.0]])) == (1 / 2 + 1) / 2


def test_brier_by_hand():
    labels = PartialLabels.from_table([[1, 0], [NAN, 1]])
    p = np.array([[0.9, 0.3], [0.5, 0.6]])
    assert metrics.brier(labels, p) == pytest.approx((0.1**2 + 0.3**2 + 0.4**2) / 3)


def test_ece_by_hand():
    labels = PartialLabels.from_table([[1], [0], [1], [NAN]])
    assert metrics.ece(labels, np.array([[0.9], [0.92], [1.0], [0.3]]), bins=10) == pytest.approx(0.82 / 3)
    assert metrics.ece(labels, np.array([[0.0], [1.0], [0.9], [0.3]]), bins=2) == pytest.approx((1 + 0.9) / 3)
    assert metrics.ece(labels, np.array([[0.9], [0.1], [1.0], [0.3]]), bins=2) == pytest.approx((0.1 + 0.1) / 3)


def test_macro_f1_counts_a_label_without_relevant_entries_as_0_and_leaves_unobserved_labels_out():
    labels = PartialLabels.from_table([[1, 0, NAN], [1, 0, NAN]])
    predicted = np.array([[1, 0, 1], [1, 0, 1]])
    np.testing.assert_equal(metrics.f1_per_label(labels, predicted), [1.0, 0.0, NAN])
    assert metrics.macro_f1(labels, predicted) == 0.5


@pytest.mark.parametrize("metric", metrics.METRICS.values(), ids=lambda m: m.name)
def test_nothing_observed_is_nan(metric):
    nothing = LABELS[3:]
    assert np.isnan(metric.function(nothing, np.zeros((1, 3))))


def test_the_table_names_every_metric_once_in_reading_order():
    assert list(metrics.METRICS) == ["micro_f1", "macro_f1", "average_precision", "macro_auc", "brier", "ece"]
    for name, metric in metrics.METRICS.items():
        assert metric.name == name
        assert metric.function is getattr(metrics, name)
        assert metric.greater_is_better == (name not in ("brier", "ece"))


@pytest.mark.parametrize(
    ("function", "answer", "sentence"),
    [
        (metrics.micro_f1, np.zeros((4, 2)), r"the labels have shape \(4, 2\), but the labels have shape \(4, 3\)"),
        (metrics.brier, np.zeros(4), r"the probabilities have shape \(4,\), but the labels have shape \(4, 3\)"),
        (metrics.micro_f1, np.full((4, 3), 0.5), "must be 0 or 1 .*item 0 has 0.5 for the label 'label0'.*8 of 8"),
        (
            metrics.average_precision,
            np.where(np.arange(12).reshape(4, 3) == 5, NAN, 0),
            "item 1 has nan for the label 'label2'.*1 of 8",
        ),
        (metrics.ece, np.full((4, 3), 1.5), "must lie between 0 and 1 .*has 1.5"),
        (metrics.brier, np.full((4, 3), NAN), "must lie between 0 and 1 .*has nan"),
    ],
)
def test_wrong_answers_raise_with_a_sentence(function, answer, sentence):
    with pytest.raises(ValueError, match=sentence):
        function(LABELS, answer)


def test_positive_only_labels_raise():
    labels = PartialLabels.from_positives([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match=r"positive-only: .* 'everything is relevant' would have no error"):
        metrics.micro_f1(labels, np.ones((2, 2)))
