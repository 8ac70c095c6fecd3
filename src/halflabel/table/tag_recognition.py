"""The notation of a column of tags: recognised where one reading is possible, else an error with one way for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._wording import clipped, option, plural, quoted
from halflabel.labels.answers import fold_word
from halflabel.table.ambiguous import AmbiguousReading
from halflabel.table.columns import Description
from halflabel.table.nothing_words import is_nothing
from halflabel.table.separators import choose_separator, name_separator, read_separator
from halflabel.table.tag_calls import Call
from halflabel.table.tag_cells import BRACKETS, LISTS, Form, TagNotation, is_missing, match_wrapped, read_list
from halflabel.table.tag_checks import (
    Cells,
    as_texts,
    check_inseparable,
    check_joined,
    check_letters,
    check_vectors,
    check_words,
    find_numbered,
)
from halflabel.table.tag_marks import NAME, Mark, check_marks
from halflabel.table.tag_objects import describe_values, find_fields, list_values
from halflabel.table.tag_text import fold_tag, read_score

#: Pairs of marks around each tag, quotation marks that only a notation writes, and marks before each tag.
QUOTES = ("''", "``", "“”", "„“", "«»", "‘’")
WRAPPERS = ("<>", *BRACKETS, '""', *QUOTES)
PREFIXES = ("#", "@", "+", "- ", "* ", "*", *(f"{mark} " for mark in "•◦○●▪■·–"), "•")

#: A phrase without a mark that separates tags, such as "nothing fits".
_PHRASE = re.compile(r"\w[\w .'-]*")


@dataclass(frozen=True)
class TagOptions:
    """The statements about the notation of tags."""

    #: See :class:`halflabel.table.columns.Description`.
    sep: str | None = None
    case: str | None = None
    tag_marks: str | None = None
    scores: str | None = None
    value: str | None = None
    #: Words that are names of tags, that mean "no tag", and that mean a missing value.
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Description) -> TagOptions:
        """Return the statements about tags among those about a table."""
        words = {name: tuple(map(fold_word, getattr(columns, name))) for name in ("yes", "no", "unknown")}
        return cls(columns.sep, columns.case, columns.tag_marks, columns.scores, columns.value, **words)

    @property
    def by_value(self) -> tuple[tuple[bool | None, tuple[str, ...]], ...]:
        """The words of each statement about an item: it has the tag, does not have it (False) or may have it (None)."""
        return (True, self.yes), (False, self.no), (None, self.unknown)


def recognise_tags(column: pd.Series[Any], options: TagOptions | None = None) -> TagNotation:
    """Return the notation of a column of tags.

    Parameters
    ----------
    column : Series
    options : TagOptions, optional
        The statements of the user.

    Raises
    ------
    AmbiguousReading
        If two readings are possible. The error states an option for each of them.
    """
    options = options or TagOptions()
    name = str(column.name)
    texts = [cell.strip() for cell in column if isinstance(cell, str) and cell.strip()]
    words = [text for text in texts if _is_nothing(text, options)]
    others = [text for text in texts if text not in set(words)]
    notation, phrases = _find_between(column, others, words, options)
    notation = replace(notation, no=options.no, unknown=options.unknown)
    cells = list(_cut_all(column, notation))
    parts, tags_of = [part for cell in cells for part in cell], list(map(as_texts, cells))
    check_vectors(tags_of, name)
    stated = {*options.yes, *options.no, *options.unknown}
    unread = [word for word in words if notation.form != "separated" and not _is_empty(word, notation)]
    check_words(tags_of, [*unread, *phrases], name, stated, others=any(isinstance(part, Mapping) for part in parts))
    tags = Counter(tag for each in tags_of for tag in each if fold_word(tag) not in {*options.no, *options.unknown})
    if options.sep is None:
        check_letters(tags_of, name)
        check_joined(tags_of, name_separator(notation.sep) if notation.form == "separated" else "none", name)
        if notation.sep == ",":  # which names hold more often than other marks
            check_inseparable(tags_of, name)
    names = [str(part.get(notation.fields[0])) for part in parts if isinstance(part, Mapping)]
    notation = _find_marks(notation, dict.fromkeys([*tags, *names]), name, options)
    notation = _find_scores(notation, tags, parts, name, options)
    inner = [[next((n for mark in notation.marks if (n := mark.strip(tag))), tag) for tag in each] for each in tags_of]
    notation = _find_numbers(notation, inner, name, options)
    return _find_spelling(notation, column, name, options)


def _is_nothing(text: str, options: TagOptions) -> bool:
    word = fold_word(text)
    return word in {*options.no, *options.unknown} or (is_nothing(text) and word not in options.yes)


def _is_empty(word: str, notation: TagNotation) -> bool:
    """Return whether a cell that holds a word is an empty list in a notation, or is one of its stated words."""
    try:
        parts = notation.cut(word)
        is_stated = fold_word(word) in {*notation.no, *notation.unknown}
        return is_stated or (parts is not None and all(is_missing(part) or part == "" for part in parts))
    except ValueError:
        return False


def _find_between(
    column: pd.Series[Any], texts: list[str], words: list[str], options: TagOptions
) -> tuple[TagNotation, list[str]]:
    """Return the notation, and the phrases between lists that may stand for nothing, such as "nothing fits"."""
    number = Counter(text for text in texts if _PHRASE.fullmatch(text))
    rest = [text for text in texts if number[text] < 2]
    lists = [cell for cell in column if isinstance(cell, (*LISTS, Mapping)) and len(cell)]
    if len(rest) < len(texts) <= 2 * (len(rest) + len(lists)):
        with suppress(ValueError):  # from a notation that does not mark lists
            notation = _find_form(column, rest, words, options)
            tags = {str(part) for cell in _cut_all([*rest, *lists], notation) for part in cell}
            if notation.shows_lists:
                return notation, [text for text in texts if number[text] > 1 and text not in tags]
    return _find_form(column, texts, words, options), []


def _find_form(column: pd.Series[Any], texts: list[str], words: list[str], options: TagOptions) -> TagNotation:
    """Return how cells are cut into parts. The ``words`` are texts that are probably no tags."""
    if (values := list_values([cell for cell in column if isinstance(cell, Mapping)], texts)) is not None:
        return describe_values(values, bool(texts), str(column.name))
    lists = [cell for cell in column if isinstance(cell, LISTS)]
    if any(len(cell) for cell in lists):
        tags = [tag for cell in lists for tag in cell if not is_missing(tag)]
        objects = [tag for tag in tags if isinstance(tag, Mapping)]
        numbers = bool(tags) and all(isinstance(tag, int | np.integer) for tag in tags)
        return TagNotation("numbers" if numbers else "list", fields=find_fields(objects, str(column.name), options))
    call = Call.find(texts) if options.sep is None else None
    if call is not None and (call.left != "[" or "," not in call.glue):  # others are lists of JSON and of Python
        return TagNotation("call", call=call)
    wrapped = _find_wrapper(texts) if options.sep is None else None
    form = _find_list_form(texts) if options.sep is None and wrapped is None else None
    if form is not None:
        parts = [part for text in texts for part in _try_list(text, form)]
        objects = [part for part in parts if isinstance(part, dict)]
        return TagNotation(form, fields=find_fields(objects, str(column.name), options))
    if options.sep is None and (marked := wrapped or _find_prefix(texts)) is not None:
        return marked
    around = next((pair for pair in BRACKETS if texts and all(_is_around(pair, text) for text in texts)), "")
    inner = [text[1:-1] for text in texts] if around else texts
    stated = None if options.sep is None else read_separator(options.sep)
    sep = choose_separator([*inner, *words], str(column.name)) if stated is None else stated
    return replace(_separate(inner, sep), around=around if sep else "")


def _is_around(pair: str, text: str) -> bool:
    return text[0] + text[-1] == pair and (pair != "()" or not set(pair) & set(text[1:-1]))


def _separate(texts: Sequence[str], sep: str) -> TagNotation:
    has_blank = sep and sep != " " and any(f"{sep} " in text for text in texts)
    return TagNotation("separated", sep, f"{sep} " if has_blank else sep)


def _find_list_form(texts: list[str]) -> Form | None:
    """Return the form of cells that are lists written as text, if any is."""
    if any(text.startswith("{") and text.endswith("}") and '"choices"' in text for text in texts):
        return "choices"
    listed = [text for text in texts if text.startswith("[") and text.endswith("]")]
    if len(listed) < max(1, len(texts) / 2):
        return None
    if all(_can(read_list, text, "json") for text in listed):
        return "json"
    quotes = any(_can(read_list, text, "python") and text.strip("[] ") for text in listed)
    return "python" if quotes or not all(re.fullmatch(r"\[[^'\"\[\]]*\]", text) for text in listed) else None


def _can(read: Callable[..., Any], *arguments: str) -> bool:
    """Return whether a text can be read."""
    try:
        read(*arguments)
    except ValueError:
        return False
    return True


def _try_list(text: str, form: str) -> list[Any]:
    try:
        return read_list(text, form)
    except ValueError:  # reading the cell raises the error, with its row
        return []


def _find_wrapper(texts: list[str]) -> TagNotation | None:
    """Return the notation ``<a><b>``, if all texts have it. One has two tags, or the marks are not in names."""
    for pair in WRAPPERS:
        group, (left, right) = match_wrapped(pair).pattern.replace("*)", "+)"), map(re.escape, pair)
        if not texts or not all(re.fullmatch(rf"{group}(?:[\s,;|]*{group})*", text) for text in texts):
            continue
        between = Counter(glue for text in texts for glue in re.findall(rf"{right}([\s,;|]*)(?={left})", text))
        if pair == '""' and any(glue.strip() for glue in between):
            return None  # quotes around the parts of a separated text
        if between or pair in ("<>", *QUOTES):
            return TagNotation("wrapped", pair, between.most_common(1)[0][0] if between else "")
    return None


def _find_prefix(texts: list[str]) -> TagNotation | None:
    """Return the notation ``#a #b``, if every tag begins with the same mark."""
    for mark in PREFIXES:
        if not texts or not all(text.startswith(mark) and text != mark.strip() for text in texts):
            continue
        between = Counter(
            glue for text in texts for glue in re.findall(rf"([\s,;|]+){re.escape(mark)}(?=\S)", text[1:])
        )
        if between:
            lines = Counter({glue: n for glue, n in between.items() if "\n" in glue})  # then a mark begins a line
            return TagNotation("prefixed", mark, (lines or between).most_common(1)[0][0] + mark)
        inner = any(mark in text[1:] for text in texts)
        return TagNotation("prefixed", mark, mark if inner else f" {mark}")
    return None


