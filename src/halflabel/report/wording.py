"""Numbers and lists the way people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

__all__ = ["clipped", "count", "decimal", "headline", "listed", "percent", "plural"]

#: What stands where there is no number.
NONE = "–"

#: Longest text that reaches a page; names and ids come from outside and may be anything.
MOST_CHARACTERS = 120


def count(number: int) -> str:
    """Return a whole number with its thousands set apart.

    Examples
    --------
    >>> count(17970)
    '17,970'
    """
    return f"{number:,}"


def plural(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "item"), plural(1797, "item"), plural(2, "entry", "entries")
    ('1 item', '1,797 items', '2 entries')
    """
    return f"{count(number)} {noun if number == 1 else several or noun + 's'}"


def percent(share: float | None) -> str:
    r"""Return a share in percent, to the digits that matter; never 0 % or 100 % unless it is exactly that.

    Examples
    --------
    >>> [percent(share).replace("\xa0", " ") for share in (0, 0.0002, 0.0312, 0.418, 0.95, 0.9999, 1)]
    ['0 %', '< 0.1 %', '3.1 %', '42 %', '95 %', '> 99.9 %', '100 %']
    """
    if share is None or isnan(share):
        return NONE
    if 0 < share < 0.001:
        return "<\xa00.1\xa0%"
    if 0.999 < share < 1:
        return ">\xa099.9\xa0%"
    digits = 1 if 0 < share < 0.1 or 0.9 < share < 1 else 0
    return f"{100 * share:.{digits}f}".removesuffix(".0") + "\xa0%"


def decimal(value: float | None, digits: int = 2) -> str:
    """Return a number with so many digits after the point.

    Examples
    --------
    >>> decimal(0.8349), decimal(None)
    ('0.83', '–')
    """
    return NONE if value is None or isnan(value) else f"{value:.{digits}f}"


def clipped(text: object, most: int = MOST_CHARACTERS) -> str:
    """Return the text of a value, on one line, cut where it is too long for a page.

    Examples
    --------
    >>> clipped("a name that goes on", 10)
    'a name th…'
    """
    line = " ".join(str(text)[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names as they stand in a sentence.

    Examples
    --------
    >>> listed(["rock"]), listed(["rock", "sad"]), listed(["rock", "sad", "live"], 1)
    ('“rock”', '“rock” and “sad”', '“rock” and 2 more')
    """
    shown = [f"“{clipped(name)}”" for name in names[:most]]
    if len(names) > most:
        shown.append(f"{count(len(names) - most)} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def headline(counts: Mapping[str, int], *, positive_only: bool, min_precision: float | None) -> str:
    """Return what happened, in words for someone who has never seen such a table.

    Examples
    --------
    >>> counts = {"items": 4, "labels": 2, "entries": 8, "given": 3, "gaps": 5, "filled": 5}
    >>> headline(counts, positive_only=False, min_precision=None)
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
