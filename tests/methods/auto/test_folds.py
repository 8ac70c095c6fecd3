"""The labelled items of a fit, split into folds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import half_labelled

from halflabel.labels import PartialLabels
from halflabel.methods.auto.folds import Folds


def test_folds_hold_the_labelled_items(rng):
    _, Y, _ = half_labelled(rng)
    Y[1, 0] = np.nan
    labels = PartialLabels.from_table(Y)
    folds = Folds.split(labels, 4, rng)
    np.testing.assert_array_equal(folds.rows, np.flatnonzero(~np.isnan(Y).all(axis=1)))
    np.testing.assert_array_equal(folds.Y, np.nan_to_num(Y[folds.rows]))
    np.testing.assert_array_equal(folds.observed, ~np.isnan(Y[folds.rows]))
    assert list(folds.numbers) == [0, 1, 2, 3] == np.unique(folds.fold).tolist()
    assert folds.have_gaps
    assert (folds.n_groups, folds.n_units) == (0, len(folds.rows))


def test_a_group_is_in_one_fold_and_a_single_group_in_none(rng):
    _, Y, _ = half_labelled(rng)
    labels, groups = PartialLabels.from_table(Y), np.arange(60) // 3
    folds = Folds.split(labels, 4, rng, groups)
    assert folds.n_units == folds.n_groups == len(set(groups[folds.rows]))
    assert len(set(zip(groups[folds.rows], folds.fold, strict=True))) == len(set(groups[folds.rows]))
    alone = Folds.split(labels, 4, rng, np.zeros(60, dtype=int))
    assert (alone.fold == -1).all()
    assert list(alone.numbers) == [0]  # a fold without items


@pytest.mark.parametrize(("fold", "numbers"), [([-1], [0]), ([0, 0], [0]), ([1, 0, 2, 1], [0, 1, 2])])
def test_folds_are_numbered_from_0(fold, numbers):
    table = np.ones((len(fold), 1))
    folds = Folds(np.arange(len(fold)), table, table > 0, np.array(fold))
    assert list(folds.numbers) == numbers
    assert not folds.have_gaps
    assert not folds.n_groups


def test_an_item_has_a_gap_if_some_of_its_labels_are_observed(rng):
    labels = PartialLabels.from_table([[1, 0], [np.nan, np.nan], [0, 1], [np.nan, 1]])
    folds = Folds.split(labels, 2, rng)
    assert folds.rows.tolist() == [0, 2, 3]
    assert folds.Y.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert folds.have_gaps
    assert not Folds.split(labels[:3], 2, rng).have_gaps  # an unlabelled item is no gap


@pytest.mark.parametrize(("n_labelled", "expected"), [(499, 10), (500, 5)])
def test_few_labelled_items_have_more_folds(rng, n_labelled, expected):
    Y = np.full((510, 1), np.nan)
    Y[:n_labelled, 0] = np.arange(n_labelled) % 2
    assert len(Folds.split(PartialLabels.from_table(Y), None, rng).numbers) == expected
