"""The separator of the tags in a text: one of five where one reading is possible, and never by a guess."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from halflabel._wording import clipped, plural
from halflabel.table.question import Question
from halflabel.table.tag_text import fold_case, split_tags

#: Separators that are recognised; the first is the one that stays where no cell holds any.
SEPARATORS = (";", ",", "|", "\n", "\t")

#: The words for separators that an option cannot hold well. "none": a cell is one tag.
WORDS = {"space": " ", "newline": "\n", "tab": "\t", "none": ""}

#: Minimum number of cells for evidence: five rows are shown before the fit, so that a small table is seen as it is.
MIN_CELLS = 10

#: Minimum share of the parts that occur in other texts, too; more for a comma, which names often hold.
MIN_SHARE = {",": 0.51}

#: Maximum number of other marks that an error offers, and of texts that are compared.
MAX_WAYS, MAX_TEXTS = 4, 3000


def read_separator(text: str) -> str:
    """Return the separator that an option states."""
    return WORDS.get(text, text)


def name_separator(sep: str) -> str:
    """Return a separator as an option states it.

    Examples
    --------
    >>> name_separator(" "), name_separator("/"), name_separator("")
    ('space', '/', 'none')
    """
    return {mark: word for word, mark in WORDS.items()}.get(sep, sep)


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
    distinct = list(dict.fromkeys(texts))[:MAX_TEXTS]
    found = [mark for mark in SEPARATORS if any(len(split_tags(text, mark)) > 1 for text in distinct)]
    if not found:
        return SEPARATORS[0]
    share = {mark: confirm(distinct, mark) for mark in found}
    if len(found) == 1 and (len(texts) < MIN_CELLS or share[found[0]] >= MIN_SHARE.get(found[0], 0.5)):
        return found[0]
    number = {mark: sum(len(split_tags(text, mark)) > 1 for text in texts) for mark in found}
    found.sort(key=lambda mark: (-share[mark], -number[mark]))
    cells = plural(number[found[0]], "cell")
    example = clipped(next(text for text in distinct if len(split_tags(text, found[0])) > 1), 60)
    several = " If several separate tags, write one of them in all cells." * (len(found) > 1)
    names = [{"\n": "line breaks", "\t": "tabs"}.get(mark, repr(mark)) for mark in found]
    joined = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    raise Question(
        f"The cells of the tags column {column!r} hold {joined}, such as {example!r}; "
        f"{names[0]} {'are' if found[0].isspace() else 'is'} in {cells}.{several}",
        *list_ways([*found, *find_marks(distinct)]),
    )


def list_ways(marks: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield a way for each separator, and for one tag in each cell."""
    for mark in dict.fromkeys(marks):
        what = {" ": "blanks separate", "\n": "line breaks separate", "\t": "tabs separate"}
        yield f"{what.get(mark, f'{mark!r} separates')} tags", {"sep": name_separator(mark)}
    yield "a cell is one tag", {"sep": "none"}


def confirm(texts: Iterable[str], sep: str) -> float:
    """Return the share of the parts, of texts with this separator, that occur in another text, too."""
    cells = [[fold_case(part) for part in split_tags(text, sep) if part] for text in texts]
    number = Counter(part for parts in cells for part in set(parts))
    of_several = [part for parts in cells if len(parts) > 1 for part in parts]
    return sum(number[part] > 1 for part in of_several) / max(len(of_several), 1)


def find_marks(texts: Collection[str]) -> list[str]:
    """Return other texts between two words that may separate tags, the most confirmed first.

    Examples
    --------
    >>> find_marks(["a/b", "b/c", "a", "c and a", "a and b"])
    ['/', ' ', ' and ']
    """
    marks = Counter[str]()
    words = Counter(word for text in texts for word in set(text.split()[1:-1]))
    edges = {word for text in texts for word in (*text.split()[:1], *text.split()[-1:])}
    for text in texts:
        for run in {*re.findall(r"(?<=[^\W_])[\W_]+(?=[^\W_])", text)}:
            marks.update({run, run.strip()} if run.strip() else {" "})
    marks.update({f" {word} ": n for word, n in words.items() if n > 1 and word not in edges})
    likely = [mark for mark, n in marks.most_common(20) if n > 1 and mark and not set(mark) & {*SEPARATORS}]
    share = {mark: confirm(texts, mark) for mark in likely}
    ranked = sorted((mark for mark in likely if share[mark] > 0), key=lambda mark: (-share[mark], mark == " "))
    return ranked[:MAX_WAYS]
