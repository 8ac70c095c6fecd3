"""Many items answered at once: random members first, then an exact bound for all members."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Ints
from halflabel._wording import plural
from halflabel.evidence.confidence_sequence import bound_errors
from halflabel.review_page.queues import Question, Situation

#: Number of random members that are shown first, and the level of the bound.
SAMPLE, LEVEL = 12, 0.95

#: Maximum number of items that are like another one.
NEAR = 100

#: The expected share of members whose answer is another one; the bounds hold if it is wrong.
EXPECTED = 0.1


def find_members(now: Situation, rows: Ints, column: int, min_p: float | None = None) -> Ints:
    """Return the selected items whose entry is unknown and has no answer, with at least this probability."""
    members = rows[now.open_entries[rows, column]]
    if min_p is not None and now.fit is not None:
        members = members[now.fit.p[members, column] >= min_p]
    return np.asarray(members, dtype=np.intp)


def find_near(now: Situation, points: NDArray[np.uint16], row: int, column: int) -> Ints:
    """Return the items nearest to an item on the map whose entry of a label is open and filled with the same value."""
    same = now.open_entries[:, column].copy()
    if now.fit is not None:
        same &= now.fit.state[:, column] == now.fit.state[row, column]
    rows = np.flatnonzero(same)
    apart = ((points[rows].astype(np.int64) - points[row].astype(np.int64)) ** 2).sum(axis=1)
    return np.sort(rows[np.argsort(apart, kind="stable")[:NEAR]])


def describe_sample(now: Situation, rows: Ints, column: int, seed: int) -> dict[str, Any]:
    """Return random members of a selection, to be answered one by one, and how many members p would select."""
    members, fit = find_members(now, rows, column), now.fit
    chosen = np.random.default_rng(seed).permutation(members)[:SAMPLE]
    return {
        "members": len(members),
        "selected": len(rows),
        "probable": 0 if fit is None else int((fit.p[members, column] >= fit.thresholds[column]).sum()),
        "min_p": None if fit is None else round(float(fit.thresholds[column]), 4),
        "questions": [vars(Question(int(row), column, "sample")) for row in chosen],
    }


def bound_share(members: int, yes: int, no: int) -> dict[str, Any]:
    r"""Return lower bounds of two shares: the members that have the label, and the members without it.

    They hold after every answer, see :mod:`halflabel.evidence.confidence_sequence`. The number of members includes the
    answered ones. ``yes`` and ``no`` are the answers about random members.

    Examples
    --------
    >>> print(bound_share(1873, 11, 1)["sentence"].replace("\N{NO-BREAK SPACE}", " "))
    11 yes, 1 no: at least 58 % of the 1,873 items have the label (confidence 95 %).
    """
    n = yes + no
    if not n:
        return {"yes": 0.0, "no": 0.0, "sentence": ""}
    shares = {
        "yes": 1 - bound_errors(members, n, no, LEVEL, EXPECTED) / members,
        "no": 1 - bound_errors(members, n, yes, LEVEL, EXPECTED) / members,
    }
    better = max(shares, key=lambda word: shares[word])
    verb = "have the label" if better == "yes" else "do not have the label"
    share = f"{int(100 * shares[better])}\N{NO-BREAK SPACE}%"  # a bound is rounded down
    sentence = f"{yes} yes, {no} no: at least {share} of the {plural(members, 'item')} {verb} (confidence 95 %)."
    return {**shares, "sentence": sentence.replace("95 %", "95\N{NO-BREAK SPACE}%")}
