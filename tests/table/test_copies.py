"""Rows that are copies of other rows are kept together in checks, as if a column named their groups."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from halflabel.labels.groups import find_copies
from halflabel.table import open_table


def make(n, times, seed=0, rate=0.4):
    """Return items, each some times, in another order."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"song": [f"s{i}" for i in range(n)], "tempo": rng.normal(size=n), "loud": rng.normal(size=n)})
    for name in ("rock", "sad"):
        frame[name] = np.where(rng.random(n) < rate, np.nan, rng.random(n) < 0.5)
    frame.loc[:1, ["rock", "sad"]] = [[1, 0], [0, 1]]
    return frame.loc[np.repeat(np.arange(n), times)].sample(frac=1, random_state=seed).reset_index(drop=True)


@given(st.integers(20, 40), st.integers(2, 3), st.integers(0, 99))
def test_copies_are_the_groups_that_a_column_names(n, times, seed):
    frame = make(n, times, seed, rate=0.4 if n < 30 else 0.6)
    found, named = (open_table(frame, labels=["rock", "sad"], group=group) for group in (None, "song"))
    assert found.groups.tolist() == named.groups.tolist()  # also the groups of items without a label
    assert f"{n * (times - 1)} rows are copies of another row" in " ".join(found.notes)
    assert "made from" not in " ".join(
        (*found.notes, *named.notes)
    )  # equal values of copies show nothing about the labels


@given(st.integers(30, 60), st.integers(2, 3), st.integers(2, 12), st.integers(0, 99))
def test_copies_with_noise_are_groups(n, times, width, seed):
    rng = np.random.default_rng(seed)
    X, state = (
        np.repeat(rng.normal(size=(n, width)), times, axis=0),
        np.repeat(rng.choice([-1, 0, 1], (n, 6)), times, axis=0),
    )
    state[:, 0] = 1
    groups = find_copies(X * (1 + rng.normal(size=X.shape) * 1e-6), state.astype(np.int8))
    assert groups.tolist() == np.repeat(np.arange(n), times).tolist()


@given(st.integers(1, 5), st.integers(0, 99), st.sampled_from(["any", "clusters", "steps"]))
def test_neighbors_are_no_copies(width, seed, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, width))
    X += {"any": 0, "clusters": 50 * rng.integers(0, 3, size=(200, 1)), "steps": np.arange(200)[:, None]}[kind]
    assert find_copies(X, np.ones((200, 1), dtype=np.int8)) is None


def test_sparse_features_have_the_same_copies():
    X, state = np.repeat(np.eye(12), 2, axis=0), np.ones((24, 1), dtype=np.int8)
    assert (
        find_copies(sparse.csr_array(X), state).tolist()
        == find_copies(X, state).tolist()
        == [i // 2 for i in range(24)]
    )


@pytest.mark.parametrize("seed", range(5))
def test_items_of_a_few_categories_are_no_copies(seed):
    rng = np.random.default_rng(seed)
    X, state = rng.integers(0, 3, size=(200, 2)).astype(float), rng.integers(-1, 2, size=(200, 3)).astype(np.int8)
    assert find_copies(X, state) is None


def test_items_that_differ_are_no_copies():
    assert open_table(make(60, 1), labels=["rock", "sad"]).groups is None
