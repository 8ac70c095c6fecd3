"""SSDR-MC to the letter: every literal setting on its own, and the published ones as halflabel's own class has them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from tests.conftest import half_labelled, in_canonical_order
from tests.methods.ssdrmc.test_alternation import run
from tests.oracles.propagation import equation_12

import halflabel
from halflabel.labels.rules import Rule
from halflabel.numerics.graph.weights import reconstruction_weights
from halflabel_papers.published import SSDRMC
from halflabel_papers.published.ssdrmc import ConfidentAlternator, measure_alpha

FITTED = ("label_scores_", "out_of_fold_scores_", "label_probabilities_", "transduction_", "thresholds_")


@pytest.fixture
def data(rng):
    """Forty items with three labels, a third of them labelled."""
    X = 5 * rng.normal(size=(40, 4))
    Y = (X[:, :3] + rng.normal(size=(40, 3)) > 0).astype(float)
    Y[rng.random(40) > 0.4] = np.nan
    return X, Y


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("changes", [{}, {"alpha": 0.7, "rule": Rule("fixed", threshold=0.4), "n_neighbors": 6}])
def test_the_published_settings_give_the_bits_of_halflabels_own_class(changes, data):
    X, Y = data
    own, literal = (kind.as_published().set_params(**changes).fit(X, Y) for kind in (halflabel.SSDRMC, SSDRMC))
    for name in FITTED:
        assert getattr(literal, name).tobytes() == getattr(own, name).tobytes(), name
    assert (literal.n_alternations_, literal.stopped_) == (own.n_alternations_, own.stopped_)
    assert (
        measure_alpha(literal)
        == measure_alpha(own)
        != own.alpha
        == measure_alpha(own.set_params(inference="minimizer"))
    )
    assert literal.predict_proba(X + 0.1).tobytes() == own.predict_proba(X + 0.1).tobytes()


@pytest.mark.parametrize("inference", ["anchored", "minimizer", "fixed_point"])
def test_without_literal_settings_it_is_halflabels_own_class(inference, data):
    X, Y = data
    settings = {"inference": inference, "max_alternations": 3, "alpha": 0.5, "n_folds": 2}
    own, literal = (kind(**settings).fit(X, Y) for kind in (halflabel.SSDRMC, SSDRMC))
    assert all(getattr(literal, name).tobytes() == getattr(own, name).tobytes() for name in FITTED)


def test_the_published_settings_are_to_the_letter():
    paper = {
        "n_neighbors": 15, "inference": "fixed_point", "ridge": 1e-3, "alpha": 0.1, "label_units": "raw",
        "fit_weight": np.inf, "max_alternations": 10, "feedback": "rounded", "max_changes": 5, "scale": None,
        "rule": Rule("fixed", threshold=0.3),
    }  # fmt: skip
    assert SSDRMC.as_published().get_params() == SSDRMC().get_params() | paper


@pytest.mark.parametrize("units", ["raw", "normalised"])
@pytest.mark.parametrize("feedback", ["soft", "rounded"])
def test_the_second_weights_are_those_of_the_scores_fed_back(units, feedback, rng):
    X, Y = in_canonical_order(*half_labelled(rng)[:2])
    settings = {"n_neighbors": 5, "alpha": 0.7, "rule": Rule("micro_f1", threshold=0.4), "n_folds": 2}
    model = SSDRMC(**settings, label_units=units, feedback=feedback)
    first, second = model.fit(X, Y), clone(model).set_params(max_alternations=2).fit(X, Y)
    rounded = first.label_scores_ >= 0.4
    F = np.where(np.isnan(Y), rounded if feedback == "rounded" else np.clip(first.label_scores_, 0, 1), Y)
    options = {"scores": F.astype(float), "alpha": 0.7, "raw_units": units == "raw"}
    W = reconstruction_weights(first.items_, first.neighbors_, 1.0, **options)
    np.testing.assert_allclose(second.weights_.toarray(), W.toarray(), atol=1e-9)


def test_new_items_are_rebuilt_without_negative_weights(data):
    X, Y = data
    kept, dropped = (SSDRMC(n_neighbors=6, drop_negative=d, n_folds=2).fit(X, Y) for d in (False, True))
    assert kept.weights_.data.min() < 0 <= dropped.weights_.data.min()
    assert dropped._weights_of_new(dropped.items_[:5] + 0.5).data.min() >= 0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_t_is_a_number_of_entries(data):
    X, Y = data
    strict = SSDRMC.as_published().set_params(n_neighbors=6, n_folds=2, max_changes=0).fit(X, Y)
    loose = SSDRMC.as_published().set_params(n_neighbors=6, n_folds=2, max_changes=Y.size).fit(X, Y)
    assert loose.n_alternations_ == 2
    assert loose.stopped_ == "stable"
    assert strict.n_alternations_ >= loose.n_alternations_


@pytest.mark.parametrize("beta", [0.1, 1.0, 10.0])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_equation_12_as_printed(data, beta):
    X, Y = data
    settings = {"n_neighbors": 6, "ridge": 0.01, "scale": None, "n_folds": 2, "solver_tol": 1e-9}
    model = SSDRMC(inference="fixed_point", fit_weight=beta, unknown_as_zero=True, **settings).fit(X, Y)
    W = model.weights_.toarray()
    np.testing.assert_allclose(model.label_scores_, equation_12(W, Y, beta), atol=1e-7)
    minimum = SSDRMC(inference="minimizer", fit_weight=beta, unknown_as_zero=True, max_iter=3000, **settings).fit(X, Y)
    A = np.eye(len(W)) - W
    expected = np.linalg.solve(A.T @ A + beta * np.eye(len(W)), beta * np.nan_to_num(Y))  # of eq. (10)
    np.testing.assert_allclose(minimum.label_scores_, expected, atol=1e-6)
    assert np.abs(model.label_scores_ - minimum.label_scores_).max() > 1e-3  # eq. (12) does not minimise eq. (10)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_with_an_infinite_weight_equation_12_as_printed_gives_y(data):
    X, Y = data
    settings = {"n_neighbors": 6, "n_folds": 2, "unknown_as_zero": True}
    model = SSDRMC(inference="fixed_point", fit_weight=1e8, **settings).fit(X, Y)
    np.testing.assert_allclose(model.label_scores_, np.nan_to_num(Y), atol=1e-6)
    with pytest.raises(ValueError, match="with a finite fit_weight"):
        SSDRMC(inference="fixed_point", **settings).fit(X, Y)
    with pytest.raises(ValueError, match="unknown_as_zero is for"):
        SSDRMC(unknown_as_zero=True).fit(X, Y)


def test_the_weak_prior_loop_keeps_given_entries(rng):
    X, Y, complete = half_labelled(rng, n=120)
    model = SSDRMC(inference="minimizer", fit_weight=1.0, confidence=0.9, max_alternations=5).fit(X, Y)
    known = ~np.isnan(Y)
    np.testing.assert_array_equal(model.transduction_[known], Y[known])
    assert (model.transduction_ == complete)[~known].mean() > 0.8


@pytest.mark.parametrize("settings", [{"inference": "anchored", "fit_weight": 1.0}, {"fit_weight": np.inf}, {}])
def test_unknown_entries_at_zero_need_a_finite_weight_and_no_anchor(settings, rng):
    X, Y, _ = half_labelled(rng)
    settings = {"inference": "minimizer", "n_neighbors": 5, "n_folds": 2, "unknown_as_zero": True} | settings
    with pytest.raises(ValueError, match=r"unknown_as_zero is for .* with a finite fit_weight"):
        SSDRMC(**settings).fit(X, Y)
    finite = settings | {"inference": "minimizer", "fit_weight": 0.5}
    assert np.isfinite(SSDRMC(**finite, max_changes=0).fit(X, Y).label_scores_).all()


def test_invalid_names_and_numbers_raise(data):
    with pytest.raises(ValueError, match="feedback must be one of 'soft', 'rounded'"):
        SSDRMC(feedback="hard").fit(*data)
    with pytest.raises(ValueError, match="max_changes must be a whole number of at least 0, not -1"):
        SSDRMC(max_changes=-1).fit(*data)
    with pytest.raises(ValueError, match="label_units must be one of 'normalised', 'raw', not 'plain'"):
        SSDRMC(label_units="plain").fit(*data)
    with pytest.raises(ValueError, match=r"inference must be one of .*, not 'published'"):
        SSDRMC(inference="published").fit(*data)


def test_confident_scores_join_the_observed_ones_but_are_no_evidence():
    first, second = [[0], [0.95], [0.6], [0.02]], [[0], [0.2], [0.3], [0.9]]
    end, fed_back, _ = run([first, second, second], ConfidentAlternator, confidence=0.9, rounded=False)
    assert fed_back[1].ravel().tolist() == [1, 1, 0.3, 0]
    np.testing.assert_array_equal(end.scores.ravel(), [0, 0.2, 0.3, np.nan])
