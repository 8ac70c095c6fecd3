"""The default rule: what it decides, and that its fills are right at least as often as those of other rules."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import half_labelled
from tests.public_sets import load_benchmark

import halflabel as hl
from halflabel.labels.rules import RULES, Rule

pytestmark = pytest.mark.usefixtures("one_member")


def count_right(filled, truth):
    """Return the number of filled entries that are right, under "probable", under "micro_f1" and with no everywhere."""
    gaps, p = ~filled.labels.observed, filled.probabilities.to_numpy()
    cut = Rule("micro_f1").choose(np.where(gaps, p, np.nan), np.nan)
    states = (filled.state > 0, p >= cut, np.zeros(p.shape, dtype=bool))
    return [int((state == truth)[gaps].sum()) for state in states]


def test_exactly_one_half_is_relevant():
    p = np.array([[0.5, np.nextafter(0.5, 0), 0.9]])
    rule = Rule("probable")
    assert rule.apply(p, p, rule.choose(p, np.nan)).tolist() == [[True, False, True]]


def test_it_is_the_default_of_complete_and_of_the_method(rng):
    X, Y, _ = half_labelled(rng, n=60)
    filled = hl.complete(X, Y, effort="fast")
    gaps = np.isnan(Y)
    np.testing.assert_array_equal((filled.state > 0)[gaps], (filled.probabilities.to_numpy() >= 0.5)[gaps])
    assert filled.rule == filled.predictor.rule
    assert filled.rule.name == hl.AutoLabeler().resolve_rule().name == "probable"
    named = hl.complete(X, Y, effort="fast", rule="micro_f1")
    assert named.rule.name == "micro_f1"
    assert named.model.thresholds_[0] != 0.5
    assert hl.complete(X, Y, effort="fast", rule=Rule("precision", at=0.9)).evidence.min_precision == 0.9


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4])
def test_more_entries_are_right_than_under_f1_or_with_no_everywhere(share):
    """Noisy labels of some frequency: three tables each, so that chance decides nothing."""
    right = np.zeros(3)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 4))
        score = X @ rng.normal(size=(4, 3)) + 1.5 * rng.normal(size=(200, 3))
        truth = score > np.quantile(score, 1 - share, axis=0)
        Y = np.where(rng.random((200, 1)) < 0.5, truth, np.nan)
        right += count_right(hl.complete(X, Y, effort="fast"), truth)
    probable, f1, nothing = right
    assert probable >= max(f1, nothing)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["emotions", "enron", "msrc", "scene", "yeast"])
def test_more_entries_of_public_sets_are_right(name, public_data):
    data = load_benchmark(name, public_data)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(data.Y))[:500])
    truth = data.Y[rows]
    known = truth.hide(np.broadcast_to(rng.random((500, 1)) < 0.7, truth.shape))
    filled = hl.complete(data.X[rows], known, effort="fast")
    at = [truth.names.index(label) for label in filled.labels.names]
    probable, f1, nothing = count_right(filled, truth.select(at).relevant)
    assert probable >= max(f1, nothing)


def test_every_rule_has_a_sentence():
    assert all(str(Rule(name)).startswith(f"{name} (") for name in RULES)
    assert str(Rule("fixed", threshold=0.3)) == "fixed (relevant where the score of the method is at least 0.3)"
    assert str(Rule("precision", at=0.95)) == "precision (filled where the expected precision reaches 95 %)"
