"""LSML and CPLST: the program of the authors step by step, conditions of optimality, and planted data."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.oracles import label_structure as oracle
from scipy import stats

from halflabel import PartialLabels
from halflabel.labels.metrics import macro_auc
from halflabel_papers.comparators import CPLST, LSML
from halflabel_papers.comparators.cplst import encode_and_regress
from halflabel_papers.comparators.lsml import alternate

FIXED = {"label_sparsity": 0.2, "graph_weight": 0.3, "ridge": 2.0}


@pytest.fixture
def case(rng):
    X = rng.normal(size=(40, 6))
    Y = np.sign(X @ rng.normal(size=(6, 4)) + 0.3)
    Y[rng.random(Y.shape) < 0.3] = 0
    return np.column_stack([X, np.ones(40)]), Y


@pytest.mark.parametrize("n_iter", [1, 2, 7])
def test_lsml_takes_the_steps_of_the_program(case, n_iter):
    X, Y = case
    found = alternate(X, Y, sparsity=0.5, label_weight=3.0, **FIXED, tol=0.0, max_iter=n_iter).x
    W, C = oracle.lsml(X, Y, 3.0, 0.5, 0.2, 0.3, 2.0, n_iter)
    np.testing.assert_allclose(found, np.vstack([W, C]), atol=1e-12)


def test_lsml_ends_where_no_entry_can_improve(case):
    X, Y = case
    settings = {**FIXED, "graph_weight": 1e-9}
    found = alternate(X, Y, sparsity=2.0, label_weight=3.0, **settings, tol=1e-12, max_iter=50_000).x
    W, C = found[:7], found[7:]
    slope = X.T @ (X @ W - Y @ C)
    assert np.abs(slope[W != 0] + 2.0 * np.sign(W[W != 0])).max() < 1e-6
    assert np.abs(slope[W == 0]).max(initial=0.0) <= 2.0 + 1e-6
    slope = Y.T @ (Y @ C - X @ W) + 3.0 * Y.T @ (Y @ C - Y) + 0.2
    assert np.abs(slope[C > 0]).max() < 1e-6
    assert slope[C == 0].min(initial=0.0) >= -1e-6


def test_no_other_code_has_a_smaller_error_than_cplst(rng):
    X = rng.normal(size=(30, 4))
    state = np.sign(X @ rng.normal(size=(4, 5)) + rng.normal(size=(30, 5)))
    model, solution = encode_and_regress(X, state, share=0.4, ridge=1.5)
    centred, Y = X - X.mean(axis=0), state - state.mean(axis=0)
    best = oracle.cplst(centred, Y, model.H, 1.5)
    assert solution.objective[0] == pytest.approx(best)
    others = [oracle.cplst(centred, Y, stats.ortho_group.rvs(5, random_state=s)[:, :2], 1.5) for s in range(50)]
    assert best <= min(others)
    plain = encode_and_regress(X, state, share=1.0, ridge=1.5)[0](X)
    W = np.linalg.solve(centred.T @ centred + 1.5 * np.eye(4), centred.T @ Y)
    np.testing.assert_allclose(plain, centred @ W + state.mean(axis=0))


@pytest.mark.parametrize("method", [LSML(1.0, n_folds=2), CPLST(0.67, ridge=1.0, n_folds=2)])
def test_hidden_entries_are_found_on_planted_data(method):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 4))
    Y = X @ rng.normal(size=(4, 3)) @ np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]) > 0
    known = rng.random(Y.shape) < 0.6
    model = method.fit(X, np.where(known, Y, np.nan))
    hidden = PartialLabels.from_table(np.where(known, np.nan, Y))
    assert macro_auc(hidden, model.label_scores_) > 0.95


@pytest.mark.parametrize("method", [LSML(), CPLST()])
def test_many_features_are_an_error_before_a_large_matrix_is_made(method):
    with pytest.raises(ValueError, match=r"takes at most 10000 features; X has 10001: reduce them first\."):
        method.fit(np.zeros((4, 10_001)), [[1], [0], [1], [0]])


def test_the_labels_explain_one_another():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    first = np.where(X[:, 0] > 0, 1.0, 0.0)
    C = LSML(n_folds=2, label_weight=0.1).fit(X, np.column_stack([first, first])).label_matrix_
    assert (C > 0.1).all()  # each is half of the other one
