"""Votes of several sources, from a long table or from columns of tags, in the order of the items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from halflabel._arrays import Column, Floats, Index, Ints
from halflabel._wording import Notes, clipped, closest, count, option, plural, quoted
from halflabel.labels import MAX_CELLS, PartialLabels
from halflabel.labels.answers import Answer, read_answer
from halflabel.labels.votes import Votes
from halflabel.table.cells import read_as_text, show_cell, use_text_names
from halflabel.table.columns import Description
from halflabel.table.native import as_pandas
from halflabel.table.patterns import names_columns, select
from halflabel.table.rows import find_rows, read_ids
from halflabel.table.sources import Source
from halflabel.table.tag_notations import Tag

#: The names that the columns of a long table may have.
NAMES = {
    "item": ("item", "id", "item_id", "task"),
    "label": ("label", "tag"),
    "source": ("source", "annotator", "worker", "by", "model"),
    "value": ("value", "vote", "answer"),
}

#: Divides the label from the source in the name of a column of votes, such as rock@gpt.
AT = "@"


class ColumnVotes(NamedTuple):
    """The votes of columns that hold the tags of one source each, and sentences about them."""

    rows: pd.DataFrame
    notes: Notes


def add_voted_labels(source: Source, columns: Description, *, labels_apart: bool) -> tuple[Source, Description]:
    """Return the items with an empty column for each label that only votes name, and the votes as a table.

    Columns of votes do not become features. Without ``labels``, the labels of the long table are the labels.
    """
    frame, votes = source.raw.frame, cast(Any, columns.sources)
    if votes is None:
        return source, columns
    if names_columns(votes, frame.columns):
        ignored, votes = select((str(votes),), frame.columns), _read_columns(frame, columns)
        columns = replace(columns, ignore=(*columns.ignore, *ignored))
        named = sorted({*votes.rows["label"]})
    else:
        votes = use_text_names(as_pandas(votes))
        column = _find(votes, "label", ())
        named = [] if column is None else sorted({*_strip(votes[column]).dropna()})
    columns = replace(columns, sources=votes)
    if columns.labels is None and not labels_apart and columns.tags is None and columns.pairs is None and named:
        columns = replace(columns, labels=tuple(named))
    labels = columns.labels or ()
    _require_known(named, labels, frame)
    named = named or list(labels)  # the votes are about one label
    added = [name for name in labels if name not in frame.columns and name in named]
    return source.add_columns(pd.DataFrame(np.nan, index=range(len(frame)), columns=added)), columns


def _require_known(named: Sequence[str], labels: Sequence[str], frame: pd.DataFrame) -> None:
    """Raise for a label of the votes that is spelled differently where the labels are named one by one."""
    if labels and not any(set(label) & set("*?[") for label in labels):
        for name in named:
            if name not in labels and name not in frame.columns:
                raise ValueError(_describe_unknown(name, labels))


def _describe_unknown(name: str, labels: Sequence[str]) -> str:
    return f"{clipped(name)!r} in the votes is not a label of the table: {closest(name, labels)}"


def leaves_labels_to_votes(frame: pd.DataFrame, columns: Description, labels: Sequence[str]) -> bool:
    """Return whether the label columns are empty and votes are about them."""
    return columns.sources is not None and bool(labels) and bool(frame[list(labels)].isna().all(axis=None))


def open_votes(columns: Description, labels: PartialLabels, index: Index, id: str | None) -> tuple[Votes | None, Notes]:
    """Return the votes on the entries that are not known, and sentences about the votes.

    The votes are rows of a long table (item, label, source, value), or columns of tags.

    Raises
    ------
    ValueError
        For items or labels that the table does not have, a value that is neither 1, 0 nor a probability, and two values
        of one source for one entry.
    """
    if columns.sources is None:
        return None, ()
    if labels.positive_only:
        raise ValueError(f"votes need labels with known irrelevant entries: leave out {option('absent', 'unknown')}.")
    names, found = labels.names, cast(Any, columns.sources)
    rows, notes = found if isinstance(found, ColumnVotes) else _read_long(found, names, index, id)
    rows = rows.assign(column=_find_places(rows["label"], names))
    table = rows.drop(columns="label").dropna(subset="value").drop_duplicates()
    if not len(rows):
        raise ValueError("the sources have no vote about any of the items: are their ids the ids of the items?")
    if table.empty:
        raise ValueError("no vote has a value: the column of values is empty, or each source was not sure.")
    twice = table.duplicated(["row", "column", "source"])
    if twice.any():
        one = table[twice].iloc[0]
        raise ValueError(
            f"the source {one['source']!r} has two values for the item {index[one['row']]!r} and the label "
            f"{names[one['column']]!r}: keep one of them."
        )
    votes = _spread(table, labels.shape)
    entries = plural(int(votes.voted.sum()), "entry", "entries")
    return votes, (*notes, f"{plural(len(votes.names), 'source')}, {plural(len(table), 'vote')} on {entries}.")


def _read_long(table: pd.DataFrame, labels: Sequence[str], index: Index, id: str | None) -> tuple[pd.DataFrame, Notes]:
    """Return the votes of a long table about items of the table."""
    found = {role: _find(table, role, (id, index.name) if role == "item" else ()) for role in NAMES}
    if len(labels) == 1 and found["label"] is None:
        table, found["label"] = table.assign(label=labels[0]), "label"
    if missing := [role for role, column in found.items() if column is None]:
        raise ValueError(
            "a table of votes has the columns item, label, source and value, but this one has "
            f"{quoted(table.columns)}: rename the column for {missing[0]}."
        )
    item, label, source, value = (str(found[role]) for role in NAMES)
    from halflabel.table.pairs import require_filled

    require_filled(table, (item, label, source), "votes")
    rows, notes = find_rows(table[item], read_ids(index), "votes")
    votes = pd.DataFrame({"row": rows, "label": _strip(table[label]), "source": _strip(table[source]),
                          "value": _read_values(table[value])})  # fmt: skip
    return votes[votes["row"] >= 0], notes


def _find_places(names: Column, labels: Sequence[str]) -> Ints:
    """Return the position of each label that votes name."""
    places = pd.Index(labels).get_indexer(pd.Index(names))
    if (places < 0).any():
        raise ValueError(_describe_unknown(str(names[places < 0].iloc[0]), labels))
    return np.asarray(places)


def _read_columns(frame: pd.DataFrame, columns: Description) -> ColumnVotes:
    """Return the votes of columns that hold the tags of one source each, and a sentence about their empty cells.

    A list of tags votes on all labels. An object such as ``{"rock": true, "sad": 0.2}`` votes on the labels that it
    names. A column such as ``rock@gpt`` holds the values of the label rock, and with one label, each column holds its
    values.
    """
    rows: list[tuple[int, str, str, float]] = []
    names = select((str(columns.sources),), frame.columns)
    only = columns.labels[0] if columns.labels is not None and len(columns.labels) == 1 else ""
    for name in names:
        label, _, source = name.rpartition(AT)
        if label or only:
            rows += [(k, label or only, source, value) for k, value in enumerate(_read_values(frame[name]))]
    names = () if only else tuple(name for name in names if AT not in name)
    scored = replace(columns, scores="prior")
    from halflabel.table.tag_columns import read_tag_parts
    from halflabel.table.tag_recognition import recognise_tags

    read = {name: read_tag_parts(frame[name], recognise_tags(frame[name], scored)) for name in names}
    tags = {name: [None if cell is None else [tag for tag in cell if tag] for cell in read[name]] for name in names}
    found = {tag.name for cells in tags.values() for cell in cells for tag in cell or ()}
    labels = columns.labels or sorted(found.union(label for _, label, *_ in rows))
    for name, cells in tags.items():
        states_each = any(tag.relevant is False or tag.score is not None for cell in cells for tag in cell or ())
        for k, cell in enumerate(cells):
            given = {} if states_each or cell is None else dict.fromkeys(labels, 0.0)
            given |= {tag.name: _weigh(tag) for tag in cell or ()}
            if any(value < 0 or value > 1 for value in given.values()):
                raise _describe_value(frame[name], k)
            rows += [(k, label, name, value) for label, value in given.items()]
    empty = sum(cell is None for cells in tags.values() for cell in cells)
    way = "If no label applies where a model gave none, write 'none' there."
    note = f"{plural(empty, 'empty cell')} of {quoted(names)}: no vote. {way}"
    return ColumnVotes(pd.DataFrame(rows, columns=["row", "label", "source", "value"]), (note,) if empty else ())


def _weigh(tag: Tag) -> float:
    """Return the vote of a tag."""
    return tag.score if tag.score is not None else np.nan if tag.relevant is None else float(tag.relevant)


def _find(table: pd.DataFrame, role: str, first: Sequence[Any]) -> str | None:
    """Return the column of a role, or None. A header may be in capitals."""
    written = {name.strip().lower(): name for name in reversed(table.columns)}
    named = [name for name in first if name is not None and name in table.columns]
    return next(iter(named), next((written[name] for name in NAMES[role] if name in written), None))


def _strip(column: Column) -> pd.Series[str]:
    """Return a column as text without spaces around it, so that "ann " is the source "ann"."""
    return pd.Series(read_as_text(column)).str.strip()


def _read_values(column: Column) -> Floats:
    """Return votes as numbers from 0 to 1, NaN where a source is not sure or gave nothing."""
    numbers = pd.to_numeric(column.astype(object), errors="coerce").to_numpy(np.float64, copy=True, na_value=np.nan)
    words = {Answer.YES: 1.0, Answer.NO: 0.0}
    for place in np.flatnonzero(np.isnan(numbers) & column.notna().to_numpy()):
        answer = read_answer(column.iloc[place])
        numbers[place] = np.inf if answer is None else words.get(answer, np.nan)
    wrong = ~np.isnan(numbers) & ~((numbers >= 0) & (numbers <= 1))
    if wrong.any():
        raise _describe_value(column, int(wrong.argmax()))
    return numbers


def _describe_value(column: Column, row: int) -> ValueError:
    return ValueError(
        f"a vote is 1, 0 or a probability (20 % is 0.2), but row {row} of the column {column.name!r} holds "
        f"{show_cell(column, row)}: correct it, or leave the cell empty."
    )


def _spread(table: pd.DataFrame, shape: tuple[int, int]) -> Votes:
    """Return votes as an array, with the sources in the order of their names."""
    codes, names = pd.factorize(table["source"], sort=True)
    if len(names) * shape[0] * shape[1] > MAX_CELLS:
        raise ValueError(
            f"{plural(len(names), 'source')} on {count(shape[0])} items and {count(shape[1])} labels are more than "
            f"{MAX_CELLS:.0e} cells: give fewer labels, or fewer items."
        )
    values = np.full((len(names), *shape), np.nan)
    values[codes, table["row"].to_numpy(dtype=int), table["column"].to_numpy(dtype=int)] = table["value"]
    return Votes(tuple(map(str, names)), values)
