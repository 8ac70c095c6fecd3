"""Ridge regression of many labels against one solve after another."""

from __future__ import annotations

import numpy as np
import pytest
from scale.tests.oracle import ridge, scores_without
from scipy import sparse

import halflabel_scale.ridge as module
from halflabel_scale.ridge import ALPHAS, choose_alpha, invert, leave_out, weigh_features


@pytest.fixture(params=["words", "dense and wide", "dense and tall"])
def task(request):
    rng = np.random.default_rng(0)
    d = 5 if request.param == "dense and tall" else 40
    Phi = rng.random((25, d)) * (rng.random((25, d)) < 0.5)
    Y = sparse.csr_array((rng.random((25, 11)) < 0.2).astype(float))
    return (sparse.csr_array(Phi) if request.param == "words" else Phi), Phi, Y


@pytest.mark.parametrize("alpha", [0.01, 3.0])
def test_inverse_scores_and_left_out_predictions(task, alpha):
    given, Phi, Y = task
    inverse = invert(given, alpha)
    np.testing.assert_allclose(inverse, np.linalg.inv(Phi @ Phi.T + 1 + alpha * np.eye(25)), rtol=1e-6, atol=1e-9)
    linear = weigh_features(given, inverse, Y)
    A, new = ridge(Phi @ Phi.T, Y.toarray(), alpha), Phi[:7] + 0.1
    expected = (new @ Phi.T + 1) @ A
    np.testing.assert_allclose(linear(sparse.csr_array(new)), expected, atol=1e-4)
    rows = np.array([3, 0, 24])
    left_out = scores_without(Phi @ Phi.T, Y.toarray(), alpha)
    np.testing.assert_allclose(leave_out(inverse, Y, rows), left_out[rows], rtol=1e-6, atol=1e-8)


def test_blocks_change_nothing(task, monkeypatch):
    given, _, Y = task
    whole = invert(given, 0.5)
    monkeypatch.setattr(module, "BLOCK", 4)
    np.testing.assert_allclose(invert(given, 0.5), whole, rtol=1e-9)
    np.testing.assert_allclose(weigh_features(given, whole, Y)(given), module.weigh_features(given, whole, Y)(given))


def test_the_ridge_weight_has_the_smallest_left_out_error(task):
    given, Phi, Y = task
    errors = [((Y.toarray() - scores_without(Phi @ Phi.T, Y.toarray(), alpha)) ** 2).sum() for alpha in ALPHAS]
    assert choose_alpha(given, Y) == pytest.approx((min(errors), ALPHAS[np.argmin(errors)]))


def test_too_many_weights_are_reduced_to_the_largest_ones(task, monkeypatch):
    given, _, Y = task
    whole = weigh_features(given, invert(given, 0.5), Y).weights
    monkeypatch.setattr(module, "MAX_WEIGHTS", 11 * 3)
    few = weigh_features(given, invert(given, 0.5), Y).weights.toarray()
    for kept, all_ in zip(few.T, np.asarray(whole).T, strict=True):
        largest = np.abs(all_) >= np.sort(np.abs(all_))[-3]
        np.testing.assert_allclose(kept, np.where(largest, all_, 0), rtol=1e-6)
