"""How many errors are left, how many the next answers remove, and the results of random questions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from halflabel._arrays import Floats
from halflabel._wording import count, plural
from halflabel.evidence.answer_plan import MIN_RANDOM
from halflabel.labels.reasons import Reason
from halflabel.review_page.answers import AnswerBook
from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import Situation, choose_screens, limit_entries, take_highest

#: Number of answers whose effect is predicted, and the number of removed errors below which it is enough.
NEXT, ENOUGH = 60, 3.0

#: Confidence of each end of the interval of random answers.
CONFIDENCE = 0.95


def advise(now: Situation, book: AnswerBook) -> dict[str, Any]:
    """Return the numbers of errors that are left, and a sentence with them.

    Keys: filled, expected, low, high (errors among filled entries without an answer), next (errors that the next 60
    answers remove), is_enough, sentence, and random: see :func:`score_random`.

    Notes
    -----
    The expected errors are the sum of the probabilities. The band is that of the completion; flips of given values are
    subtracted from its lower end. From 60 random answers on, its upper end is the exact one of these answers, because
    calibration on answers to questions that a queue chose can be much too optimistic. Expected errors outside of the
    exact interval of any number of random answers are not stated.
    """
    scored, fit = score_random(book), now.fit
    if fit is None or not fit.has_precision:
        why = "" if fit is None else _explain_missing_estimate(fit)
        scored = scored if fit is None or not fit.contradiction else {**scored, "expected": None}
        unknown = {"expected": None, "is_enough": False}
        return {"filled": int(now.filled.sum()), **unknown, "sentence": why, "random": scored}
    numbers = _estimate(now, fit, scored)
    is_enough = numbers["next"] is not None and numbers["next"] < ENOUGH
    return {**numbers, "is_enough": is_enough, "sentence": write_advice(numbers), "random": scored}


def _estimate(now: Situation, fit: Fit, scored: dict[str, Any]) -> dict[str, Any]:
    """Return the expected errors among filled entries without an answer, their band, and the effect of 60 answers."""
    wrong, total = fit.wrong[now.filled], fit.expected[-1]
    n, expected = len(wrong), float(wrong.sum())
    without_flips = float(fit.wrong_without_flips[now.filled].sum())
    scale = 1 / total["expected"] if total["expected"] > 0 else 0.0
    low, high = min(total["low"] * scale, 1) * without_flips, max(total["high"] * scale, 1) * expected
    gain = _sum_next(now, np.where(now.filled, fit.wrong, 0))
    answers = scored["answers"]
    least, most = (n * share for share in bound_share_of_errors(scored["errors"], answers)) if answers else (0.0, n)
    agrees = least <= expected <= most
    if answers >= MIN_RANDOM:
        low, high = min(low, least), most
    return {"filled": n, "expected": expected if agrees else None, "low": low, "high": high,
            "next": gain if agrees else None, "answers": answers}  # fmt: skip


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


def _explain_missing_estimate(fit: Fit) -> str:
    if fit.contradiction:
        return f"{fit.contradiction}: there is no estimate of errors. An audit measures them."
    return f"Probabilities are of {fit.probability_of}: there is no estimate of errors."


def write_advice(numbers: dict[str, Any]) -> str:
    """Return the sentences about the errors that are left.

    Examples
    --------
    >>> numbers = {"filled": 4120, "expected": 310.2, "low": 260.4, "high": 369.8, "next": 21.2, "answers": 0}
    >>> write_advice(numbers)
    'About 310 of 4,120 filled values are wrong (260 to 370). 60 more answers would remove about 21 errors.'
    >>> write_advice({**numbers, "next": 2.2})
    'It is enough: 60 more answers would remove about 2 errors. About 310 of 4,120 filled values are wrong (260 to
    370).'
    >>> write_advice({**numbers, "expected": None, "answers": 80, "high": 240.2})
    'At most 240 of 4,120 filled values are wrong, after 80 random answers. Random answers contradict the number of
    errors that the probabilities expect: it is not shown.'
    """
    filled, high = numbers["filled"], count(round(numbers["high"]))
    if not filled:
        return "No filled value is left to check."
    values, answers = plural(filled, "filled value"), plural(numbers["answers"], "random answer")
    if numbers["expected"] is None:
        is_bound = numbers["answers"] >= MIN_RANDOM and numbers["high"] < filled
        most = f"At most {high} of {values} are wrong, after {answers}. " if is_bound else ""
        return f"{most}Random answers contradict the number of errors that the probabilities expect: it is not shown."
    expected, gain = round(numbers["expected"]), numbers["next"]
    first = (f"About {count(expected)} of {values} {'is' if expected == 1 else 'are'} wrong "
             f"({count(round(numbers['low']))} to {high}).")  # fmt: skip
    removed = "no error" if gain < 0.5 else f"about {plural(round(gain), 'error')}"
    more = f"{plural(min(NEXT, filled), 'more answer')} would remove {removed}."
    return f"It is enough: {more} {first}" if gain < ENOUGH else f"{first} {more}"


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
