"""A correction that is not in the list: one line makes it part of every number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

import halflabel as hl
from halflabel.corrections import fit as module
from halflabel.corrections.correction import EVERY_ROW, Correction, Learned

pytestmark = pytest.mark.usefixtures("one_member")

LABELS = ["rock", "sad"]


@dataclass(frozen=True, eq=False)
class Lowered(Learned):
    """Log odds that are lower by a number."""

    by: float

    name: ClassVar[str] = "lowered"
    part: ClassVar[str] = "lower by decree"
    rests_on: ClassVar[str] = "a decree"

    def __call__(self, p, known):
        return expit(logit(p) - self.by)

    def describe(self, before, after, known):
        return f"{before.sum() - after.sum():.0f} fewer."


def learn(fit, before):
    return before or Lowered(2.0)


@pytest.fixture
def songs():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("xyz"))
    truth = np.column_stack([table["x"] > 0, table["y"] > 0.3])
    return table.assign(**{name: np.where(rng.random(120) < 0.5, truth[:, j], np.nan) for j, name in enumerate(LABELS)})


def complete(songs, monkeypatch, corrections, **options):
    monkeypatch.setattr(module, "CORRECTIONS", corrections)
    return hl.complete(songs, labels=LABELS, effort="fast", **options)


def test_it_moves_gaps_and_new_items_and_is_a_part_of_explanations(songs, monkeypatch):
    without = complete(songs, monkeypatch, ())
    filled = complete(songs, monkeypatch, (Correction("lowered", learn),))
    gaps = songs[LABELS].isna().to_numpy()
    p, before = filled.probabilities.to_numpy(), without.probabilities.to_numpy()
    np.testing.assert_allclose(p[gaps], expit(logit(before[gaps]) - 2))
    np.testing.assert_array_equal(p[~gaps], before[~gaps])
    assert filled.table[LABELS].to_numpy()[gaps].tolist() == (p[gaps] >= 0.5).tolist()
    new = songs[list("xyz")].iloc[:5]
    np.testing.assert_allclose(
        filled.predictor.predict_proba(new), expit(logit(without.predictor.predict_proba(new)) - 2)
    )
    row = int(np.flatnonzero(gaps[:, 0])[0])
    parts = filled.evidence.fit.decompose(np.array([row]), filled.labels)
    np.testing.assert_allclose(parts["lower by decree"], np.where(gaps[[row]], -2, 0), atol=1e-9)
    np.testing.assert_allclose(sum(parts.values()), logit(p[[row]]))
    assert filled.evidence.fit.texts == {"lower by decree": "a decree"}
    assert filled.evidence.fit.sentences == [f"{before.sum() - p.sum():.0f} fewer."]


def test_thresholds_are_chosen_after_it(songs, monkeypatch):
    filled = complete(songs, monkeypatch, (Correction("lowered", learn),), rule="prevalence")
    gaps = ~filled.labels.observed
    expected = np.where(gaps, filled.probabilities, 0).sum(axis=0)
    np.testing.assert_array_equal((filled.evidence.fit.relevant & gaps).sum(axis=0), expected.round())
    np.testing.assert_array_equal(filled.predictor.corrected.thresholds, filled.evidence.fit.thresholds)


def test_it_decides_what_the_method_learns_from(songs, monkeypatch):
    def targets(given):
        state = given.labels.state.copy()
        state[state == 0] = -1
        return replace(given.labels, state=state, annotated=np.ones(len(state), dtype=bool))

    only_targets = Correction("targets", lambda *_: None, targets)
    filled = complete(songs, monkeypatch, (only_targets,))
    assert (filled.evidence.learned_from.state != 0).all()
    assert (filled.labels.state == 0).any()
    assert not filled.corrections


def test_an_update_passes_what_was_learned_before(songs, monkeypatch):
    passed = []

    def remember(fit, before):
        passed.append(before)
        return learn(fit, before)

    late = Correction("late", lambda *_: pytest.fail("it did not correct the first fit") if passed else None)
    filled = complete(songs, monkeypatch, (late, Correction("lowered", remember)))
    row = int(np.flatnonzero(songs["rock"].isna())[0])
    updated = filled.update(pd.DataFrame({"item": [row], "label": ["rock"], "answer": [1]}))
    assert [each is None for each in passed] == [True, False]
    assert updated.corrections["lowered"] is filled.corrections["lowered"]


def test_every_row_is_valid_without_rules():
    margins, known = np.array([[0.1, -0.2, 0.3]]), np.array([[0, 0, -1]], dtype=np.int8)
    assert EVERY_ROW.decide(margins, known).tolist() == [[True, False, False]]
    assert EVERY_ROW.infer(known)[0] is known
    assert not EVERY_ROW.infer(known)[1].any()
    assert EVERY_ROW.leave_open(known, known) is known
    assert EVERY_ROW.mark_broken(known) == []
