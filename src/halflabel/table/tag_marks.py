"""Marks and words around the name of a tag that change its meaning: ``-rock``, ``no rock``, ``rock?``."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple, Self

from halflabel._wording import clipped, option, plural
from halflabel.labels.answers import WORDS, Answer
from halflabel.table.ambiguous import AmbiguousReading
from halflabel.table.tag_text import fold_tag

#: The place of the name in the pattern of a mark, such as ``no {tag}``.
NAME = "{tag}"

#: Minimum number of tags with a mark that also occur without it. One is enough of :data:`_NOT`.
MIN_TAGS = 2

#: Marks that mean "no": one tag is enough, also if it does not occur without the mark.
_MINUS = re.compile(r"(?:-|!|¬|~|NOT )(?=\w)")

#: Words for "no" before a name.
_NO = re.compile(r"(?:no|not|non|without|w/o|kein|keine|nicht|ohne|pas|sans|sin|senza|não|geen)[\s:_-]+(?=\w)", re.I)

#: Words that are rarely a part of a name, as in "no wave".
_NOT = re.compile(r"(?:not|without|w/o|keine?|nicht|ohne|senza|geen)[\s:_-]")

#: An answer behind a name, such as ``rock: no`` and ``rock (ja)``.
_WORDS = [word for answer in Answer for word in WORDS[answer] if len(word) > 1]
_ANSWER = re.compile(
    rf"[\s:=(\[_-]+(?:{'|'.join([*_WORDS, 'ja', 'nein', 'oui', 'non', 'sí'])})[)\]]?$"
    r"|\s*[:=]\s*[ynjtf]$|\s*[(\[][^()\[\]\d][^()\[\]]*[)\]]$|\s*[:=]\s*[01]$",
    re.I,
)

#: A word before a name, such as ``Tags: rock``.
_TITLE = re.compile(r"[^\W\d]\w*\s*:\s+(?=\w)")

#: A box before a name, such as ``[x] rock`` and ``[ ] rock``.
_BOX = re.compile(r"[\[(]\w?\s?[\])]\s*(?=\w)")

#: Marks before and behind a name, with blanks next to it.
_FRONT, _BACK = re.compile(r"(?:[^\w\s]|_)*\s*"), re.compile(r"\s*(?:[^\w\s]|_)*$")


class Mark(NamedTuple):
    """A mark around the name of a tag that an item has, does not have (False), or may have (None)."""

    front: str
    back: str
    relevant: bool | None

    @classmethod
    def of(cls, pattern: str, relevant: bool | None) -> Self:
        """Return the mark of a pattern.

        Examples
        --------
        >>> Mark.of("{tag} (?)", None)
        Mark(front='', back=' (?)', relevant=None)
        """
        front, _, back = pattern.partition(NAME)
        return cls(front, back, relevant)

    def strip(self, text: str) -> str:
        """Return the name inside the mark, or an empty text if a tag does not have the mark.

        Examples
        --------
        >>> Mark("no ", "", False).strip("No rock"), Mark("no ", "", False).strip("rock")
        ('rock', '')
        """
        text = " ".join(text.split())
        has = text.casefold().startswith(self.front) and text.casefold().endswith(self.back)
        return text[len(self.front) : len(text) - len(self.back)].strip() if has else ""


def check_marks(tags: Collection[str], marks: Collection[Mark], column: str) -> None:
    """Raise if tags have a mark whose meaning was not stated.

    Punctuation and words for "no" are marks if tags occur without them, too, as in "no rock" next to "rock". All other
    words are parts of names: indie rock, next to rock, is a label of its own.

    Raises
    ------
    AmbiguousReading
    """
    inner = [next((name for mark in marks if (name := mark.strip(tag))), "") for tag in tags]
    free = [tag for tag, name in zip(tags, inner, strict=True) if not name]
    found = _find_marks(free, {fold_tag(name) for name in (*free, *inner)})
    if not found:
        return
    pattern = max(found, key=lambda each: (bool(_MINUS.match(_show(each))), len(found[each]), -len(each)))
    tags, is_no = found[pattern], bool(_MINUS.match(_show(pattern)) or _NO.match(_show(pattern)))
    further = (
        ("it means that the item may have the tag", option("unknown", pattern)),
        ("it means that the item has the tag", option("yes", pattern)),
    )
    raise AmbiguousReading(
        f"{plural(len(tags), 'tag')} of the column {column!r} {'has' if len(tags) == 1 else 'have'} the form "
        f"{pattern!r}, such as {clipped(tags[0], 40)!r}.",
        ("it means that the item does not have the tag", option("no", pattern)),
        *(() if is_no else further),
        ("it is a name like any other", option("tag_marks", "name")),
    )


def _show(pattern: str) -> str:
    """Return a tag that a pattern fits."""
    return pattern.replace(NAME, "x")


def _find_marks(tags: Collection[str], names: set[str]) -> dict[str, list[str]]:
    """Return the tags that have each mark, by its pattern."""
    answered = Counter(fold_tag(_ANSWER.sub("", tag)) for tag in tags if _ANSWER.search(tag))
    names = names | {name for name, n in answered.items() if n > 1}  # "rock: yes" next to "rock: no"
    names |= _find_marked_twice(tags)
    found: dict[str, list[str]] = {}
    for tag in tags:
        for pattern, name in _split_marks(" ".join(tag.split())):
            if fold_tag(name) in names and fold_tag(name) != fold_tag(tag):
                found.setdefault(pattern, []).append(tag)
    found = {key: marked for key, marked in found.items() if len(marked) >= MIN_TAGS or _NOT.match(key)}
    for tag in tags:
        if (minus := _MINUS.match(tag)) and tag not in (marked := found.setdefault(minus[0].casefold() + NAME, [])):
            marked.append(tag)
    return found


def _find_marked_twice(tags: Collection[str]) -> set[str]:
    """Return the names that occur with the same two marks, such as "✓ rock" and "✗ rock"."""
    marks: dict[str, set[str]] = {}
    for tag in tags:
        for pattern, name in _split_marks(" ".join(tag.split())):
            marks.setdefault(fold_tag(name), set()).add(pattern)
    pairs = Counter(pair for found in marks.values() for pair in itertools.combinations(sorted(found), 2))
    return {name for name, found in marks.items()
            if any(pairs[pair] >= MIN_TAGS for pair in itertools.combinations(sorted(found), 2))}  # fmt: skip


def _split_marks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the patterns that a tag can have, each with the name inside."""
    at_front, at_back = _FRONT.match(text), _BACK.search(text)
    words = [
        match[0] for match in (_NO.match(text), _TITLE.match(text), _BOX.match(text), _ANSWER.search(text)) if match
    ]
    fronts = ["", *(text[:k] for k in range(1, at_front.end() + 1 if at_front else 1)), *words]
    backs = ["", *(text[k:] for k in range(at_back.start() if at_back else len(text), len(text))), *words]
    for front in fronts:
        for back in backs:
            name = text[len(front) : len(text) - len(back)]
            is_whole = text.startswith(front) and text.endswith(back) and name == name.strip()
            if (front or back) and is_whole and re.search(r"\w", name):
                yield f"{front}{NAME}{back}".casefold(), name
