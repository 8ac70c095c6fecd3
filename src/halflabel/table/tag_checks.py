"""Questions about a column of tags: its separator, words for nothing, and names that may be more than a name."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from halflabel._wording import clipped, closest, count, plural, quoted
from halflabel.labels.answers import fold_word
from halflabel.labels.tables import is_missing
from halflabel.table.question import Question
from halflabel.table.tag_notations import TagNotation, read_truth
from halflabel.table.tag_text import fold_case, fold_tag, split_tags, unquote_tag
from halflabel.table.words import is_nothing

#: The parts of each cell as text.
Cells = Sequence[Sequence[str]]

#: Separators that are recognised, the first one where no cell holds any, and words for marks that an option cannot hold
#: well. "none": a cell is one tag.
MARKS = (";", ",", "|", "\n", "\t")
SEPARATORS = {"space": " ", "newline": "\n", "tab": "\t", "none": ""}

#: Minimum number of cells for evidence (five rows are shown before the fit, so that a small table is seen as it is).
#: Minimum share of parts that occur in other texts, too: more for a comma, which names often hold.
MIN_CELLS, MIN_SHARE, MIN_SHARE_OF_COMMAS = 10, 0.5, 0.51

#: Maximum number of other marks that a question offers, and of names that are compared with each other.
MAX_WAYS, MAX_NAMES = 4, 3000

#: Minimum number of cells of a tag that is never together with another, and maximum probability that it is by chance.
#: Maximum share of the other tags that are alone in their cells, minimum number of combinations of tags.
MIN_ALONE, MAX_CHANCE, MAX_SHARE, MIN_COMBINATIONS = 6, 0.001, 0.5, 3

#: The statement that no value states whether an item has a tag, and maximum share of values that are not yes and no.
NO_VALUE, MAX_OTHERS = "none", 0.1

#: Names that can mean "not this tag", or a tag with its score, whatever other names are.
_SIGN = re.compile(r"(?:[-!¬~]|NOT )\w.*|.*\w\s*[:=@(\[]\s*(?:[01]?[.,]\d+|\d{1,3}\s?%)\s*[)\]]?", re.S)

#: Words that mean that an item has no tag, and rarely that its tags are missing.
_NO = re.compile(r"(?i)no\b|none|nothing|kein|aucun|ningun|nessun")

#: Words for "not", as in "not yet". Such a phrase that is always alone, next to cells of several tags, is rarely a tag.
_NOT = re.compile(r"(?i)(?:not|never|(?:noch )?nicht|pas|non|niet)\b")

#: Marks at the edges of a name (C++ and C# are names), words for "no" before it, numbers and answers behind it.
_ADDED = tuple(map(re.compile, (
    r"^[\W_]+|[^\w+#]+$",
    r"(?i)^(?:no|not|non|without|w/o|keine?|nicht|ohne|pas|sans|sin|senza|não|geen)[\s:_-]+(?=\w)",
    r"(?:\s*[:=@(\[]\s*|\s+[x×]\s?)\d[\d.,:/%\s-]*[)\]]?$|^(?:\d{1,3}[.):]|[(]\w[)])\s*",
    r"(?:\s*[:=]|\s[-–])\s*\w[\w ]*$|\s+[(\[].*[)\]]$",
    r"[\[(]\w?\s?[\])]\s*",
)))  # fmt: skip

#: A prefix and an identifier, such as GO:0001001: its number is not a score.
_IDENTIFIER = re.compile(r"\w+:[A-Za-z]*(?:0\d+|\d{4,})")

#: The text between two tags in one name: marks but hyphens, or a word for "and".
_AND = "(?:and|und|et|y|e|i|og|och|en)"
_GLUE = re.compile(rf"\s*(?![-_])[^\w\s]+\s*(?:{_AND}\s+)?|\s+{_AND}\s+")

#: Signs of another notation: other separators, and brackets, a call, quotes, bullets or boxes around names.
_FOREIGN = re.compile(r"[、，；｜،؛]|<br\s*/?>|[\"“”]")
_AROUND = re.compile(r"[\w.]*[\[({<].*[\])}>]|(['\"`“„«‘]).*|[-+*@•◦○●▪■·–]\s?\w.*|[\[(].?[\])].*", re.S)


def choose_separator(texts: Sequence[str], column: str) -> str:
    """Return the separator of the tags in these texts.

    Raises
    ------
    Question
        If there are several, or if the parts at the only one do not occur in other texts.

    Examples
    --------
    >>> choose_separator(["a, b", "a"], "tags"), choose_separator(["a"], "tags")
    (',', ';')
    """
    distinct = list(dict.fromkeys(texts))[:MAX_NAMES]
    found = [mark for mark in MARKS if any(len(split_tags(text, mark)) > 1 for text in distinct)]
    if not found:
        return MARKS[0]
    share = {mark: _confirm(distinct, mark) for mark in found}
    minimum = MIN_SHARE_OF_COMMAS if found == [","] else MIN_SHARE
    if len(found) == 1 and (len(texts) < MIN_CELLS or share[found[0]] >= minimum):
        return found[0]
    number = {mark: sum(len(split_tags(text, mark)) > 1 for text in texts) for mark in found}
    found.sort(key=lambda mark: (-share[mark], -number[mark]))
    example = clipped(next(text for text in distinct if len(split_tags(text, found[0])) > 1), 60)
    names = [{"\n": "line breaks", "\t": "tabs"}.get(mark, repr(mark)) for mark in found]
    raise Question(
        f"The cells of the tags column {column!r} hold {' and '.join(names)}, such as {example!r}; "
        f"{names[0]} {'are' if found[0].isspace() else 'is'} in {plural(number[found[0]], 'cell')}.",
        *_list_ways([*found, *_find_marks(distinct)]),
        other=(len(found) > 1 and "If several separate tags, write one of them in all cells.") or "",
    )


def _list_ways(marks: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield a way for each separator, and for one tag in each cell."""
    words = {mark: word for word, mark in SEPARATORS.items()}
    what = {" ": "blanks separate", "\n": "line breaks separate", "\t": "tabs separate"}
    for mark in dict.fromkeys(marks):
        yield f"{what.get(mark, f'{mark!r} separates')} tags", {"sep": words.get(mark, mark)}
    yield "a cell is one tag", {"sep": "none"}


