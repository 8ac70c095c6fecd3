"""SSDR-MC: the anchored solve against a dense oracle, and its behaviour at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import half_labelled
from tests.oracles.propagation import anchored

from halflabel import SSDRMC, PartialLabels
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.propagation import minimizer
from halflabel.numerics.graph.weights import reconstruction_weights


@pytest.mark.parametrize("entries", [False, True])
def test_scores_are_the_minimiser(entries, rng):
    X, Y, _ = half_labelled(rng, entries=entries)
    model = SSDRMC(n_neighbors=5, fit_weight=0.7, anchor_weight=0.2, solver_tol=1e-12).fit(X, Y)
    observed = ~np.isnan(Y)
    weight = np.where(observed, 0.7, 0.2)
    target = np.where(observed, Y, model.prior_.predict(model.items_))
    expected = anchored(model.weights_.toarray(), target, weight)
    np.testing.assert_allclose(model.label_scores_, expected, atol=1e-8)
    assert model.solution_.residual < 1e-11


def test_the_minimizer_solves_the_normal_equations(rng):
    X = rng.normal(size=(50, 3))
    W = reconstruction_weights(X, neighbors(X, 5)[0], 1e-3)
    T, D = rng.random((50, 2)), rng.uniform(0.1, 3, (50, 2))
    np.testing.assert_allclose(minimizer(W, T, D, tol=1e-13, max_iter=500).x, anchored(W.toarray(), T, D), atol=1e-9)


def test_an_out_of_fold_opinion_never_saw_its_label(rng):
    """Turning one observed label over must leave the probability score of that very entry (nearly) alone."""
    X, Y, _ = half_labelled(rng, n=80)
    item = int(np.flatnonzero(~np.isnan(Y[:, 0]))[5])
    turned = Y.copy()
    turned[item, 0] = 1 - turned[item, 0]
    fits = [SSDRMC(n_neighbors=5, random_state=3).fit(X, y) for y in (Y, turned)]
    scores = [fit.label_scores_[item, 0] for fit in fits]
    opinions = [fit.label_probabilities_[item, 0] for fit in fits]
    assert abs(scores[0] - scores[1]) > 0.3
    assert abs(opinions[0] - opinions[1]) < 0.3


def test_a_component_without_labels_is_filled_by_the_features(rng):
    X = np.vstack([rng.normal(size=(20, 2)), 100 + rng.normal(size=(20, 2))])
    y = np.full(40, np.nan)
    y[:10] = np.arange(10) % 2
    model = SSDRMC(n_neighbors=4, scale=None).fit(X, y)
    assert np.isfinite(model.label_scores_).all()
    assert model.solution_.residual < 1e-4


def test_duplicated_items_agree(rng):
    X, Y, _ = half_labelled(rng, n=40)
    model = SSDRMC(n_neighbors=5).fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0))
    np.testing.assert_allclose(model.label_scores_[::2], model.label_scores_[1::2], atol=0.2)


def test_the_fixed_rule_cuts_scores_in_the_papers_unit(rng):
    X, Y, _ = half_labelled(rng)
    model = SSDRMC(n_neighbors=5, decision="fixed", threshold=0.3).fit(X, Y)
    hidden = np.isnan(Y)
    np.testing.assert_array_equal(model.transduction_[hidden], (model.label_scores_ >= 0.3)[hidden])


def test_positive_only_labels_are_refused(rng):
    labels = PartialLabels.from_positives(rng.integers(0, 2, (20, 3)).astype(float))
    with pytest.raises(ValueError, match=r"SSDRMC needs irrelevant entries.*absent='unknown'"):
        SSDRMC().fit(rng.normal(size=(20, 2)), labels)


def test_an_unfinished_solve_warns_once(rng):
    X, Y, _ = half_labelled(rng)
    with pytest.warns(ConvergenceWarning, match=r"SSDRMC: The solver stopped at its iteration limit.*\(residual"):
        SSDRMC(n_neighbors=5, max_iter=1).fit(X, Y)


def test_new_items_minimise_their_own_row(rng):
    X, Y, _ = half_labelled(rng)
    model = SSDRMC(n_neighbors=5, anchor_weight=0.4).fit(X, Y)
    new = rng.normal(size=(3, 5))
    items = model.scaler_(new)
    w = reconstruction_weights(model.items_, neighbors(model.items_, 5, query=items)[0], 1.0, query=items)
    f, f0 = model.decision_function(new), model.prior_.predict(items)
    gradient = (f - w @ model.label_scores_) + 0.4 * (f - f0)
    np.testing.assert_allclose(gradient, 0, atol=1e-12)


def test_predictions_for_fitted_items_agree_with_the_transduction(rng):
    X, Y, complete = half_labelled(rng, n=200)
    model = SSDRMC().fit(X, Y)
    unlabelled = np.isnan(Y).all(axis=1)
    agreement = (model.predict(X)[unlabelled] == model.transduction_[unlabelled]).mean()
    assert agreement > 0.93
    assert (model.transduction_ == complete)[unlabelled].mean() > 0.85


def test_sparse_items_stay_sparse(rng):
    X, Y, _ = half_labelled(rng)
    model = SSDRMC(n_neighbors=5).fit(sparse.csr_array(X), Y)
    assert sparse.issparse(model.items_)
    np.testing.assert_array_equal(model.scaler_.scale, 1.0)


def test_unknown_settings_are_refused(rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=r"unknown threshold rule 'best'.*'micro_f1'"):
        SSDRMC(decision="best").fit(X, Y)
    with pytest.raises(ValueError, match="scale must be 'auto', 'standard' or None, not 'minmax'"):
        SSDRMC(scale="minmax").fit(X, Y)
