"""The base of all methods: additional arguments of ``fit``, and the warning about labels that cannot be learned."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.utils import get_tags

from halflabel.labels import PartialLabels
from halflabel.methods.base import PartialLabelEstimator, fit_with_auxiliary


class Recorder(PartialLabelEstimator):
    """Keeps the arguments of ``fit``."""

    decision, threshold, cost_ratio = "micro_f1", 0.5, 1.0

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
