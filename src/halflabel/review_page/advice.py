"""How many errors are left, how many the next answers remove, and the results of random questions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from scipy import special

from halflabel._wording import count, plural
from halflabel.evidence.answer_plan import MIN_RANDOM
from halflabel.labels.reasons import Reason
from halflabel.review_page.answers import AnswerBook
from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import Situation

#: Number of answers whose effect is predicted, and number of the last answers that measure the speed.
NEXT, RECENT = 50, 50

#: The queues that choose filled entries whose values may be wrong, with their names on the page.
QUEUES = {
    Reason.UNCERTAIN.value: "uncertain",
    Reason.BOUNDARY.value: "near the threshold",
    Reason.RARE.value: "rare labels",
    Reason.CHANGED.value: "changed by the last fit",
}

#: Minimum number of random answers that a queue is compared with, and maximum number of answers that are read for it.
LEAST_RANDOM, MAX_READ = 25, 1000

#: Confidence of each end of the interval of random answers.
CONFIDENCE = 0.95

#: Longer intervals are breaks, in milliseconds.
MAX_INTERVAL = 120_000


def advise(now: Situation, book: AnswerBook) -> dict[str, Any]:
    """Return the numbers of the panel "left", and a sentence with them.

    Keys: filled, expected, low, high (errors among filled entries without an answer), next (errors that the next 50
    answers remove), per_minute (speed of the last answers, or None), sentence, and random: see :func:`score_random`.

    Notes
    -----
    The expected errors are the sum of the probabilities. The band is that of the completion; flips of given values are
    subtracted from its lower end. From 60 random answers on, its upper end is the exact one of these answers, because
    calibration on answers to questions that a queue chose can be much too optimistic. Expected errors outside of the
    exact interval of any number of random answers are not stated.
    """
    scored = score_random(book)
    fit = now.fit
    if fit is None or not fit.has_precision:
        why = "" if fit is None else _explain_missing_estimate(fit)
        scored = scored if fit is None or not fit.contradiction else {**scored, "expected": None}
        sentence = " ".join(filter(None, [why, write_stop(book)]))
        return {"filled": int(now.filled.sum()), "expected": None, "sentence": sentence, "random": scored}
    numbers, speed = _estimate(now, fit, scored), measure_speed(book)
    sentence = " ".join(filter(None, [write_advice(numbers, speed), write_stop(book)]))
    return {**numbers, "per_minute": speed, "sentence": sentence, "random": scored}


def _estimate(now: Situation, fit: Fit, scored: dict[str, Any]) -> dict[str, Any]:
    """Return the expected errors among filled entries without an answer, their band, and the effect of 50 answers."""
    wrong, total = fit.wrong[now.filled], fit.expected[-1]
    n, expected = len(wrong), float(wrong.sum())
    without_flips = float(fit.wrong_without_flips[now.filled].sum())
    scale = 1 / total["expected"] if total["expected"] > 0 else 0.0
    low, high = min(total["low"] * scale, 1) * without_flips, max(total["high"] * scale, 1) * expected
    gain = float(np.partition(wrong, -NEXT)[-NEXT:].sum()) if n > NEXT else expected
    answers = scored["answers"]
    least, most = (n * share for share in bound_share_of_errors(scored["errors"], answers)) if answers else (0.0, n)
    agrees = least <= expected <= most
    if answers >= MIN_RANDOM:
        low, high = min(low, least), most
    return {"filled": n, "expected": expected if agrees else None, "low": low, "high": high,
            "next": gain if agrees else None, "answers": answers}  # fmt: skip


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


def _explain_missing_estimate(fit: Fit) -> str:
    if fit.contradiction:
        return f"{fit.contradiction}: there is no estimate of errors. An audit measures them."
    return f"Probabilities are of {fit.probability_of}: there is no estimate of errors."


def write_advice(numbers: dict[str, Any], per_minute: float | None) -> str:
    """Return the sentences about the errors that are left.

    Examples
    --------
    >>> numbers = {"filled": 4120, "expected": 310.2, "low": 260.4, "high": 369.8, "next": 21.2, "answers": 0}
    >>> write_advice(numbers, 40.0)
    'About 310 of 4,120 filled entries are wrong (260 to 370). The next 50 answers remove about 21 of these errors: at
    40 answers a minute, 17 errors a minute.'
    >>> write_advice({**numbers, "expected": None, "answers": 80, "high": 240.2}, 40.0)
    'At most 240 of 4,120 filled entries are wrong, after 80 random answers. Random answers contradict the number of
    errors that the probabilities expect: it is not shown.'
    """
    filled, high = numbers["filled"], count(round(numbers["high"]))
    if not filled:
        return "Every entry has a given value or an answer."
    entries, answers = plural(filled, "filled entry", "filled entries"), plural(numbers["answers"], "random answer")
    if numbers["expected"] is None:
        is_bound = numbers["answers"] >= MIN_RANDOM and numbers["high"] < filled
        most = f"At most {high} of {entries} are wrong, after {answers}. " if is_bound else ""
        return f"{most}Random answers contradict the number of errors that the probabilities expect: it is not shown."
    expected, gain = round(numbers["expected"]), numbers["next"]
    bound = f"{count(round(numbers['low']))} to {high}"
    first = f"About {count(expected)} of {entries} {'is' if expected == 1 else 'are'} wrong ({bound})."
    speed = "" if not per_minute else (
        f": at {per_minute:.0f} answers a minute, {_round(gain / NEXT * per_minute)} errors a minute"
    )  # fmt: skip
    return f"{first} The next {min(NEXT, filled)} answers remove about {_round(gain)} of these errors{speed}."


def write_stop(book: AnswerBook) -> str:
    """Return the sentence that further answers find little, or an empty text.

    The last answers changed no filled value, or the queue of the last answers changes no more of them than random
    questions do.
    """
    scored = list(islice(_list_scored(book), MAX_READ))
    last = [is_wrong for _, is_wrong in scored[:NEXT]]
    if len(last) == NEXT and not any(last):
        return f"None of the last {NEXT} answers changed a filled value: an audit proves how many are right."
    kind = next((why for why, _ in scored if why in QUEUES), "")
    own, random = ([is_wrong for why, is_wrong in scored if why == name][:NEXT] for name in (kind, Reason.RANDOM))
    if len(own) < NEXT or len(random) < LEAST_RANDOM or sum(own) * len(random) > sum(random) * len(own):
        return ""
    return (
        f'The queue "{QUEUES[kind]}" no longer helps: {sum(own)} of its last {len(own)} answers changed a filled '
        f"value, and {sum(random)} of {len(random)} random answers did. Choose another queue, or stop."
    )


def _list_scored(book: AnswerBook) -> Iterator[tuple[str, bool]]:
    """Yield why an entry was asked, and whether its filled value was wrong, the last answer first."""
    for record in reversed(book.records):
        body = record.body
        if record.op == "answer" and body.get("filled") in (0, 1) and body["value"] is not None:
            yield str(body.get("why")), body["value"] != body["filled"]


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
