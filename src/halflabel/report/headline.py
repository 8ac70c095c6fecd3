"""The first sentences of the report: what was given and what was filled in."""

from __future__ import annotations

from collections.abc import Mapping

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
