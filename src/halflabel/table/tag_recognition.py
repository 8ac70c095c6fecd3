"""The notation of a column of tags: one of six, recognised where one reading is possible, else a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from halflabel._arrays import Column
from halflabel._wording import plural, quoted
from halflabel.labels.answers import fold_word
from halflabel.labels.tables import is_missing
from halflabel.table.columns import Description
from halflabel.table.question import Question
from halflabel.table.tag_checks import (
    SEPARATORS,
    check_names,
    check_vectors,
    check_words,
    choose_separator,
    find_value,
)
from halflabel.table.tag_notations import LISTS, Form, TagNotation, read_truth
from halflabel.table.tag_text import fold_tag
from halflabel.table.words import is_nothing, is_null

#: Keys under which objects hold the name and the score of a tag.
_NAMES = ("name", "tag", "label", "text", "value", "class", "category", "title", "topic")
_SCORES = ("score", "p", "prob", "probability", "confidence", "weight", "relevance")

#: The key of the tags of an item in the exports CSV and JSON-MIN of Label Studio.
CHOICES = "choices"
_CHOICES = re.compile(r'\{\s*"choices"\s*:')

#: An object of names and values.
Object = Mapping[str, Any]


def recognise_tags(column: Column, stated: Description | None = None) -> TagNotation:
    """Return the notation of a column of tags.

    Parameters
    ----------
    column : Series
    stated : Description, optional
        The statements of the user.

    Raises
    ------
    Question
        If two readings are possible.
    """
    stated = stated or Description()
    name = str(column.name)
    yes, no, unknown = (tuple(map(fold_word, words)) for words in (stated.yes, stated.no, stated.unknown))
    texts = [cell.strip() for cell in column if isinstance(cell, str) and cell.strip()]
    unknown += tuple(sorted(_find_nulls({*map(fold_word, texts)}) - {*yes}))
    words = {text for text in texts if fold_word(text) in {*no, *unknown} or (
        is_nothing(text) and fold_word(text) not in yes)}  # fmt: skip
    found = _find_form(column, [text for text in texts if text not in words], sorted(words), stated)
    notation = replace(found, no=no, unknown=unknown)
    cells = list(_cut_all(column, notation))
    tags = [[text for part in parts if (text := notation.name_part(part))] for parts in cells]
    check_vectors(tags, name)
    check_words(tags, _list_unread(texts, words, notation, column), name, {*yes, *no, *unknown})
    if stated.sep is None and notation.form != "object":  # whose names are keys, and no marks
        check_names([[tag for tag in each if fold_word(tag) not in notation.stated] for each in tags], notation, name)
    return _find_spelling(_read_scores(notation, cells, name, stated), column, name, stated)


def _find_nulls(words: set[str]) -> set[str]:
    """Return the missing values of programs among cells. One that is also a part of other cells may be a tag."""
    whole = {word: re.compile(rf"(?<!\w){re.escape(word)}(?!\w)") for word in words if is_null(word)}
    return {word for word, found in whole.items() if not any(found.search(other) for other in words - {word})}


def _list_unread(texts: Sequence[str], words: set[str], notation: TagNotation, column: Column) -> list[str]:
    """Return the texts between lists that may stand for nothing: words for it, and repeated phrases."""
    if notation.form == "separated":
        return []
    number = Counter(texts)
    listed = {str(tag).strip() for cell in column if isinstance(cell, LISTS) for tag in cell}
    found = []
    for text in number:
        parts = next(_cut_all([text], notation), None)
        is_list = parts is not None and parts != [text]
        is_phrase = number[text] > 1 and text[0].isalnum()
        if (
            fold_word(text) not in notation.stated
            and not is_list
            and (text in words or (is_phrase and text not in listed))
        ):
            found += number[text] * [text]
    return found


def _find_form(column: Column, texts: list[str], words: list[str], stated: Description) -> TagNotation:
    """Return how cells are cut into parts. The ``words`` are texts that are probably no tags."""
    name = str(column.name)
    if any(CHOICES in cell for cell in column if isinstance(cell, Mapping)) or any(map(_CHOICES.match, texts)):
        raise ValueError(
            f"the tags column {name!r} is of a short export of Label Studio: export the project as JSON, which also "
            "has the skipped tasks and the predictions, and is read as it is."
        )
    if (values := _list_values([cell for cell in column if isinstance(cell, Mapping)], texts)) is not None:
        return _describe_values(values, name, is_text=bool(texts))
    tags = [tag for cell in column if isinstance(cell, LISTS) for tag in cell if not is_missing(tag)]
    if tags:
        return _with_fields(TagNotation("list"), tags, name, stated)
    found = _find_list(texts, name, stated) or _find_marks(texts) if stated.sep in (None, "none") else None
    if found is not None:
        return found
    sep = choose_separator([*texts, *words], name) if stated.sep is None else SEPARATORS.get(stated.sep, stated.sep)
    has_blank = sep and sep != " " and any(f"{sep} " in text for text in texts)
    return TagNotation("separated", sep, f"{sep} " if has_blank else sep)


def _find_list(texts: Sequence[str], name: str, stated: Description) -> TagNotation | None:
    """Return the notation of lists that are written as text, if half of the texts are lists."""
    listed = [text for text in texts if text[0] in "[({s" and text[-1] in "])}"]
    forms: tuple[Form, ...] = ("json", "python")
    for form in forms:
        shape = TagNotation(form, fields=("name", "", ""))
        lists = {text: parts for text in listed for parts in _cut_all([text], shape) if parts}
        read = [text for text in listed if text in lists or text in ("[]", "()", "set()", "{}")]
        if lists and 2 * len(read) >= len(texts):
            around = Counter(text[0] + text[-1] for text in lists).most_common(1)[0][0] if form == "python" else ""
            parts = [part for text in listed for part in lists.get(text, ())]
            return _with_fields(TagNotation(form, around=around), parts, name, stated)
    return None


def _find_marks(texts: Sequence[str]) -> TagNotation | None:
    """Return the notation ``<a><b>`` or ``#a #b`` with the text between two tags, if most texts have it."""
    for around, between in (("<>", ">([^<>]*)<"), ("#", r"([\s,;|]*)#")):
        marked = [text for text in texts if text.startswith(around[0]) and text != around]
        if not marked or 2 * len(marked) < len(texts):
            continue
        if not all(text.endswith(around[1:]) and text.count("<") == text.count(">") for text in marked):
            return None
        glues = Counter(glue for text in marked for glue in re.findall(between, text[1:]))
        glue = next((glue for glue, _ in glues.most_common() if glue), " " if around == "#" and not glues else "")
        return TagNotation("marked", glue=glue, around=around)
    return None


