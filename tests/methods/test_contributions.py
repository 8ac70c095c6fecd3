"""The parts of a probability add up to it, and each part is what the method computes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from tests.conftest import half_labelled

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.baselines import BinaryRelevance
from halflabel.methods.contributions import CALIBRATION, CLIPPING, NOT_ASSIGNED, OTHER_LABELS, PRIOR, RATE, SCORE

pytestmark = pytest.mark.usefixtures("small_forests")


def positives(Y):
    return PartialLabels.from_positives(np.where(np.isnan(Y), np.nan, Y))


def make_cases():
    rng = np.random.default_rng(0)
    X, Y, truth = half_labelled(rng, 80)
    X_gaps, Y_gaps, _ = half_labelled(rng, 120, entries=True)
    prior = np.clip(0.2 + 0.6 * truth + rng.normal(scale=0.1, size=truth.shape), 0, 1)
    prior[::5] = np.nan
    lone = np.where(np.arange(80)[:, None] == 0, [1.0, 1.0, np.nan], np.nan)
    lone[1:30, 0] = 0.0
    pairs = np.repeat(np.arange(6.0), 2)[:, None]  # both values of a label at every place
    ensemble = AutoLabeler(members=("kernel", "harmonic", "boosting", "logistic"), n_folds=3)
    fast, three = AutoLabeler("fast", n_folds=3), AutoLabeler("fast", members=("kernel", "harmonic", "trees"))
    return {
        "ensemble": (ensemble, X, Y, {}),
        "gaps": (fast, X_gaps, Y_gaps, {}),
        "prior": (fast, X, Y, {"prior": prior}),
        "positive": (fast, X, positives(Y), {}),
        "frequency": (AutoLabeler("fast", n_folds=3, observed_rate=0.7), X, positives(Y), {}),
        "all assigned": (AutoLabeler("fast", n_folds=3, observed_rate=1.0), X, positives(Y), {}),
        "one value only": (fast, X, lone, {}),
        "no information": (three, pairs, np.tile([[1.0, 0.0], [0.0, 1.0]], (6, 1)), {}),
        "one label": (fast, X, Y[:, :1], {}),
        "SSDRMC": (hl.SSDRMC(n_neighbors=8), X, Y, {}),
        "BinaryRelevance": (BinaryRelevance(), X, Y, {}),
        "LowRankVVMR": (hl.LowRankVVMR(knee=0.5, observed_rate=0.8), X, positives(Y), {}),
    }


CASES = make_cases()


@pytest.fixture(scope="module", params=list(CASES))
def fitted(request):
    model, X, Y, auxiliary = CASES[request.param]
    labels = PartialLabels.from_table(Y)
    learned = mark_unassigned(labels) if labels.positive_only else labels
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("halflabel.methods.base.warn_of_rates", lambda *_: None)
        return model.fit(X, Y, **auxiliary), X, learned, labels


def test_the_parts_add_up_to_the_probability(fitted):
    model, _, learned, _ = fitted
    parts = model.decompose(np.arange(len(learned)), learned)
    p = model.label_probabilities_
    with np.errstate(divide="ignore"):
        expected = logit(p)
    total = sum(parts.values())
    np.testing.assert_allclose(total, expected, rtol=0, atol=1e-9)
    some = np.array([3, 0])
    for name, part in model.decompose(some, learned).items():
        np.testing.assert_array_equal(part, parts[name][some])


def test_without_the_calibration_the_parts_are_the_log_odds_of_the_method(fitted):
    """The sum does not hold by construction alone: all parts but the calibration are known from elsewhere."""
    model, _, learned, _ = fitted
    parts = model.decompose(np.arange(len(learned)), learned)
    scores = np.where(learned.observed, model.out_of_fold_scores_, model.label_scores_)
    if isinstance(model, AutoLabeler):
        members = [name for name in parts if name in model.member_weights_]
        assert members == list(model.evidence_of_members)
        weights = sum(model.member_weights_.values())
        base = sum(parts[name] for name in members) + weights * parts[RATE]
        if model.ensemble_calibration_ is not None:
            base = logit(model.ensemble_calibration_(base))
        before = base + parts.get(PRIOR, 0.0) + parts.get(OTHER_LABELS, 0.0)
        known = ~np.isnan(scores)
        np.testing.assert_allclose(before[known], scores[known], atol=1e-4)  # single precision
    else:
        calibrated = parts[RATE] + parts[SCORE] + parts[CALIBRATION]
        np.testing.assert_allclose(expit(calibrated + parts[CLIPPING]), model.calibration_(scores))


def test_a_label_with_one_value_has_its_rate_alone():
    model, X, Y, _ = CASES["one value only"]
    with pytest.warns(UserWarning, match="2 of 3 labels"):
        model.fit(X, Y)
    labels = PartialLabels.from_table(Y)
    parts = model.decompose(np.arange(len(X)), labels)
    for name, part in parts.items():
        assert (part[:, 1:] == 0).all() == (name != RATE), name


def test_what_was_not_assigned_lowers_log_odds_by_a_constant():
    model, X, Y, _ = CASES["frequency"]
    learned = mark_unassigned(Y)
    part = model.fit(X, Y).decompose(np.arange(len(X)), learned)[NOT_ASSIGNED]
    np.testing.assert_allclose(part, np.where(learned.state < 0, np.log(1 - 0.7), 0.0), atol=1e-9)


def test_a_probability_at_the_limit_has_a_part_for_it():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0], [1.0]], 100, axis=0) + rng.normal(scale=0.01, size=(200, 1))
    Y = (X > 0.5).astype(float)
    model = BinaryRelevance().fit(X, Y)
    model.calibration_ = type(model.calibration_)(0.0, 1e-3, np.array([1.0]), np.array([0.0]), np.array([0.5]))
    model.label_probabilities_ = model.calibration_(model.out_of_fold_scores_)
    parts = model.decompose(np.arange(200), PartialLabels.from_table(Y))
    at_limit = np.abs(logit(model.label_probabilities_)) > 13.8
    assert at_limit.any()
    assert (np.sign(parts[CLIPPING][at_limit]) == -np.sign(parts[SCORE][at_limit])).all()
    assert (parts[CLIPPING][~at_limit] == 0).all()
    np.testing.assert_allclose(sum(parts.values()), logit(model.label_probabilities_), atol=1e-9)


def test_where_no_member_has_a_weight_every_entry_has_the_rate():
    model, X, Y, _ = CASES["no information"]
    filled = hl.complete(X, np.where(np.arange(len(X))[:, None] < 10, Y, np.nan), method=model)
    assert not any(filled.model.member_weights_.values())
