"""Members that are forests: what a part of a boosted forest is grown on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import half_labelled
from tests.methods.auto.conftest import make_task

from halflabel.methods.auto import tree_members, words
from halflabel.methods.auto.boosting import boost
from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.sampling import Stream
from halflabel.methods.auto.tree_members import boosting, trees

SMALL = replace(EFFORTS["default"], n_rounds=4)


@pytest.fixture
def task(rng):
    X, Y, _ = half_labelled(rng)
    return make_task(X, Y, SMALL, n_folds=3)


def test_the_first_forest_is_shared(task):
    assert trees(task) is task.forest


def test_each_part_is_boosted_without_its_fold(task):
    fitted, folds = boosting(task), task.folds
    X = task.X[folds.rows].astype(np.float32)
    for fold in folds.numbers:
        known = folds.fold != fold
        alone = boost(X[known], folds.Y[known], folds.observed[known], 4, task.rng(Stream.BOOSTING, fold))
        np.testing.assert_array_equal(fitted.out_of_fold[~known], alone.predict(task.X)[folds.rows[~known]])


def test_a_part_sees_at_most_some_items(task, monkeypatch):
    sizes = []
    monkeypatch.setattr(tree_members, "boost", lambda X, Y, *rest: sizes.append((len(X), len(Y))) or boost(X, Y, *rest))
    boosting(replace(task, effort=replace(SMALL, max_tree_items=9)))
    assert sizes == [(9, 9)] * 3


def test_of_many_words_a_part_sees_the_most_correlated_ones(task, rng, monkeypatch):
    X = np.where(rng.random((60, 40)) < 0.5, rng.random((60, 40)), 0.0)
    X[:, 30] = np.where(np.nan_to_num(task.labels.relevant[:, 0]) > 0, 1.0, 0.0)
    task = replace(task, effort=replace(SMALL, n_rounds=20))  # a node tries two of the five words
    thin = replace(task, X=sparse.csr_array(X))
    monkeypatch.setattr(words, "MAX_WORDS", 5)
    used = [np.unique(part.feature[np.isfinite(part.threshold)]) for part in boosting(thin).model.parts]
    assert all(len(features) <= 5 and 30 in features for features in used)
    whole = replace(task, X=X)
    monkeypatch.setattr(words, "MAX_WORDS", 2000)
    np.testing.assert_allclose(boosting(thin).scores, boosting(whole).scores, atol=1e-6)
