"""SSDR-MC: the anchored solve against a dense oracle, and its behaviour at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import half_labelled, in_canonical_order
from tests.methods.parameters import check_parameters
from tests.oracles.propagation import anchored, equation_5, equation_7

from halflabel import SSDRMC, PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel.numerics.kernels import kernel_ridge


@pytest.mark.parametrize("entries", [False, True])
def test_scores_are_the_minimiser(entries, rng):
    X, Y = in_canonical_order(*half_labelled(rng, entries=entries)[:2])
    model = SSDRMC(n_neighbors=5, fit_weight=0.7, anchor_weight=0.2, solver_tol=1e-12).fit(X, Y)
    observed = ~np.isnan(Y)
    weight = np.where(observed, 0.7, 0.2)
    target = np.where(observed, Y, model.prior_.predict(model.items_))
    expected = anchored(model.weights_.toarray(), target, weight)
    np.testing.assert_allclose(model.label_scores_, expected, atol=1e-8)
    assert model.solution_.residual < 1e-11


@pytest.mark.parametrize("entries", [False, True])
def test_out_of_fold_scores_are_held_at_the_anchor_without_the_fold(entries, rng):
    X, Y = in_canonical_order(*half_labelled(rng, entries=entries)[:2])
    model = SSDRMC(n_neighbors=5, n_folds=3, solver_tol=1e-12, random_state=7).fit(X, Y)
    labels, observed = PartialLabels.from_table(Y), ~np.isnan(Y)
    folds, rows = folds_of_labelled(labels, 3, np.random.default_rng(7)), np.flatnonzero(observed.any(axis=1))
    items = model.items_[rows]
    family = kernel_ridge(items, np.nan_to_num(Y)[rows], observed[rows], folds[rows], model.prior_.features)
    for fold in range(3):
        held_out = (folds == fold)[:, None] & observed
        known = observed & (folds != fold)[:, None]
        target = np.where(known, Y, family[1 + fold].predict(model.items_))
        scores = anchored(model.weights_.toarray(), target, np.where(known, 1.0, 0.3))  # the default weights
        np.testing.assert_allclose(model.out_of_fold_scores_[held_out], scores[held_out], atol=1e-8)


def test_a_fold_can_be_a_single_item(rng):
    X, Y, _ = half_labelled(rng, n=16)
    labelled = int((~np.isnan(Y)).any(axis=1).sum())
    model = SSDRMC(n_neighbors=4, n_folds=labelled).fit(X, Y)
    np.testing.assert_array_equal(np.isnan(model.out_of_fold_scores_), np.isnan(Y))


@pytest.mark.parametrize("inference", ["anchored", "published"])
def test_the_second_weights_are_those_of_the_scores_fed_back(inference, rng):
    X, Y = in_canonical_order(*half_labelled(rng)[:2])
    settings = {"n_neighbors": 5, "alpha": 0.7, "rule": Rule("micro_f1", threshold=0.4), "n_folds": 2}
    model, printed = SSDRMC(**settings, inference=inference), inference == "published"
    first, second = model.fit(X, Y), clone(model).set_params(max_alternations=2).fit(X, Y)
    rounded = first.label_scores_ >= 0.4
    F = np.where(np.isnan(Y), rounded if printed else np.clip(first.label_scores_, 0, 1), Y)
    options = {"scores": F.astype(float), "alpha": 0.7, "raw_units": printed}
    W = reconstruction_weights(first.items_, first.neighbors_, 1.0, **options)
    np.testing.assert_allclose(second.weights_.toarray(), W.toarray(), atol=1e-9)


@pytest.mark.parametrize(("inference", "weight"), [("anchored", 1.0), ("minimizer", np.inf), ("fixed_point", np.inf)])
def test_the_weight_of_an_observed_entry_if_none_is_given(inference, weight, rng):
    X, Y, _ = half_labelled(rng)
    plain = SSDRMC(n_neighbors=5, n_folds=2, inference=inference).fit(X, Y)
    given = clone(plain).set_params(fit_weight=weight).fit(X, Y)
    np.testing.assert_array_equal(given.label_scores_, plain.label_scores_)


def test_half_the_landmarks_serve_labels_with_gaps(rng):
    """Each pattern of gaps costs a decomposition of its own."""
    X, Y, complete = half_labelled(rng, n=30, entries=True)
    for labels, n_landmarks in ((Y, 4), (complete, 9)):
        model = SSDRMC(n_neighbors=4, n_folds=2, max_landmarks=9).fit(X, labels)
        assert len(model.prior_.features.landmarks) == n_landmarks


def test_an_out_of_fold_score_does_not_depend_on_its_label(rng):
    """If one observed label is turned over, the out-of-fold probability of that entry hardly changes."""
    X, Y, _ = half_labelled(rng, n=80)
    item = int(np.flatnonzero(~np.isnan(Y[:, 0]))[5])
    turned = Y.copy()
    turned[item, 0] = 1 - turned[item, 0]
    fits = [SSDRMC(n_neighbors=5, random_state=3).fit(X, y) for y in (Y, turned)]
    scores = [fit.label_scores_[item, 0] for fit in fits]
    probabilities = [fit.label_probabilities_[item, 0] for fit in fits]
    assert abs(scores[0] - scores[1]) > 0.3
    assert abs(probabilities[0] - probabilities[1]) < 0.3


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
    model = SSDRMC(n_neighbors=5, rule=Rule("fixed", threshold=0.3)).fit(X, Y)
    hidden = np.isnan(Y)
    np.testing.assert_array_equal(model.transduction_[hidden], (model.label_scores_ >= 0.3)[hidden])


def test_an_unfinished_solve_warns_once(rng):
    X, Y, _ = half_labelled(rng)
    with pytest.warns(ConvergenceWarning, match=r"SSDRMC: The solver stopped at its iteration limit.*\(residual"):
        SSDRMC(n_neighbors=5, max_iter=1).fit(X, Y)


def test_new_items_minimise_their_own_row(rng):
    X, Y = in_canonical_order(*half_labelled(rng)[:2])
    model = SSDRMC(n_neighbors=7, anchor_weight=0.4).fit(X, Y)  # more neighbours than features
    new = rng.normal(size=(3, 5))
    items = model.scaler_(new)
    w = reconstruction_weights(model.items_, neighbors(model.items_, 7, query=items)[0], 1.0, query=items)
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


def test_unknown_settings_raise(rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=r"unknown threshold rule 'best'.*'micro_f1'"):
        SSDRMC(rule="best").fit(X, Y)
    with pytest.raises(ValueError, match="scale must be 'auto', 'standard' or None, not 'minmax'"):
        SSDRMC(scale="minmax").fit(X, Y)


class TestInferenceByName:
    @pytest.mark.parametrize("inference", ["minimizer", "fixed_point"])
    def test_without_an_anchor_an_unreached_component_has_no_score(self, rng, inference):
        X = np.vstack([rng.normal(size=(20, 2)), 100 + rng.normal(size=(20, 2))])
        y = np.full(40, np.nan)
        y[:10] = np.arange(10) % 2
        model = SSDRMC(n_neighbors=4, scale=None, inference=inference).fit(X, y)
        assert np.isfinite(model.label_scores_[:20]).all()
        assert np.isnan(model.label_scores_[20:]).all()
        assert np.ptp(model.label_probabilities_[20:]) == 0
        assert np.isfinite(model.predict_proba(X)).all()

    @pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
    @pytest.mark.parametrize("inference", ["minimizer", "fixed_point"])
    def test_it_solves_the_named_equation(self, rng, inference, entries):
        X, Y, _ = half_labelled(rng, entries=entries)
        model = SSDRMC(n_neighbors=6, inference=inference, solver_tol=1e-12, max_iter=2000).fit(X, Y)
        oracle = {"minimizer": equation_5, "fixed_point": equation_7}[inference]
        expected = oracle(model.weights_.toarray(), np.nan_to_num(Y), ~np.isnan(Y))
        np.testing.assert_allclose(model.label_scores_, expected, atol=1e-6)

    def test_as_published_has_every_setting_of_the_paper(self):
        paper = {
            "n_neighbors": 15, "inference": "published", "ridge": 1e-3, "alpha": 0.1, "fit_weight": np.inf,
            "max_alternations": 10, "scale": None, "rule": Rule("fixed", threshold=0.3),
        }  # fmt: skip
        assert SSDRMC.as_published().get_params() == SSDRMC().get_params() | paper

    def test_as_published_runs_and_reports_how_it_ended(self, rng):
        X, Y, _ = half_labelled(rng, n=120)
        model = SSDRMC.as_published().fit(X, Y)
        assert model.stopped_ in ("stable", "cycle", "cap")
        assert 1 <= model.n_alternations_ <= 10
        np.testing.assert_array_equal(model.label_scores_[~np.isnan(Y)], Y[~np.isnan(Y)])


class TestEmbedding:
    def test_without_n_components_there_is_no_transform(self, rng):
        X, Y, _ = half_labelled(rng)
        assert not hasattr(SSDRMC().fit(X, Y), "transform")

    def test_new_items_land_where_they_are_rebuilt(self, rng):
        X, Y, _ = half_labelled(rng, n=100)
        model = SSDRMC(n_components=2).fit(X, Y)
        drawn = model.embedding_.coordinates
        assert drawn.shape == (100, 2)
        assert model.get_feature_names_out().tolist() == ["ssdrmc0", "ssdrmc1"]
        again = model.transform(X)  # each row is now its own nearest neighbour
        assert np.corrcoef(again[:, 0], drawn[:, 0])[0, 1] > 0.95
        np.testing.assert_array_equal(clone(model).fit_transform(X, Y), drawn)
        for method in (model.transform, model.predict):
            with pytest.raises(ValueError, match="X has 4 features, but SSDRMC is expecting 5"):
                method(X[:, :4])
        assert len(model.transform(X[:1])) == 1

    def test_labels_shape_it_when_weights_alternate(self, rng):
        X = rng.normal(size=(150, 8))
        y = (X[:, 0] > 0).astype(float)
        y[rng.random(150) < 0.5] = np.nan
        plain, shaped = (SSDRMC(n_components=1, alpha=a, max_alternations=2).fit(X, y) for a in (0.0, 0.9))
        correlation = [abs(np.corrcoef(m.embedding_.coordinates[:, 0], X[:, 0])[0, 1]) for m in (plain, shaped)]
        assert correlation[1] > correlation[0]


def test_parameters_are_those_of_the_docstring():
    check_parameters(SSDRMC(), n_neighbors=1, max_alternations=1, max_landmarks=2, n_folds=2)
