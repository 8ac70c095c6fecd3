"""The base of all methods: additional arguments of ``fit``, and the warning about labels that cannot be learned."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from halflabel.labels import PartialLabels
from halflabel.methods.auxiliary import fit_with_auxiliary
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.decision import decide
from halflabel.numerics.solvers import Status


class Recorder(PartialLabelEstimator):
    """Keeps the arguments of ``fit``."""

    rule = "micro_f1"

    def fit(self, X, y, **arguments):
        self.arguments_ = arguments
        return self


class WithGroups(Recorder):
    """Accepts groups, but no prior."""

    auxiliary: ClassVar[frozenset[str]] = frozenset({"groups"})


@pytest.fixture
def labels():
    return PartialLabels.from_table([[1, 0, 1], [0, 0, 1], [None, None, None]])


def test_a_method_gets_the_additional_arguments_that_it_accepts(labels):
    X, groups, prior = np.zeros((3, 1)), np.zeros(3, dtype=int), np.full((3, 3), 0.5)
    assert fit_with_auxiliary(Recorder(), X, labels, groups=groups, prior=prior).arguments_ == {}
    assert fit_with_auxiliary(WithGroups(), X, labels, groups=groups, prior=prior).arguments_ == {"groups": groups}
    assert fit_with_auxiliary(WithGroups(), X, labels, prior=prior).arguments_ == {}


def test_labels_that_cannot_be_learned_are_named(labels):
    model = Recorder()
    with pytest.warns(UserWarning, match="2 of 3 labels .* cannot be learned .“label1” and “label2”.; their entries"):
        model._enter(np.arange(3.0)[:, None], labels)


def test_only_five_of_many_names_are_shown():
    labels = PartialLabels.from_table(np.ones((2, 9)))
    with pytest.warns(UserWarning, match="9 of 9 labels .*“label4” and 4 more"):
        Recorder()._enter(np.arange(2.0)[:, None], labels)


def test_a_column_of_labels_is_answered_by_a_column():
    assert get_tags(Recorder()).target_tags.single_output
    assert get_tags(Recorder()).input_tags.sparse
    assert get_tags(Recorder()).target_tags.two_d_labels
    X, y, model = np.arange(3.0)[:, None], np.array([0.0, 1.0, np.nan]), Recorder()
    for given, single in [(y, True), (y[:, None], False), (PartialLabels.from_table(y[:, None]), False)]:
        model._enter(X, given)
        assert model.single_label_ is single


class Threshold(PartialLabelEstimator):
    """The score of label j is feature j, and its probability the same number."""

    auxiliary: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, rule="micro_f1"):
        self.rule = rule

    def fit(self, X, y):
        X, labels = self._enter(X, y)
        return self._store(decide(labels, X, X, self.resolve_rule(), lambda *_: lambda scores: scores), labels)

    def _score_new(self, X):
        return np.asarray(X, dtype=float)


@pytest.fixture
def fitted(rng):
    """Five items of two labels, of which some entries are unknown."""
    X = np.array([[0.9, 0.2], [0.1, 0.8], [0.7, 0.4], [0.3, 0.6], [0.6, 0.1]])
    Y = np.array([[1, 0], [0, 1], [np.nan, 0], [0, np.nan], [1, np.nan]])
    return X, Y, Threshold("cost").fit(X, Y)


def test_results_stand_in_the_order_of_the_caller(fitted):
    X, Y, model = fitted
    np.testing.assert_array_equal(model.label_scores_, X)
    np.testing.assert_array_equal(model.label_probabilities_, X)
    np.testing.assert_array_equal(model.out_of_fold_scores_, np.where(np.isnan(Y), np.nan, X))
    assert model.thresholds_.tolist() == [0.5, 0.5]
    assert model.transduction_.tolist() == [[1, 0], [0, 1], [1, 0], [0, 1], [1, 0]]
    assert model.transduction_.dtype == np.int64


def test_one_new_item_is_enough_and_one_of_the_fit_is_not(fitted):
    X, Y, model = fitted
    assert model.decision_function(X[:1]).tolist() == [[0.9, 0.2]]
    assert model.predict(X[:1]).tolist() == [[1, 0]]
    assert model.predict_proba(X[:1]).tolist() == [[0.9, 0.2]]
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        model.fit(X[:1], Y[:1])


def test_new_items_have_the_number_of_features_of_the_fit(fitted):
    X, _, model = fitted
    wide = np.hstack([X, X])
    known = PartialLabels.from_table(np.ones((5, 2)))
    for call in (
        model.decision_function,
        model.predict,
        model.predict_proba,
        lambda X: model.complete_both(X, known),
    ):
        with pytest.raises(ValueError, match="4 features, but Threshold is expecting 2 features"):
            call(wide)
        assert model.n_features_in_ == 2


def test_missing_features_are_an_error_unless_a_method_accepts_them(fitted):
    X, Y, model = fitted
    gapped = np.where(X == 0.7, np.nan, X)
    for call in (lambda: model.fit(gapped, Y), lambda: model.predict(gapped)):
        with pytest.raises(ValueError, match="contains NaN"):
            call()

    class Accepting(Threshold):
        _allow_nan = True

    assert np.isnan(Accepting("cost").fit(gapped, Y).label_scores_[2, 0])
    assert get_tags(Accepting()).input_tags.allow_nan
    assert not get_tags(model).input_tags.allow_nan


def test_it_is_a_classifier_of_several_labels_that_needs_them():
    tags = get_tags(Threshold())
    assert tags.target_tags.required
    assert tags.classifier_tags.multi_label
    assert not tags.classifier_tags.multi_class


def test_one_label_has_a_probability_of_each_value():
    X, y = np.array([[0.25], [0.75], [0.625]]), np.array([0.0, 1.0, np.nan])
    model = Threshold("cost").fit(X, y)
    assert model.predict_proba(X).tolist() == [[0.75, 0.25], [0.25, 0.75], [0.375, 0.625]]
    assert model.transduction_.tolist() == model.predict(X).tolist() == [0, 1, 1]
    assert model.decision_function(X).tolist() == [0.25, 0.75, 0.625]
    assert model.predict_both(X)[1].shape == (3, 1)


def test_known_entries_of_new_items_keep_their_values(fitted):
    X, _, model = fitted
    known = PartialLabels.from_table([[0, None], [None, None], [None, 1], [1, 1], [None, None]])
    relevant, p = model.complete_both(X, known)
    assert relevant.tolist() == [[0, 0], [0, 1], [1, 1], [1, 1], [1, 0]]
    np.testing.assert_array_equal(p, X)


def test_the_score_is_that_of_the_observed_entries(fitted):
    X, _, model = fitted
    # Of the three entries that are predicted to be relevant two are, and one relevant entry is not found.
    y = [[1, 0], [0, 1], [0, 1], [None, None], [None, 0]]
    assert model.score(X, y) == pytest.approx(2 / 3)


def test_what_belongs_to_the_fitted_items_is_not_saved(fitted):
    X, _, model = fitted
    state = model.to_state()
    assert "thresholds_" in state
    assert "transduction_" not in state
    assert "out_of_fold_scores_" not in state
    again = Threshold.from_state(state)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert not hasattr(again, "transduction_")


def test_a_solver_that_stopped_early_is_reported_with_its_residual():
    with pytest.warns(ConvergenceWarning, match=r"Threshold: The solver stopped at its iteration limit.*2\.5e-01"):
        Threshold()._warn_unless_converged(Status.MAX_ITER, 0.25)
    Threshold()._warn_unless_converged(Status.CONVERGED, 0.25)  # a warning would be an error


def test_positive_only_labels_are_an_error_of_a_method_that_needs_irrelevant_ones(fitted):
    X, Y, model = fitted
    with pytest.raises(ValueError, match="Threshold needs irrelevant entries, but these labels are positive-only"):
        model.fit(X, PartialLabels.from_positives(np.nan_to_num(Y)))
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        model.fit(X, None)
