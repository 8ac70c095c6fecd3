"""The number of features that a tree tries at each node."""

import numpy as np
import pytest
from scipy import sparse
from tests.methods.auto.conftest import make_task


def words(rng, decisive, n=240, d=400):
    """Return rare words, and labels that depend on one word each or on all words together."""
    X = (rng.random((n, d)) < 0.1).astype(float)
    X[:, :3] = rng.random((n, 3)) < 0.3
    truth = X[:, :3] if decisive else X @ rng.normal(size=(d, 3)) > 0
    Y = truth.astype(float)
    Y[n // 2 :] = np.nan
    return X, Y


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("decisive", "expected"), [(True, 120), (False, 20)], ids=["one word", "all words"])
def test_trees_try_many_features_where_few_are_decisive(rng, form, decisive, expected):
    X, Y = words(rng, decisive)
    assert make_task(form(X), Y).max_features == expected


def test_the_square_root_where_nothing_can_be_compared(rng):
    X, Y = words(rng, True)
    Y[1:] = np.nan
    assert make_task(X, Y).max_features == 20  # a single labelled item
    X, Y = words(rng, True)
    assert make_task(X[:, :5], Y).max_features == 2  # 30 % are fewer than that


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
    assert set(seen) == {20, 40, 120}
    seen.clear()
    assert task.forest.scores.shape == Y.shape
    assert set(seen) == {chosen}
