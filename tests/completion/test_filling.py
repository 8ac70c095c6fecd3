"""complete(): which settings are valid, which method is fitted, and which entries calibrate."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

import halflabel as hl
from halflabel.completion.filling import (
    _choose_calibrating,
    _choose_method,
    build_default_method,
    choose_rule,
)
from halflabel.labels.rules import Rule
from halflabel.methods.baselines import BinaryRelevance

RATES = BinaryRelevance(DummyClassifier(strategy="prior"))
SONGS = pd.DataFrame({"tempo": [1.5, 2.5, 4.0, 3.5, 5.5, 6.5], "rock": [1, 0, None, 1, 1, None]})
LABELS = hl.PartialLabels.from_table([[1], [0]])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"effort": "much"}, "effort must be one of 'fast', 'default' and 'best', not 'much'"),
        ({"min_precision": 0.5}, "the precision must lie between"),
        ({"min_precision": 1.0}, "the precision must lie between"),
        ({"rule": "cost:1,0"}, "needs the costs of a wrong yes and of a wrong no, such as cost:1,5"),
        ({"rule": "cost:1"}, "needs the costs of a wrong yes and of a wrong no, such as cost:1,5"),
        ({"rule": "cost:1,2,3"}, "needs the costs of a wrong yes and of a wrong no, such as cost:1,5"),
        ({"rule": "cost:-1,1"}, "the cost ratio must be a positive number"),
        ({"rule": "cost:inf,5"}, "the cost ratio must be a positive number"),
        ({"rule": "cost:1e308,1e-10"}, "the cost ratio must be a positive number"),
        ({"rule": "cost:1,2", "min_precision": 0.9}, "rule= and min_precision= cannot both decide"),
        ({"calibration": "maybe"}, "calibration must be 'auto' or 'as known' or 'shifted', not 'maybe'"),
        ({"rule": Rule("precision", at=0.9), "min_precision": 0.9}, "rule= and min_precision= cannot both decide"),
        ({"rule": "f1"}, "unknown threshold rule 'f1'"),
        ({"rule": "precision"}, "the precision must lie between 0.5 and 1"),
    ],
)
def test_invalid_settings_raise(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        hl.complete(SONGS, labels=["rock"], **settings)


def test_one_argument_decides_which_entries_are_filled():
    assert choose_rule() is None  # that of the method
    assert choose_rule("micro_f1") == Rule("micro_f1")
    assert choose_rule(Rule("fixed", threshold=0.2)) == Rule("fixed", threshold=0.2)
    assert choose_rule("cost:1,4") == Rule("cost", ratio=0.25)
    assert choose_rule(min_precision=0.95) == Rule("precision", at=0.95)


def test_the_default_method_has_the_settings_that_were_given():
    model = build_default_method()
    assert model.get_params() == hl.AutoLabeler().get_params()
    model = _choose_method(None, LABELS, 0.7, 3, "fast")
    assert (model.effort, model.observed_rate, model.random_state) == ("fast", 0.7, 3)
    arguments = inspect.signature(hl.complete).parameters
    assert (arguments["random_state"].default, arguments["effort"].default) == (0, "default")


def test_a_method_is_copied_and_has_its_own_label_frequency():
    assert _choose_method(RATES, LABELS, None, 0, "fast") is not RATES
    with pytest.raises(ValueError, match="observed_rate= is for the default method"):
        _choose_method(RATES, LABELS, 0.7, 0, "fast")


class TestPrecision:
    def fill(self, **settings):
        return hl.complete(SONGS, labels=["rock"], method=RATES, **settings)

    def test_a_precision_is_kept(self):
        assert self.fill().evidence.min_precision is None
        assert self.fill(min_precision=0.8).evidence.min_precision == 0.8

    def test_costs_are_a_ratio_of_the_rule(self):
        model = self.fill(rule="cost:3,2").model
        assert model.resolve_rule() == Rule("cost", model.own_threshold, 1.5)
        assert self.fill().rule == RATES.resolve_rule()
        # Three of four are relevant; a wrong yes costs 9 times a wrong no, and its threshold is .9.
        assert self.fill(rule="cost:1,1").table["rock"].tolist() == [1, 0, 1, 1, 1, 1]
        assert self.fill(rule="cost:9,1").table["rock"].tolist() == [1, 0, 0, 1, 1, 0]


class TestCalibrating:
    labels = hl.PartialLabels.from_table([[1, 0], [0, np.nan], [1, 1]])
    of_answers = np.array([[True, True], [True, True], [False, True]])

    def choose(self, asked, of_answers, model=None):
        return _choose_calibrating(asked, of_answers, self.labels, model or hl.AutoLabeler())

    def test_answers_decide_where_the_user_does_not(self):
        assert self.choose(None, None) is None
        assert self.choose(None, self.of_answers) is self.of_answers
        assert self.choose(None, self.of_answers, RATES) is None  # it calibrates nothing

    def test_both_decide_where_entries_are_left(self):
        asked = np.array([[True, True], [False, False], [True, True]])
        np.testing.assert_array_equal(self.choose(asked, None), asked)
        np.testing.assert_array_equal(self.choose(asked, self.of_answers), asked & self.of_answers)
        alone = np.array([[False, False], [False, True], [True, False]])  # (1, 1) is not observed
        np.testing.assert_array_equal(self.choose(alone, self.of_answers), alone)

    def test_a_method_that_calibrates_nothing_raises(self):
        with pytest.raises(ValueError, match="does not accept calibrate_on="):
            self.choose(np.ones((3, 2), dtype=bool), None, RATES)