def _cut_all(column: Iterable[Any], notation: TagNotation) -> Iterator[list[Any]]:
    """Yield the parts of each cell that has this notation, without missing values."""
    for cell in column:
        with suppress(ValueError):  # reading the cell raises the error, with its row
            yield [part for part in notation.cut(cell) or () if isinstance(part, Mapping) or not is_missing(part)]


def _find_marks(notation: TagNotation, tags: Collection[str], column: str, options: TagOptions) -> TagNotation:
    """Return the notation with the stated marks around names. Raise for a mark without a meaning."""
    marks = [Mark.of(word, value) for value, words in options.by_value for word in words if NAME in word]
    has_plus = any(mark.front == "-" for mark in marks) and any(tag.startswith("+") for tag in tags)
    marks += [Mark("+", "", True)] if has_plus else []
    if options.tag_marks is None:
        check_marks(tags, marks, column)
    marks.sort(key=lambda mark: -len(mark.front + mark.back))
    return replace(notation, marks=tuple(marks), plus="+" if has_plus else "")


def _find_scores(
    notation: TagNotation, tags: Mapping[str, int], parts: Sequence[Any], column: str, options: TagOptions
) -> TagNotation:
    """Return the notation with the meaning of the scores of tags, if they have scores."""
    key = notation.fields[1] if notation.fields and notation.fields[1] else None
    if key is not None:
        found = [(str(part.get(notation.fields[0])), part.get(key)) for part in parts if isinstance(part, Mapping)]
        scored = [(name, float(score)) for name, score in found if isinstance(score, int | float)]
        example = f"{scored[0][0]} with {key} {scored[0][1]:g}" if scored else ""
    else:
        scored = [read_score(tag) for tag in tags]  # type: ignore[misc]
        example = next((tag for tag, (_, score) in zip(tags, scored, strict=True) if score is not None), "")
        scored = [(name, score) for name, score in scored if score is not None]
        spaced = bool(example) and not re.search(r"[:=@(\[]", example)
        if spaced and 2 * len(scored) < len(tags):
            scored = []
    if options.scores is not None:
        return replace(notation, scores="" if options.scores == "name" else options.scores)  # type: ignore[arg-type]
    if not scored:
        return notation
    low = sum(score < 0.5 for _, score in scored)
    whole = () if key is not None else (("the number is a part of the name", option("scores", "name")),)
    prior = (
        ()
        if any(score > 1 or score < 0 for _, score in scored)
        else (("scores are probabilities of a model, and tags without a score are given", option("scores", "prior")),)
    )
    raise AmbiguousReading(
        f"{plural(len(scored), 'tag')} of the column {column!r} {'has' if len(scored) == 1 else 'have'} a score, such "
        f"as {clipped(example, 40)!r}; {low} of the scores are below 0.5.",
        ("all listed tags are given", option("scores", "given")),
        *prior,
        *whole,
    )


