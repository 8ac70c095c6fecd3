"""The notation of a column of tags: one of eight, recognised where one reading is possible, else a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._wording import clipped, plural, quoted
from halflabel.labels.answers import fold_word
from halflabel.table.columns import Description
from halflabel.table.nothing_words import is_nothing
from halflabel.table.question import Question
from halflabel.table.separators import choose_separator, read_separator
from halflabel.table.tag_cells import LISTS, TagNotation, is_missing
from halflabel.table.tag_checks import check_names, check_vectors, check_words
from halflabel.table.tag_notations import NOTATIONS, Form
from halflabel.table.tag_objects import describe_values, find_fields, list_values
from halflabel.table.tag_text import fold_tag

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


def recognise_tags(column: pd.Series[Any], options: TagOptions | None = None) -> TagNotation:
    """Return the notation of a column of tags.

    Parameters
    ----------
    column : Series
    options : TagOptions, optional
        The statements of the user.

    Raises
    ------
    Question
        If two readings are possible. The error states an option for each of them.
    """
    options = options or TagOptions()
    name = str(column.name)
    texts = [cell.strip() for cell in column if isinstance(cell, str) and cell.strip()]
    words = [text for text in texts if _is_nothing(text, options)]
    others = [text for text in texts if text not in set(words)]
    notation = replace(_find_form(column, others, words, options), no=options.no, unknown=options.unknown)
    cells = list(_cut_all(column, notation))
    tags_of = [[text for part in parts if not isinstance(part, Mapping) and (text := str(part).strip())]
               for parts in cells]  # fmt: skip
    has_objects = any(isinstance(part, Mapping) for parts in cells for part in parts)
    check_vectors(tags_of, name)
    unread = _list_unread(texts, {tag for each in tags_of for tag in each}, notation, words, column)
    check_words(tags_of, unread, name, {*options.yes, *options.no, *options.unknown}, others=has_objects)
    if options.tag_marks is None and (options.sep is None or notation.form != "separated"):
        stated = {*options.no, *options.unknown}
        check_names([[tag for tag in each if fold_word(tag) not in stated] for each in tags_of], notation, name)
    return _find_spelling(_read_scores(notation, cells, name, options), column, name, options)


def _is_nothing(text: str, options: TagOptions) -> bool:
    word = fold_word(text)
    return word in {*options.no, *options.unknown} or (is_nothing(text) and word not in options.yes)


def _list_unread(
    texts: Sequence[str], tags: Collection[str], notation: TagNotation, words: Collection[str], column: pd.Series[Any]
) -> list[str]:
    """Return the texts between lists that may stand for nothing: words for it, and repeated phrases."""
    number, found = Counter(texts), []
    listed = {str(tag).strip() for cell in column if isinstance(cell, LISTS) for tag in cell}
    for text in texts if notation.form != "separated" else ():
        is_phrase = number[text] > 1 and _PHRASE.fullmatch(text) and fold_word(text) not in notation.stated
        if text in words or is_phrase:
            with suppress(ValueError):
                parts = notation.cut(text)
                is_word = text in words and fold_word(text) not in notation.stated and parts == [text]
                is_single = notation.form == "choices" or text in listed
                if not is_word and (is_single or parts != [text]):
                    continue
            found.append(text)
    return found


def _find_form(column: pd.Series[Any], texts: list[str], words: list[str], options: TagOptions) -> TagNotation:
    """Return how cells are cut into parts. The ``words`` are texts that are probably no tags."""
    name = str(column.name)
    if (values := list_values([cell for cell in column if isinstance(cell, Mapping)], texts)) is not None:
        return describe_values(values, bool(texts), name)
    tags = [tag for cell in column if isinstance(cell, LISTS) for tag in cell if not is_missing(tag)]
    if tags:
        objects = [tag for tag in tags if isinstance(tag, Mapping)]
        is_number = all(isinstance(tag, int | np.integer) for tag in tags)
        return TagNotation("numbers" if is_number else "list", fields=find_fields(objects, name, options))
    if options.sep is not None and (options.sep != "none" or not _share(texts, "json", "python") >= 0.5):
        return _separate(texts, read_separator(options.sep))
    if any(text.startswith("{") and text.endswith("}") and '"choices"' in text for text in texts):
        return TagNotation("choices")
    lists: tuple[Form, ...] = ("json", "python")
    for form in lists:
        if texts and _share(texts, form) >= 0.5:
            objects = [part for text in texts for part in _try(text, form) or () if isinstance(part, dict)]
            around = Counter(text[0] + text[-1] for text in texts if _try(text, form) is not None)
            brackets = around.most_common(1)[0][0] if form == "python" else ""
            return TagNotation(form, around=brackets, fields=find_fields(objects, name, options))
    return _find_marks(texts) or _separate(texts, choose_separator([*texts, *words], name))


def _find_marks(texts: Sequence[str]) -> TagNotation | None:
    """Return the notation ``<a><b>`` or ``#a #b``, if most texts have it."""
    for begins, find in (("<", _find_wrapped), ("#", _find_prefixed)):
        marked = [text for text in texts if text.startswith(begins) and text not in ("<>", "#")]
        if marked and 2 * len(marked) >= len(texts) and (found := find(marked)) is not None:
            return found
    return None


