"""Checks of the parts of tag cells: words for nothing, vectors of 0 and 1, tags that are made of other tags."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from halflabel._wording import clipped, names_command_options, option, plural, quoted
from halflabel.labels.answers import fold_word
from halflabel.table.ambiguous import AmbiguousReading
from halflabel.table.nothing_words import is_nothing
from halflabel.table.tag_text import fold_case, strip_number

#: The parts of each cell as text.
Cells = Sequence[Sequence[str]]

#: Minimum number of cells of a tag that is never together with another, and maximum probability that it is by chance.
#: Maximum share of the other tags that are alone in their cells.
MIN_ALONE, MAX_CHANCE, MAX_SHARE = 6, 0.001, 0.5

#: Minimum number of combinations of tags, so that tags occur together freely.
MIN_COMBINATIONS = 3

#: Minimum number of tags that are made of two others.
MIN_JOINED = 2


def check_vectors(cells: Cells, column: str) -> None:
    """Raise if cells hold 0 and 1 for each label, such as "0101" or [0, 1, 0, 1], and no names."""
    words = {fold_word(part) for parts in cells for part in parts}
    several = max(map(len, cells), default=0) > 1
    digits = len({len(word) for word in words}) == 1 and all(re.fullmatch("[01]{3,}", word) for word in words)
    if (several and words and words <= {"0", "1", "true", "false"}) or (not several and len(words) > 1 and digits):
        raise ValueError(
            f"the cells of the tags column {column!r} hold 0 and 1, one for each label, and no names of tags: make a "
            f"column of each label, such as pd.DataFrame(map(list, items[{column!r}]), columns=names)."
        )


def check_words(cells: Cells, words: Collection[str], column: str, stated: Collection[str], *, others: bool) -> None:
    """Raise for a word that is probably no name of a tag, unless its meaning was stated.

    Parameters
    ----------
    cells : sequence of sequence of str
    words : collection of str
        Texts of further cells that probably stand for nothing.
    column : str
    stated : collection of str
        The words whose meaning was stated.
    others : bool
        Whether there are further tags.

    Raises
    ------
    AmbiguousReading
    """
    tags = Counter(part for parts in cells for part in parts)
    tags |= Counter(words)
    known = {*stated}
    found = {tag: n for tag, n in tags.items() if (is_nothing(tag) or tag in words) and fold_word(tag) not in known}
    alone = {tag: n for tag, n in _find_alone(cells).items() if fold_word(tag) not in known}
    if not (found and (len(found) < len(tags) or others)):
        found = alone
    if not found:
        return
    word = max(found, key=lambda tag: found[tag])
    more = f" (also {quoted([tag for tag in found if tag != word])})" if len(found) > 1 else ""
    never = " and never together with another tag" if word in alone and not is_nothing(word) else ""
    raise AmbiguousReading(
        f"{plural(found[word], 'cell')} of the tags column {column!r} {'holds' if found[word] == 1 else 'hold'} "
        f"the word {clipped(word, 40)!r}{more}{never}.",
        ("it means that the item has no tag", option("no", word)),
        ("it means a missing value", option("unknown", word)),
        ("it is a tag", option("yes", word)),
    )


def _find_alone(cells: Cells) -> dict[str, int]:
    """Return the tags that are never together with another one, where most tags are, in several combinations."""
    if len({frozenset(parts) for parts in cells if len(set(parts)) > 1}) < MIN_COMBINATIONS:
        return {}
    number = Counter(part for parts in cells for part in set(parts))
    alone = Counter(parts[0] for parts in cells if len(set(parts)) == 1)
    total, single = number.total(), alone.total()
    found: dict[str, int] = {}
    for tag, n in number.items():
        if n >= MIN_ALONE and alone[tag] == n:
            chance = (single - n + 1) / (total - n + 2)
            found |= {tag: n} if chance <= MAX_SHARE and chance**n * len(number) < MAX_CHANCE else {}
    return found


def check_joined(cells: Cells, sep: str, column: str) -> None:
    """Raise if tags are made of two other tags with the same text between them, such as "sad and live"."""
    labels = {fold_case(part): part for parts in cells for part in parts}
    glues: dict[str, list[str]] = {}
    for label, text in labels.items():
        for match in re.finditer(r"(?<=\w)\s*[\W_]+\s*(?:(?:and|und|et|y|e|i|og|och|en|&|\+)[\s]+)?(?=\w)", label):
            if label[: match.start()] in labels and label[match.end() :] in labels:
                glues.setdefault(match[0], []).append(text)
    joined = {glue: texts for glue, texts in glues.items() if len(texts) >= MIN_JOINED and glue.strip(" -_")}
    if joined:
        glue = max(joined, key=lambda text: len(joined[text]))
        raise AmbiguousReading(
            f"{plural(len(joined[glue]), 'tag')} of the column {column!r} have {glue!r} between two other tags, such "
            f"as {clipped(joined[glue][0], 40)!r}. If it separates tags, too, write one separator in all cells.",
            ("these are tags of their own", option("sep", sep)),
        )


def check_letters(cells: Cells, column: str) -> None:
    """Raise if cells hold one letter for each tag, such as "ACD", and no separator."""
    tags = {part for parts in cells for part in parts}
    letters = {letter for tag in tags for letter in tag}
    is_text = all(letter.isalpha() or unicodedata.category(letter) == "So" for letter in letters)  # or emoji
    is_word = is_text and all(len(set(tag)) == len(tag) for tag in tags)
    joined = sorted(tag for tag in tags if len(tag) > 1)
    if is_word and max(map(len, cells), default=0) == 1 and len(joined) > 2 and 2 * len(letters & tags) > len(letters):
        way = "" if names_command_options() else f" (items[{column!r}].str.join(';'))"
        raise AmbiguousReading(
            f"The cells of the tags column {column!r} hold single letters, or symbols, and words of them, such as "
            f"{joined[0]!r}. If each letter is a tag, write a separator between them{way}.",
            ("a cell is one tag", option("sep", "none")),
        )


def check_inseparable(cells: Cells, column: str) -> None:
    """Raise if two tags are always together, as the parts of a name with a comma are: "Jazz, swing and blues"."""
    number = Counter(part for parts in cells for part in set(parts))
    pairs = Counter(pair for parts in cells for pair in itertools.pairwise(parts))
    found = [pair for pair, n in pairs.items() if n >= MIN_ALONE and number[pair[0]] == n == number[pair[1]]]
    if found and len({frozenset(parts) for parts in cells}) > MIN_COMBINATIONS:
        name = clipped(", ".join(found[0]), 60)
        raise AmbiguousReading(
            f"{found[0][0]!r} and {found[0][1]!r} in the tags column {column!r} are always together, in this order. If "
            f'this is one tag with a comma in its name, put it into quotes in all cells: "{name}".',
            ("these are two tags", option("sep", ",")),
        )


def find_numbered(cells: Cells) -> str | None:
    """Return a tag with a number that does not belong to its name, if most tags have one: "rock x3" and "rock x2".

    At least two names have several numbers each, and no cell has one name with two numbers.
    """
    names = {part: strip_number(part) for parts in cells for part in parts}
    numbered = [part for part, name in names.items() if name != part]
    several = [name for name, n in Counter(names[part] for part in numbered).items() if n > 1]
    twice = any(len({names[part] for part in set(parts)}) < len(set(parts)) for parts in cells)
    return None if 2 * len(numbered) < len(names) or len(several) < 2 or twice else numbered[0]


def as_texts(parts: Sequence[Any]) -> list[str]:
    """Return the names of the parts of a cell, without objects and empty texts."""
    return [text for part in parts if not isinstance(part, Mapping) and (text := str(part).strip())]
