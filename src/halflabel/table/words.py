r"""Words of cells: for yes, for no, for unknown, and for nothing at all, as people and programs write them.

Words with one meaning are read. Words with several are a question, with their probable meanings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from halflabel._wording import quoted
from halflabel.labels.answers import WORDS, Answer, fold_word

#: Words that need not be stated; they are words of :mod:`halflabel.labels.answers`, and have the same meaning there.
PLAIN = {"1": 1.0, "true": 1.0, "0": 0.0, "false": 0.0}

#: The value of the words of each key.
VALUES = {"yes": 1.0, "no": 0.0, "unknown": np.nan}


def _split(words: str) -> list[str]:
    return words.split(", ")


#: Words of surveys and tools, in addition to the answers of this package.
_YES = {
    *WORDS[Answer.YES],
    *_split(
        "ja, j, oui, si, sí, sim, tak, da, vrai, wahr, verdadero, vero, x, ●, ✓, ✔, ☑, selected, checked, "
        "ticked, quoted, mentioned, genannt, present, positive, +, approved, accepted, confirmed, agree, 👍, "
        "✅, да, так, evet, igen, ano, ναι, نعم, כן, हाँ, 是, 有, はい, 예, 네"
    ),
}
_NO = {
    *WORDS[Answer.NO],
    *_split(
        "nein, non, não, nej, nee, nie, faux, falsch, falso, ○, ✗, ✘, ☐, absent, negative, -, rejected, "
        "declined, disagree, 👎, ❌, нет, ні, hayır, nem, ne, όχι, لا, לא, नहीं, 否, 无, 無, 没有, いいえ, 아니요"
    ),
}
_UNKNOWN = {
    *WORDS[Answer.UNSURE],
    *_split(
        "maybe, not asked, no answer, weiss nicht, keine angabe, unbekannt, nsp, inconnu, desconocido, "
        "pending, indeterminate, undecided, neutral, dk, don't know, не знаю, 不知道, 不明, わからない"
    ),
}

#: Words for nothing, without the punctuation around them.
_NOTHING = set(
    _split(
        "none, nothing, na, n/a, n.a, nan, nat, null, nil, undefined, unknown, missing, blank, empty, unset, "
        "not set, not applicable, no, false, no tag, no tags, no label, no labels, no data, untagged, "
        "unlabelled, unlabeled, not tagged, not labelled, not labeled, tbd, todo, to do, k.a, n.d, n.b, "
        "leer, keine, vide, aucun, aucune, ninguno, ninguna, nessuno"
    )
)

#: Missing values of databases, workbooks and programs. Other codes of programs of statistics also stand for nothing.
_NULL = re.compile(r"\\n|[(<{]?null[)>}]?|#(?:ref|div/0|value|name|num)[!?]|nan|nat|<na>")
_CODES = re.compile(r"#[a-zäöü]{2,}(?:/0)?[!?]|#n/?a|\.[a-z]|-?(?:nan|1\.#\w+)(?:\(\w+\))?|-9|-99|-999")

#: Empty lists as programs print them: ``[]``, ``set()``, ``array([], dtype=object)``, ``WrappedArray()``, R's ``c()``.
_EMPTY = r"\[\s*\]|\{\s*\}|\(\s*\)|<\s*>"
_CALL = r"(?:[\w.]*(?:array|list|seq|set|vector|buffer|tuple)|c)"
_EMPTY_LIST = re.compile(rf"{_EMPTY}|{_CALL}\((?:{_EMPTY})?\s*(?:,\s*dtype=[^()]+)?\)|character\(0\)", re.IGNORECASE)

#: Marks that do not belong to such a word. All but letters, digits and symbols such as emoji are punctuation.
_AROUND = "()[]{}<>\"'“”‘’ .!*_-–—?/…"

#: Maximum number of words of which one meaning is offered, next to words for yes and no.
MAX_REST = 4

#: Whole numbers that are codes of missing values.
_CODE = re.compile(r"-\d+|([789])\1*")

#: A word for "no" before another word of the column, such as "not selected" next to "selected".
_NOT = re.compile(r"(?:not|no|non|nicht|kein|keine|pas|un)[ _-]*(?=\w)")


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
    is_code = is_null(word) or _CODES.fullmatch(word) or is_empty_list(word)
    return bool(is_code) or word.strip(_AROUND) in _NOTHING or all(map(_is_mark, word))


def is_null(text: str) -> bool:
    r"""Return whether a text is a missing value of a database, a workbook or a program, and never a word of a person.

    Examples
    --------
    >>> [text for text in (r"\N", "(null)", "#REF!", "NaN", "none", "n/a") if is_null(text)]
    ['\\N', '(null)', '#REF!', 'NaN']
    """
    return _NULL.fullmatch(fold_word(text)) is not None


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


def find_plain_meaning(word: str, others: Collection[str] = ()) -> float | None:
    """Return 1 for a word that means yes, 0 for one that means no, and None for any other word.

    A word means no if it is another word of the column with "not" before it, and the other one means yes.

    Examples
    --------
    >>> find_plain_meaning("positive"), find_plain_meaning("nein"), find_plain_meaning("rock")
    (1.0, 0.0, None)
    """
    if _NOT.sub("", word, count=1) in {*others} - {word}:
        return 0.0
    if any(_NOT.sub("", other, count=1) == word for other in others if other != word):
        return 1.0
    return 1.0 if word in _YES else 0.0 if word in _NO else None


def suggest_meanings(words: Collection[str], stated: Mapping[str, float]) -> list[dict[str, float]]:
    """Return the probable meanings of the words of label columns: none, one, two that are opposite, or three.

    There are three for further words next to a word for yes and one for no.

    Parameters
    ----------
    words : collection of str
        As :func:`halflabel.labels.answers.fold_word` returns them.
    stated : mapping of str to float
        The words whose meaning the user stated.

    Examples
    --------
    >>> suggest_meanings(["ja", "nein", "-99"], {})
    [{'-99': nan, 'ja': 1.0, 'nein': 0.0}]
    >>> suggest_meanings(["1", "2"], {})
    [{'1': 1.0, '2': 0.0}, {'1': 0.0, '2': 1.0}]
    >>> suggest_meanings(["often", "seldom", "never"], {}), len(suggest_meanings(["yes", "no", "partly"], {}))
    ([], 3)
    """
    new = [word for word in words if word not in stated]
    unknown = {word: np.nan for word in new if _is_unknown(word)}
    if "-" in new and any(find_plain_meaning(word) == 0 for word in new if word != "-"):
        unknown["-"] = np.nan  # another word means no
    left = [word for word in new if word not in unknown]
    if "-1" in unknown and {*left} <= {"0", "1"}:  # the code of a missing value, or the no of +1 and -1
        no = {"1": 1.0, "-1": 0.0, **({"0": np.nan} if "0" in left else {})}
        return [{**stated, **unknown}, {**stated, **unknown, **no}]
    known = {word: value for word in left if (value := find_plain_meaning(word, left)) is not None}
    own = {word: value for word, value in known.items() if PLAIN.get(word) != value}
    if len(known) == len(left):
        return [{**stated, **unknown, **own}] if own or unknown else [known]
    if {*known.values()} == {1.0, 0.0} and len(left) - len(known) <= MAX_REST:
        rest = [word for word in left if word not in known]
        codes = [{**stated, **unknown, "1": 1.0, "2": 0.0, "0": np.nan}] if {*left} == {"0", "1", "2"} else []
        return codes + [{**stated, **unknown, **own, **dict.fromkeys(rest, value)} for value in (np.nan, 1.0, 0.0)]
    if stated or len(left) > 2:
        return []
    left = sorted(left) if all(map(str.isdigit, left)) else left  # surveys have 1 for yes and 2 for no
    plain = {word: value for word, value in known.items() if word not in PLAIN}
    values = [(1.0, 0.0), (0.0, 1.0)] if len(left) == 2 else [(1.0,)]
    fits = [each for each in values if all(plain.get(word, of) == of for word, of in zip(left, each, strict=True))]
    return [{**unknown, **dict(zip(left, each, strict=True))} for each in fits or values]


def list_ways(words: Collection[str], stated: Mapping[str, float]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each probable meaning of words, as a clause, with the keys that state it.

    Examples
    --------
    >>> list(list_ways(["ja", "nein"], {}))
    [("'ja' means yes and 'nein' means no", {'yes': 'ja', 'no': 'nein'})]
    """
    for meanings in suggest_meanings(words, stated):
        by_value = {
            name: [word for word, value in meanings.items() if repr(float(value)) == repr(of)]
            for name, of in VALUES.items()
        }
        clauses = [
            f"{quoted(found)} {'means' if len(found) == 1 else 'mean'} {name}"
            for name, found in by_value.items()
            if found
        ]
        text = " and ".join([", ".join(clauses[:-1]), clauses[-1]] if clauses[1:] else clauses)
        yield text, {name: found[0] if len(found) == 1 else found for name, found in by_value.items() if found}


