"""GLOCAL as an estimator: its objective, the labels' correlations, and folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import half_labelled, in_canonical_order
from tests.methods.parameters import check_parameters

from halflabel import PartialLabels
from halflabel.completion.model_file.archive import load_tree, save_tree
from halflabel.completion.model_file.saving import saved_classes
from halflabel_papers.comparators import GLOCAL
from halflabel_papers.comparators.glocal_blocks import Items, Problem, minimise_alternately


def test_the_estimator_minimises_this_objective(rng):
    X, Y, _ = half_labelled(rng, entries=True)
    model = GLOCAL(rank=2, n_clusters=3, n_folds=2, scale=None).fit(X, Y)
    X, Y = in_canonical_order(X, Y)
    items = Items.of(X - X.mean(axis=0), np.zeros(5), 3, 0)
    problem = Problem(items, np.nan_to_num(2 * Y - 1), model.alpha, model.ridge, 0.1, 0.1)
    at, solution = minimise_alternately(problem, 2, model.tol, model.max_iter)
    np.testing.assert_allclose(model.solution_.objective, solution.objective)
    np.testing.assert_allclose(model.decision_function(X), items.B @ at.W @ at.U.T + at.b, atol=1e-9)
    np.testing.assert_allclose(model.laplacians_, at.Z @ at.Z.transpose(0, 2, 1), atol=1e-9)


def test_labels_that_occur_together_get_a_negative_entry(rng):
    X, Y, _ = half_labelled(rng)
    Y = np.column_stack([Y[:, 0], Y[:, 0], 1 - Y[:, 0]])
    L = GLOCAL(n_clusters=1, n_folds=2).fit(X, Y).laplacians_[0]
    assert L[0, 1] < 0 < L[0, 2]


def test_a_held_out_item_is_scored_without_its_labels(rng):
    """Each item is a fold of its own."""
    X, Y, _ = half_labelled(rng, n=12)
    model = GLOCAL(n_folds=int((~np.isnan(Y[:, 0])).sum())).fit(X, Y)
    i = int(np.flatnonzero(~np.isnan(Y[:, 0]))[2])
    hidden = Y.copy()
    hidden[i] = np.nan
    alone = GLOCAL(n_folds=2).fit(X, hidden)
    np.testing.assert_allclose(model.out_of_fold_scores_[i], alone.label_scores_[i], atol=1e-6)


def test_labels_that_were_not_assigned_count_as_irrelevant(rng):
    X, Y, _ = half_labelled(rng)
    a, b = (GLOCAL(n_folds=2).fit(X, labels) for labels in (PartialLabels.from_positives(Y), Y))
    np.testing.assert_array_equal(a.label_scores_, b.label_scores_)


def test_items_that_are_all_equal_get_the_mean(rng):
    _, Y, _ = half_labelled(rng)
    model = GLOCAL(n_folds=2).fit(np.ones((60, 2)), Y)
    np.testing.assert_allclose(model.label_scores_, np.tile(2 * np.nanmean(Y, axis=0) - 1, (60, 1)), atol=1e-6)
    assert model.laplacians_.shape == (1, 3, 3)


def test_too_few_alternations_are_reported(rng):
    X, Y, _ = half_labelled(rng, n=30)
    with pytest.warns(ConvergenceWarning, match="GLOCAL: The solver stopped at its iteration limit"):
        GLOCAL(max_iter=1, tol=1e-9, n_folds=2).fit(X, Y)


def test_parameters_are_those_of_the_docstring(rng):
    check_parameters(GLOCAL(), rank=1, n_clusters=1, n_folds=2, max_iter=1)
    X, Y, _ = half_labelled(rng, n=20)
    wrong = {"alpha": "positive", "ridge": "positive", "alpha_global": "at least 0", "alpha_local": "at least 0"}
    for name, sentence in wrong.items():
        with pytest.raises(ValueError, match=f"{name} must be {sentence}"):
            GLOCAL(**{name: -1.0}).fit(X, Y)


def test_saved_and_loaded(rng, tmp_path):
    X, Y, _ = half_labelled(rng, n=30)
    model = GLOCAL(n_folds=2).fit(X, Y)
    save_tree(tmp_path / "model", {"model": model}, saved_classes())
    again = load_tree(tmp_path / "model", saved_classes())["model"]
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert "clusters_" not in vars(again)
