"""Answers to questions show nothing about why the other entries are known, whatever chose the questions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.completion.ways_of_missing import draw_digits, know_entries

import halflabel as hl
from halflabel.completion.answers import Answers, apply_answers
from halflabel.review_page.worker import _Bench

#: The known part, and the reason that the table shows.
KNOWN = {"random": know_entries(0.3, 0.3), "value": know_entries(0.6, 0.15)}

#: By name: how much an entry is wanted as a question, by its probability, its truth and its label.
RULES = {
    "doubt": lambda p, truth: -np.abs(p - 0.5),
    "sure": lambda p, truth: np.abs(p - 0.5),
    "label": lambda p, truth: np.arange(p.shape[1]) + p,
    "yes": lambda p, truth: truth + p,
    "no": lambda p, truth: -truth - p,
    "wrong": lambda p, truth: np.abs(truth - p),
}


@pytest.fixture(scope="module", params=list(KNOWN))
def filled(request, one_member):
    """A completed table, its truth, and the reason for which its entries are known."""
    rng = np.random.default_rng(3)
    X, truth = draw_digits(rng)
    return hl.complete(X, KNOWN[request.param](truth, rng), effort="fast"), truth, request.param


def choose(filled, truth, rule):
    """Return the gaps in the order of a rule, as rows and columns."""
    wanted = np.where(filled.labels.observed, -np.inf, RULES[rule](filled.probabilities.to_numpy(), truth))
    order = np.argsort(-wanted, axis=None)[: (~filled.labels.observed).sum()]
    return np.column_stack(np.unravel_index(order, truth.shape))


def complete(filled, answers):
    return hl.complete(filled.opened, answers=answers, effort="fast")


def update(filled, answers):
    return filled.update(answers)


def review(filled, answers):
    bench = _Bench(None, filled.opened, {})
    bench.completion = filled
    return bench._update(bench._leave_unlearned(answers), answers)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("learn", [complete, update, review])
def test_answers_do_not_change_why_entries_are_known(filled, rule, learn):
    filled, truth, reason = filled
    order = choose(filled, truth, rule)
    rows, columns = order[: len(order) // 5].T
    answered = learn(filled, Answers(rows, columns, truth[rows, columns] == 1))
    assert filled.evidence.facts.why.reason == answered.evidence.facts.why.reason == reason
    assert list(answered.corrections) == list(filled.corrections)
    assert answered.labels.observed[rows, columns].all()


@pytest.mark.parametrize("rule", RULES)
def test_answers_that_a_queue_chose_do_not_make_the_band_narrow(filled, rule):
    """They are no sample of the gaps, so that they do not show how far the number of wrong values is from its sum."""
    filled, truth, reason = filled
    order = choose(filled, truth, rule)
    rows, columns = order[: len(order) // 4].T
    evidence = update(filled, Answers(rows, columns, truth[rows, columns] == 1)).evidence
    as_sample = replace(evidence, opened=replace(evidence.opened, asked=None))
    (width, expected), (narrow, same) = (
        (row["high"] - row["low"], row["expected"])
        for row in (each.estimated_errors.iloc[-1] for each in (evidence, as_sample))
    )
    assert expected == same
    assert width > narrow + 1 if reason == "random" else width >= narrow  # a shift is less certain than any level


@given(st.integers(0, 2**32 - 1))
def test_the_entries_that_a_person_brought_stay_the_same(seed):
    rng = np.random.default_rng(seed)
    Y = np.where(rng.random((6, 3)) < 0.5, rng.integers(0, 2, (6, 3)), np.nan)
    Y[0] = [0, 1, 1]
    opened = hl.open_table(rng.normal(size=(6, 2)), Y)
    brought = opened.labels.observed
    for n in rng.integers(1, 9, size=2):
        rows, columns = np.unravel_index(rng.permutation(18)[:n], (6, 3))
        opened = apply_answers(opened, Answers(rows, columns, rng.random(n) < 0.5))
        assert opened.labels.observed[rows, columns].all()
        np.testing.assert_array_equal(opened.brought, brought)
    part = opened.keep_labels(opened.labels.names[1:]).take(np.array([4, 2]))
    np.testing.assert_array_equal(part.brought, brought[[4, 2], 1:])
