"""Checks of the parts of tag cells: words for nothing, vectors of 0 and 1, and names that may be more than a name."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from halflabel._wording import clipped, names_command_options, plural, quoted
from halflabel.labels.answers import fold_word
from halflabel.table.nothing_words import is_nothing
from halflabel.table.question import Question
from halflabel.table.separators import find_marks, list_ways
from halflabel.table.tag_cells import TagNotation
from halflabel.table.tag_text import fold_case, fold_tag, unquote_tag

#: The parts of each cell as text.
Cells = Sequence[Sequence[str]]

#: Minimum number of cells of a tag that is never together with another, and maximum probability that it is by chance.
#: Maximum share of the other tags that are alone in their cells.
MIN_ALONE, MAX_CHANCE, MAX_SHARE = 6, 0.001, 0.5

#: Minimum number of combinations of tags, so that tags occur together freely.
MIN_COMBINATIONS = 3

#: Maximum number of names that are compared with each other.
MAX_NAMES = 3000

#: Marks before a name, words for "no" before a name, and numbers after it.
_MINUS = re.compile(r"(?:[-!¬~]|NOT )(?=\w)")
_NO = re.compile(r"(?:no|not|non|without|w/o|keine?|nicht|ohne|pas|sans|sin|senza|não|geen)[\s:_-]+(?=\w)", re.I)
_NUMBER = re.compile(r"(?:\s*[:=@(\[]\s*|\s+[x×]\s?)\d[\d.,:/%\s-]*[)\]]?$|^(?:\d{1,3}[.):]|[(]\w[)])\s*")
_SCORE = re.compile(r"\w\s*[:=@(\[]\s*(?:[01]?[.,]\d+|\d{1,3}\s?%)\s*[)\]]?$")

#: The text between two tags in one name: marks but hyphens, or a word for "and".
_AND = "(?:and|und|et|y|e|i|og|och|en)"
_GLUE = re.compile(rf"\s*(?![-_])[^\w\s]+\s*(?:{_AND}\s+)?|\s+{_AND}\s+")

#: A box before a name, an answer behind it, such as ``rock: no`` and ``rock (ja)``, and marks at its edges: C++ and C#
#: are names.
_BOX, _ANSWER = re.compile(r"[\[(]\w?\s?[\])]\s*"), re.compile(r"(?:\s*[:=]|\s[-–])\s*\w[\w ]*$|\s+[(\[].*[)\]]$")
_EDGES = re.compile(r"^[\W_]+|[^\w+#]+$")

#: Signs of another notation around or before a text: brackets, a call, quotes, bullets and boxes.
_OTHER = re.compile(r"[\w.]*[\[({<].*[\])}>]|(['\"`“„«‘]).*|[-+*@•◦○●▪■·–]\s?\w.*|[\[(].?[\])].*", re.DOTALL)


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
    Question
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
    raise Question(
        f"{plural(found[word], 'cell')} of the tags column {column!r} {'holds' if found[word] == 1 else 'hold'} "
        f"the word {clipped(word, 40)!r}{more}{never}.",
        ("it means that the item has no tag", {"no": word}),
        ("it means a missing value", {"unknown": word}),
        *((("it is a tag", {"yes": word}),) if word not in words else ()),
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


def check_names(cells: Cells, notation: TagNotation, column: str) -> None:
    """Raise if a name may be more than a name: a mark, a number, several tags, or another notation.

    Raises
    ------
    Question
    """
    is_text = notation.form == "separated"
    if is_text:
        cells = [[unquote_tag(part) or part for part in parts] for parts in cells]
    names = list(dict.fromkeys(part for parts in cells for part in parts))[:MAX_NAMES]
    reasons = itertools.chain(_find_marked(names), _find_joined(names), _find_other(cells, names) if is_text else (),
                              _find_inseparable(cells) if notation.sep == "," and is_text else ())  # fmt: skip
    if (found := next(reasons, None)) is None:
        return
    name, why = found
    ways: list[tuple[str, dict[str, str]]] = [("names are as they are written", {"tag_marks": "name"})]
    if is_text:
        has_sep = max(map(len, cells)) > 1
        ways = [*list_ways([*([notation.sep] if has_sep else []), *find_marks(names)])]
    other = "write lists, or one of ; , | between tags" if names_command_options() else (
        f"make lists of the cells, such as items[{column!r}].map(your_function)")  # fmt: skip
    raise Question(
        f"The tags column {column!r} holds {clipped(name, 60)!r}, {why}.",
        *ways,
        other=f"For another notation, {other}.",
    )


def _find_marked(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names with a mark, a word for no, or a number, that occur in another form, too."""
    bare: dict[str, set[str]] = {}
    for name in names:
        for inner in {name, *(mark.sub("", name) for mark in (_EDGES, _NO, _NUMBER, _ANSWER, _BOX))}:
            bare.setdefault(fold_tag(inner), set()).add(fold_tag(name))
    for name in names:
        if _MINUS.match(name):
            yield name, "which can mean that the item does not have the tag"
        elif _SCORE.search(name):
            yield name, "which can be a tag with a score"
        elif any(
            len(each) > 1 and fold_tag(name) in each and key for key, each in bare.items() if key != fold_tag(name)
        ):
            yield name, "which also occurs with another mark, word or number"


