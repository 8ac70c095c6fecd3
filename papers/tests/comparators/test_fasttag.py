"""FastTag against least squares over every way of blanking out, and against the paper's alternation."""

from __future__ import annotations

import numpy as np
import pytest
from papers.tests.oracles.fasttag import alternate, least_squares, objective
from sklearn.base import clone
from tests.conftest import half_labelled

from halflabel import PartialLabels
from halflabel.labels.masking import hide_positives
from halflabel.labels.metrics import macro_auc, micro_f1
from halflabel_papers.comparators import FastTag
from halflabel_papers.comparators.fasttag import enrich
from halflabel_papers.sets import load_benchmark

WEIGHTS = {"alpha": 0.3, "alpha_enrichment": 2.0, "blankout": 0.4}


def small(rng, n=25, d=3, q=4):
    X = rng.normal(size=(n, d)) + 1.0
    scores = X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q))
    return X, (scores > np.quantile(scores, 0.6, axis=0)).astype(float)


def test_it_minimises_the_objective(rng):
    X, tags = small(rng)
    weights = np.full(len(X), 1 / len(X))
    found, solution = enrich(X, tags, **WEIGHTS)
    B, W, w0 = least_squares(X, tags, weights, 0.3, 2.0, 0.4)
    np.testing.assert_allclose(solution.x, B, atol=1e-8)
    np.testing.assert_allclose(found.W, W, atol=1e-8)
    np.testing.assert_allclose(found.w0, w0, atol=1e-8)
    assert solution.objective[0] == pytest.approx(objective(X, tags, weights, B, W, w0, 0.3, 2.0, 0.4), rel=1e-10)
    assert solution.residual < 1e-12


def test_the_alternation_of_the_paper_converges_to_it(rng):
    X, tags = small(rng)
    weights = np.full(len(X), 1 / len(X))
    found, solution = enrich(X, tags, **WEIGHTS)
    far, near = (alternate(X, tags, weights, 0.3, 2.0, 0.4, n_iter) for n_iter in (1, 100))
    np.testing.assert_allclose(near[0], solution.x, atol=1e-8)
    np.testing.assert_allclose(near[1], np.column_stack([found.W, found.w0]), atol=1e-8)
    assert np.abs(far[0] - solution.x).max() > 1e-3


def test_a_tag_that_comes_with_another_is_completed(rng):
    X = rng.normal(size=(60, 3))
    tag = rng.random(60) < 0.5
    Y = np.column_stack([tag, tag, ~tag]).astype(float)
    missing = np.flatnonzero(tag)[:10]
    Y[missing, 1] = 0
    B = enrich(X, Y, alpha=1.0, alpha_enrichment=10.0, blankout=0.3)[1].x
    completed = Y @ B[:, :-1].T + B[:, -1]
    assert completed[missing, 1].min() > 2 * completed[~tag, 1].max()


def test_irrelevant_unknown_and_not_assigned_are_the_same(rng):
    X, Y, _ = half_labelled(rng)
    Y[0, 0] = np.nan
    method = FastTag(0.3, alpha_enrichment=1.0, n_folds=3)  # a choice of weights is scored on other entries
    fits = [clone(method).fit(X, labels) for labels in (Y, PartialLabels.from_positives(Y))]
    np.testing.assert_array_equal(fits[0].label_scores_, fits[1].label_scores_)
    assert (fits[1].transduction_[Y == 1] == 1).all()
    assert (fits[1].transduction_[Y == 0] == 1).any()


def test_every_combination_is_tried(rng):
    X, Y, _ = half_labelled(rng)
    model = FastTag((0.1, 100.0), blankout=(0.2, 0.6), n_folds=2).fit(X, Y)
    results = model.cv_results_
    assert len(results["pu_f1"]) == 8
    best = int(np.argmax(results["pu_f1"]))
    assert model.setting_ == {name: values[best] for name, values in results.items() if name != "pu_f1"}


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"alpha": -1.0}, "alpha must be positive, one number or several to choose from, not -1.0"),
        ({"alpha_enrichment": (1.0, 0.0)}, "alpha_enrichment must be positive"),
        ({"blankout": 0.0}, "blankout must be above 0 and below 1, not 0.0: at 0 every tag is rebuilt from itself"),
        ({"blankout": 1}, "blankout must be above 0 and below 1"),
    ],
)
def test_settings_out_of_range_raise(settings, sentence, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=sentence):
        FastTag(**settings).fit(X, Y)


def test_yeast_with_missing_positives(public_data):
    data, rng = load_benchmark("yeast", public_data), np.random.default_rng(0)
    rows = rng.permutation(len(data.Y))[:900]
    train, test = rows[:500], rows[500:]
    model = FastTag(1.0, n_folds=3).fit(data.X[train], hide_positives(data.Y[train], 0.3, rng))
    always = np.tile(model.label_probabilities_.mean(axis=0) >= 0.3, (len(test), 1))
    assert micro_f1(data.Y[test], model.predict(data.X[test])) > micro_f1(data.Y[test], always)
    assert macro_auc(data.Y[test], model.decision_function(data.X[test])) > 0.6
