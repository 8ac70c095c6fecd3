"""LowRankVVMR with the published weights."""

from __future__ import annotations

import numpy as np
import pytest
from tests.methods.vvmr.test_lowrank import draw_missing_positives

import halflabel
from halflabel_papers.published import LowRankVVMR


def test_the_weight_of_entries_follows_from_the_trace_weight(rng):
    X, labels, _ = draw_missing_positives(rng, n=120)
    settings = {"alpha": 1e-2, "alpha_trace": 5e-2, "width": 0.7, "n_folds": 2}
    text = LowRankVVMR(**settings).fit(X, labels)
    rows = int(labels.annotated.sum())
    same = halflabel.LowRankVVMR(**settings, knee=5e-2 / np.sqrt(rows) * rows / 2).fit(X, labels)
    np.testing.assert_allclose(text.recovered_, same.recovered_, atol=1e-9)
    assert len(text.likely_missing(None)) > 0


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