def _find_joined(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names that are made of other names with a mark between them, such as "sad & live"."""
    known = {fold_case(name) for name in names}
    for name in names:
        folded = fold_case(name)
        for match in _GLUE.finditer(folded):
            if folded[: match.start()].strip() in known and folded[match.end() :].strip() in known:
                yield name, "which is made of other tags"


def _find_other(cells: Cells, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names of another notation: of brackets, quotes or bullets, or with a separator that is not known."""
    if 2 * len(found := [name for name in names if _OTHER.fullmatch(name)]) > len(names):
        yield found[0], "which looks like another notation"
    if foreign := next((name for name in names if re.search(r"[、，；｜،؛]|<br\s*/?>|[\"“”]", name)), None):
        yield foreign, "which can be several tags"
    if max(map(len, cells), default=0) > 1:
        return
    letters = {letter for name in names for letter in name}
    is_text = all(letter.isalpha() or unicodedata.category(letter) == "So" for letter in letters)  # or emoji
    joined = [name for name in names if len(name) > 1]
    is_word = is_text and all(len(set(name)) == len(name) for name in names)
    if is_word and len(joined) > 2 and 2 * len(letters & set(names)) > len(letters):
        yield joined[0], "as if each letter is a tag"
    words = Counter(word for name in names for word in {*re.findall(r"[^\W_]+", fold_case(name))})
    mixed = [name for name in names if len(parts := re.findall(r"[^\W_]+", fold_case(name))) > 1
             and sum(words[part] > 1 for part in parts) > 1]  # fmt: skip
    known = {fold_case(name) for name in names}
    inner = [name for name in names if fold_case(name) not in known or any(
        part in known and part != fold_case(name) for part in re.findall(r"[^\W_]+", fold_case(name)))]  # fmt: skip
    if len(mixed) > 2 and 3 * len(mixed) > len(names):
        yield mixed[0], "which is made of parts of other tags"
    if inner and 3 * len(inner) > len(names):
        yield inner[0], "which holds another tag"


def _find_inseparable(cells: Cells) -> Iterator[tuple[str, str]]:
    """Yield two tags that are always together, as the parts of a name with a comma are: "Jazz, swing and blues"."""
    number = Counter(part for parts in cells for part in set(parts))
    pairs = Counter(pair for parts in cells for pair in itertools.pairwise(parts))
    found = [pair for pair, n in pairs.items() if n >= MIN_ALONE and number[pair[0]] == n == number[pair[1]]]
    if found and len({frozenset(parts) for parts in cells}) > MIN_COMBINATIONS:
        yield ", ".join(found[0]), "whose parts are always together: put a name with a comma into quotes in all cells"
