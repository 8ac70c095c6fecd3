"""How many filled values are wrong, how many of these the next answers find, and the results of random questions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from halflabel._arrays import Floats
from halflabel._wording import count, plural
from halflabel.completion.verdict import write_wrong
from halflabel.evidence.answer_plan import MIN_RANDOM
from halflabel.labels.reasons import Reason
from halflabel.review_page.answers import AnswerBook
from halflabel.review_page.queues import Situation, choose_screens, limit_entries, take_highest

#: Number of answers whose effect is predicted, and the errors that an answer removes below which it is enough.
NEXT, ENOUGH = 60, 0.05

#: The sentence where every entry has an answer or a given value.
NOTHING_LEFT = "No filled value is left to check."

#: Confidence of each end of the interval of random answers.
CONFIDENCE = 0.95


def advise(now: Situation, book: AnswerBook) -> dict[str, Any]:
    """Return the verdict about the filled values without an answer, and the effect of the next answers.

    The expected errors are the sum of the probabilities, with the band of the verdict. From 60 random answers on, its
    upper end is the exact one of these answers, because calibration on answers to questions that a queue chose can be
    much too optimistic. Expected errors outside of the exact interval of any number of random answers are not stated.
    """
    scored, fit, filled = score_random(book), now.fit, now.filled
    n, answers = int(filled.sum()), scored["answers"]
    stated: dict[str, Any] = {"filled": n, "expected": None, "is_enough": False}
    if fit is None or fit.band is None:
        sentence = "" if fit is None else fit.verdict if n else NOTHING_LEFT
        return {**stated, "sentence": sentence, "random": scored}
    wrong = np.where(filled, fit.wrong, 0)
    expected = float(wrong.sum(dtype=np.float64))
    low, high = (round(end * expected, 5) for end in fit.band)  # in single precision, 19 would be above 19
    least, most = (n * share for share in bound_share_of_errors(scored["errors"], answers))
    if answers >= MIN_RANDOM:
        low, high = min(low, least), most
    stated |= {"low": low, "high": high, "random": scored}
    if not least <= expected <= most:
        return {**stated, "sentence": _contradict(n, high, answers)}
    gain = _sum_next(now, wrong)
    sentence = write_advice(n, expected, low, high, gain)
    return {**stated, "expected": expected, "is_enough": gain < ENOUGH * min(NEXT, n), "sentence": sentence}


def _sum_next(now: Situation, wrong: Floats) -> float:
    """Return the errors among the entries that are asked next: of whole items, and random ones between them."""
    screens = choose_screens(now, Reason.UNCERTAIN.value, NEXT)
    asked = [each.row * now.given.shape[1] + each.column for screen in screens for each in screen][:NEXT]
    rest = limit_entries(now.given.shape, None, np.array(asked)) & now.filled
    return float(wrong.ravel()[asked + take_highest(rest, wrong, NEXT - len(asked))].sum())


def bound_share_of_errors(errors: int, answers: int) -> tuple[float, float]:
    """Return the exact interval of Clopper and Pearson for a share of errors. Each end holds with 95 %.

    Examples
    --------
    >>> [round(share, 3) for share in bound_share_of_errors(0, 66)]
    [0.0, 0.044]
    """
    low = special.betaincinv(errors, answers - errors + 1, 1 - CONFIDENCE) if errors else 0.0
    high = special.betaincinv(errors + 1, answers - errors, CONFIDENCE) if errors < answers else 1.0
    return float(low), float(high)


def _contradict(filled: int, high: float, answers: int) -> str:
    """Return the upper end of the exact interval, and why no number of errors is stated."""
    is_bound = answers >= MIN_RANDOM and high < filled
    values = plural(filled, "filled value")
    most = f"At most {count(round(high))} of {values} are wrong, after {answers} random answers. "
    why = "Random answers contradict the number of errors that the probabilities expect: it is not shown."
    return f"{most if is_bound else ''}{why}"


def write_advice(filled: int, expected: float, low: float, high: float, gain: float) -> str:
    """Return the sentences about the errors that are left, in the words of the verdict.

    Examples
    --------
    >>> write_advice(4120, 310.2, 260.4, 369.8, 21.2)
    'Filled values: about 1 in 13 is wrong (between 1 in 16 and 1 in 11). 60 more answers would remove about 21 errors.'
    >>> write_advice(4120, 310.2, 260.4, 369.8, 2.2)
    'It is enough: 60 more answers would remove about 2 errors. Filled values: about 1 in 13 is wrong (between 1 in 16
    and 1 in 11).'
    """
    if not filled:
        return NOTHING_LEFT
    verdict = write_wrong(filled, expected, low, high)
    first = f"Filled values: {verdict[0].lower()}{verdict[1:]}"
    removed, asked = "no error" if gain < 0.5 else f"about {plural(round(gain), 'error')}", min(NEXT, filled)
    more = f"{plural(asked, 'more answer')} would remove {removed}."
    return f"It is enough: {more} {first}" if gain < ENOUGH * asked else f"{first} {more}"


def score_random(book: AnswerBook) -> dict[str, int]:
    """Compare the answers to random questions with the values that were filled in at their time.

    Only these answers are a fair sample.
    """
    asked = [
        record.body
        for _, _, record in book.list_active()
        if record.body.get("why") == Reason.RANDOM
        and record.body.get("filled") in (0, 1)
        and record.body["value"] is not None
    ]
    return {"answers": len(asked), "errors": sum(body["value"] != body["filled"] for body in asked)}
