"""The reviewers of one review: who asks, a share of the entries is asked twice, and their answers are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halflabel._arrays import Ints
from halflabel.labels.reasons import Reason
from halflabel.review_page.agreement import compare
from halflabel.review_page.answers import AnswerBook
from halflabel.review_page.queues import Question, take_highest


@dataclass(frozen=True)
class Asker:
    """The page that sends a request, and its reviewer."""

    by: str = ""  #: The reviewer. Empty if the review has only one.
    page: str = ""  #: A name that the page has chosen. Empty if it holds no questions.
    held: frozenset[int] = frozenset()  #: The entries that the page still holds, as flat numbers.


#: The asker of a review that has one reviewer and one page.
SOLE_ASKER = Asker()

#: One question in ten is about an entry that another reviewer has answered.
TWICE_EVERY = 10


def choose_twice(book: AnswerBook, by: str, n: int, exclude: Ints) -> list[Question]:
    """Return random entries that one other reviewer has answered, one for ten of ``n`` questions."""
    mask = book.list_single_answers(by)
    if len(exclude):
        mask.ravel()[exclude] = False
    score = np.random.default_rng(book.next_number).random(mask.shape, dtype=np.float32)
    cells = take_highest(mask, score, -(-n // TWICE_EVERY))
    return [Question(cell // mask.shape[1], cell % mask.shape[1], Reason.TWICE.value) for cell in cells]


def describe_reviewers(book: AnswerBook, names: Sequence[str]) -> dict[str, Any]:
    """Return the number of answers of each reviewer, agreement per label, and the number of contested entries.

    Keys: answers (name, number), agreement (label, first, second, both, equal, kappa), contested.
    """
    agreement = compare([(name, [each for each in book.records if each.by == name]) for name in names])
    counts = dict.fromkeys(names, 0)
    for _, _, record in book.list_active():
        counts[record.by] = counts.get(record.by, 0) + 1
    return {"answers": list(counts.items()), "agreement": agreement, "contested": int(book.contested.sum())}
