"""LowRankVVMR with both values of lambda, and the step of eq. (22) with and without its absolute value."""

from __future__ import annotations

import numpy as np
import pytest
from tests.methods.vvmr.test_lowrank import draw_missing_positives

import halflabel
from halflabel_papers.published import LowRankVVMR, LowRankVVMRByAlgorithm
from halflabel_papers.published.continuation import Continuation, PublishedTerms, Theta


def test_equation_22_with_its_absolute_value_is_no_proximal_step(rng):
    """A negative entry of E goes to its own size minus the threshold; the proximal step sets it to 0."""
    n = 5
    terms = PublishedTerms(
        np.eye(n), None, np.arange(n), np.eye(2), -np.ones((n, 2)), np.ones((n, 2), bool), 0.1, 0.0, 0.0, 0.3
    )
    E = np.array([[1.0, -1.0], [0.2, -0.2], [0.0, 0.4], [-0.5, 0.5], [2.0, -2.0]])
    point = Theta(np.zeros((n, 2)), np.zeros((n, 2)), E, np.zeros((n, 2)))
    zeros = [np.zeros((n, 2))] * 3
    printed, corrected = (Continuation(terms, takes_abs=flag).proximal(point, zeros).E for flag in (True, False))
    np.testing.assert_allclose(printed, np.maximum(np.abs(E) - 0.3, 0))  # as printed
    np.testing.assert_allclose(corrected, np.maximum(E - 0.3, 0))
    for value, result in zip(E.ravel(), corrected.ravel(), strict=True):
        grid = np.linspace(0, 3, 3001)
        assert result == pytest.approx(grid[np.argmin((grid - value) ** 2 / 2 + 0.3 * grid)], abs=1e-3)


def test_both_values_of_lambda(rng):
    X, labels, _ = draw_missing_positives(rng, n=120)
    settings = {"alpha": 1e-2, "alpha_trace": 5e-2, "width": 0.7, "n_folds": 2}
    text = LowRankVVMR(**settings).fit(X, labels)
    rows = int(labels.annotated.sum())
    same = halflabel.LowRankVVMR(**settings, knee=5e-2 / np.sqrt(rows) * rows / 2).fit(X, labels)
    np.testing.assert_allclose(text.recovered_, same.recovered_, atol=1e-9)
    other = LowRankVVMRByAlgorithm(**settings).fit(X, labels)
    assert len(text.likely_missing(None)) > 0
    assert len(other.likely_missing(None)) == 0


def test_the_trace_weight_decides_both_terms(rng):
    X, labels, _ = draw_missing_positives(rng, n=60)
    with pytest.raises(ValueError, match=r"alpha_trace must be positive, one number or several .* would be relevant"):
        LowRankVVMR().fit(X, labels)
    settings = {"alpha": 1e-2, "width": 0.7, "n_folds": 2, "knee": 1.0}
    with pytest.warns(UserWarning, match=r"nearer to relevant than to irrelevant: raise alpha_trace\."):
        LowRankVVMR(**settings, alpha_trace=1e-6).fit(X, labels)
    LowRankVVMR(**settings, alpha_trace=5e-2).fit(X, labels)  # without a warning


def test_the_published_settings_are_the_papers(rng):
    model = LowRankVVMR.as_published()
    assert len(model._settings()) == 3 * 5**3
    assert (model.label_graph, model.manifold, model.scale, model.label_graph_weight) == ("raw", "laplacian", None, 0.5)
    X, labels, _ = draw_missing_positives(rng, n=40)
    model.set_params(alpha=1e-3, alpha_manifold=1e-5, alpha_trace=(1e-2, 1e-1), width=1.0).fit(X, labels)
    new = ~labels.annotated
    np.testing.assert_array_equal(model.transduction_[new], model.label_scores_[new] >= 0)
