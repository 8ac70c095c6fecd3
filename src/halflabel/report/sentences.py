"""Sentences with numbers, for the report, the notebook and the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from halflabel._arrays import Floats
from halflabel._wording import count, percent, plural


def write_headline(counts: Mapping[str, int], *, positive_only: bool, min_precision: float | None) -> str:
    """Return the numbers of entries, for readers who have never seen such a table.

    Examples
    --------
    >>> counts = {"items": 4, "labels": 2, "entries": 8, "given": 3, "gaps": 5, "filled": 5}
    >>> write_headline(counts, positive_only=False, min_precision=None)
    '4 items with 2 labels each make 8 entries. 3 were given; the other 5 were gaps, and all of them are now filled in.'
    """
    given, gaps, left = count(counts["given"]), count(counts["gaps"]), counts["gaps"] - counts["filled"]
    items, labels = plural(counts["items"], "item"), plural(counts["labels"], "label")
    start = f"{items} with {labels} each make {plural(counts['entries'], 'entry', 'entries')}."
    if positive_only:
        no = counts["filled"] - counts["filled_relevant"]
        rest = f"{count(counts['filled_relevant'])} are now filled in as relevant and {count(no)} as irrelevant"
        stay = f"; {count(left)} stay empty" if left else ""
        return f"{start} {given} were given, all of them relevant. Of the other {gaps}, {rest}{stay}."
    if not counts["gaps"]:
        return f"{start} All of them were given: there was no gap to fill in."
    if not left:
        return f"{start} {given} were given; the other {gaps} were gaps, and all of them are now filled in."
    why = f", because they would not reach {percent(min_precision)} expected precision" if min_precision else ""
    filled = f"{count(counts['filled'])} are now filled in and {count(left)} stay empty"
    return f"{start} {given} were given. Of the other {gaps}, {filled}{why}."


def write_errors(filled: int, expected: float, low: float, high: float) -> str:
    """Return how many filled entries are expected to be wrong, with a band. Empty if none was filled.

    Numbers are rounded to a power of ten that is at most a tenth of the width of the band.

    Examples
    --------
    >>> write_errors(4120, 312.4, 258.1, 371.0)
    'About 310 of 4,120 filled entries are wrong (260–370).'
    >>> write_errors(40, 0.3, 0.0, 1.2)
    'About 0 of 40 filled entries are wrong (0–1).'
    >>> write_errors(13393, 1369.6, 1303.4, 1431.7)
    'About 1,370 of 13,393 filled entries are wrong (1,300–1,430).'
    """
    if not filled:
        return ""
    digits = 1 - max(math.floor(math.log10(max(high - low, 1.0))), 1)
    about, least, most = (count(round(round(number), digits)) for number in (expected, low, high))
    entries, verb = plural(filled, "filled entry", "filled entries"), "is" if filled == 1 else "are"
    return f"About {about} of {entries} {verb} wrong ({least}–{most})."


def write_relevant(expected: float, filled: int, precision: float, labelled: int, more: tuple[int, int] | None) -> str:
    """Return how many of the relevant entries can be filled in at a precision, and with how many labelled items more.

    Parameters
    ----------
    expected : float
        The expected number of relevant entries among the gaps.
    filled : int
        The number of gaps that can be filled in as relevant.
    labelled : int
        The number of labelled items.
    more : tuple of (labelled, filled) or None
        A number of labelled items at which clearly more could be filled in; None if there is none.

    Examples
    --------
    >>> write_relevant(1204, 41, 0.95, 80, (320, 118)).replace(chr(160), " ")
    'Of about 1,200 relevant entries among the gaps, 41 can be filled in at 95 %. With 320 labelled items (now 80) it could be about 120.'
    """  # noqa: E501
    start = (
        f"Of about {count(_round(expected))} relevant entries among the gaps, {count(filled)} can be filled in at "
        f"{percent(precision)}."
    )
    if more is None:
        return start
    items, entries = more
    could = f"it could be about {count(_round(entries))}"
    return f"{start} With {count(items)} labelled items (now {count(labelled)}) {could}."


def _round(number: float) -> int:
    """Return a whole number with two digits that are not 0, if it has more than two."""
    whole = round(number)
    return whole if whole < 100 else round(whole, 2 - len(str(whole)))


def write_doubtful(wrong: Sequence[float] | Floats) -> str:
    """Return how many of the most doubtful given entries are expected to be wrong, from their posteriors.

    The sum over all given entries is not an estimate: where features show a label badly, it has many small doubts.
    """
    if len(wrong) < 2:
        return "The most doubtful given entry is probably wrong." if len(wrong) else ""
    return f"About {count(round(sum(wrong)))} of the {count(len(wrong))} most doubtful given entries are wrong."
