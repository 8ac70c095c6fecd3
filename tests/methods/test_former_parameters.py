"""The former parameters ``decision``, ``threshold`` and ``cost_ratio`` mean a rule, for one version."""

from __future__ import annotations

import inspect
import itertools
import pickle
import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from tests.conftest import half_labelled

from halflabel import MC1, MDDM, SSDRMC, VVMR, AutoLabeler, LowRankVVMR, MCb, Rule
from halflabel.completion.archive import load_tree, save_tree
from halflabel.completion.model_file import saved_classes
from halflabel.methods.auto import CalibratedPrior
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.baselines import BinaryRelevance, MLkNN

#: Every method, with the threshold that its rule "fixed" has by default.
KINDS = {
    AutoLabeler: 0.0,
    BinaryRelevance: 0.5,
    CalibratedPrior: 0.0,
    LowRankVVMR: 0.0,
    MC1: 0.0,
    MCb: 0.0,
    MLkNN: 0.5,
    SSDRMC: 0.3,
    VVMR: 0.0,
}

#: Every combination of former parameters.
VALUES = {"decision": "cost", "threshold": 0.7, "cost_ratio": 2.5}
FORMER = [dict(some) for n in (1, 2, 3) for some in itertools.combinations(VALUES.items(), n)]

each = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
each_form = pytest.mark.parametrize("former", FORMER, ids="-".join)


def expect(kind, former):
    """Return the rule that former parameters meant: what is not given has the default of the method."""
    name = former.get("decision", inspect.signature(kind).parameters["rule"].default)
    return Rule(name, former.get("threshold", KINDS[kind]), former.get("cost_ratio", 1.0))


@each
def test_a_method_has_one_parameter_for_its_rule(kind):
    parameters = set(kind().get_params())
    assert "rule" in parameters
    assert not parameters & set(VALUES)
    assert set(inspect.signature(kind).parameters) == parameters
    assert kind(rule="fixed").resolve_rule().threshold == pytest.approx(KINDS[kind], abs=1e-300)
    assert len(SSDRMC().get_params()) == 16


@each
@each_form
def test_former_parameters_are_accepted_with_a_warning_that_shows_the_new_form(kind, former):
    with pytest.warns(FutureWarning, match=rf"Write {kind.__name__}\(rule=") as caught:
        model = kind(**former)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    written = str(caught[0].message).partition("(rule=")[2].partition(") in place")[0]
    assert written == repr(model.rule)
    assert model.rule == former["decision"] if set(former) == {"decision"} else isinstance(model.rule, Rule)
    resolved, expected = model.resolve_rule(), expect(kind, former)
    assert (resolved.name, resolved.ratio) == (expected.name, expected.ratio)
    assert resolved.threshold == pytest.approx(expected.threshold, abs=1e-300, rel=1e-15)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    assert clone(model).get_params() == again.get_params() == model.get_params()


@each
@each_form
def test_former_parameters_change_the_rule_of_a_method(kind, former):
    with pytest.warns(FutureWarning, match="Write"):
        model = kind(rule=Rule("macro_f1", threshold=0.1, ratio=4)).set_params(**former, random_state=3)
    expected = {"name": "macro_f1", "threshold": 0.1, "ratio": 4}
    fields = {"decision": "name", "threshold": "threshold", "cost_ratio": "ratio"}
    expected |= {fields[name]: value for name, value in former.items()}
    changed = Rule(former["decision"], 0.1, 4) if set(former) == {"decision"} else Rule(**expected)
    assert model.rule == changed
    assert model.random_state == 3


def test_a_rule_and_a_former_parameter_contradict_each_other():
    with pytest.raises(TypeError, match="VVMR has a rule already: leave out decision and cost_ratio"):
        VVMR(rule="cost", decision="cost", cost_ratio=2)
    with pytest.raises(TypeError, match="VVMR has a rule already: leave out threshold"):
        VVMR().set_params(rule="fixed", threshold=0.1)
    with pytest.raises(TypeError, match="decisions"):
        VVMR(decisions="cost")


