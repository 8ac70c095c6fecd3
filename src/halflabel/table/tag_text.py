"""The text of a tag: cut out of a cell, quoted, with a score, and compared."""

from __future__ import annotations

import html
import re
import unicodedata

#: Brackets inside which a separator is a part of a name, as in ``Rock (US, UK)``.
_BRACKETS = {"(": ")", "[": "]", "{": "}"}

#: A character as web pages write it, such as ``&amp;``.
_ENTITY = re.compile(r"&#?\w{1,31};")

#: Hyphens and low lines inside a name.
_HYPHENS = re.compile(r"(?<=[^\W_])[-_‐]+(?=[^\W_])")

#: A score after a name: ``rock:0.9``, ``rock=1``, ``rock (0.9)``, ``rock 0.9``, ``rock: 90 %``.
_NUMBER = r"(?:(?:0|1)?[.,]\d+|[01](?:\.0*)?|\d{1,3}(?:\.\d+)?\s?%)"
_MARKED = re.compile(rf"(.*\S)\s*[:=@]\s*({_NUMBER})")
_BRACKETED = re.compile(rf"(.*\S)\s*[(\[]\s*({_NUMBER})\s*[)\]]")
_SPACED = re.compile(r"(.*\S)\s+((?:0|1)?\.\d+|\d{1,3}\s?%)")

#: A number of any kind before or after a name: ``rock:67``, ``rock (3)``, ``rock x3``, ``2. rock``, ``(b) rock``.
_NUMBERED = re.compile(r"(?P<name>.*[^\W\d].*?)(?:\s*[:=@(\[]\s*|\s+(?:[x×]\s?)?)\d[\d.,:/%-]*\s*[)\]]?")
_LISTED = re.compile(r"(?:\d{1,3}[.):]|[(]\w[)])\s*(?P<name>\D.*)")


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
    parts, start, at = [], 0, 0
    while at < len(text):
        if text.startswith(sep, at):
            parts.append(text[start:at])
            start = at = at + len(sep)
        else:
            at = _skip_group(text, at, sep, at_start=not text[start:at].strip())
    return [part.strip() for part in [*parts, text[start:]]]


def _skip_group(text: str, at: int, sep: str, *, at_start: bool) -> int:
    """Return the place behind a quoted text, behind a pair of brackets, or else behind one character."""
    if text[at] == '"' and at_start and (quoted := re.compile(r'"(?:[^"]|"")*"').match(text, at)):
        rest = text[quoted.end() :].lstrip(" ") if sep != " " else text[quoted.end() :]
        if not rest or rest.startswith(sep):
            return quoted.end()
    if (entity := _ENTITY.match(text, at)) and html.unescape(entity[0]) != entity[0]:
        return entity.end()
    if text[at] in _BRACKETS:
        depth, close = 0, _BRACKETS[text[at]]
        for end in range(at, len(text)):
            depth += (text[end] == text[at]) - (text[end] == close)
            if depth == 0:
                return end + 1
    return at + 1


def unquote_tag(text: str) -> str | None:
    """Return the name in quotes, or None for a text without quotes around it.

    Examples
    --------
    >>> unquote_tag('"a, b"'), unquote_tag('12" vinyl')
    ('a, b', None)
    """
    inner = text[1:-1].replace('""', "") if len(text) > 2 and text[0] == text[-1] == '"' else '"'
    return None if '"' in inner else text[1:-1].replace('""', '"').strip() or None


def quote_tag(name: str, sep: str, *, is_plain: bool = True) -> str:
    """Return a name as a part of a cell, in quotes where it would be read as something else, or is not plain."""
    is_read = is_plain and split_tags(name, sep) == [name] and unquote_tag(name) is None
    return name if is_read else '"' + name.replace('"', '""') + '"'


def read_score(text: str) -> tuple[str, float | None]:
    """Return the name of a tag, and its score from 0 to 1 if it has one.

    Examples
    --------
    >>> [read_score(text) for text in ("rock:0.9", "rock (90 %)", "rock .5", "web 2.0", "Apollo 1")]
    [('rock', 0.9), ('rock', 0.9), ('rock', 0.5), ('web 2.0', None), ('Apollo 1', None)]
    """
    for pattern in (_MARKED, _BRACKETED, _SPACED):
        if match := pattern.fullmatch(text):
            number = match[2]
            value = float(number.rstrip("% ").replace(",", ".")) / (100 if number.endswith("%") else 1)
            if value <= 1:
                return match[1].strip(), value
    return text, None


def strip_number(text: str) -> str:
    """Return a name without the number before or after it.

    Examples
    --------
    >>> [strip_number(text) for text in ("rock x3", "rock:67", "rock (2)", "2) rock", "rock 2024-05-01", "70s")]
    ['rock', 'rock', 'rock', 'rock', 'rock', '70s']
    """
    match = _NUMBERED.fullmatch(text) or _LISTED.fullmatch(text)
    return match["name"].strip() if match else text


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
