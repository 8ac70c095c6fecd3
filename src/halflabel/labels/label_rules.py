"""Rules between labels, as a person writes them: "jazz -> music", "one of: day, night".

They are not threshold rules (:mod:`halflabel.labels.rules`), which turn probabilities into labels.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self

from halflabel._wording import clipped, closest

IMPLIES = "implies"

#: The kinds of rules about a list of labels: whether one of them is relevant in any case. At most one is.
LISTS = {"one of": True, "at most one of": False}

#: Other words for a kind.
SAME = {"exactly one of": "one of"}

#: A name in quotes, an arrow, or anything up to a comma or an arrow.
_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|->|→|,|(?:(?!->|→)[^,"])+)\s*')


@dataclass(frozen=True)
class LabelRule:
    """A rule between labels.

    Examples
    --------
    >>> print(LabelRule("implies", ("jazz", "music")))
    jazz -> music
    >>> print(LabelRule("at most one of", ("day", "night, late")))
    at most one of: day, "night, late"
    """

    #: "implies", or one of :data:`LISTS`.
    kind: str
    #: Of "implies" the label that implies, and the one that is implied.
    labels: tuple[str, ...]

    def __str__(self) -> str:
        names = list(map(_quote, self.labels))
        return " -> ".join(names) if self.kind == IMPLIES else f"{self.kind}: {', '.join(names)}"


@dataclass(frozen=True)
class LabelRules:
    """The rules between the labels of a table.

    Examples
    --------
    >>> LabelRules.read(["jazz -> music", "one of: day, night"], ("jazz", "music", "day", "night")).texts
    ('jazz -> music', 'one of: day, night')
    """

    #: The labels, in the order of the table.
    names: tuple[str, ...]
    rules: tuple[LabelRule, ...] = ()

    @classmethod
    def read(cls, texts: Iterable[str], names: Sequence[str]) -> Self:
        """Read rules between the labels of these names.

        Raises
        ------
        ValueError
            For a text that is not a rule, and a rule about a name that is not a label.
        """
        return cls(tuple(names), tuple(dict.fromkeys(rule for text in texts for rule in read_rules(text, names))))

    @property
    def texts(self) -> tuple[str, ...]:
        """The rules as texts that :meth:`read` reads."""
        return tuple(map(str, self.rules))

    def select(self, names: Sequence[str]) -> LabelRules:
        """Return the rules that hold between some of the labels, whatever the other labels are.

        Without one of its labels, "one of" is "at most one of". "a -> b" and "b -> c" become "a -> c" without b.
        """
        kept = set(names)
        implied: dict[str, list[str]] = {}
        for rule in self.rules:
            if rule.kind == IMPLIES:
                implied.setdefault(rule.labels[0], []).append(rule.labels[1])
        found = [shorter for rule in self.rules for shorter in _shorten(rule, kept, implied)]
        return LabelRules(tuple(names), tuple(dict.fromkeys(found)))


#: A table without rules.
NO_RULES = LabelRules(())


def is_rule(text: str) -> bool:
    """Return whether a text has the form of a rule, and not that of a path."""
    kind = _squeeze(text.partition(":")[0])
    return "->" in text or "→" in text or SAME.get(kind, kind) in LISTS


def read_rules(text: str, names: Sequence[str]) -> list[LabelRule]:
    """Return the rules of one text: "a -> b, c" is two rules, and so is "a -> b -> c".

    Raises
    ------
    ValueError
        With one sentence.
    """
    head, _, tail = text.partition(":")
    kind = SAME.get(_squeeze(head), _squeeze(head))
    if kind in LISTS and text.strip() not in names:
        lists = [_expand(side, names) for side in _split_sides(tail, text)]
        listed = tuple(name for side in lists for name in _read_side(side, text, names))
        if len(lists) > 1 or len(listed) < 2 or len(set(listed)) < len(listed):
            raise ValueError(f"the rule {_show(text)} needs at least two different labels after its colon.")
        return [LabelRule(kind, listed)]
    written = _split_sides(text, text)
    if len(written) < 2 or any(len(side) != 1 for side in written[:-1]):
        raise ValueError(
            f"{_show(text)} is not a rule between labels: write 'a -> b' (a implies b), 'one of: a, b' or "
            "'at most one of: a, b'."
        )
    sides = [_read_side(side, text, names) for side in written]
    pairs = [(a, b) for first, second in itertools.pairwise(sides) for a in first for b in second]
    if same := [a for a, b in pairs if a == b]:
        raise ValueError(f"the rule {_show(text)} is about the label {same[0]!r} twice: name another label.")
    return [LabelRule(IMPLIES, pair) for pair in pairs]


def _shorten(rule: LabelRule, kept: set[str], implied: dict[str, list[str]]) -> list[LabelRule]:
    """Return the rules between kept labels that follow from a rule."""
    left = tuple(name for name in rule.labels if name in kept)
    if len(left) == len(rule.labels):
        return [rule]
    if rule.kind != IMPLIES:
        return [LabelRule("at most one of", left)] if len(left) > 1 else []
    first, ends, seen, open_ = rule.labels[0], [], set(), [rule.labels[1]]
    while first in kept and open_:
        name = open_.pop()
        if name in seen or name == first:
            continue
        seen.add(name)
        if name in kept:
            ends.append(name)
        else:
            open_ += implied.get(name, [])
    return [LabelRule(IMPLIES, (first, name)) for name in ends]


def _split_sides(text: str, rule: str) -> list[list[str]]:
    """Return the names between arrows, each side as a list."""
    sides: list[list[str]] = [[]]
    end, is_open = 0, True
    while end < len(text.rstrip()):
        match = _TOKEN.match(text, end)
        token = "" if match is None else match[1].strip()
        if match is None or is_open == (token in (",", "->", "→")):
            raise ValueError(f"the rule {_show(rule)} cannot be read near {_show(text[end:].strip())}: names have a "
                             "comma or -> between them, and one with such a sign is in double quotes.")  # fmt: skip
        if token in ("->", "→"):
            sides.append([])
        elif token != ",":
            sides[-1].append(token)
        is_open, end = token in (",", "->", "→"), match.end()
    if is_open:
        raise ValueError(f"the rule {_show(rule)} lacks a label at its end.")
    return sides


def _expand(side: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names of a list, with the labels that a pattern such as mood_* matches in its place."""
    found: list[str] = []
    for text in side:
        is_pattern = text not in names and set(text) & set("*?[") and not text.startswith('"')
        found += [_quote(name) for name in names if is_pattern and fnmatchcase(name, text)] or [text]
    return found


def _read_side(side: Sequence[str], rule: str, names: Sequence[str]) -> list[str]:
    """Return the labels that texts name."""
    read = list(map(_unquote, side))
    if unknown := [name for name in read if name not in names]:
        raise ValueError(
            f"the rule {_show(rule)} names {_show(unknown[0])}, which is not a label: {closest(unknown[0], names)}"
        )
    return read


def _quote(name: str) -> str:
    """Return a name as a rule has it: in quotes where it holds a sign of the notation."""
    is_plain = not re.search(r'[,"]|->|→|^#|^\s|\s$|^$', name) and ":" not in name
    return name if is_plain else '"' + name.replace('"', '""') + '"'


def _unquote(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') and text.endswith('"') and len(text) > 1 else text


def _squeeze(text: str) -> str:
    return " ".join(text.lower().split())


def _show(text: str) -> str:
    return repr(clipped(text.strip(), 80))