def _find_numbers(notation: TagNotation, cells: Cells, column: str, options: TagOptions) -> TagNotation:
    """Return the notation with the meaning of further numbers next to tags, such as ``rock x3``."""
    example = None if options.scores == "name" else find_numbered(cells)
    if example is not None and options.scores is None:
        raise AmbiguousReading(
            f"Tags of the column {column!r} occur with several numbers, such as {clipped(example, 40)!r}.",
            ("the number is not a part of the name, and all listed tags are given", option("scores", "given")),
            ("the number is a part of the name", option("scores", "name")),
        )
    return notation if example is None else replace(notation, scores="numbers")


def _find_spelling(notation: TagNotation, column: pd.Series[Any], name: str, options: TagOptions) -> TagNotation:
    """Return the notation with one spelling of each tag, where the user stated that case makes no difference."""
    counts = Counter[str]()
    for cell in column:
        try:
            counts.update(tag.name for tag in notation.read_parts(cell) or () if tag is not None)
        except ValueError:  # reading the cell raises the error, with its row
            continue
    spellings: dict[str, list[str]] = {}
    for tag in counts:
        spellings.setdefault(fold_tag(tag), []).append(tag)
    several = [tags for tags in spellings.values() if len(tags) > 1]
    if not several or options.case == "different":
        return notation
    if options.case == "same":
        best = [max(sorted(tags), key=lambda tag: counts[tag]) for tags in spellings.values()]
        return replace(notation, names=tuple(sorted(best)))
    raise AmbiguousReading(
        f"{plural(len(several), 'tag')} of the column {name!r} {'has' if len(several) == 1 else 'have'} several "
        f"spellings, such as {quoted(sorted(several[0]))}.",
        ("these are the same tag", option("case", "same")),
        ("these are different tags", option("case", "different")),
    )
