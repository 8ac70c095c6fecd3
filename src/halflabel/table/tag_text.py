"""The text of a tag: cut out of a cell, quoted, and compared."""

from __future__ import annotations

import html
import re
import unicodedata

#: Brackets inside which a separator is a part of a name, as in ``Rock (US, UK)``.
_BRACKETS = {"(": ")", "[": "]", "{": "}"}

#: A character as web pages write it, such as ``&amp;``, and a text in quotes.
_ENTITY, _QUOTED = re.compile(r"&#?\w{1,31};"), re.compile(r'"(?:[^"]|"")*"')

#: Hyphens and low lines inside a name.
_HYPHENS = re.compile(r"(?<=[^\W_])[-_‐]+(?=[^\W_])")


def split_tags(text: str, sep: str) -> list[str]:
    """Return the parts of a text. A separator inside quotes or brackets is a part of a name.

    Parameters
    ----------
    text, sep : str
        A blank stands for any white space; without a separator, the text is one part.

    Examples
    --------
    >>> split_tags('Rock (US, UK), "a, b",c ', ",")
    ['Rock (US, UK)', '"a, b"', 'c']
    >>> split_tags("a b", ""), split_tags("smile :), b", ",")
    (['a b'], ['smile :)', 'b'])
    """
    if not sep:
        return [text.strip()]
    if not any(mark in text for mark in '([{"&'):
        return [part.strip() for part in (text.split() if sep == " " else text.split(sep))]
    closing, parts, start, at, is_first = _pair_brackets(text), [], 0, 0, True
    while at < len(text):
        if text.startswith(sep, at):
            parts.append(text[start:at])
            start = at = at + len(sep)
            is_first = True
            continue
        end = _skip_quoted(text, at, sep) if is_first and text[at] == '"' else _skip_entity(text, at)
        is_first = is_first and text[at].isspace()
        at = max(end, closing.get(at, at)) + 1
    return [part.strip() for part in [*parts, text[start:]]]


def _pair_brackets(text: str) -> dict[int, int]:
    """Return the place of the bracket that closes each opened one, in one pass."""
    opened: dict[str, list[int]] = {close: [] for close in _BRACKETS.values()}
    pairs = {}
    for at, character in enumerate(text):
        if character in _BRACKETS:
            opened[_BRACKETS[character]].append(at)
        elif opened.get(character):
            pairs[opened[character].pop()] = at
    return pairs


def _skip_quoted(text: str, at: int, sep: str) -> int:
    """Return the last place of a text in quotes that is a whole part, else the same place."""
    match = _QUOTED.match(text, at)
    if match is None:
        return at
    end = match.end()
    while sep != " " and text.startswith(" ", end):
        end += 1
    return match.end() - 1 if end == len(text) or text.startswith(sep, end) else at


def _skip_entity(text: str, at: int) -> int:
    match = _ENTITY.match(text, at)
    return at if match is None or html.unescape(match[0]) == match[0] else match.end() - 1


def unquote_tag(text: str) -> str | None:
    """Return the name in quotes, or None for a text without quotes around it.

    Examples
    --------
    >>> unquote_tag('"a, b"'), unquote_tag('12" vinyl')
    ('a, b', None)
    """
    inner = text[1:-1].replace('""', "") if len(text) > 2 and text[0] == text[-1] == '"' else '"'
    return None if '"' in inner else text[1:-1].replace('""', '"').strip() or None


def quote_tag(name: str, sep: str) -> str:
    """Return a name as a part of a cell, in quotes where it would be read as something else."""
    is_read = split_tags(name, sep) == [name] and unquote_tag(name) is None
    return name if is_read else '"' + name.replace('"', '""') + '"'


def fold_case(name: str) -> str:
    """Return a name as it is compared where upper and lower case are the same.

    Examples
    --------
    >>> fold_case("Hip  Hop") == fold_case("hip hop"), fold_case("Cafe\u0301") == fold_case("café")
    (True, True)
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def fold_tag(name: str) -> str:
    """Return a name as it is compared where its spelling makes no difference.

    Upper and lower case, forms of Unicode and of white space, invisible characters, hyphens, characters as web pages
    write them, and UTF-8 that was read as Windows-1252 are the same.

    Examples
    --------
    >>> fold_tag("Hip  Hop") == fold_tag("hip-hop"), fold_tag("Cafe\u0301") == fold_tag("CafÃ©")
    (True, True)
    """
    text = html.unescape(name) if "&" in name else name
    text = fold_case(_repair(text))
    text = text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf")
    return " ".join(_HYPHENS.sub(" ", text).split())


def _repair(text: str) -> str:
    """Return a text that was written as UTF-8 and read as Windows-1252 as it was."""
    try:
        return text if text.isascii() else text.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return text
