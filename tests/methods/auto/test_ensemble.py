"""The ensemble: its members, their weights, and what effort decides."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit
from tests.conftest import half_labelled
from tests.methods.auto.conftest import make_task
from tests.public_sets import load_benchmark

from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.labels.metrics import brier, micro_f1
from halflabel.methods.auto.effort import DEFAULT_MEMBERS, EFFORTS
from halflabel.methods.auto.ensemble import MEMBERS, fit_ensemble
from halflabel.methods.auto.folds import MORE_FOLDS
from halflabel.methods.auto.member_weights import learn_weights

pytestmark = pytest.mark.usefixtures("small_forests")


def test_the_ensemble_is_the_weighted_sum_of_calibrated_log_odds(rng):
    X, Y, _ = half_labelled(rng)
    task = make_task(X, Y, EFFORTS["fast"], seed=1, n_folds=3)
    ensemble = fit_ensemble(task, ("kernel", "trees"))
    fits = [MEMBERS[name](task) for name in ("kernel", "trees")]
    calibrations = [fit_platt(fit.out_of_fold, task.labels[task.folds.rows], 10.0) for fit in fits]
    held_out = np.array([logit(c(fit.out_of_fold)) for c, fit in zip(calibrations, fits, strict=True)])
    weights = learn_weights(held_out.reshape(2, -1), task.folds.Y.ravel(), len(task.folds.rows))
    assert ensemble.weights == pytest.approx({"kernel": weights[0], "trees": weights[1]})
    np.testing.assert_allclose(ensemble.out_of_fold, np.tensordot(weights, held_out, 1))
    scores = np.array([logit(c(fit.scores)) for c, fit in zip(calibrations, fits, strict=True)])
    np.testing.assert_allclose(ensemble.log_odds, np.tensordot(weights, scores, 1))


def test_a_member_is_the_same_in_any_ensemble(rng):
    X, Y, _ = half_labelled(rng)
    alone, both = (
        fit_ensemble(make_task(X, Y, EFFORTS["fast"], seed=1), names)
        for names in (("boosting",), ("harmonic", "boosting"))
    )
    assert alone.brier["boosting"] == both.brier["boosting"]


@pytest.mark.parametrize("member", MEMBERS)
def test_each_member_can_be_used_alone(rng, member):
    X, Y, complete = half_labelled(rng, 120)
    model = AutoLabeler("fast", members=(member,), n_folds=3).fit(X, Y)
    hidden = PartialLabels.from_observed(complete, np.isnan(Y))
    assert brier(hidden, model.label_probabilities_) < 0.15
    assert model.members_["ensemble"] < model.members_["label rate"]


@pytest.mark.parametrize("members", [("kernel",), ("trees",), ("kernel", "trees")])
def test_an_ensemble_in_which_no_member_has_a_weight_scores_new_items(rng, monkeypatch, members):
    monkeypatch.setattr("halflabel.methods.auto.ensemble.learn_weights", lambda z, *_: np.zeros(len(z)))
    X, Y = rng.normal(size=(12, 2)), np.tile([[1.0, 0.0], [0.0, 1.0]], (6, 1))
    model = AutoLabeler("fast", members=members).fit(X, Y)
    p = model.predict_proba(np.vstack([X, X]))
    assert set(model.member_weights_.values()) == {0.0}
    np.testing.assert_allclose(p, np.broadcast_to(p[0], (24, 2)))


def test_features_without_information_cost_little(rng):
    X, Y = rng.normal(size=(200, 4)), (rng.random((200, 3)) < [0.1, 0.3, 0.5]).astype(float)
    given = Y.copy()
    given[60:] = np.nan
    p = AutoLabeler("fast", members=DEFAULT_MEMBERS).fit(X, given).label_probabilities_[60:]
    rates = Y[:60].mean(axis=0)
    assert ((p - Y[60:]) ** 2).mean() < 1.05 * ((rates - Y[60:]) ** 2).mean()


def test_new_items_are_scored_as_well_as_unlabelled_ones(rng):
    X, Y, complete = half_labelled(rng, 240)
    new = slice(180, 240)
    model = AutoLabeler("fast", members=DEFAULT_MEMBERS).fit(X[:180], Y[:180])
    hidden = PartialLabels.from_observed(complete[:180], np.isnan(Y[:180]))
    inside = brier(hidden, model.label_probabilities_)
    outside = brier(PartialLabels.from_table(complete[new]), model.predict_proba(X[new]))
    assert outside < inside + 0.04


def test_effort_decides_the_work(rng):
    X, Y, _ = half_labelled(rng)
    assert set(AutoLabeler("fast").fit(X, Y).member_weights_) == {"kernel", "trees"}
    assert set(AutoLabeler().fit(X, Y).member_weights_) == set(DEFAULT_MEMBERS)
    fast, default = AutoLabeler("fast", members=("trees",)), AutoLabeler(members=("boosting",))
    models = [model.fit(X, Y).ensemble_.members[0].model for model in (fast, default)]
    count = [sum(len(part.roots) for part in model.parts) for model in models]
    assert count == [EFFORTS["fast"].n_trees, MORE_FOLDS * EFFORTS["default"].n_rounds]


def test_on_real_music_it_beats_its_parts(public_data):
    data = load_benchmark("emotions", public_data)
    order = np.random.default_rng(0).permutation(len(data.Y))
    mask = np.zeros(data.Y.shape, bool)
    mask[order[120:]] = True
    known, hidden = data.Y.hide(mask), data.Y.hide(~mask)
    model = AutoLabeler().fit(data.X, known)
    alone = AutoLabeler(members=("kernel",)).fit(data.X, known)
    assert brier(hidden, model.label_probabilities_) < brier(hidden, alone.label_probabilities_)
    assert micro_f1(hidden, model.transduction_) > micro_f1(hidden, alone.transduction_)
