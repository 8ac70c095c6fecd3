r"""Words that people and programs write where there is nothing: ``n/a``, ``\N``, ``#REF!``, ``(blank)``, ``[]``."""

from __future__ import annotations

import re
import unicodedata

from halflabel.labels.answers import fold_word

#: Words, without the punctuation around them.
_WORDS = frozenset({
    "none", "nothing", "na", "n/a", "n.a", "nan", "nat", "null", "nil", "undefined", "unknown", "missing", "blank",
    "empty", "unset", "not set", "not applicable", "no", "false", "no tag", "no tags", "no label", "no labels",
    "no data", "untagged", "unlabelled", "unlabeled", "not tagged", "not labelled", "not labeled", "tbd", "todo",
    "to do", "k.a", "n.d", "n.b", "leer", "keine", "vide", "aucun", "aucune", "ninguno", "ninguna", "nessuno",
})  # fmt: skip

#: Codes of databases, workbooks and programs of statistics.
_CODES = re.compile(r"\\n|#[a-zäöü]{2,}(?:/0)?[!?]|#n/?a|\.[a-z]|-?(?:nan|1\.#\w+)(?:\(\w+\))?|-9|-99|-999")

#: Empty lists as programs print them: ``[]``, ``set()``, ``array([], dtype=object)``, ``WrappedArray()``, R's ``c()``.
_EMPTY = r"\[\s*\]|\{\s*\}|\(\s*\)|<\s*>"
_CALL = r"(?:[\w.]*(?:array|list|seq|set|vector|buffer|tuple)|c)"
_EMPTY_LIST = re.compile(rf"{_EMPTY}|{_CALL}\((?:{_EMPTY})?\s*(?:,\s*dtype=[^()]+)?\)|character\(0\)", re.IGNORECASE)

#: Marks that do not belong to such a word. All but letters, digits and symbols such as emoji are punctuation.
_AROUND = "()[]{}<>\"'“”‘’ .!*_-–—?/…"


def is_nothing(text: str) -> bool:
    """Return whether a text is probably no value, but stands for nothing.

    Examples
    --------
    >>> [text for text in ("N/A", "(blank)", "[nan]", "…", "#REF!", "c()", "🙂", "rock", "C#", "") if is_nothing(text)]
    ['N/A', '(blank)', '[nan]', '…', '#REF!', 'c()']
    """
    word = fold_word(text)
    if not word:
        return False
    is_code = _CODES.fullmatch(word)
    return bool(is_code) or is_empty_list(word) or word.strip(_AROUND) in _WORDS or all(map(_is_mark, word))


def is_empty_list(text: str) -> bool:
    """Return whether a text is an empty list as a program prints it.

    Examples
    --------
    >>> [text for text in ("[ ]", "{}", "array([], dtype=object)", "character(0)", "''", "f()") if is_empty_list(text)]
    ['[ ]', '{}', 'array([], dtype=object)', 'character(0)']
    """
    return _EMPTY_LIST.fullmatch(text.strip()) is not None


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PZC" or character in "$+<=>^`|~"
