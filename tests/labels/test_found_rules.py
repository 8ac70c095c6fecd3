import numpy as np
import pytest
from scipy import stats

from halflabel import PartialLabels
from halflabel.labels.found_rules import bound_share, find_rules


def make(n=600, seed=0, noise=0.0, **columns):
    rng = np.random.default_rng(seed)
    a, b, x = rng.random(n), rng.random(n), rng.random(n)
    truth = {"music": a < 0.5, "jazz": (a < 0.5) & (b < 0.5), "bebop": (a < 0.5) & (b < 0.25), "x": x < 0.5}
    kind = rng.integers(3, size=n)
    truth |= {f"k{j}": kind == j for j in range(3)}
    state = np.column_stack([np.where(each, 1, -1) for each in truth.values()])
    state = np.where(rng.random(state.shape) < noise, -state, state)
    return PartialLabels(state.astype(np.int8), tuple(truth), np.ones(n, dtype=bool))


def test_rules_that_hold_are_found_and_no_others():
    found = find_rules(make())
    assert set(found["rule"]) == {"jazz -> music", "bebop -> jazz", "one of: k0, k1, k2"}
    assert (found["exceptions"] == 0).all()
    assert found["items"].is_monotonic_decreasing


def test_hidden_entries_change_only_the_counts():
    labels = make(1500)
    rng = np.random.default_rng(1)
    found = find_rules(labels.hide(rng.random(labels.shape) < 0.4))
    assert set(found["rule"]) >= {"jazz -> music", "bebop -> jazz"}
    assert not found["rule"].str.contains("x").any()


def test_exceptions_are_counted_by_hand():
    labels = make()
    state = labels.state.copy()
    row = int(np.flatnonzero(state[:, 1] > 0)[0])
    state[row, 0] = -1
    found = find_rules(PartialLabels(state, labels.names, labels.annotated)).set_index("rule")
    n = int((state[:, 1] > 0).sum())
    assert found.loc["jazz -> music", ["items", "exceptions"]].tolist() == [n, 1]
    exact = stats.binomtest(1, n).proportion_ci(0.90).high
    assert found.loc["jazz -> music", "bound"] == pytest.approx(exact)


def test_the_bound_without_exceptions_is_the_rule_of_three():
    assert bound_share(0, 59) == pytest.approx(1 - 0.05 ** (1 / 59))
    assert bound_share(3, 3) == 1


@pytest.mark.parametrize("seed", range(5))
def test_independent_labels_have_no_rules(seed):
    rng = np.random.default_rng(seed)
    state = np.where(rng.random((300, 12)) < rng.choice([0.03, 0.1, 0.5, 0.97], 12), 1, -1).astype(np.int8)
    labels = PartialLabels(state, tuple("abcdefghijkl"), np.ones(300, dtype=bool))
    assert len(find_rules(labels)) == 0