def _confirm(texts: Iterable[str], sep: str) -> float:
    """Return the share of the parts, of texts with this separator, that occur in another text, too."""
    cells = [[fold_case(part) for part in split_tags(text, sep) if part] for text in texts]
    number = Counter(part for parts in cells for part in set(parts))
    of_several = [part for parts in cells if len(parts) > 1 for part in parts]
    return sum(number[part] > 1 for part in of_several) / max(len(of_several), 1)


def _find_marks(texts: Collection[str]) -> list[str]:
    """Return other texts between two words that may separate tags, the most confirmed first."""
    marks = Counter[str]()
    words = Counter(word for text in texts for word in set(text.split()[1:-1]))
    edges = {word for text in texts for word in (*text.split()[:1], *text.split()[-1:])}
    for text in texts:
        for run in {*re.findall(r"(?<=[^\W_])[\W_]+(?=[^\W_])", text)}:
            marks.update({run, run.strip()} if run.strip() else {" "})
    marks.update({f" {word} ": n for word, n in words.items() if n > 1 and word not in edges})
    likely = [mark for mark, n in marks.most_common(20) if n > 1 and mark and not set(mark) & {*MARKS}]
    share = {mark: _confirm(texts, mark) for mark in likely}
    return sorted((mark for mark in likely if share[mark] > 0), key=lambda mark: (-share[mark], mark == " "))[:MAX_WAYS]


def find_value(values: Mapping[str, Iterable[Any]], where: str, stated: str | None) -> str | None:
    """Return the key, or the column, that states whether an item has a tag, or None if none does.

    Raises
    ------
    Question
        If none was stated, and one holds a word for no, and rarely anything but words for yes and no.
    """
    if stated is not None and stated not in values:
        if stated == NO_VALUE:
            return None
        raise ValueError(f"{where} have no {stated!r}: {closest(stated, [*values])}")
    for name, found in values.items() if stated is None else ():
        number = Counter(str(value) for value in found if not is_missing(value))
        truths = {text: read_truth(text) for text in number}
        others = sum(n for text, n in number.items() if truths[text] is None)
        if 0 in truths.values() and others <= MAX_OTHERS * number.total():
            n_no = count(sum(n for text, n in number.items() if truths[text] == 0))
            found_in = f"{where[0].upper()}{where[1:]} have {name!r}"
            raise Question(
                f"{found_in}, which means no in {n_no} of {plural(number.total(), 'tag')}.",
                ("it states whether the item has the tag", {"value": name}),
                ("each listed tag is a tag of its item", {"value": NO_VALUE}),
            )
    return stated


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


def check_words(cells: Cells, words: Collection[str], column: str, stated: Collection[str]) -> None:
    """Raise for a word that is probably no name of a tag, unless its meaning was stated.

    A word that is together with other tags in most of its cells is a tag.

    Parameters
    ----------
    cells : sequence of sequence of str
    words : collection of str
        Texts of further cells that probably stand for nothing.
    column : str
    stated : collection of str
        The words whose meaning was stated.

    Raises
    ------
    Question
    """
    alone = Counter(parts[0] for parts in cells if len(set(parts)) == 1)
    tags = Counter(part for parts in cells for part in dict.fromkeys(parts)) | Counter(words)
    several = any(len(set(parts)) > 1 for parts in cells)
    found = {tag: n for tag, n in tags.items() if fold_word(tag) not in stated and (
        tag in words or (is_nothing(tag) and (2 * alone[tag] >= n or n == 1))
        or ((_NO.match(tag) or (several and _NOT.match(tag))) and alone[tag] == n > 1))}  # fmt: skip
    if not found or len(found) == len(tags):
        found = {tag: n for tag, n in _find_alone(cells, alone).items() if fold_word(tag) not in stated}
    if not found:
        return
    word = max(found, key=lambda tag: found[tag])
    more = f" (also {quoted([tag for tag in found if tag != word])})" if len(found) > 1 else ""
    never = "" if word in words or is_nothing(word) else " and never together with another tag"
    is_no = _NO.match(word) is not None
    ways = [("it means that the item has no tag", {"no": word}), ("it means a missing value", {"unknown": word})]
    raise Question(
        f"{plural(found[word], 'cell')} of the tags column {column!r} {'holds' if found[word] == 1 else 'hold'} "
        f"the word {clipped(word, 40)!r}{more}{never}.",
        *ways,
        *((("it is a tag", {"yes": word}),) if word not in words else ()),
        likely=is_no,
    )