def find_own_words(by_column: Sequence[set[str]], stated: Mapping[str, float]) -> tuple[str, dict[str, Any]] | None:
    """Return the way to read columns that hold one word each, another in every column, as tools write a tick.

    Examples
    --------
    >>> find_own_words([{"rock"}, {"sad", "0"}], {})
    ('the word of each column means yes', {'yes': ['rock', 'sad']})
    """
    own = [[word for word in words if word not in {*PLAIN, *stated} and not _is_unknown(word)] for words in by_column]
    words = [word for each in own for word in each]
    is_own = len(own) > 1 and all(len(each) == 1 for each in own) and len(set(words)) == len(words)
    return ("the word of each column means yes", {"yes": words}) if is_own and any(map(_is_name, words)) else None


def shares_words(by_column: Sequence[set[str]]) -> bool:
    """Return whether columns hold several words that have no plain meaning, and share them: each lists one tag.

    Examples
    --------
    >>> shares_words([{"rock", "sad"}, {"sad", "live"}]), shares_words([{"1", "2"}, {"1", "2"}])
    (True, False)
    """
    free = [{word for word in words if _is_name(word)} for words in by_column]
    distinct = set[str]().union(*free)
    return len(by_column) > 1 and len(distinct) > 2 and sum(map(len, free)) > len(distinct)


def _is_unknown(word: str) -> bool:
    return word not in _YES | _NO and (word in _UNKNOWN or is_nothing(word) or bool(_CODE.fullmatch(word)))


def _is_name(word: str) -> bool:
    return find_plain_meaning(word) is None and not _is_unknown(word) and not re.fullmatch(r"[\d.,%-]+", word)
