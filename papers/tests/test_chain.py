"""The steps of a method, built from their description."""

from __future__ import annotations

import warnings

import pytest

from halflabel import MC1, SSDRMC, Rule
from halflabel.methods.base import PartialLabelEstimator
from halflabel_papers.chain import RULE_WORDS, build_step
from halflabel_papers.imports import import_object
from halflabel_papers.load import list_papers, load_paper
from halflabel_papers.plan import plan_runs


def list_steps(key):
    """Return every step of a paper whose class is a method with a threshold rule, once, with its own classifier."""
    runs = plan_runs(load_paper(key, "quick"))
    each = ({name: step[name] for name in step if name != "classifier"} for run in runs for step in run.steps)
    steps = {repr(step): step for step in each}
    kinds = ((step, import_object(step["use"])) for step in steps.values())
    return [step for step, kind in kinds if isinstance(kind, type) and issubclass(kind, PartialLabelEstimator)]


def look_up(name, attribute):
    return 1.0


@pytest.mark.parametrize("key", list_papers())
def test_every_step_of_a_paper_has_the_rule_that_its_spec_states(key):
    for step in list_steps(key):
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            rule = build_step(step, 10, look_up).resolve_rule()
        stated = {RULE_WORDS[word]: step[word] for word in RULE_WORDS if word in step}
        assert {name: getattr(rule, name) for name in stated} == pytest.approx(stated, abs=1e-300), step


@pytest.mark.parametrize(
    ("step", "rule"),
    [
        ({"use": "halflabel:SSDRMC"}, "micro_f1"),
        ({"use": "halflabel:SSDRMC", "decision": "macro_f1"}, Rule("macro_f1")),
        ({"use": "halflabel:SSDRMC", "decision": "cost", "cost_ratio": 2.0}, Rule("cost", ratio=2.0)),
        ({"use": "halflabel:SSDRMC", "as_published": True}, Rule("fixed", threshold=0.3)),
        ({"use": "halflabel:SSDRMC", "as_published": True, "threshold": 0.4}, Rule("fixed", threshold=0.4)),
        ({"use": "halflabel:SSDRMC", "as_published": True, "decision": "cost"}, Rule("cost", threshold=0.3)),
        ({"use": "halflabel:MC1", "rule": "balanced"}, "balanced"),
    ],
)
def test_the_words_of_a_spec_change_the_rule_of_the_method(step, rule):
    assert build_step(step, 10, look_up).rule == rule


def test_the_threshold_of_a_projection_is_its_own():
    assert build_step({"use": "halflabel:MDDM", "threshold": 0.5}, 10, look_up).threshold == 0.5


def test_a_step_without_words_is_the_class_with_its_parameters():
    step = {"use": "halflabel:MC1", "alpha": 0.5, "label_weight": 2.0}
    assert build_step(step, 10, look_up).get_params() == MC1(alpha=0.5, label_weight=2.0).get_params()
    assert build_step({"use": "halflabel:SSDRMC"}, 10, look_up).get_params() == SSDRMC().get_params()
