"""The ways of missing: what is known, what is scored, and that one never depends on the other."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel import PartialLabels
from halflabel_papers.benchmark.board import read_board
from halflabel_papers.benchmark.gaps import WAYS, drop_features, find_component, open_unassigned

BOARD = read_board()
CASES = [(each, rate) for each in BOARD.protocols.values() for rate in each.rates]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    Y = (X[:, :4] + 0.5 * rng.normal(size=(300, 4)) > 0.4).astype(float)
    Y[rng.random(Y.shape) < 0.1] = np.nan
    return X, PartialLabels.from_table(Y)


def draw(protocol, rate, X, labels, seed=1):
    options = {**protocol.options, protocol.varies: rate}
    return WAYS[protocol.way](labels, X, options["rate"], options, np.random.default_rng(seed))


@pytest.mark.parametrize(("protocol", "rate"), CASES, ids=lambda each: getattr(each, "key", each))
def test_scored_entries_are_true_and_hidden(protocol, rate, table):
    X, labels = table
    gaps = draw(protocol, rate, X, labels)
    assert not (gaps.scored.observed & gaps.known.observed).any()
    assert (gaps.scored.state[gaps.scored.observed] == labels.state[gaps.scored.observed]).all()
    assert not (gaps.known.observed | gaps.scored.observed)[~labels.observed].any()
    if gaps.frequency == 1:
        assert ((gaps.known.observed | gaps.scored.observed) == labels.observed).all()
        assert (gaps.known.state[gaps.known.observed] == labels.state[gaps.known.observed]).all()
    assert gaps.known.learnable.all()


@pytest.mark.parametrize("key", ["Q", "G", "Z", "S", "F"])
def test_the_value_of_a_scored_entry_does_not_change_what_is_known(key, table):
    X, labels = table
    protocol = BOARD.protocols[key]
    gaps = draw(protocol, protocol.rates[1], X, labels)
    state = np.where(gaps.scored.observed, -labels.state, labels.state).astype(np.int8)
    if key in "ZS":  # the draw of an item's label depends on its own labels only
        state[labels.state == 0] = 0
    other = draw(protocol, protocol.rates[1], X, PartialLabels(state, labels.names, labels.annotated))
    shown = gaps.known.annotated if key == "S" else slice(None)
    if key != "Z":  # a share of all relevant entries in exact number
        np.testing.assert_array_equal(other.known.state[shown], gaps.known.state[shown])


@pytest.mark.parametrize("key", ["Q", "G", "S", "F", "V"])
def test_a_larger_rate_adds_entries_of_the_same_draw(key, table):
    X, labels = table
    protocol = BOARD.protocols[key]
    small, large = (draw(protocol, rate, X, labels).known.observed for rate in protocol.rates[:2])
    assert (small <= large).all()
    assert small.sum() < large.sum()


def test_positives_are_dropped_in_exact_number(table):
    X, labels = table
    gaps = draw(BOARD.protocols["Z"], 0.4, X, labels)
    rows = gaps.known.annotated
    assert gaps.frequency == 0.6
    assert gaps.known.relevant[rows].sum() == round(0.6 * labels.relevant[rows].sum())
    opened = open_unassigned(gaps.known)
    assert opened.positive_only
    assert (opened.relevant == gaps.known.relevant).all()


def test_a_single_positive_is_assigned(table):
    X, labels = table
    gaps = draw(BOARD.protocols["S"], 0.5, X, labels)
    rows = gaps.known.annotated
    has_one = labels.relevant[rows].any(axis=1)
    np.testing.assert_array_equal(gaps.known.relevant[rows].sum(axis=1), has_one)
    assert gaps.frequency == has_one.sum() / labels.relevant[rows].sum()


def test_values_and_features_decide_what_is_known(table):
    X, labels = table
    by_value = draw(BOARD.protocols["V"], 0.6, X, labels).known
    shares = [by_value.observed[labels.state == sign].mean() for sign in (1, -1)]
    assert shares[0] / shares[1] == pytest.approx(4, rel=0.3)
    by_feature = draw(BOARD.protocols["F"], 0.4, X, labels).known.observed.mean(axis=1)
    assert np.corrcoef(by_feature, find_component(X))[0, 1] > 0.5


def test_features_are_dropped_in_the_stated_share():
    X = drop_features(np.ones((200, 10)), 0.7, np.random.default_rng(0))
    assert np.isnan(X).mean() == pytest.approx(0.3, abs=0.05)
    assert drop_features(X, 1.0, np.random.default_rng(0)) is X