def _cut_all(column: Iterable[Any], notation: TagNotation) -> Iterator[list[Any]]:
    """Yield the parts of each cell that has this notation, without missing values."""
    for cell in column:
        with suppress(ValueError):  # reading the cell raises the error, with its row
            yield [part for part in notation.cut(cell) or () if isinstance(part, Mapping) or not is_missing(part)]


# -- objects ---------------------------------------------------------------------------


def _list_values(objects: Sequence[Object], texts: Sequence[str]) -> list[Any] | None:
    """Return the values of all tags, where cells are objects of names and values, or most are such objects as text."""
    listed = [text for text in texts if text.startswith("{") and text.endswith("}")]
    if not objects and listed and 2 * len(listed) >= len(texts):
        with suppress(ValueError):
            parts = [TagNotation("object").cut(text) or () for text in listed]
            objects = [{part["name"]: part["value"] for part in each} for each in parts]
    return [value for each in objects for value in each.values()] if objects else None


def _describe_values(values: Sequence[Any], column: str, *, is_text: bool) -> TagNotation:
    """Return the notation of objects of names and values: truth values, 1 and 0, or scores."""
    known = [value for value in values if not is_missing(value)]
    around = "{}" if is_text else ""
    if known and all(read_truth(value) is not None for value in known):
        one = next((value for value in known if read_truth(value) == 1), True)
        return TagNotation("object", fields=("name", "", "value"), one=one, around=around)
    if known and all(isinstance(value, int | float) for value in known):
        return TagNotation("object", fields=("name", "value", ""), one=1, around=around)
    raise ValueError(
        f"the objects in the tags column {column!r} hold {quoted(dict.fromkeys(map(str, known)))}, but a value next to "
        "a tag is true, false, null, 1, 0 or a probability: write lists of the tags of each item."
    )