def _find_alone(cells: Cells, alone: Counter[str]) -> dict[str, int]:
    """Return the tags that are never together with another one, where most tags are, in several combinations."""
    if len({frozenset(parts) for parts in cells if len(set(parts)) > 1}) < MIN_COMBINATIONS:
        return {}
    number = Counter(part for parts in cells for part in set(parts))
    found: dict[str, int] = {}
    for tag, n in number.items():
        if n >= MIN_ALONE and alone[tag] == n:
            chance = (alone.total() - n + 1) / (number.total() - n + 2)
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
    has_sep = max(map(len, cells), default=0) > 1
    reasons = itertools.chain(
        _find_marked(names),
        _find_joined(names),
        _find_foreign(names) if is_text else (),
        _find_inner(names) if is_text and not has_sep else (),
        _find_inseparable(cells) if is_text and notation.sep == "," else (),
    )
    if (found := next(reasons, None)) is None:
        return
    ways = [("names are as they are written", {"sep": "none"})]
    if is_text:
        ways = [*_list_ways([*([notation.sep] if has_sep else []), *_find_marks(names)])]
    raise Question(
        f"The tags column {column!r} holds {clipped(found[0], 60)!r}, {found[1]}.",
        *ways,
        other=f"For another notation, make a list of each cell in Python, such as items[{column!r}].map(function).",
    )


def _find_marked(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names with a mark, a word for no, or a number, that occur in another form, too."""
    bare: dict[str, set[str]] = {}
    for name in names:
        for inner in {name, *(added.sub("", name) for added in _ADDED if not _IDENTIFIER.fullmatch(name))}:
            bare.setdefault(fold_tag(inner), set()).add(fold_tag(name))
    several = set[str]().union(*(each - {key} for key, each in bare.items() if key and len(each) > 1))
    for name in names:
        if _SIGN.fullmatch(name):
            yield name, "which can mean that the item does not have the tag, or a tag with a score"
        elif fold_tag(name) in several:
            yield name, "which also occurs with another mark, word or number"


def _find_joined(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names that are made of other names with a mark between them, such as "sad & live"."""
    known = {fold_case(name) for name in names}
    for name in names:
        folded = fold_case(name)
        for match in _GLUE.finditer(folded):
            if folded[: match.start()].strip() in known and folded[match.end() :].strip() in known:
                yield name, "which is made of other tags"


def _find_foreign(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names of another notation: of brackets, quotes or bullets, or with a separator that is not known."""
    if 2 * len(found := [name for name in names if _AROUND.fullmatch(name)]) > len(names):
        yield found[0], "which looks like another notation"
    if foreign := next(filter(_FOREIGN.search, names), None):
        yield foreign, "which can be several tags"


def _find_inner(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names that hold other names, where no known mark separates tags: words, or letters and emoji."""
    letters = {letter for name in names for letter in name}
    is_word = all(letter.isalpha() or unicodedata.category(letter) == "So" for letter in letters)
    joined = [name for name in names if len(name) > 1]
    distinct = all(len(set(name)) == len(name) for name in names)
    if is_word and distinct and len(joined) > 2 and 2 * len(letters & set(names)) > len(letters):
        yield joined[0], "as if each letter is a tag"
    words = {name: {*re.findall(r"[^\W_]+", fold_case(name))} for name in names}
    number = Counter(word for each in words.values() for word in each)
    known = {fold_case(name) for name in names}
    mixed = [name for name, each in words.items() if len(each) > 1 and (
        sum(number[word] > 1 for word in each) > 1 or each & known)]  # fmt: skip
    if 3 * len(mixed) > len(names):
        yield mixed[0], "which is made of parts of other tags"


def _find_inseparable(cells: Cells) -> Iterator[tuple[str, str]]:
    """Yield two tags that are always together, as the parts of a name with a comma are: "Jazz, swing and blues"."""
    number = Counter(part for parts in cells for part in set(parts))
    pairs = Counter(pair for parts in cells for pair in itertools.pairwise(parts))
    found = [pair for pair, n in pairs.items() if n >= MIN_ALONE and number[pair[0]] == n == number[pair[1]]]
    if found and len({frozenset(parts) for parts in cells}) > MIN_COMBINATIONS:
        yield ", ".join(found[0]), "whose parts are always together: put a name with a comma into quotes in all cells"
