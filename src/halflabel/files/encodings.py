"""The encoding of a text that is not UTF-8: a question with the words that each likely encoding makes."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import pairwise

from halflabel._wording import clipped, option

#: Encodings that an error offers, the most frequent first.
CANDIDATES = ("cp1251", "cp1250", "gb18030", "shift_jis", "euc_kr", "big5", "mac_roman", "cp850", "cp1253", "cp1254",
              "cp1257", "koi8_r", "cp866", "cp437", "iso8859_2")  # fmt: skip

#: Maximum number of encodings in an error, of bytes that are read for it, and minimum share of strange words.
MAX_WAYS, MAX_BYTES, MIN_STRANGE = 5, 200_000, 0.2

#: Opening quotes, which do not follow a letter, and symbols that stand before letters, or between them.
_OPENING, _BEFORE, _BETWEEN = "‚„‹", "¿¡«»‘’“”\"'-°µ§€£¥©®±×½¼¾·•–—…", "'’‘-·–—®©°×€…"

#: Texts without ASCII marks and without the punctuation of East Asia, that have a letter which is not ASCII.
_LETTERS = r"\u0080-\u2fff\u3040-\ufeff"
_WORD = re.compile(rf"[A-Za-z{_LETTERS}]*[{_LETTERS}][A-Za-z{_LETTERS}]*")


def ask_for_encoding(sample: bytes) -> str | None:
    """Return the end of an error if words of a text are strange in Windows-1252: each likely encoding with a word.

    Examples
    --------
    >>> ask_for_encoding("Café;Straße;50 €;20 °C;m²".encode("cp1252")) is None
    True
    >>> print(ask_for_encoding("рок;грусть".encode("cp1251")).partition(". ")[0])
    If 'грусть' is right, state encoding='cp1251'
    """
    here = _list_words(sample, "cp1252")
    if here is not None and _count_strange(here) < MIN_STRANGE * here.total():
        return None
    ways: dict[str, str] = {}
    usual: dict[str, bool] = {}
    for encoding in CANDIDATES:
        words = _list_words(sample, encoding)
        if words and _count_strange(words) < MIN_STRANGE * words.total():
            example = max(words, key=lambda word: (words[word] > 1, min(len(word), 12), word))
            ways.setdefault(clipped(example, 20), encoding)
            usual[clipped(example, 20)] = example[1:] == example[1:].lower()  # as names are written
    chosen = sorted(ways, key=lambda word: not usual[word])[:MAX_WAYS]
    if here and chosen:
        word = max(here, key=lambda word: (_is_strange(word), here[word]))
        ways[word], chosen = "cp1252", [*chosen, word]
    return " ".join(f"If {word!r} is right, state {option('encoding', ways[word])}." for word in chosen) or None


def _list_words(sample: bytes, encoding: str) -> Counter[str] | None:
    """Return the words that are not plain ASCII, or None if the bytes have no meaning in an encoding."""
    try:
        text = sample[:MAX_BYTES].decode(encoding)
    except UnicodeDecodeError as error:
        if error.start < min(len(sample), MAX_BYTES) - 4:  # the sample may end inside a character
            return None
        text = sample[: error.start].decode(encoding)
    return Counter(_WORD.findall(text))


def _count_strange(words: Counter[str]) -> int:
    return sum(number for word, number in words.items() if _is_strange(word))


def _is_strange(word: str) -> bool:
    """Return whether a word is probably not one: symbols or capitals inside, two scripts, or too many accents."""
    scripts = {_name_script(c) for c in word if c.isalpha()}
    if len(scripts) > 1 or (scripts == {"LATIN"} and re.search(r"^[^\W\x00-\x7f]{3,}$|[^\W\x00-\x7f]{5}", word)):
        return True
    inner = zip(word, word[1:], word[2:], strict=False)
    if any(a.isalpha() and not b.isalpha() and b not in _BETWEEN and c.isalpha() for a, b, c in inner):
        return True
    pairs = [(a, b) for a, b in pairwise(word) if a.isalpha() or b.isalpha()]
    return any(
        b in _OPENING or (a.islower() and b.isupper() and not b.isascii()) or not (a.isalnum() or a in _BEFORE)
        for a, b in pairs
    )


def _name_script(character: str) -> str:
    """Return LATIN, CYRILLIC, GREEK, or ASIA for the scripts of East Asia, which occur together."""
    if character in "µªº":
        return "LATIN"
    script = unicodedata.name(character, "?").split()[0].split("-")[0]
    return "ASIA" if script in ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "FULLWIDTH", "HALFWIDTH") else script