def _with_fields(notation: TagNotation, parts: Iterable[Any], column: str, stated: Description) -> TagNotation:
    """Return the notation with the keys of tags that are objects, and with the object of each tag."""
    parts = list(parts)
    objects = [part for part in parts if isinstance(part, Mapping)]
    if not objects:
        are_numbers = all(isinstance(part, int | np.integer) for part in parts)
        return replace(notation, objects={str(part): int(part) for part in parts}) if are_numbers else notation
    fields = _find_fields(objects, column, stated)
    same: dict[str, dict[str, Any]] = {}
    for each in objects:
        own = {key: value for key, value in each.items() if key not in fields[1:]}
        name = str(own.get(fields[0])).strip()
        first = same.setdefault(name, own)
        same[name] = {key: value for key, value in first.items() if key in own and own[key] == value}
    lost = {key for each in objects for key in each if key not in {*fields[1:], *same[str(each[fields[0]]).strip()]}}
    return replace(notation, fields=fields, objects=same, lost=tuple(sorted(lost)))


def _find_fields(objects: Sequence[Object], column: str, stated: Description) -> tuple[str, ...]:
    """Return the keys of the name, the score and the value of tags. Raise if a key may state that an item lacks it."""
    keys = list(dict.fromkeys(key for each in objects for key in each))
    texts = [key for key in keys if key != stated.value and all(isinstance(each.get(key), str) for each in objects)]
    where = f"the objects in the tags column {column!r}"
    value = stated.value
    if stated.scores is None or value is not None:
        value = find_value({key: [each.get(key) for each in objects] for key in keys}, where, value)
    names = [key for key in _NAMES if key in texts] or texts
    scores = [key for key in _SCORES if key in keys] or [
        key for key in keys if all(isinstance(each.get(key), float) for each in objects)
    ]
    if not names:
        raise ValueError(
            f"{where} have no name of a tag: one of their keys, such as 'name', must "
            f"hold text in each; the keys are {quoted(keys)}."
        )
    return names[0], next((key for key in scores if key != value), ""), value or ""


def _read_scores(
    notation: TagNotation, cells: Sequence[Sequence[Any]], column: str, stated: Description
) -> TagNotation:
    """Return the notation with the meaning of the scores of tags that are objects, if they have scores."""
    if not notation.fields or not (key := notation.fields[1]):
        return notation
    if stated.scores is not None:
        return replace(notation, scores=stated.scores)
    scores = [part.get(key) for parts in cells for part in parts]
    given = [score for score in scores if isinstance(score, int | float)]
    if not given:
        return notation
    prior = ("scores are probabilities of a model, and tags without a score are given", {"scores": "prior"})
    are_probabilities = all(0 <= score <= 1 for score in given) and len(given) < len(scores)
    number = plural(len(given), "tag has", "tags have")
    raise Question(
        f"In the column {column!r}, {number} a score ({key!r}), from {min(given):g} to {max(given):g}.",
        ("all listed tags are given", {"scores": "given"}),
        *((prior,) if are_probabilities else ()),
    )


def _find_spelling(notation: TagNotation, column: Column, name: str, stated: Description) -> TagNotation:
    """Return the notation with one spelling of each tag, where the user stated that case makes no difference."""
    counts = Counter[str]()
    for cell in column:
        with suppress(ValueError):  # reading the cell raises the error, with its row
            counts.update(tag.name for tag in notation.read_parts(cell) or () if tag is not None)
    spellings: dict[str, list[str]] = {}
    for tag in counts:
        spellings.setdefault(fold_tag(tag), []).append(tag)
    several = [tags for tags in spellings.values() if len(tags) > 1]
    if not several or stated.case == "different":
        return notation
    if stated.case == "same":
        best = [max(sorted(tags), key=lambda tag: counts[tag]) for tags in spellings.values()]
        return replace(notation, names=tuple(sorted(best)))
    raise Question(
        f"{plural(len(several), 'tag')} of the column {name!r} {'has' if len(several) == 1 else 'have'} several "
        f"spellings, such as {quoted(sorted(several[0]))}.",
        ("these are the same tag", {"case": "same"}),
        ("these are different tags", {"case": "different"}),
    )
