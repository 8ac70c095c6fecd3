"""LowRankVVMR by Algorithm 1, as corrected and as printed, against halflabel's own solver."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.methods.vvmr.test_lowrank import QUICK, draw_missing_positives

import halflabel
from halflabel import PartialLabels
from halflabel_papers.published import LowRankVVMR
from halflabel_papers.published.algorithm1 import solve_as_published
from halflabel_papers.published.continuation import Continuation, PublishedTerms, Theta


def test_algorithm_1_stays_above_the_minimum(rng):
    X, labels, _ = draw_missing_positives(rng, n=45, n_labels=3)
    settings = {**QUICK, "alpha_trace": 1e-2, "alpha_manifold": 1e-3, "label_graph_weight": 0.5, "n_folds": 2}
    best = LowRankVVMR(**settings, tol=1e-8, max_iter=3000).fit(X, labels)
    own = halflabel.LowRankVVMR(**settings, tol=1e-8, max_iter=3000).fit(X, labels)
    assert best.label_scores_.tobytes() == own.label_scores_.tobytes()
    with pytest.warns(ConvergenceWarning):
        published = LowRankVVMR(**settings, solver="published", max_iter=60).fit(X, labels)
    assert published.solution_.objective[-1] > best.solution_.objective[-1]
    assert published.solution_.residual > best.solution_.residual


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


def test_the_algorithm_as_printed_ends(rng, monkeypatch):
    flags = []

    def solve(*arguments, takes_abs):
        flags.append(takes_abs)
        return solve_as_published(*arguments, takes_abs=takes_abs)

    monkeypatch.setattr("halflabel_papers.published.lowrank.solve_as_published", solve)
    X, Y = rng.normal(size=(20, 3)), (rng.random((20, 3)) < 0.4).astype(float)
    labels = PartialLabels.from_positives(Y)
    settings = {"max_iter": 5, "n_folds": 2, "alpha": 1e-2, "alpha_manifold": 1e-5, "width": 1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        printed, published = (
            LowRankVVMR.as_published().set_params(solver=solver, **settings).fit(X, labels).label_scores_
            for solver in ("printed", "published")
        )
    assert np.isfinite(printed).all()
    assert np.abs(printed - published).max() > 1e-3
    half = len(flags) // 2
    assert flags == [True] * half + [False] * half
