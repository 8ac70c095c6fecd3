"""The text of a tag: cut out of a cell, quoted, and compared."""

from __future__ import annotations

import html
import re
import unicodedata

#: Texts inside which a separator is a part of a name: brackets, as in ``Rock (US, UK)``, and characters of web pages.
_WHOLE = re.compile(
    r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[\da-f]{1,6});|.", re.S
)

#: Hyphens, low lines and apostrophes inside a name.
_INNER = re.compile(r"(?<=[^\W_])[-_‐'’\s]+(?=[^\W_])")


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
    quoted = re.compile(rf'\s*"(?:[^"]|"")*"(?=\s*(?:{re.escape(sep)}|$))')
    parts, start, at = [], 0, 0
    while at < len(text):
        if text.startswith(sep, at):
            parts.append(text[start:at])
            start = at = at + len(sep)
        else:
            match = (quoted.match(text, at) if at == start else None) or _WHOLE.match(text, at)
            at = at + 1 if match is None else match.end()
    return [part.strip() for part in [*parts, text[start:]]]


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

    Upper and lower case, forms of Unicode and of white space, invisible characters, hyphens, apostrophes, and
    characters as web pages write them are the same.

    Examples
    --------
    >>> fold_tag("Hip  Hop") == fold_tag("hip-hop"), fold_tag("rock'n'roll") == fold_tag("Rock’n’Roll")
    (True, True)
    """
    text = fold_case(html.unescape(name))
    return _INNER.sub(" ", text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf"))
