"""Several reviewers of one review: a share of the entries is asked twice, and their answers are compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from halflabel._arrays import Ints
from halflabel.labels.reasons import Reason
from halflabel.review_page.answers import AnswerBook
from halflabel.review_page.queues import Question, Screen, take_highest

#: One question in ten is about an entry that another reviewer has answered.
TWICE_EVERY = 10


def choose_twice(book: AnswerBook, by: str, n: int, exclude: Ints) -> list[Screen]:
    """Return random entries that one other reviewer has answered, one for ten of ``n`` screens."""
    mask = book.list_single_answers(by)
    if len(exclude):
        mask.ravel()[exclude] = False
    score = np.random.default_rng(book.next_number).random(mask.shape, dtype=np.float32)
    cells = take_highest(mask, score, -(-n // TWICE_EVERY))
    return [[Question(cell // mask.shape[1], cell % mask.shape[1], Reason.TWICE.value)] for cell in cells]


def describe_reviewers(book: AnswerBook, names: Sequence[str]) -> dict[str, Any]:
    """Return the number of entries that each reviewer answered, agreement per label, and how many are contested.

    Keys: answers (name, number), agreement (see :func:`compare`), contested.
    """
    counts = dict.fromkeys(names, 0)
    for by in (by for _, values in book.list_last_of_each() for by in values):
        counts[by] = counts.get(by, 0) + 1
    return {"answers": list(counts.items()), "agreement": compare(book), "contested": int(book.contested.sum())}


def compare(book: AnswerBook) -> list[dict[str, Any]]:
    """Return the agreement of each pair of reviewers about each label.

    Keys: label, first, second, both (number of entries that both decided), equal, kappa (Cohen's; None where it is not
    defined).
    """
    both: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for label, values in book.list_last_of_each():
        decided = {by: value for by, value in values.items() if value is not None}
        for first, second in combinations(sorted(decided), 2):
            both.setdefault((label, first, second), []).append((decided[first], decided[second]))
    rows = []
    for (label, first, second), pairs in sorted(both.items()):
        equal = sum(a == b for a, b in pairs) / len(pairs)
        shares = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
        facts = {"both": len(pairs), "equal": round(equal, 3), "kappa": _kappa(equal, *shares)}
        rows.append({"label": label, "first": first, "second": second, **facts})
    return rows


def _kappa(equal: float, first: float, second: float) -> float | None:
    """Return Cohen's kappa, agreement beyond chance, from the shares of equal answers and of "yes"."""
    chance = first * second + (1 - first) * (1 - second)
    return None if chance == 1 else round((equal - chance) / (1 - chance), 3)
