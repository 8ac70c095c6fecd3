"""Why entries are known, without a fit: probabilities are drawn, and features show them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from tests.completion.ways_of_missing import know_entries, know_items

from halflabel.datasets.known_entries import know_by_feature, know_tagged
from halflabel.evidence.why_known import Why, count_deciding, explain
from halflabel.labels import PartialLabels

#: Number of tables of a kind.
TABLES = 12


def draw(seed, hide, n=300, n_labels=5):
    """Return features, labels, and probabilities that hold for known entries by a calibration on these."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.7, 1.5, size=(n, n_labels))
    X = np.column_stack([logit(p), rng.normal(size=n)])
    truth = (rng.random(p.shape) < p).astype(float)
    labels = PartialLabels.from_table(hide(truth, rng) if hide is not by_feature else by_feature(truth, rng, X))
    seen = np.where(labels.observed, labels.relevant, 0.0)
    return X, labels, tilt(p, seen, labels.observed)


def tilt(p, seen, known):
    """Return probabilities with the odds that known entries have on average, whatever the reason is."""
    odds = logit(p)
    for _ in range(30):
        fitted = 1 / (1 + np.exp(-odds))
        odds = odds + np.where(known, seen - fitted, 0).sum(axis=0) / np.maximum(
            np.where(known, fitted * (1 - fitted), 0).sum(axis=0), 1
        )
    return 1 / (1 + np.exp(-odds))


def by_feature(truth, rng, X):
    return np.where(know_by_feature(truth == 1, rng, 0.4, X[:, 0] + X[:, -1], single=True), truth, np.nan)


def by_tag(truth, rng):
    return np.where(know_tagged(truth == 1, rng, 0.7, 0.1), truth, np.nan)


def find_reasons(hide, **how):
    found = [explain(X, labels, labels.observed, p) for X, labels, p in (draw(k, hide, **how) for k in range(TABLES))]
    return [each.reason for each in found]


@pytest.mark.parametrize("n_labels", [1, 2, 12])
@pytest.mark.parametrize("hide", [know_items(0.3), know_entries(0.3, 0.3), know_entries(0.95, 0.95)])
def test_chance_is_never_taken_for_the_value(hide, n_labels):
    reasons = find_reasons(hide, n_labels=n_labels)
    assert reasons.count("random") >= TABLES - 2
    assert "value" not in reasons


@pytest.mark.parametrize(
    ("relevant", "irrelevant", "alternate", "n"),
    [
        (0.6, 0.15, False, 300),
        (0.5, 0.25, False, 300),
        (0.2, 0.6, False, 300),
        (0.6, 0.15, True, 300),
        (0.5, 0.25, True, 1000),
    ],
)
def test_a_value_that_decides_is_found_also_if_labels_differ_in_direction(relevant, irrelevant, alternate, n):
    assert find_reasons(know_entries(relevant, irrelevant, alternate=alternate), n=n).count("value") >= TABLES - 1


def test_a_feature_that_decides_is_not_taken_for_the_value():
    assert "value" not in find_reasons(by_feature)


@pytest.mark.parametrize(("hide", "n_labels"), [(by_tag, 5), (know_entries(0.85, 0.15), 1)])
def test_a_value_that_decides_about_whole_items_is_unclear(hide, n_labels):
    reasons = find_reasons(hide, n_labels=n_labels)
    assert "value" not in reasons
    assert reasons.count("unclear") >= TABLES - 2


@pytest.mark.parametrize("weight", [0.0, 0.2, 0.5, 1.0])
def test_a_value_that_may_decide_is_one_of_two_numbers_of_relevant_gaps(weight):
    """The number that is stated is that of the other reasons, also where the value is certain."""
    p, shift = np.array([[0.2, 0.3], [0.7, 0.9]]), np.array([-1.0, 2.0])
    true = np.stack([expit(logit(p) + shift), p])
    squared = np.tensordot([weight, 1 - weight], (true - p) ** 2, 1)
    found = Why("random", 0, weight, shift).deviate(p)
    np.testing.assert_allclose(found, np.sign(true[0] - p) * np.sqrt(squared), atol=1e-12)


def test_the_number_of_answers_that_decides_grows_with_the_square_of_the_difference():
    few, many = count_deciding(0.2, 0.4), count_deciding(0.29, 0.31)
    assert 95 <= many / few <= 105
    assert count_deciding(0.4, 0.2) == few


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_the_items_changes_nothing(seed):
    X, labels, p = draw(seed, know_entries(0.6, 0.2), n=60)
    rows = np.random.default_rng(seed).permutation(60)
    moved = PartialLabels.from_table(labels.values()[rows])
    found, other = explain(X, labels, labels.observed, p), explain(X[rows], moved, moved.observed, p[rows])
    assert found[:2] == other[:2]
    np.testing.assert_allclose(found.deviate(p), other.deviate(p))


@pytest.mark.parametrize("values", [[[np.nan], [1.0]], [[1.0], [0.0]], [[1.0, np.nan], [np.nan, 0.0]]])
def test_without_anything_to_compare_the_reason_is_chance(values):
    labels = PartialLabels.from_table(values)
    p = np.full(labels.shape, 0.5)
    assert explain(np.zeros((2, 3)), labels, labels.observed, p).reason == "random"
