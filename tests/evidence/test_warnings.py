"""Each check appears with the right level, and only where it applies."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel.evidence.warnings import collect_warnings, describe_correction
from halflabel.labels import PartialLabels

GOOD = {"ece": 0.02, "ece_by_chance": 0.015}


def labels(n: int = 400, labelled: int = 200) -> PartialLabels:
    y = np.full((n, 2), np.nan)
    y[:labelled] = np.arange(labelled)[:, None] % 2
    return PartialLabels.from_table(y)


def check(given: PartialLabels | None = None, **changes: object) -> list[dict[str, str]]:
    """Return the warnings of a completion without a problem, but for the changes."""
    return collect_warnings(given or labels(), **{"drift": 0.5, "quality": GOOD, **changes})


def text_of(found: list[dict[str, str]], title: str) -> str:
    """Return "level: text" of the warning with this in its title."""
    matching = [each for each in found if title in each["title"]]
    return "\n".join(f"{each['level']}: {each['text']}" for each in matching)


def test_nothing_to_complain_about():
    found = check(drift=0.51)
    assert {each["level"] for each in found} == {"fine"}


@pytest.mark.parametrize(
    ("auc", "level"), [(0.5, "fine"), (0.59, "fine"), (0.61, "caution"), (0.74, "caution"), (0.76, "warning")]
)
def test_drift_has_a_level(auc, level):
    found = check(drift=auc)
    assert text_of(found, "nlabelled items").startswith(f"{level}: A classifier separates")


def test_drift_that_chance_would_show_is_no_drift():
    # 20 against 20 items: two standard deviations of the AUC are 0.18.
    found = check(labels(40, 20), drift=0.66)
    assert text_of(found, "Unlabelled items").startswith("fine")


def test_drift_that_cannot_be_measured():
    scattered = check(labels(200, 200), drift=None)
    assert "Every item has a given entry" in text_of(scattered, "cannot be compared")
    few = check(labels(210, 200), drift=None)
    assert "200 labelled items and 10 unlabelled ones: not enough" in text_of(few, "cannot be compared")


def test_labels_of_few_examples_are_named():
    y = np.zeros((60, 2))
    y[:9, 0] = y[:10, 1] = 1
    found = check(PartialLabels.from_table(y), drift=None)
    assert text_of(found, "1 label has very few examples").startswith("caution: “label0”")


def test_few_labelled_items():
    assert "Only 49 items have" in text_of(check(labels(400, 49)), "Very few")
    assert not text_of(check(labels(400, 50)), "Very few")


@pytest.mark.parametrize(
    ("error", "by_chance", "level"), [(0.04, 0.001, "fine"), (0.08, 0.05, "caution"), (0.08, 0.03, "warning")]
)
def test_calibration_is_compared_with_chance(error, by_chance, level):
    quality = {"ece": error, "ece_by_chance": by_chance}
    assert text_of(check(quality=quality), "Probabilities").startswith(level)


def test_positive_only_labels_have_no_precision_without_a_label_frequency():
    nothing = {"entries": 0, "assigned": 0}
    found = check(positive={"observed_rate": None, "above": nothing})
    assert found[0]["title"] == "Probabilities are of being assigned, not of being relevant"
    assert "precision of the filled values cannot be observed" in found[0]["text"]
    assert "expected precision" not in text_of(found, "Probabilities of being assigned are well calibrated")
    found = check(positive={"observed_rate": 0.7, "above": nothing})
    assert "if 70\xa0% of the relevant entries were assigned" in text_of(found, "depend on an assumption")


@pytest.mark.parametrize(("entries", "assigned", "contradicted"), [(0, 0, False), (100, 60, False), (100, 80, True)])
def test_a_label_frequency_that_was_exceeded_is_reported(entries, assigned, contradicted):
    positive = {"observed_rate": 0.55, "above": {"entries": entries, "assigned": assigned}}
    found = check(positive=positive)
    assert bool(text_of(found, "More was assigned than 55")) is contradicted


def test_few_groups_are_a_warning():
    assert "of 9 groups" in text_of(check(groups=9), "Very few labelled groups")
    assert not text_of(check(groups=10), "Very few labelled groups")


@pytest.mark.parametrize(
    "found",
    [
        {"selected": True},
        {"quality": {"ece": 0.2, "ece_by_chance": 0.01}},
        {"positive": {"observed_rate": 0.5, "above": {"entries": 100, "assigned": 80}}},
        {"positive": {"observed_rate": 0.5, "above": {"entries": 0, "assigned": 0}, "lacking": 7}},
        {"groups": 9},
    ],
)
def test_nothing_is_fine_where_a_check_contradicts_probabilities(found):
    results = check(drift=0.51, **found)
    assert "fine" not in {each["level"] for each in results}
    assert results[0]["level"] == "warning"
    assert "No expected precision is printed." in results[0]["text"]
    assert len({each["title"] for each in results}) == len(results)


@pytest.mark.parametrize("code", ["few-groups", "drift", "reading", "known-by-value"])
def test_an_accepted_result_is_a_note_and_the_others_stay(code):
    correction = [describe_correction("They were shifted.")]
    given = {"drift": 0.9, "groups": 3, "notes": ["A column was left out."], "correction": correction}
    before, after = check(**given), check(**given, accepted=[code])
    assert {each["code"]: each["level"] for each in after} == {
        each["code"]: "note" if each["code"] == code else each["level"] for each in before
    }
    assert correction[0]["level"] == "warning"
    assert check(accepted=["calibration"]) == check()


def test_notes_from_reading_the_table_are_repeated_in_bounds():
    found = check(notes=["2 rows were empty. " * 100] * 500)
    notes = [each["text"] for each in found if each["level"] == "note"]
    assert len(notes) == 30
    assert all(len(note) <= 500 for note in notes)
