"""Reasons of questions: each one decides whether its answers calibrate."""

from __future__ import annotations

import pytest

from halflabel.labels.reasons import Reason, is_calibrating
from halflabel.review_page.answers import OPERATIONS
from halflabel.review_page.queues import KINDS

#: Every reason by name. A new one does not pass before it is in one of the two lists.
CALIBRATE = [
    "UNCERTAIN",
    "RANDOM",
    "RANDOM_OF_PART",
    "TWICE",
    "UNDECIDED_ENTRY",
    "UNCERTAIN_ITEM",
]
DO_NOT = [
    "UNCERTAIN_ENTRY",
    "FREQUENCY",
    "SUSPECTS",
    "WALL",
    "ANSWER",
    "DOUBTFUL_ENTRY",
    "MISSING_POSITIVE",
    "NOT_ANNOTATED",
]

#: What files have in "why" and in "reason", and whether it calibrates.
TEXTS = {
    **dict.fromkeys(["uncertain", "random"], True),
    **dict.fromkeys(["undecided", "uncertain value: answer helps"], True),
    **dict.fromkeys(["suspects", "wall", "answer", "given value is doubtful", "not annotated"], False),
    **dict.fromkeys(["probably a missing positive", "of my own", "", None, float("nan")], False),
}


def test_every_reason_decides():
    decided = {**dict.fromkeys(CALIBRATE, True), **dict.fromkeys(DO_NOT, False)}
    assert decided == {reason.name: reason.calibrates for reason in Reason}


def test_every_queue_group_and_answering_operation_is_a_reason():
    used = [*KINDS, "answer"]
    assert all(isinstance(Reason.read(key), Reason) for key in used)
    assert "answer" in OPERATIONS


@pytest.mark.parametrize(("text", "calibrates"), TEXTS.items())
def test_a_file_holds_a_key_or_words(text, calibrates):
    assert is_calibrating(text) is calibrates


def test_keys_and_words_name_one_reason_each():
    names = [name for reason in Reason for name in {reason.value, reason.words}]
    assert len(names) == len(set(names))
    assert all(Reason.read(name) in Reason for name in names)
