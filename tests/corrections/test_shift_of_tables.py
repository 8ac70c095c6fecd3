"""Completed tables whose entries are known because of their value: the shift corrects what is printed about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.completion import test_trust
from tests.completion.test_trust import MARGIN, each
from tests.completion.ways_of_missing import know_entries, measure_excess

import halflabel as hl

pytestmark = pytest.mark.usefixtures("one_member")

fit_case = test_trust.fit_case

#: Drawn with the seed 1. Of six draws of digits, the shift of the first one is too large to be corrected; its
#: percentage is absent, as those of TOO_STRONG are.
BY_VALUE = {
    "what is there": know_entries(0.6, 0.15),
    "rather what is there": know_entries(0.5, 0.25),
    "exclusions": know_entries(0.2, 0.6),
    "each label its own way": know_entries(0.6, 0.15, alternate=True),
}


@each(BY_VALUE)
def test_the_precision_of_entries_that_are_known_because_of_their_value_is_corrected(fit_case, way, data):
    filled, truth = fit_case(data, BY_VALUE[way], seed=1)
    assert filled.evidence.has_precision
    assert measure_excess(filled, truth) < MARGIN
    levels = {each["level"] for each in filled.evidence.warnings}
    assert "warning" in levels
    assert "fine" not in levels
    assert filled.evidence.warnings[0]["code"] == "known-by-value"
    assert filled.notes[0] == filled.evidence.warnings[0]["text"]


@each(BY_VALUE)
def test_without_the_correction_their_precision_is_not_printed(fit_case, way, data):
    filled, truth = fit_case(data, BY_VALUE[way], seed=1)
    before = replace(filled.evidence, fit=replace(filled.evidence.fit, learned=()))
    assert before.facts.why.reason == "value"
    assert not before.has_precision
    gaps = ~filled.labels.observed
    errors = [((found.probabilities - truth)[gaps] ** 2).mean() for found in (filled.evidence, before)]
    assert errors[0] < 0.95 * errors[1]


@each(BY_VALUE)
def test_the_prevalence_of_entries_that_are_known_because_of_their_value_is_corrected(fit_case, way, data):
    filled, truth = fit_case(data, BY_VALUE[way], seed=1)
    table = filled.prevalence(confidence=0.99)
    assert ((table["low"] <= table["share"]) & (table["share"] <= table["high"])).all()
    assert ((table["low"] < truth.mean(axis=0)) & (truth.mean(axis=0) < table["high"])).mean() >= 0.8


def test_the_correction_of_rates_stays():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    Y = np.where(rng.random((150, 2)) < np.where(X[:, :2] > 0, 0.8, 0.2), (X[:, :2] > 0) * 1.0, np.nan)
    filled = hl.complete(X, Y, effort="fast", calibration="shifted")
    row = int(np.flatnonzero(np.isnan(Y[:, 0]))[0])
    updated = filled.update(pd.DataFrame({"item": [row], "label": filled.labels.names[0], "answer": [1]}))
    gaps = ~updated.labels.observed
    shift = updated.model.label_probabilities_ - updated.evidence.probabilities
    assert updated.corrections["shift"].alone is filled.corrections["shift"].alone
    assert (shift[gaps] != 0).all()
    assert (shift[~gaps] == 0).all()


def test_a_saved_model_keeps_the_shift(fit_case, tmp_path):
    filled, _ = fit_case("digits", BY_VALUE["what is there"], seed=1)
    filled.save(tmp_path / "model.halflabel")
    X = filled.opened.X[:20]
    again = hl.load(tmp_path / "model.halflabel").predict_proba(X)
    pd.testing.assert_frame_equal(again, filled.predictor.predict_proba(X))
    assert (again.to_numpy() != filled.model.predict_proba(X)).all()
