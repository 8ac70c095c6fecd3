"""A table of probabilities from another source, combined with the ensemble."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from scipy.special import expit, logit
from tests.conftest import half_labelled
from tests.methods.parameters import check_parameters

from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.calibration import cross_calibrate, fit_platt
from halflabel.labels.metrics import brier
from halflabel.methods.auto import CalibratedPrior
from halflabel.methods.auto.prior import CLIP, RIDGE, add_prior, read_prior

pytestmark = pytest.mark.usefixtures("small_forests")


@pytest.fixture
def table(rng):
    """Labels of 200 items, half of them observed, with log odds and a prior that have noisy information about all."""
    Y = (rng.random((200, 3)) < 0.4).astype(float)
    labels = PartialLabels.from_observed(Y, np.repeat(rng.random((200, 1)) < 0.5, 3, axis=1))
    log_odds, prior = (2 * (Y - 0.5) + rng.normal(size=Y.shape) for _ in range(2))
    return labels, Y, log_odds, expit(prior), np.where(labels.unlabelled, -1, np.arange(200) % 5)


@pytest.mark.parametrize("n_items", [200, 20])
def test_the_weights_minimise_the_stated_objective(table, n_items):
    labels, _, log_odds, prior, folds = (part[:n_items] for part in table)
    added = add_prior(prior, log_odds, labels, folds)
    seen = labels.observed
    sources = np.stack([log_odds[seen], added.alone[seen], np.ones(seen.sum())])

    def objective(w):
        loss = np.log1p(np.exp(-labels.state[seen] * (w @ sources))).sum()
        return loss + RIDGE / 2 * ((w[0] - 0.5) ** 2 + (w[1] - 0.5) ** 2 + w[2] ** 2)

    slow = optimize.minimize(objective, [1.0, 1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9})
    np.testing.assert_allclose(added.weights, slow.x[:2], atol=1e-3)
    both = slow.x[0] * log_odds + slow.x[1] * added.alone + slow.x[2]
    np.testing.assert_allclose(added.log_odds, logit(fit_platt(both, labels)(both)), atol=1e-2)


def test_priors_of_observed_entries_are_calibrated_out_of_fold(table):
    labels, _, log_odds, prior, folds = table
    alone = add_prior(prior, log_odds, labels, folds).alone
    for fold in range(5):
        rest, own = folds != fold, folds == fold
        p = fit_platt(logit(prior[rest]), labels[rest], RIDGE)(logit(prior[own]))
        np.testing.assert_allclose(expit(alone[own]), p, atol=1e-9)
    unseen = fit_platt(logit(prior), labels, RIDGE)(logit(prior[folds < 0]))
    np.testing.assert_allclose(expit(alone[folds < 0]), unseen, atol=1e-9)


def test_one_calibration_for_all_where_nothing_is_held_out(table):
    labels, _, _, prior, _ = table
    p = cross_calibrate(logit(prior), labels, np.full(200, -1))
    np.testing.assert_array_equal(p, fit_platt(logit(prior), labels)(logit(prior)))


def test_noise_gets_little_weight_and_two_sources_are_better_than_one(table, rng):
    labels, Y, log_odds, prior, folds = table
    hidden = PartialLabels.from_observed(Y, ~labels.observed)
    noise = add_prior(rng.random(Y.shape), log_odds, labels, folds)
    alone, both = expit(log_odds), expit(add_prior(prior, log_odds, labels, folds).log_odds)
    assert noise.weights[0] > 4 * noise.weights[1]
    assert brier(hidden, expit(noise.log_odds)) < 1.03 * brier(hidden, alone)
    assert brier(hidden, both) < 0.85 * min(brier(hidden, alone), brier(hidden, prior))


def test_without_a_prior_an_entry_keeps_the_log_odds_of_the_ensemble(table, rng):
    labels, Y, log_odds, prior, folds = table
    missing = rng.random(Y.shape) < 0.3
    added = add_prior(np.where(missing, np.nan, prior), log_odds, labels, folds)
    np.testing.assert_array_equal(added.log_odds[missing], log_odds[missing])
    assert (added.log_odds[~missing] != log_odds[~missing]).all()
    assert np.isnan(added.alone[missing]).all()


def test_zero_and_one_are_probabilities_too(table):
    labels, Y, log_odds, _, folds = table
    added = add_prior(Y, log_odds, labels, folds)
    assert np.isfinite(added.log_odds).all()
    clipped = add_prior(np.clip(Y, CLIP, 1 - CLIP), log_odds, labels, folds)
    np.testing.assert_array_equal(added.log_odds, clipped.log_odds)


@pytest.mark.parametrize("single_gaps", [False, True], ids=["items", "entries"])
def test_the_estimator_uses_a_prior(rng, single_gaps):
    X, Y, complete = half_labelled(rng, 200)
    if single_gaps:
        Y = np.where(rng.random(Y.shape) < 0.2, np.nan, Y)
    hidden = PartialLabels.from_observed(complete, np.isnan(Y))
    prior = np.where(rng.random(Y.shape) < 0.1, 1 - complete, complete)
    X = rng.normal(size=X.shape)  # features without information: only the prior has any
    model = AutoLabeler("fast", n_folds=3).fit(X, Y, prior=prior)
    plain = AutoLabeler("fast", n_folds=3).fit(X, Y)
    assert brier(hidden, model.label_probabilities_) < 0.6 * brier(hidden, plain.label_probabilities_)
    assert model.members_["ensemble"] < model.members_["without prior"]
    assert model.members_["prior"] < model.members_["without prior"]
    assert plain.prior_weights_ is None
    assert model.prior_weights_[1] > model.prior_weights_[0]
    assert model.predict_proba(X[:5]).shape == (5, Y.shape[1])


def test_new_items_are_scored_without_a_prior(rng):
    X, Y, complete = half_labelled(rng, 200)
    model = AutoLabeler("fast", n_folds=3).fit(X, Y, prior=complete)
    plain = AutoLabeler("fast", n_folds=3).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), atol=0.05)
    new = rng.normal(size=(500, X.shape[1]))
    for rule in ("micro_f1", "cardinality"):  # thresholds for entries with a prior would hardly ever be reached
        models = [AutoLabeler("fast", n_folds=3, rule=rule).fit(X, Y, prior=p) for p in (complete, None)]
        assert models[0].predict(new).mean() == pytest.approx(models[1].predict(new).mean(), abs=0.05)
        assert (models[0].thresholds_ != models[0].new_item_decision_.thresholds).any()


def test_nothing_is_learned_about_a_prior_where_nothing_is_held_out(rng):
    X, Y, complete = half_labelled(rng, 200)
    prior = np.where(rng.random(Y.shape) < 0.3, 1 - complete, complete)
    model = AutoLabeler("fast").fit(X, Y, groups=np.zeros(200), prior=prior)
    assert model.prior_weights_ == (0.5, 0.5)
    assert np.isnan(model.members_["without prior"])
    assert np.abs(model.predict_proba(X) - 0.5).max() < 0.49


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda P: P[:, :1], r"the prior has shape \(60, 1\)"),
        (lambda P: P[:10], r"the prior has shape \(10,"),
        (lambda P: P * 100, "the prior must hold probabilities between 0 and 1"),
        (lambda P: pd.DataFrame(P, columns=["c", "b", "a"]), "bring them into the same order"),
    ],
)
def test_invalid_priors_raise(rng, change, sentence):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=sentence):
        AutoLabeler("fast").fit(X, Y, prior=change(np.full(Y.shape, 0.3)))


def test_one_column_of_values_is_the_prior_of_a_single_label():
    one = PartialLabels.from_table(np.array([[1.0], [0.0]]))
    assert read_prior([0.2, 0.7], one).tolist() == [[0.2], [0.7]]
    with pytest.raises(ValueError, match=r"the prior has shape \(2,\), the labels \(2, 2\)"):
        read_prior([0.2, 0.7], PartialLabels.from_table(np.eye(2)))


def test_parameters_are_those_of_the_docstring():
    check_parameters(CalibratedPrior())
