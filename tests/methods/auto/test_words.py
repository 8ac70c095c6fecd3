"""The words that trees see, against correlations by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from halflabel.methods.auto import words
from halflabel.methods.auto.words import choose_words


@pytest.fixture
def table(rng):
    """Return rare and frequent words, on scales of their own, in 80 rows, and three targets, one of them constant."""
    X = sparse.csr_array((rng.random((80, 30)) < np.linspace(0.1, 0.95, 30)) * rng.uniform(0.5, 4, 30))
    targets = np.column_stack([rng.random((80, 2)) < 0.4, np.ones(80)]).astype(float)
    return X, targets


@pytest.mark.parametrize("cells", [2**24, 30, 61])
def test_the_words_with_the_highest_correlation_are_chosen(table, cells, monkeypatch):
    X, targets = table
    monkeypatch.setattr(words, "MAX_WORDS", 7)
    monkeypatch.setattr(words, "CELLS", cells)
    squares = np.corrcoef(X.toarray().T, targets[:, :2].T)[:30, 30:] ** 2
    expected = np.sort(np.argsort(-squares.max(axis=1))[:7])
    assert choose_words(X, targets, 1).tolist() == expected.tolist()


def test_all_words_are_kept_if_there_are_few(table, monkeypatch):
    X, targets = table
    monkeypatch.setattr(words, "MAX_WORDS", 30)
    assert choose_words(X, targets, 1).tolist() == list(range(30))


def test_a_word_needs_the_rows_of_a_leaf_and_a_variance(monkeypatch):
    monkeypatch.setattr(words, "MAX_WORDS", 2)
    target = np.repeat([1.0, 0.0], 4)[:, None]
    X = np.zeros((8, 4))
    X[:2, 0] = 1  # in two rows, with the target
    X[:3, 1] = 1  # in three rows, with the target
    X[:, 2] = 1  # in all rows
    X[[0, 1, 5, 6], 3] = 1  # in half of the rows, independent of the target
    assert choose_words(sparse.csr_array(X), target, 2).tolist() == [0, 1]
    assert choose_words(sparse.csr_array(X), target, 3).tolist() == [1, 3]
