"""Open a table with thousands of labels: its lists of tags become numbers, and no table has a cell for each entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Matrix
from halflabel._wording import name_row, option
from halflabel.labels import Absent
from halflabel.labels.sparse import SparseLabels
from halflabel.table.columns import Empty
from halflabel.table.described import Described
from halflabel.table.features import FeatureEncoder
from halflabel.table.nothing import count_forms, describe_forms, name_form, read_meaning
from halflabel.table.opening import restore_words
from halflabel.table.roles import Roles, choose_roles
from halflabel.table.sources import Source, assign_columns
from halflabel.table.tag_cells import TagNotation
from halflabel.table.tag_columns import read_tag_parts
from halflabel.table.tag_recognition import TagOptions, recognise_tags

#: Keys of a description that need a cell for each entry, or items that are held out together.
UNSUPPORTED = ("labels", "pairs", "prior", "group")


@dataclass(frozen=True, eq=False)
class SparseTable:
    """A table whose columns have their roles, with labels by number.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
    labels : SparseLabels of shape (n_items, n_labels)
    index : Index
        The ids of the items: the id column, else the row labels.
    roles : Roles
    encoder : FeatureEncoder
    notes : tuple of str
        Sentences for the user.
    source : Source
        The items as they were read.
    """

    X: Matrix
    labels: SparseLabels
    index: pd.Index[Any]
    roles: Roles
    encoder: FeatureEncoder
    notes: tuple[str, ...]
    source: Source


def open_sparse(source: Source, described: Described) -> SparseTable:
    """Give every column of a source its role, and read its lists of tags by number.

    Raises
    ------
    ValueError
        If there is no column of tags, the meaning of an absent tag is not stated, or a key needs a smaller table.
    """
    raw, columns = assign_columns(source, described.columns)
    described.check({*raw.frame.columns, *raw.matrix_names, str(columns.tags)})
    _check_description(columns)
    frame = restore_words(raw.frame, source, columns.tags)
    roles = choose_roles(frame, columns, raw.label_names)
    column, options = frame[columns.tags], TagOptions.of(described.columns)
    notation = recognise_tags(column, options)
    assert columns.absent is not None  # checked above
    labels, notes = read_sparse_tags(column, notation, columns.absent, columns.empty)
    encoder = FeatureEncoder.learn(frame, roles, raw.matrix, raw.matrix_names, described.columns.missing)
    index = frame.index if roles.id is None else pd.Index(frame[roles.id])
    notes = (*described.notes, *raw.notes, *notes, *encoder.notes)
    return SparseTable(encoder.transform(frame, raw.matrix), labels, index, roles, encoder, notes, source)


def _check_description(columns: Any) -> None:
    if columns.tags is None:
        raise ValueError(f"thousands of labels are read from a column of lists of tags: name it ({option('tags')}).")
    if columns.absent is None:
        raise ValueError(
            f"state the meaning of a tag that an item does not list: {option('absent', 'irrelevant')} if every tag was "
            f"checked for every item, {option('absent', 'unknown')} if a tag may be missing where it is true."
        )
    if odd := [name for name in UNSUPPORTED if getattr(columns, name, None)]:
        raise ValueError(f"{option(odd[0])} has no effect on a ranking of labels: leave it out, or use complete.")


def read_sparse_tags(
    column: pd.Series[Any], notation: TagNotation, absent: Absent, empty: Empty | None
) -> tuple[SparseLabels, tuple[str, ...]]:
    """Return the labels of a column of tags as :func:`halflabel.table.labelling.read_labels` reads them, and notes."""
    parts = read_tag_parts(column, notation)
    read = [read_meaning(each, empty, name_form(cell, each, notation) or "")
            for cell, each in zip(column, parts, strict=True)]  # fmt: skip
    values: dict[tuple[int, str], int] = {}
    for row, (tags, each) in enumerate(zip(read, parts, strict=True)):
        for tag in each or ():
            if tag is not None and tag.is_open:
                values.setdefault((row, tag.name), 0)
        for tag in tags or ():
            value = 1 if tag.relevant else -1
            if values.get((row, tag.name), 0) == -value:
                raise ValueError(
                    f"a cell of tags has {tag.name!r} and its opposite ({name_row(row)}): keep one of them."
                )
            values[row, tag.name] = value
    names = sorted({name for _, name in values})
    if not any(value > 0 for value in values.values()):
        raise ValueError(f"no item has a tag in {column.name!r}: give at least a few items their tags.")
    number = {name: j for j, name in enumerate(names)}
    annotated = np.array([tags is not None for tags in read], dtype=bool)
    rows, ids = np.array([(row, number[name]) for row, name in values]).T
    positive = absent == "unknown"
    labels = SparseLabels.from_entries(rows, ids, list(values.values()), names, annotated, positive_only=positive)
    forms = count_forms(list(column), parts, notation, str(column.name), empty)
    return labels, describe_forms(forms, empty)
