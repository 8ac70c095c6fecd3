"""Contracts of the methods that learn from positive-only labels."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from tests.conftest import half_labelled

from halflabel import AutoLabeler, LowRankVVMR, PartialLabels
from halflabel.completion.model_file.archive import load_tree, save_tree
from halflabel.completion.model_file.saving import saved_classes
from halflabel.labels.calibration import thresholds
from halflabel.labels.masking import hide_positives
from halflabel.labels.metrics import ece, macro_auc
from halflabel.labels.positive_only import LearnsFromPositives
from halflabel.methods.auto import EFFORTS

pytestmark = pytest.mark.usefixtures("small_forests")

METHODS = [
    AutoLabeler("fast", n_folds=3),
    AutoLabeler("fast", members=EFFORTS["default"].members, n_folds=2),
    LowRankVVMR(alpha=1e-2, knee=0.1, width=0.7, n_folds=3),
]

each = pytest.mark.parametrize("method", METHODS, ids=lambda m: repr(m)[:32])

#: Share of the positives that the labels of :func:`hide_some` keep.
C = 0.7


def hide_some(rng, n=150):
    """Return features, positive-only labels of two items in three, and the truth."""
    X, _, complete = half_labelled(rng, n=n, n_labels=4)
    known = complete.copy()
    known[2 * n // 3 :] = np.nan
    return X, hide_positives(PartialLabels.from_table(known), 1 - C, rng), complete


@cache
def fit_once(method, observed_rate=None):
    """Fit once on the labels that :func:`hide_some` makes with the fixture `rng`; tests share the model."""
    X, labels, _ = hide_some(np.random.default_rng(0))
    return clone(method).set_params(observed_rate=observed_rate).fit(X, labels)


@each
def test_it_is_recognised(method):
    assert isinstance(method, LearnsFromPositives)


@each
def test_missing_positives_are_found(method, rng):
    _, labels, complete = hide_some(rng)
    model = fit_once(method, C)
    missing = labels.annotated[:, None] & ~labels.relevant
    judged = PartialLabels.from_observed(complete, missing)
    assert macro_auc(judged, model.label_probabilities_) > 0.8
    filled = np.asarray(model.transduction_)[missing] == 1
    assert complete[missing][filled].mean() > 2 * complete[missing].mean()
    assert filled[complete[missing] == 1].mean() > 0.5


@each
def test_probabilities_of_being_assigned_and_of_being_relevant(method, rng):
    X, labels, _ = hide_some(rng)
    model = fit_once(method, C)
    new, missing = ~labels.annotated, labels.annotated[:, None] & ~labels.relevant
    p, q = model.label_probabilities_, model.assigned_probabilities_
    np.testing.assert_array_equal(q, fit_once(method).label_probabilities_)
    assert q[new].mean() == pytest.approx(C * p[new].mean(), abs=0.03)
    scores = np.where(labels.annotated[:, None], model.out_of_fold_scores_, model.label_scores_)
    unseen = model.calibration_(scores)  # as if no item were annotated
    np.testing.assert_array_equal(p[~missing], unseen[~missing])
    np.testing.assert_allclose(p[missing], (unseen * (1 - C) / (1 - unseen * C))[missing])  # Bayes
    np.testing.assert_array_equal(model.thresholds_, thresholds(unseen, model.resolve_rule().name))
    assert (model.predict(X[new]) == (model.predict_proba(X[new]) >= model.thresholds_)).all()


@each
def test_the_order_does_not_depend_on_the_rate(method, rng):
    X, _, _ = hide_some(rng)
    plain = fit_once(method)
    order = np.argsort(plain.predict_proba(X), axis=0, kind="stable")
    for rate in (0.3, C, 1.0):
        known = fit_once(method, rate)
        np.testing.assert_array_equal(known.label_scores_, plain.label_scores_)
        assert (np.diff(np.take_along_axis(known.predict_proba(X), order, axis=0), axis=0) >= 0).all()
    np.testing.assert_array_equal(known.predict_proba(X), plain.predict_proba(X))  # all were assigned


@each
def test_another_assumption_is_the_fit_under_it(method, rng):
    X, labels, _ = hide_some(rng)
    for rate in (None, 0.3, 1.0):
        known, found = fit_once(method, rate), fit_once(method).assume(rate)
        np.testing.assert_array_equal(found.probabilities, known.label_probabilities_)
        np.testing.assert_array_equal(found.thresholds, known.thresholds_)
        np.testing.assert_array_equal(found.filled | labels.relevant, known.transduction_)
    assert not found.filled[labels.annotated].any()  # all were assigned: nothing is missing
    fixed = clone(method).set_params(rule="fixed", observed_rate=0.5).fit(X, labels)
    np.testing.assert_array_equal(fixed.assume(0.9).filled, fixed.assume(None).filled)  # scores do not change


@each
def test_probabilities_are_calibrated_for_new_items(method, rng):
    X, labels, complete = hide_some(rng, n=900)
    model = clone(method).set_params(observed_rate=C).fit(X, labels)
    new, missing = ~labels.annotated, labels.annotated[:, None] & ~labels.relevant
    p = model.label_probabilities_
    assert ece(PartialLabels.from_table(complete[new]), p[new]) < 0.05
    assert ece(PartialLabels.from_table(complete[new]), p[new] * C) > 0.08
    assert p[missing].mean() == pytest.approx(complete[missing].mean(), abs=0.05)


@each
@pytest.mark.parametrize("rate", [None, C])
def test_a_saved_model_predicts_the_same(method, rate, rng, tmp_path):
    X, _, _ = hide_some(rng)
    model = fit_once(method, rate)
    save_tree(tmp_path / "model", {"model": model}, saved_classes())
    again = load_tree(tmp_path / "model", saved_classes())["model"]
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert "out_of_fold_scores_" not in vars(again)


@each
def test_ordinary_labels_leave_nothing_to_assume(method, rng):
    X, Y, _ = half_labelled(rng)
    model, other = clone(method).fit(X, Y), clone(method).set_params(observed_rate=0.5).fit(X, Y)
    np.testing.assert_array_equal(other.label_probabilities_, model.label_probabilities_)
    with pytest.raises(ValueError, match="nothing to assume: these labels hold irrelevant entries"):
        model.assume(0.5)


@each
@pytest.mark.parametrize("rate", [0, 1.5, -0.2, float("nan")])
def test_a_rate_that_is_no_share_raises(method, rate, rng):
    X, labels, _ = hide_some(rng)
    with pytest.raises(ValueError, match=r"observed_rate .* must be above 0 and at most 1, not"):
        clone(method).set_params(observed_rate=rate).fit(X, labels)
    with pytest.raises(ValueError, match=r"observed_rate .* must be above 0 and at most 1, not"):
        fit_once(method).assume(rate)


@each
@pytest.mark.filterwarnings("ignore:.*cannot be learned:UserWarning")
def test_few_items_and_a_label_that_all_have(method, rng):
    X, _, complete = half_labelled(rng, n=30)
    Y = np.full(complete.shape, np.nan)
    Y[0] = [1, 0, 1]
    one = clone(method).set_params(observed_rate=0.5).fit(X, PartialLabels.from_positives(Y))
    assert np.isfinite(one.label_probabilities_).all()
    Y[:12], Y[:12, 0] = complete[:12], 1
    some = clone(method).set_params(observed_rate=0.5).fit(X, PartialLabels.from_positives(Y))
    assert np.isfinite(some.label_probabilities_).all()
    assert (some.label_probabilities_[:, 0] > 0.99).all()
