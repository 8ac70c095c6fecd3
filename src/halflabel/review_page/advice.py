"""How many errors are left, how many the next answers remove, and the results of random questions."""

from __future__ import annotations

from typing import Any

import numpy as np

from halflabel._wording import count, plural
from halflabel.review_page.answers import AnswerBook
from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import Situation

#: Number of answers whose effect is predicted, and number of the last answers that measure the speed.
NEXT, RECENT = 50, 50

#: Longer intervals are breaks, in milliseconds.
MAX_INTERVAL = 120_000


def advise(now: Situation, book: AnswerBook) -> dict[str, Any]:
    """Return the numbers of the panel "left", and a sentence with them.

    Keys: filled, expected, low, high (errors among filled entries without an answer), next (errors that the next 50
    answers remove), per_minute (speed of the last answers, or None), sentence, and random: see :func:`score_random`.
    """
    scored = score_random(book)
    fit = now.fit
    if fit is None or not fit.has_precision:
        why = "" if fit is None else _explain_missing_estimate(fit)
        scored = scored if fit is None or not fit.contradiction else {**scored, "expected": None}
        return {"filled": int(now.filled.sum()), "expected": None, "sentence": why, "random": scored}
    wrong = fit.wrong[now.filled]
    expected, total = float(wrong.sum()), fit.expected[-1]
    scale = expected / total["expected"] if total["expected"] > 0 else 0.0
    low, high = min(total["low"] * scale, expected), max(total["high"] * scale, expected)
    gain = float(np.partition(wrong, -NEXT)[-NEXT:].sum()) if len(wrong) > NEXT else expected
    numbers = {"filled": len(wrong), "expected": expected, "low": low, "high": high, "next": gain}
    speed = measure_speed(book)
    return {**numbers, "per_minute": speed, "sentence": write_advice(numbers, speed), "random": scored}


def _explain_missing_estimate(fit: Fit) -> str:
    if fit.contradiction:
        return f"{fit.contradiction}: there is no estimate of errors. An audit measures them."
    return f"Probabilities are of {fit.probability_of}: there is no estimate of errors."


def write_advice(numbers: dict[str, Any], per_minute: float | None) -> str:
    """Return the sentences about the errors that are left.

    Examples
    --------
    >>> numbers = {"filled": 4120, "expected": 310.2, "low": 260.4, "high": 369.8, "next": 21.2}
    >>> write_advice(numbers, 40.0)
    'About 310 of 4,120 filled entries are wrong (260 to 370). The next 50 answers remove about 21 of these errors: at
    40 answers a minute, 17 errors a minute.'
    """
    filled, expected = numbers["filled"], round(numbers["expected"])
    if not filled:
        return "Every entry has a given value or an answer."
    band = f"{count(round(numbers['low']))} to {count(round(numbers['high']))}"
    verb = "is" if expected == 1 else "are"
    first = f"About {count(expected)} of {plural(filled, 'filled entry', 'filled entries')} {verb} wrong ({band})."
    gain = numbers["next"]
    about = f"about {_round(gain)}"
    speed = "" if not per_minute else (
        f": at {per_minute:.0f} answers a minute, {_round(gain / NEXT * per_minute)} errors a minute"
    )  # fmt: skip
    return f"{first} The next {min(NEXT, filled)} answers remove {about} of these errors{speed}."


def _round(number: float) -> str:
    return f"{number:.0f}" if number >= 1.5 else f"{number:.1f}"


def measure_speed(book: AnswerBook) -> float | None:
    """Return the number of answers a minute, from the median time of the last answers."""
    times = [
        record.body["ms"]
        for record in book.records[-2 * RECENT :]
        if record.op == "answer" and isinstance(record.body.get("ms"), int) and 0 < record.body["ms"] < MAX_INTERVAL
    ]
    return 60_000 / float(np.median(times[-RECENT:])) if len(times) >= 5 else None


def score_random(book: AnswerBook) -> dict[str, Any]:
    """Compare the answers to random questions with the values that were filled in at their time.

    Only these answers are a fair sample: number, errors, and the number of errors that the probabilities expected.
    """
    asked = [
        record.body
        for _, _, record in book.list_active()
        if record.body.get("why") in ("random", "audit")
        and record.body.get("filled") in (0, 1)
        and isinstance(record.body.get("p"), int | float)
    ]
    decided = [body for body in asked if body["value"] is not None]
    errors = sum(body["value"] != body["filled"] for body in decided)
    expected = sum(1 - body["p"] if body["filled"] == 1 else body["p"] for body in decided)
    return {"answers": len(decided), "errors": errors, "expected": round(float(expected), 2)}