def test_former_attributes_read_and_change_the_rule():
    model = SSDRMC(rule=Rule("cost", ratio=3))
    with pytest.warns(FutureWarning, match="SSDRMC.decision is now a part of its rule"):
        assert model.decision == "cost"
    with pytest.warns(FutureWarning):
        assert (model.threshold, model.cost_ratio) == (0.3, 3)
    with pytest.warns(FutureWarning, match=r"SSDRMC\.threshold") as caught:
        model.threshold = 0.4
    assert caught[0].filename == __file__
    assert model.rule == Rule("cost", threshold=0.4, ratio=3)


class Old(PartialLabelEstimator):
    """A method of a user, written for the former parameters."""

    def __init__(self, decision="cost", threshold=0.25, cost_ratio=4.0):
        self.decision = decision
        self.threshold = threshold
        self.cost_ratio = cost_ratio


@pytest.mark.filterwarnings("ignore:.*is now a part of its rule:FutureWarning")
def test_a_method_with_the_former_parameters_still_works():
    assert Old().resolve_rule() == Rule("cost", threshold=0.25, ratio=4.0)
    assert clone(Old("fixed")).get_params() == {"decision": "fixed", "threshold": 0.25, "cost_ratio": 4.0}
    assert Old().set_params(decision="macro_f1").resolve_rule() == Rule("macro_f1", threshold=0.25, ratio=4.0)


def test_the_threshold_of_a_projection_is_its_own():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MDDM(threshold=0.5).set_params(threshold=0.6).threshold == 0.6


@cache
def fit_once(kind, rule):
    """Return a fitted method that is quick on sixty items."""
    X, Y, _ = half_labelled(np.random.default_rng(0))
    quick = {VVMR: {"alpha": 1e-2, "n_folds": 2}, BinaryRelevance: {"n_folds": 2}}
    return kind(rule=rule, **quick.get(kind, {})).fit(X, Y)


class Written(SSDRMC):
    """Writes its state as versions up to 0.1 did."""

    def to_state(self):
        state, rule = super().to_state(), self.resolve_rule()
        del state["rule"]
        return state | {"decision": rule.name, "threshold": rule.threshold, "cost_ratio": rule.ratio}


Written.__name__ = "SSDRMC"


@pytest.mark.parametrize("rule", ["macro_f1", Rule("cost", ratio=3.0), Rule("fixed", threshold=0.45)])
def test_a_model_of_an_older_version_is_read(rule, tmp_path, rng):
    model = fit_once(SSDRMC, rule)
    old = Written.__new__(Written)
    vars(old).update(vars(model))
    save_tree(tmp_path / "m", {"m": old}, {**saved_classes(), "SSDRMC": Written})
    loaded = load_tree(tmp_path / "m", saved_classes())["m"]
    assert loaded.resolve_rule() == model.resolve_rule()
    assert not vars(loaded).keys() & VALUES.keys()
    new = rng.normal(size=(9, 5))
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    np.testing.assert_array_equal(SSDRMC.from_state(old.to_state()).predict(new), model.predict(new))


@pytest.mark.parametrize("rule", ["macro_f1", Rule("cost", ratio=3), Rule("fixed", threshold=0.45)])
def test_a_rule_is_saved_with_its_method(rule, tmp_path):
    save_tree(tmp_path / "m", {"m": fit_once(SSDRMC, rule)}, saved_classes())
    assert load_tree(tmp_path / "m", saved_classes())["m"].rule == rule


@pytest.mark.parametrize("rule", ["best", 3, None, Rule("cost", ratio=-1), Rule("fixed", threshold=np.nan)])
@pytest.mark.parametrize("kind", [VVMR, BinaryRelevance])
def test_an_invalid_rule_is_named_before_the_fit(kind, rule, rng):
    X, Y, _ = half_labelled(rng)
    with pytest.raises(ValueError, match=r"unknown threshold rule|the cost ratio must be|the threshold must be"):
        kind(rule=rule).fit(X, Y)


def test_another_rule_keeps_the_threshold_of_the_method():
    model = SSDRMC(rule=Rule("fixed", threshold=0.4))
    assert model.use_rule("macro_f1").rule == Rule("macro_f1", threshold=0.4)
    assert model.use_rule(Rule("fixed", threshold=0.2)).rule == Rule("fixed", threshold=0.2)
    assert SSDRMC().use_rule("macro_f1").rule == Rule("macro_f1")
