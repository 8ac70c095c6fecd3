"""Boosted trees against slow forms of their steps: leaf by leaf, label by label."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from halflabel.methods.auto import boosting as module
from halflabel.methods.auto.boosting import Bins, boost, expand_loss, make_steps
from halflabel.methods.auto.tree_leaves import find_leaves


def draw_data(rng, n=80, d=4, n_labels=3, gaps=0.2):
    """Return features, labels that thresholds of them decide, and a mask."""
    X = rng.normal(size=(n, d)).astype(np.float32)
    Y = (X[:, rng.integers(d, size=n_labels)] > rng.normal(0, 0.5, n_labels)).astype(float)
    observed = rng.random(Y.shape) >= gaps
    return X, np.where(observed, Y, 0.0), observed


def measure_loss(log_odds, Y, observed):
    return (np.logaddexp(0, log_odds) - Y * log_odds)[observed].sum()


def stage(trees, X, n_rounds):
    """Return the log odds after each round: the start, which every leaf contains, and the steps before."""
    values = trees.values[find_leaves(trees, X)].astype(float)  # rows x trees x labels
    return values, np.cumsum(values, axis=1) / n_rounds


@given(seed=st.integers(0, 2**32 - 1))
def test_each_leaf_adds_its_newton_step(seed):
    rng = np.random.default_rng(seed)
    X, Y, observed = draw_data(rng, n=40)
    n_rounds = 4
    trees = boost(X, Y, observed, n_rounds, np.random.default_rng(1))
    leaves = find_leaves(trees, X)
    rate = [(Y[observed[:, j], j].sum() + 0.5) / (observed[:, j].sum() + 1) for j in range(3)]
    start = np.log(np.array(rate) / (1 - np.array(rate)))
    log_odds = np.tile(start, (len(X), 1))
    for tree in range(n_rounds):
        steps = np.empty_like(log_odds)
        for leaf in np.unique(leaves[:, tree]):
            for j in range(3):
                inside = (leaves[:, tree] == leaf) & observed[:, j]
                p = expit(log_odds[inside, j])
                step = 0.15 * (Y[inside, j] - p).sum() / ((p * (1 - p)).sum() + 1)
                steps[leaves[:, tree] == leaf, j] = step
                assert trees.values[leaf, j] == pytest.approx(start[j] + n_rounds * step, abs=1e-5)
        log_odds += steps
    np.testing.assert_allclose(trees.predict(X), log_odds, atol=1e-5)


def test_the_step_is_a_share_of_the_minimiser_of_the_quadratic_model(rng):
    log_odds, Y, observed = rng.normal(size=(9, 2)), rng.integers(2, size=(9, 2)) * 1.0, rng.random((9, 2)) < 0.7
    leaf = np.arange(9) % 3
    gradient, curvature = expand_loss(log_odds, Y, observed)
    steps = make_steps(leaf, gradient, curvature)
    shift = 1e-4
    for number in range(3):
        for j in range(2):
            cell = np.zeros_like(log_odds)
            cell[leaf == number, j] = shift
            low, middle, high = (measure_loss(log_odds + k * cell, Y, observed) for k in (-1, 0, 1))
            slope, bend = (high - low) / (2 * shift), (high - 2 * middle + low) / shift**2
            assert steps[number, j] == pytest.approx(-0.15 * slope / (bend + 1), abs=1e-4)


@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(1, 12))
def test_the_loss_of_the_observed_entries_never_rises(seed, n_labels):
    """A damped Newton step of .15 with a ridge is a descent step of every label in every leaf."""
    rng = np.random.default_rng(seed)
    X, Y, observed = draw_data(rng, n_labels=n_labels)
    n_rounds = 12
    values, _ = stage(boost(X, Y, observed, n_rounds, rng), X, n_rounds)
    rate = (Y.sum(axis=0) + 0.5) / (observed.sum(axis=0) + 1)
    start = np.log(rate / (1 - rate))
    log_odds = start + np.cumsum((values - start) / n_rounds, axis=1)
    losses = [measure_loss(start + 0 * log_odds[:, 0], Y, observed)]
    losses += [measure_loss(log_odds[:, k], Y, observed) for k in range(n_rounds)]
    assert (np.diff(losses) < 1e-4).all()
    assert losses[-1] < losses[0]


def test_the_order_of_labels_changes_nothing(rng):
    X, Y, observed = draw_data(rng, n_labels=6)
    order = rng.permutation(6)
    one = boost(X, Y, observed, 10, np.random.default_rng(0)).predict(X)
    two = boost(X, Y[:, order], observed[:, order], 10, np.random.default_rng(0)).predict(X)
    np.testing.assert_allclose(one[:, order], two, atol=1e-5)


def test_it_finds_thresholds_that_decide(rng):
    """Labels of one threshold among forty features: out of sample nearly every label is right."""
    X = rng.normal(size=(900, 40)).astype(np.float32)
    Y = np.column_stack([X[:, 3] > 0.3, (X[:, 3] > 0.3) & (X[:, 7] < 0)]).astype(float)
    trees = boost(X[:300], Y[:300], np.ones((300, 2), bool), 60, rng)
    assert ((trees.predict(X[300:]) > 0) == Y[300:]).mean() > 0.96


def test_unknown_entries_have_no_influence(rng):
    X, Y, observed = draw_data(rng)
    other = np.where(observed, Y, rng.integers(2, size=Y.shape))
    one, two = (boost(X, values, observed, 5, np.random.default_rng(0)).predict(X) for values in (Y, other))
    np.testing.assert_array_equal(one, two)


# -- bins --------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 200), kind=st.sampled_from(["numbers", "words", "few"]))
def test_bins_keep_the_order_and_separate_only_different_values(seed, n, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32)
    if kind == "words":
        X = np.maximum(X - 1, 0)
    if kind == "few":
        X = np.round(X)
    codes = Bins.learn(X)(X)
    assert codes.max(initial=0) < 32
    for values, code in zip(X.T, codes.T, strict=True):
        order = np.argsort(values, kind="stable")
        assert (np.diff(code[order]) >= 0).all()
        counts = np.unique(values, return_counts=True)[1]
        if (32 * counts >= n).all():  # each value fills a bin
            assert len(np.unique(code)) == len(counts)


def cut_by_loop(values):
    """Return the cuts of a feature, from the definition."""
    distinct, counts = np.unique(values, return_counts=True)
    size = np.minimum(32 * counts, len(values))
    filled = np.cumsum(size)
    number = [32 * each // filled[-1] for each in filled]
    ends = [k for k in range(len(distinct) - 1) if number[k] > (number[k - 1] if k else 0)]
    return [(float(distinct[k]) + float(distinct[k + 1])) / 2 for k in ends]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 120), d=st.integers(1, 6), levels=st.sampled_from([1, 4, 0]))
def test_cuts_are_those_of_a_loop_over_the_values(seed, n, d, levels):
    rng = np.random.default_rng(seed)
    X = (rng.integers(levels, size=(n, d)) if levels else rng.normal(size=(n, d))).astype(np.float32)
    for values, cuts in zip(X.T, Bins.learn(X).cuts, strict=True):
        np.testing.assert_array_equal(cuts, cut_by_loop(values))


def test_features_are_cut_in_blocks(rng, monkeypatch):
    X = rng.normal(size=(50, 7)).astype(np.float32)
    whole = Bins.learn(X).cuts
    monkeypatch.setattr(module, "BLOCK", 120)
    for one, other in zip(Bins.learn(X).cuts, whole, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_value_of_many_items_is_one_bin(rng):
    X = np.where(rng.random((2000, 1)) < 0.9, 0, rng.random((2000, 1))).astype(np.float32)
    codes = Bins.learn(X)(X)
    assert len(np.unique(codes)) >= 25
    assert len(np.unique(codes[X == 0])) == 1


def test_restored_trees_have_the_leaves_of_trees_on_bins(rng, monkeypatch):
    X, Y, observed = draw_data(rng, n=200)
    bins = Bins.learn(X)
    restored = boost(X, Y, observed, 6, np.random.default_rng(0))
    monkeypatch.setattr(Bins, "restore", lambda self, trees: trees)
    on_bins = boost(X, Y, observed, 6, np.random.default_rng(0))
    np.testing.assert_array_equal(find_leaves(restored, X), find_leaves(on_bins, bins(X)))


def test_splits_are_chosen_on_a_sample_of_many_items(rng, monkeypatch):
    X, Y, observed = draw_data(rng, n=60)
    sizes, choose = [], module._choose_splits
    monkeypatch.setattr(module, "MAX_ITEMS", 25)
    monkeypatch.setattr(module, "_choose_splits", lambda X, *rest: sizes.append(len(X)) or choose(X, *rest))
    boost(X, Y, observed, 3, rng)
    assert sizes == [25] * 3
