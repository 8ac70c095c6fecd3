"""CPLST: no other code has a smaller error, and planted data."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.oracles.cplst import compute_error
from scipy import stats

from halflabel import PartialLabels
from halflabel.labels.metrics import macro_auc
from halflabel_papers.comparators import CPLST
from halflabel_papers.comparators.cplst import encode_and_regress


def test_no_other_code_has_a_smaller_error_than_cplst(rng):
    X = rng.normal(size=(30, 4))
    state = np.sign(X @ rng.normal(size=(4, 5)) + rng.normal(size=(30, 5)))
    model, solution = encode_and_regress(X, state, share=0.4, ridge=1.5)
    centred, Y = X - X.mean(axis=0), state - state.mean(axis=0)
    best = compute_error(centred, Y, model.H, 1.5)
    assert solution.objective[0] == pytest.approx(best)
    others = [compute_error(centred, Y, stats.ortho_group.rvs(5, random_state=s)[:, :2], 1.5) for s in range(50)]
    assert best <= min(others)
    plain = encode_and_regress(X, state, share=1.0, ridge=1.5)[0](X)
    W = np.linalg.solve(centred.T @ centred + 1.5 * np.eye(4), centred.T @ Y)
    np.testing.assert_allclose(plain, centred @ W + state.mean(axis=0))


def test_hidden_entries_are_found_on_planted_data():
    method = CPLST(0.67, ridge=1.0, n_folds=2)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 4))
    Y = X @ rng.normal(size=(4, 3)) @ np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]) > 0
    known = rng.random(Y.shape) < 0.6
    model = method.fit(X, np.where(known, Y, np.nan))
    hidden = PartialLabels.from_table(np.where(known, np.nan, Y))
    assert macro_auc(hidden, model.label_scores_) > 0.95


def test_many_features_are_an_error_before_a_large_matrix_is_made():
    method = CPLST()
    with pytest.raises(ValueError, match=r"takes at most 10000 features; X has 10001: reduce them first\."):
        method.fit(np.zeros((4, 10_001)), [[1], [0], [1], [0]])
