"""Pairs of an item and a tag, with or without a value: one row per pair, joined to the items by id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Column
from halflabel._wording import Notes, option, plural, quoted
from halflabel.labels import PartialLabels
from halflabel.table.cells import read_as_text, require_columns, use_text_names
from halflabel.table.columns import Description
from halflabel.table.label_reading import LabelReading
from halflabel.table.label_words import find_meanings, read_label_columns
from halflabel.table.native import as_pandas
from halflabel.table.rows import Ids, find_rows, read_ids
from halflabel.table.seen_labels import ask_absent
from halflabel.table.tag_checks import find_value
from halflabel.table.tag_columns import read_tag_cells
from halflabel.table.tag_recognition import recognise_tags

#: The key of the value of a tag with one.
VALUE = "value"

#: Names of the column with the names of tags, if a table of names has several columns.
_NAMES = ("name", "label", "tag", "title")


def read_pairs(columns: Description, ids: Ids | None) -> LabelReading:
    """Read the long table of a description: one row per (id, tag), or per (id, tag, value).

    Ids are compared as written: the number 7 and the text "7" are the same id, the text "007" is another one. An entry
    with both values is unknown. The tags of an item are read as a list of tags is.

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
        raise ask_absent("A long table of tags lists the tags that items have.")
    tag = _find_tag_column(pairs, on, columns.tag, columns.value)
    value = find_value({str(name): pairs[name] for name in pairs if name not in (on, tag)}, "the pairs", columns.value)
    known = read_ids(ids)
    require_filled(pairs, (on, tag), "pairs")
    rows, notes = find_rows(pairs[on], known)
    pairs, rows = pairs[rows >= 0], rows[rows >= 0]
    if pairs.empty:
        raise ValueError("no pair is about one of the items: are the ids of the pairs the ids of the items?")
    names = _read_names(pairs[tag], columns.tag_names)
    if value is not None:
        values = PartialLabels.from_table(read_label_columns(pairs, [value], find_meanings(columns))).values()[:, 0]
        names = [{"name": name, VALUE: has} for name, has in zip(names, values, strict=True)]
    lists = pd.Series(names, dtype=object).groupby(rows).agg(list)
    column = lists.reindex(range(len(known))).rename(tag)
    notation = recognise_tags(column, replace(columns, value=None if value is None else VALUE))
    labels, _, on_both = read_tag_cells(column, None, notation, columns.absent, columns.empty)
    if columns.absent == "unknown" and value is not None:
        # A rejected tag shows that this tag was examined, and not that all tags of the item were.
        labels = replace(labels, annotated=np.asarray(labels.relevant.any(axis=1) | (columns.empty == "none")))
    labels.require_observed()
    return LabelReading(labels, (*notes, *_describe(labels, tag, len(pairs)), *on_both))


def _find_tag_column(pairs: pd.DataFrame, on: str, tag: str | None, value: str | None) -> str:
    """Return the column of tags: the one that was named, or the only one that is left."""
    require_columns(filter(None, (on, tag)), pairs)
    others = [column for column in pairs.columns if column not in (on, value)]
    if tag is None and len(others) != 1:
        raise ValueError(
            f"a table of (id, tag) pairs has two columns, but next to {on!r} this one has {quoted(others) or 'none'}: "
            f"name the column of tags with {option('tag', max(others, key=_is_choice, default=None))}."
        )
    return tag or str(others[0])


def _is_choice(name: str) -> bool:
    return re.search("tag|label|class|categor|term|topic|genre", name, re.I) is not None


def require_filled(table: pd.DataFrame, columns: Sequence[str], noun: str) -> None:
    """Raise for an empty cell of one of these columns."""
    for column in columns:
        if (gaps := table[column].isna().to_numpy()).any():
            where = f"row {int(gaps.argmax())} of the {noun}"
            raise ValueError(f"column {column!r} is empty in {where}: remove the row or fill the cell.")


def _read_names(column: Column, names: Any) -> Any:
    """Return the tag of each pair, by name if there is a table of names."""
    texts = np.array([text.strip() for text in read_as_text(column)], dtype=object)
    return texts if names is None else _name_tags(texts, str(column.name), use_text_names(as_pandas(names)))


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
    table = pd.Series(read_as_text(names[title]), index=read_as_text(names[key])).dropna().str.strip()
    if table.index.hasnans or table.index.has_duplicates or table.duplicated().any():
        raise ValueError(f"each tag needs one id in {key!r}, and a name of its own in {title!r}: correct these cells.")
    if lacking := sorted({*texts} - {*table.index}):
        raise ValueError(
            f"the table of names has no name for {plural(len(lacking), 'tag')} of the pairs: {quoted(lacking)}."
        )
    return table[texts].to_numpy(object)


def _describe(labels: PartialLabels, tag: str, n_pairs: int) -> Notes:
    """Return sentences on the pairs, and on the items without a tag."""
    rejected = int((labels.state < 0).sum()) if labels.positive_only else 0
    of_these = f", {plural(rejected, 'entry', 'entries')} known as irrelevant" if rejected else ""
    notes = [f"{plural(len(labels.names), 'label')} in {tag!r} ({plural(n_pairs, 'pair')}{of_these})."]
    bare = ~labels.relevant.any(axis=1)
    for of_kind, taken in (
        (bare & labels.annotated, "annotated, without tags"),
        (bare & ~labels.annotated, "unlabelled"),
    ):
        if of_kind.any():
            notes.append(f"{plural(int(of_kind.sum()), 'item')} without a tag in the long table: taken as {taken}.")
    return tuple(notes)
