"""Each check appears with the right level, and only where it applies."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel.evidence.checks import CODES, STATED, Facts, check, contradicts, rank_results
from halflabel.evidence.why_known import Why
from halflabel.labels import PartialLabels


def draw_labels(n: int = 400, labelled: int = 200) -> PartialLabels:
    y = np.full((n, 2), np.nan)
    y[:labelled] = np.arange(labelled)[:, None] % 2
    return PartialLabels.from_table(y)


def make(labels: PartialLabels | None = None, **changes):
    """Return the facts of a completion without a problem, but for the changes."""
    labels = labels or draw_labels()
    p = np.where(labels.observed, np.where(labels.relevant, 0.99, 0.01), 0.5)
    given = {
        "labels": labels, "measured_on": labels, "calibrated_on": labels, "learned_probabilities": p, "drift": 0.5,
        "observed_rate": None, "why": Why(), "n_groups": None, "lacking": 0, "broken_rules": [], "notes": (),
        "estimates_gaps": False, "sentences": [], "doubt": "",
    }  # fmt: skip
    return Facts(**(given | changes))


def find(labels=None, **changes) -> dict[str, dict[str, str]]:
    """Return the results by their code."""
    return {each["code"]: each for each in check(make(labels, **changes))}


def assign(c, n_above=0, n_assigned=0):
    """Return changes for positive-only labels with some entries that are probably assigned."""
    labels = PartialLabels.from_positives(np.arange(200)[:, None] < [n_assigned, 5])
    p = np.full((200, 2), 0.01)
    p[:n_assigned, 0], p[200 - (n_above - n_assigned) :, 0] = 0.99, 0.99
    learned = PartialLabels.from_table(np.where(labels.relevant, 1.0, 0.0))
    given = {"labels": labels, "measured_on": learned, "calibrated_on": learned}
    return {**given, "learned_probabilities": p, "observed_rate": c, "drift": None}


def test_nothing_to_complain_about():
    assert {each["level"] for each in find(drift=0.51).values()} == {"fine"}


@pytest.mark.parametrize(
    ("auc", "level"), [(0.5, "fine"), (0.59, "fine"), (0.61, "caution"), (0.79, "caution"), (0.81, "warning")]
)
def test_drift_has_a_level(auc, level):
    assert find(drift=auc)["drift"]["level"] == level


def test_drift_that_chance_would_show_is_no_drift():
    # 20 against 20 items: two standard deviations of the AUC are 0.18.
    assert find(draw_labels(40, 20), drift=0.66)["drift"]["level"] == "fine"


def test_drift_that_cannot_be_measured_has_no_result():
    assert "drift" not in find(draw_labels(200, 200), drift=None)


def test_labels_of_few_examples_are_named():
    y = np.zeros((60, 2))
    y[:9, 0] = y[:10, 1] = 1
    found = find(PartialLabels.from_table(y), drift=None)["few-examples"]
    assert found["title"] == "1 label has very few examples"
    assert found["level"] == "caution"
    assert found["text"].startswith("“label0”")


def test_few_labelled_items():
    assert "Only 49 items have" in find(draw_labels(400, 49))["few-items"]["text"]
    assert "few-items" not in find(draw_labels(400, 50))


@pytest.mark.parametrize(("p", "n", "level"), [(0.48, 400, "fine"), (0.4, 30, "caution"), (0.3, 400, "warning")])
def test_calibration_is_compared_with_chance(p, n, level):
    labels = draw_labels(2 * n, n)  # one half of the entries is relevant
    found = find(labels, learned_probabilities=np.full(labels.shape, p))
    assert found["calibration"]["level"] == level


def test_positive_only_labels_have_no_precision_without_a_label_frequency():
    found = find(**assign(None))["label-frequency"]
    assert found["title"] == "Probabilities are of being assigned, not of yes"
    assert "precision of the filled values cannot be observed" in found["text"]
    assert not contradicts(found)
    assert "if 70\xa0% of the relevant entries were assigned" in find(**assign(0.7))["label-frequency"]["text"]


@pytest.mark.parametrize(("entries", "assigned", "contradicted"), [(0, 0, False), (100, 60, False), (100, 80, True)])
def test_a_label_frequency_that_was_exceeded_is_reported(entries, assigned, contradicted):
    assert ("more-assigned" in find(**assign(0.55, entries, assigned))) is contradicted


@pytest.mark.parametrize(("reason", "reported"), [("random", False), ("value", True), ("unclear", True)])
def test_a_value_that_may_decide_what_is_known_is_reported_unless_it_was_corrected(reason, reported):
    assert ("unlike-gaps" in find(why=Why(reason, 40))) is reported
    assert "unlike-gaps" not in find(why=Why(reason, 40), estimates_gaps=True)
    assert ("40 answers" in find(why=Why(reason, 40)).get("unlike-gaps", {"text": ""})["text"]) is (reason == "unclear")


#: A change of good evidence for each check that contradicts probabilities.
CONTRADICTING = {
    "unlike-gaps": {"why": Why("unclear", 40)},
    "few-groups": {"n_groups": 9},
    "drift": {"drift": 0.81},
    "source-rates": {"doubt": "Two sources agree."},
    "look-unlabelled": {**assign(0.5), "lacking": 7},
    "more-assigned": assign(0.55, 100, 80),
    "calibration": {"learned_probabilities": np.full((400, 2), 0.3)},
}  # fmt: skip


@pytest.mark.parametrize("code", CONTRADICTING)
def test_nothing_is_fine_where_a_check_contradicts_probabilities(code):
    evidence = make(**CONTRADICTING[code])
    found = [each for each in check(evidence) if contradicts(each)]
    assert code in {each["code"] for each in found}
    assert all(each["text"].endswith("measures it on random entries.") for each in found)
    ranked = rank_results(check(evidence))
    assert "fine" not in {each["level"] for each in ranked}
    assert ranked[0]["level"] == "warning"


def test_every_code_states_numbers_or_contradicts_them():
    only_cautions = {"few-examples", "broken-rules", "reading"}
    assert {*CONTRADICTING, *STATED, *only_cautions} == set(CODES)


def test_ten_groups_are_enough():
    assert "few-groups" not in find(n_groups=10)


@pytest.mark.parametrize("code", ["few-groups", "drift", "reading", "known-by-value"])
def test_an_accepted_result_is_a_note_and_still_contradicts(code):
    given = {"drift": 0.9, "n_groups": 3, "notes": ["A column was left out."], "sentences": ["They were shifted."]}
    results = check(make(**given))
    before, after = rank_results(results), rank_results(results, [code])
    assert {each["code"]: each["level"] for each in after} == {
        each["code"]: "note" if each["code"] == code else each["level"] for each in before
    }
    assert {"few-groups", "drift"} == {each["code"] for each in results if contradicts(each)}
    assert rank_results(check(make()), ["calibration"]) == rank_results(check(make()))


def test_notes_from_reading_the_table_are_repeated_in_bounds():
    found = check(make(notes=["2 rows were empty. " * 100] * 500))
    notes = [each["text"] for each in found if each["level"] == "note"]
    assert len(notes) == 30
    assert all(len(note) <= 500 for note in notes)
