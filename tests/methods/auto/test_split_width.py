"""The number of features that a tree tries at each node."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from tests.methods.auto.conftest import make_task

from halflabel.methods.auto import split_width
from halflabel.methods.auto.folds import Folds
from halflabel.methods.auto.split_width import choose_max_features
from halflabel.methods.auto.targets import Targets


def words(rng, decisive, n=240, d=400):
    """Return rare words, and labels that depend on one word each or on all words together."""
    X = (rng.random((n, d)) < 0.1).astype(float)
    X[:, :3] = rng.random((n, 3)) < 0.3
    truth = X[:, :3] if decisive else X @ rng.normal(size=(d, 3)) > 0
    Y = truth.astype(float)
    Y[n // 2 :] = np.nan
    return X, Y


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("decisive", "expected"), [(True, 200), (False, 20)], ids=["one word", "all words"])
def test_trees_try_many_features_where_few_are_decisive(rng, form, decisive, expected):
    X, Y = words(rng, decisive)
    assert make_task(form(X), Y).max_features == expected


def test_a_tree_tries_as_many_as_chosen(rng, monkeypatch):
    seen = []
    from halflabel.methods.auto import trees

    regressor = trees.ExtraTreeRegressor
    monkeypatch.setattr(
        trees, "ExtraTreeRegressor", lambda **settings: seen.append(settings["max_features"]) or regressor(**settings)
    )
    X, Y = words(rng, True)
    task = make_task(X, Y)
    chosen = task.max_features
    assert set(seen) == {20, 200}
    seen.clear()
    assert task.forest.scores.shape == Y.shape
    assert set(seen) == {chosen}


# -- errors by hand --------------------------------------------------------------


def six_items(fold=(0, 1, 2, 0, 1, 2)):
    """Return folds of items 1, 3, 5, 7, 9 and 11, one entry unknown, and targets that differ from fold to fold."""
    Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1]], dtype=float)
    observed = np.ones((6, 2), dtype=bool)
    observed[2, 1] = False
    folds = Folds(np.arange(1, 12, 2), Y * observed, observed, np.array(fold))
    return folds, Targets(np.arange(3)[:, None, None] / 10 + np.zeros((3, 6, 2)))


@pytest.mark.parametrize(
    ("n_features", "errors", "chosen"),
    [
        (100, {10: 1.2, 50: 1.0}, 10),
        (100, {10: 1.201, 50: 1.0}, 50),
        (400, {20: 1.0, 200: 1.1}, 20),
        (4, {}, 2),
        (1, {}, 1),
    ],
)
def test_half_of_the_features_have_to_lower_the_error_by_a_fifth(n_features, errors, chosen, rng, monkeypatch):
    calls = []

    def score(X, folds, targets, some, number, seeds):
        calls.append((number, seeds.tolist()))
        np.testing.assert_array_equal(X[:, 0], [1, 3, 5, 7, 9, 11])
        return errors[number]

    monkeypatch.setattr(split_width, "_score", score)
    X = np.arange(12.0)[:, None] + np.zeros((12, n_features))
    assert choose_max_features(X, *six_items(), rng) == chosen
    assert [number for number, _ in calls] == list(errors)
    assert len({tuple(seeds) for _, seeds in calls}) == min(len(errors), 1)


@pytest.mark.parametrize(("fold", "compared"), [((0,) * 6, False), ((-1,) * 6, False), ((0, 1) * 3, True)])
def test_numbers_are_compared_where_a_fold_can_be_held_out(fold, compared, rng, monkeypatch):
    calls = []
    monkeypatch.setattr(split_width, "_score", lambda *given: calls.append(given[4]) or float(len(calls) == 1))
    assert choose_max_features(np.zeros((12, 100)), *six_items(fold), rng) == (50 if compared else 10)
    assert bool(calls) == compared


def test_of_many_words_only_those_count_that_trees_see(rng, monkeypatch):
    monkeypatch.setattr(split_width, "MAX_WORDS", 50)
    monkeypatch.setattr(split_width, "_score", lambda *given: 1.0)
    X = sparse.csr_array(np.ones((12, 100)))
    assert choose_max_features(X, *six_items(), rng) == 7
    assert choose_max_features(X.toarray(), *six_items(), rng) == 10


def test_the_error_is_that_of_observed_entries_in_their_own_fold(monkeypatch):
    """The trees predict 0.25; the items 3 and 11 are not in the sample."""
    folds, targets = six_items()
    asked = []

    def grow(X, target, bags, seeds, **options):
        asked.append((X, target, [bag.tolist() for bag in bags], seeds, options))
        return SimpleNamespace(predict=lambda X: np.full((len(X), 2), 0.25))

    monkeypatch.setattr(split_width, "grow", grow)
    some = np.array([0, 2, 3, 4])
    X, seeds = np.arange(4.0)[:, None], np.array([7, 8])
    error = split_width._score(X, folds, targets, some, 3, seeds)
    near, far = 0.25**2, 0.75**2
    assert error == pytest.approx((far + near) + (near + near) + (far + near) + far)  # items 1, 7, 9, and 5 in part
    assert [bags for _, _, bags, _, _ in asked] == [[[1, 3]] * 2, [[0, 1, 2]] * 2, [[0, 2, 3]] * 2]
    for number, (_, target, _, given, options) in enumerate(asked):
        assert target.tolist() == [[number / 10] * 2] * 4
        assert given is seeds
        assert options == {"max_features": 3, "min_leaf": 2, "max_leaves": None}


@pytest.mark.parametrize("some", [[0, 3], [1]])
def test_a_fold_without_items_inside_or_outside_is_left_out(some, monkeypatch):
    monkeypatch.setattr(split_width, "grow", None)
    assert split_width._score(np.zeros((len(some), 1)), *six_items(), np.array(some), 1, np.arange(2)) == 0.0


def test_of_many_folds_three_are_compared(monkeypatch):
    folds, targets = six_items(fold=range(6))
    targets = Targets(np.zeros((6, 6, 2)))
    bags, silent = [], SimpleNamespace(predict=lambda X: np.zeros((len(X), 2)))
    monkeypatch.setattr(split_width, "grow", lambda X, target, own, *_, **__: bags.append(own[0].tolist()) or silent)
    split_width._score(np.zeros((6, 1)), folds, targets, np.arange(6), 1, np.arange(2))
    assert bags == [[1, 2, 3, 4, 5], [0, 2, 3, 4, 5], [0, 1, 3, 4, 5]]