def _find_wrapped(texts: Sequence[str]) -> TagNotation | None:
    """Return the notation ``<a><b>`` with the text between two tags, if all texts are complete."""
    if not all(text.endswith(">") and text.count("<") == text.count(">") for text in texts):
        return None
    glues = Counter(part.partition("<")[0] for text in texts for part in text.split(">")[1:-1])
    return TagNotation("wrapped", glue=glues.most_common(1)[0][0] if glues else "")


def _find_prefixed(texts: Sequence[str]) -> TagNotation | None:
    """Return the notation ``#a #b`` with the text between two tags."""
    if any("><" in text[1:-1] and not text.endswith(">") for text in texts):
        return None
    glues = Counter(glue for text in texts for glue in _before(text[1:], "#"))
    if all(glue == "" for glue in glues):
        return TagNotation("prefixed", glue="#" if glues else " #")
    return TagNotation("prefixed", glue=next(g for g, _ in glues.most_common() if g) + "#")


def _before(text: str, mark: str) -> Iterator[str]:
    """Yield the separators before each mark: blanks, commas, semicolons and bars."""
    for part in text.split(mark)[:-1]:
        yield part[len(part.rstrip(" \t\n,;|")) :]


def _separate(texts: Sequence[str], sep: str) -> TagNotation:
    has_blank = sep and sep != " " and any(f"{sep} " in text for text in texts)
    return TagNotation("separated", sep, f"{sep} " if has_blank else sep)


def _share(texts: Sequence[str], *forms: Form) -> float:
    """Return the share of texts that are lists in one of these forms."""
    listed = [text for text in texts if text[0] in "[({s" and text[-1] in "])}"]
    return sum(any(_try(text, form) is not None for form in forms) for text in listed) / max(len(texts), 1)


def _try(text: str, form: Form) -> list[Any] | None:
    """Return the elements of a list that is written as text, which may be objects, or None."""
    with suppress(ValueError):
        return NOTATIONS[form].cut(text, TagNotation(form, fields=("name", "", "")))
    return None


def _cut_all(column: Iterable[Any], notation: TagNotation) -> Iterator[list[Any]]:
    """Yield the parts of each cell that has this notation, without missing values."""
    for cell in column:
        with suppress(ValueError):  # reading the cell raises the error, with its row
            yield [part for part in notation.cut(cell) or () if isinstance(part, Mapping) or not is_missing(part)]


def _read_scores(
    notation: TagNotation, cells: Sequence[Sequence[Any]], column: str, options: TagOptions
) -> TagNotation:
    """Return the notation with the meaning of the scores of tags that are objects, if they have scores."""
    if not notation.fields or not (key := notation.fields[1]):
        return notation
    if options.scores is not None:
        return replace(notation, scores=options.scores)  # type: ignore[arg-type]
    found = [(part.get(notation.fields[0]), part.get(key)) for parts in cells for part in parts]
    scored = [(name, float(score)) for name, score in found if isinstance(score, int | float)]
    if not scored:
        return notation
    example, low = f"{scored[0][0]} with {key} {scored[0][1]:g}", sum(score < 0.5 for _, score in scored)
    prior = ("scores are probabilities of a model, and tags without a score are given", {"scores": "prior"})
    are_probabilities = all(0 <= score <= 1 for _, score in scored) and len(scored) < len(found)
    raise Question(
        f"{plural(len(scored), 'tag')} of the column {column!r} {'has' if len(scored) == 1 else 'have'} a score, such "
        f"as {clipped(example, 40)!r}; {low} of the scores are below 0.5.",
        ("all listed tags are given", {"scores": "given"}),
        *((prior,) if are_probabilities else ()),
    )


def _find_spelling(notation: TagNotation, column: pd.Series[Any], name: str, options: TagOptions) -> TagNotation:
    """Return the notation with one spelling of each tag, where the user stated that case makes no difference."""
    counts = Counter[str]()
    for cell in column:
        with suppress(ValueError):  # reading the cell raises the error, with its row
            counts.update(tag.name for tag in notation.read_parts(cell) or () if tag is not None)
    spellings: dict[str, list[str]] = {}
    for tag in counts:
        spellings.setdefault(fold_tag(tag), []).append(tag)
    several = [tags for tags in spellings.values() if len(tags) > 1]
    if not several or options.case == "different":
        return notation
    if options.case == "same":
        best = [max(sorted(tags), key=lambda tag: counts[tag]) for tags in spellings.values()]
        return replace(notation, names=tuple(sorted(best)))
    raise Question(
        f"{plural(len(several), 'tag')} of the column {name!r} {'has' if len(several) == 1 else 'have'} several "
        f"spellings, such as {quoted(sorted(several[0]))}.",
        ("these are the same tag", {"case": "same"}),
        ("these are different tags", {"case": "different"}),
    )
