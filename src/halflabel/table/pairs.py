"""Pairs of an item and a tag, with or without a value: one row per pair, joined to the items by id."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from halflabel._arrays import Ints, Mask
from halflabel._wording import count, option, plural, quoted
from halflabel.labels import MAX_CELLS, PartialLabels
from halflabel.table.cells import describe_missing, read_as_text, use_text_names
from halflabel.table.columns import Description
from halflabel.table.label_reading import LabelReading
from halflabel.table.label_words import check_label_values, find_meanings, read_label_words
from halflabel.table.native import as_pandas
from halflabel.table.question import Question
from halflabel.table.seen_labels import ABSENT
from halflabel.table.tag_recognition import recognise_tags

#: The ids of the items.
Ids: TypeAlias = "Sequence[Hashable] | pd.Series[Any] | pd.Index[Any]"

#: The statement that no column of the pairs has their values.
NO_VALUE = "none"

#: Names of the column with the names of tags, if a table of names has several columns.
_NAMES = ("name", "label", "tag", "title")


def read_pairs(columns: Description, ids: Ids | None) -> LabelReading:
    """Read the long table of a description: one row per (id, tag), or per (id, tag, value).

    Ids are compared as written: the number 7 and the text "7" are the same id, the text "007" is another one. An entry
    with both values is unknown. Items with a pair are annotated, too, where a table of annotated items was stated.

    Parameters
    ----------
    columns : Description
        Its further tables are tables.
    ids : sequence, Series or Index, or None
        The ids of the items, in their order; None if they have none.

    Raises
    ------
    ValueError
        If a column is missing or not clear, a cell is empty, or an id is not among ``ids``.

    Examples
    --------
    >>> votes = pd.DataFrame({"gene": ["a", "a", "b"], "term": ["T1", "T2", "T1"], "vote": [1, 0, 1]})
    >>> stated = Description(pairs=votes, on="gene", tag="term", value="vote", absent="unknown")
    >>> read_pairs(stated, ["a", "b", "c"]).labels.state.tolist()
    [[1, -1], [1, 0], [0, 0]]
    """
    pairs, on = use_text_names(as_pandas(columns.pairs)), columns.on
    if on is None or ids is None:
        raise ValueError(
            f"a long table of tags needs the id column of the items ({option('id')}) and its own ({option('on')}): "
            f"it has the columns {quoted(pairs.columns, 20)}."
        )
    if columns.absent is None:
        ways = [(text, {"absent": meaning}) for text, meaning in ABSENT]
        raise Question("A long table of tags lists the tags that items have.", *ways, likely=False)
    value = _find_value_column(pairs, on, columns)
    tag = _find_tag_column(pairs, on, columns.tag, value)
    known = read_ids(ids)
    require_filled(pairs, (on, tag), "pairs")
    rows, notes = find_rows(pairs, on, known)
    pairs, rows = pairs[rows >= 0], rows[rows >= 0]
    if pairs.empty:
        raise ValueError("no pair is about one of the items: are the ids of the pairs the ids of the items?")
    texts, values = _read_names(pairs[tag], columns.tag_names), _read_values(pairs, value, find_meanings(columns))
    texts, values, empty_rows = _read_notation(texts, values, rows, tag, columns)
    is_tag = np.array([text is not None for text in texts], dtype=bool)
    codes, found = pd.factorize(texts[is_tag], sort=True)
    tags, names_of_tags = np.asarray(codes, dtype=np.intp), tuple(map(str, found))
    rows, values = rows[is_tag], values[is_tag]
    shape = (len(known), len(names_of_tags))
    if shape[0] * shape[1] > MAX_CELLS:
        raise ValueError(f"{count(shape[0])} items x {count(shape[1])} labels are more than {MAX_CELLS:.0e} cells.")
    masks = (values == 1, values == 0, np.isnan(values))
    yes, no, open_ = (mark_entries(shape, rows[mask], tags[mask]) for mask in masks)
    both = yes & no
    marked = _read_annotated(columns.annotated, on, known)
    marked[empty_rows] = True
    labels = _make_labels(yes & ~both, no & ~both, open_ | both, marked, names_of_tags, columns)
    notes += _describe(labels, tag, len(pairs), int(both.sum()))
    return LabelReading(labels, notes)


def _make_labels(
    yes: Mask, no: Mask, open_: Mask, marked: Mask, names: tuple[str, ...], columns: Description
) -> PartialLabels:
    """Return the labels of the pairs, with the meaning of the tags that they do not list."""
    is_positive = columns.absent == "unknown"
    # A rejected tag shows that this tag was examined, and not that all tags of the item were.
    annotated = marked | (yes if is_positive else yes | no | open_).any(axis=1) | (columns.empty == "none")
    state = yes.astype(np.int8) - no.astype(np.int8)
    if not is_positive:
        state[annotated[:, None] & ~yes & ~open_] = -1
    labels = PartialLabels(state, names, annotated, positives=is_positive)
    labels.require_observed()
    return labels


def mark_entries(shape: tuple[int, int], rows: Ints, labels: Ints) -> Mask:
    """Return a table in which some entries are marked."""
    table = np.zeros(shape, dtype=bool)
    table[rows, labels] = True
    return table


def _find_tag_column(pairs: pd.DataFrame, on: str, tag: str | None, value: str | None) -> str:
    """Return the column of tags: the one that was named, or the only one that is left."""
    for name in filter(None, (on, tag, value)):
        if name not in pairs.columns:
            raise ValueError(describe_missing(name, pairs.columns))
    others = [column for column in pairs.columns if column not in (on, value)]
    if tag is None and len(others) != 1:
        raise ValueError(
            f"a table of (id, tag) pairs has two columns, but next to {on!r} this one has {quoted(others) or 'none'}: "
            f"name the column of tags with {option('tag', max(others, key=_is_choice, default=None))}."
        )
    return tag or str(others[0])


def _is_choice(name: str) -> bool:
    return re.search("tag|label|class|categor|term|topic|genre", name, re.I) is not None


def _find_value_column(pairs: pd.DataFrame, on: str, columns: Description) -> str | None:
    """Return the column of values that was named. Raise where another one holds 0 and 1."""
    tag, value = columns.tag, columns.value
    if value is not None or tag is None:
        return None if value == NO_VALUE and value not in pairs else value
    both = [name for name in pairs if name not in (on, tag) and {*read_as_text(pairs[name])} - {None} == {"0", "1"}]
    if both:
        raise Question(
            f"The pairs have the column {both[0]!r}, which holds 0 and 1.",
            ("0 means that the item does not have the tag", {"value": both[0]}),
            ("each pair is a tag of its item", {"value": NO_VALUE}),
        )
    return None


def require_filled(table: pd.DataFrame, columns: Sequence[str], noun: str) -> None:
    """Raise for an empty cell of one of these columns."""
    for column in columns:
        if (gaps := table[column].isna().to_numpy()).any():
            where = f"row {int(gaps.argmax())} of the {noun}"
            raise ValueError(f"column {column!r} is empty in {where}: remove the row or fill the cell.")


def read_ids(ids: Ids) -> pd.Index[Any]:
    """Return the ids of the items as they are written."""
    known = pd.Index(read_as_text(pd.Series(ids)))
    if not known.is_unique:
        twice = quoted(pd.unique(known[known.duplicated()]))
        raise ValueError(f"ids must be distinct as written, but {twice} appears more than once in the table.")
    return known


def find_rows(table: pd.DataFrame, on: str, known: pd.Index[Any], noun: str = "pairs") -> tuple[Ints, tuple[str, ...]]:
    """Return the item of each row, -1 for ids that no item has, and a sentence about these.

    Rows about other items are left out. If they are most rows, or differ from items by leading zeros only, the ids are
    written in another way.
    """
    named = read_as_text(table[on])
    rows = np.asarray(known.get_indexer(pd.Index(named)), dtype=np.intp)
    others = sorted(set(named[rows < 0]))
    if not others:
        return rows, ()
    found = f"{count(int((rows < 0).sum()))} of {count(len(rows))} {noun} name ids that are not in the table"
    without_zeros = {str(each).lstrip("0") for each in known}
    if 2 * (rows < 0).sum() <= len(rows) and not any(each.lstrip("0") in without_zeros for each in others):
        return rows, (f"{found}, such as {others[0]!r}: left out.",)
    raise ValueError(
        f"{found}: {quoted(others)}. The ids of the table are written {quoted(known[:3])}; where leading zeros were "
        f"lost, read both as text; leave these {noun} out if they are about other items."
    )


def _read_names(column: pd.Series[Any], names: Any) -> Any:
    """Return the tag of each pair, by name if there is a table of names."""
    texts = np.array([text.strip() for text in read_as_text(column)], dtype=object)
    return texts if names is None else _name_tags(texts, str(column.name), use_text_names(as_pandas(names)))


def _read_notation(texts: Any, values: Any, rows: Ints, tag: str, columns: Description) -> tuple[Any, Any, list[int]]:
    """Return the name of the tag of each pair (None for a word that is none), its value, and items without tags."""
    lists = pd.Series(texts).groupby(rows).agg(list)
    notation = recognise_tags(lists.rename(tag), replace(columns, value=None))
    read = {text: notation.read_parts([text]) for text in set(texts)}
    without = [int(row) for text, row in zip(texts, rows, strict=True) if read[text] == []]
    found = [next(iter(read[text] or ()), None) for text in texts]
    names = np.array([None if each is None else each.name for each in found], dtype=object)
    signs = [np.nan if each is None or each.relevant is None else float(each.relevant) for each in found]
    return names, np.where(np.array(signs) == 0, 1 - values, values + 0 * np.array(signs)), without


def _name_tags(texts: Any, tag: str, names: pd.DataFrame) -> Any:
    """Return the names of tags in place of their ids."""
    key = next((name for name in (tag, "id", f"{tag}_id") if name in names.columns), None)
    others = [name for name in names.columns if name != key]
    title = others[0] if len(others) == 1 else next((name for name in _NAMES if name in others), None)
    if key is None or title is None:
        raise ValueError(
            f"a table of the names of tags has a column {tag!r} or 'id' and a column 'name', but this one has "
            f"{quoted(names.columns)}: rename its columns, or keep two of them."
        )
    ids, titles = read_as_text(names[key]), read_as_text(names[title])
    by_id = {id: title.strip() for id, title in zip(ids, titles, strict=True) if id is not None and title is not None}
    if len(by_id) < sum(id is not None for id in ids):
        raise ValueError(f"the table of names has an id in {key!r} twice, or without a name: correct it.")
    if len(set(by_id.values())) < len(by_id):
        raise ValueError(f"two tags have the same name in {title!r}: give each tag a name of its own.")
    if lacking := sorted({text for text in texts if text not in by_id}):
        raise ValueError(
            f"the table of names has no name for {plural(len(lacking), 'tag')} of the pairs: {quoted(lacking)}."
        )
    return np.array([by_id[text] for text in texts], dtype=object)


def _read_values(pairs: pd.DataFrame, value: str | None, meanings: Mapping[str, float] | None) -> Any:
    """Return 1, 0 or NaN for each pair. Without a column of values, each pair states that the item has the tag."""
    if value is None:
        return np.ones(len(pairs))
    if meanings is not None:
        return read_label_words(pairs, [value], meanings)[value].to_numpy(dtype=float)
    check_label_values(pairs, [value])
    return PartialLabels.from_table(pairs[[value]]).values()[:, 0]


def _read_annotated(given: Any, on: str, known: pd.Index[Any]) -> Mask:
    """Return which items are named by a table of ids: the column ``on``, or the only column."""
    if given is None:
        return np.zeros(len(known), dtype=bool)
    table = use_text_names(as_pandas(given))
    key = on if on in table.columns else str(table.columns[0])
    if table.shape[1] > 1 and key != on:
        raise ValueError(f"a table of annotated items has one column of ids, or a column {on!r}: name it so.")
    require_filled(table, (key,), "pairs")
    rows, _ = find_rows(table, key, known, "annotated items")
    return np.isin(np.arange(len(known)), rows)


def _describe(labels: PartialLabels, tag: str, n_pairs: int, n_both: int) -> tuple[str, ...]:
    """Return sentences on the pairs, and on the items without a tag."""
    rejected = int((labels.state < 0).sum()) if labels.positive_only else 0
    of_these = f", {plural(rejected, 'entry', 'entries')} known as irrelevant" if rejected else ""
    notes = [f"{plural(len(labels.names), 'label')} in {tag!r} ({plural(n_pairs, 'pair')}{of_these})."]
    if n_both:
        notes.append(f"{plural(n_both, 'entry', 'entries')} with both values in the pairs: taken as unknown.")
    bare = ~labels.relevant.any(axis=1)
    for of_kind, taken in (
        (bare & labels.annotated, "annotated, without tags"),
        (bare & ~labels.annotated, "unlabelled"),
    ):
        if of_kind.any():
            notes.append(f"{plural(int(of_kind.sum()), 'item')} without a tag in the long table: taken as {taken}.")
    return tuple(notes)
