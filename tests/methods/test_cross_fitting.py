"""The loop over folds: what is held out, what stays NaN, and the progress it reports."""

from __future__ import annotations

import numpy as np

from halflabel._progress import report_progress
from halflabel.methods.cross_fitting import score_out_of_fold


def test_every_item_is_scored_without_its_fold():
    folds = np.array([0, 2, 1, -1, 0])
    y = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    scores = score_out_of_fold(lambda held_out: np.full((held_out.sum(), 1), y[~held_out].sum()), folds, (5, 1))
    np.testing.assert_array_equal(scores[:, 0], [14, 29, 27, np.nan, 14])


def test_entries_and_several_models_at_once():
    folds = np.array([[0, 1], [-1, 0]])
    np.testing.assert_array_equal(
        score_out_of_fold(lambda held_out: np.flatnonzero(held_out) + 10.0, folds, (2, 2)), [[10, 11], [np.nan, 13]]
    )
    scores = score_out_of_fold(lambda held_out: np.ones((held_out.sum(), 3, 2)) * [1, 5], np.array([1, 0]), (2, 3, 2))
    np.testing.assert_array_equal(scores[..., 1], np.full((2, 3), 5))


def test_without_folds_nothing_is_fitted():
    scores = score_out_of_fold(lambda held_out: 1 / 0, np.full(3, -1), (3, 2))
    assert np.isnan(scores).all()
    assert scores.shape == (3, 2)


def test_progress_is_reported_fold_by_fold():
    steps = []
    with report_progress(lambda *step: steps.append(step)):
        score_out_of_fold(lambda held_out: np.zeros(held_out.sum()), np.array([0, 1, 2]), (3,))
    assert steps == [("holding out folds", fold, 3) for fold in range(3)]
