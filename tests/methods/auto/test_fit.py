"""The frozen fit: the order of labels changes no bit, and a decision about labels can be put into another order."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from tests.conftest import half_labelled

from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.auto import fit as module
from halflabel.methods.auto.beta_calibration import calibrate
from halflabel.methods.auto.fit import fit_auto
from halflabel.methods.decision import decide

pytestmark = pytest.mark.usefixtures("small_forests")


@pytest.mark.parametrize("evidence", ["features", "other labels", "prior", "positive-only"])
def test_the_order_of_labels_changes_no_bit(rng, evidence):
    X, Y, truth = half_labelled(rng, 90, 5, entries=evidence != "features")
    prior = np.clip(truth * 0.5 + rng.random(truth.shape) * 0.5, 0.01, 0.99)
    moved = rng.permutation(5)

    def fit(columns):
        labels = Y[:, columns]
        known = PartialLabels.from_positives(labels) if evidence == "positive-only" else labels
        auxiliary = {"prior": prior[:, columns]} if evidence == "prior" else {}
        rate = 0.8 if evidence == "positive-only" else None
        return AutoLabeler("fast", n_folds=3, observed_rate=rate).fit(X, known, **auxiliary)

    one, other = fit(np.arange(5)), fit(moved)
    for name in ("label_probabilities_", "label_scores_", "out_of_fold_scores_", "transduction_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(one, name)[:, moved], err_msg=name)
    np.testing.assert_array_equal(other.thresholds_, one.thresholds_[moved])
    np.testing.assert_array_equal(other.predict_proba(X), one.predict_proba(X)[:, moved])
    assert other.members_ == one.members_
    for name, part in one.contributions_.items():
        np.testing.assert_array_equal(other.contributions_[name], part[:, moved])


def test_the_fit_is_frozen_and_in_canonical_order(rng, monkeypatch):
    X, Y, _ = half_labelled(rng, 60, 3)
    fits = []
    monkeypatch.setattr("halflabel.methods.auto.estimator.fit_auto", lambda *a: fits.append(fit_auto(*a)) or fits[-1])
    model = AutoLabeler("fast", n_folds=3).fit(X, Y)
    fitted, place = fits[0], model._label_place
    with pytest.raises(FrozenInstanceError):
        fitted.decision = None
    back = np.take(fitted.decision.probabilities, place, axis=1)[np.argsort(model._item_order)]
    np.testing.assert_array_equal(back, model.label_probabilities_)
    assert module.fit_auto is fit_auto


def test_a_decision_in_another_order_of_labels_decides_the_same(rng):
    _, Y, _ = half_labelled(rng, 60, 4)
    labels, scores, folds = PartialLabels.from_table(Y), rng.normal(size=Y.shape), rng.integers(3, size=60)
    decision = decide(labels, scores, scores, Rule("micro_f1"), lambda z, known: calibrate(z, known, folds))
    order = np.array([2, 0, 3, 1])
    selected = decision.select(order)
    new = rng.normal(size=(9, 4))
    np.testing.assert_allclose(selected.calibration(new), decision.calibration(new[:, np.argsort(order)])[:, order])
    np.testing.assert_array_equal(selected.probabilities, decision.probabilities[:, order])
    np.testing.assert_array_equal(selected.thresholds, decision.thresholds[order])
