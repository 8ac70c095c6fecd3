"""From items in any form to one source: a raw table, the labels that it declares, and the way back to its kind."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from halflabel._arrays import Ints, Matrix, is_sparse
from halflabel._wording import Notes, option, plural
from halflabel.files.raw_table import RawTable
from halflabel.labels import PartialLabels
from halflabel.table.cells import has_categories, use_text_names, write_out
from halflabel.table.columns import Description
from halflabel.table.native import Restore, Take, name_kind, open_native
from halflabel.table.patterns import expand_patterns

if TYPE_CHECKING:
    from halflabel.files.records import Records


@dataclass(frozen=True, eq=False)
class Source:
    """Items as they were read, before columns have roles.

    Parameters
    ----------
    raw : RawTable
    labels : PartialLabels or None
        The labels, where the file states them entry by entry; each is also a column of the raw table.
    records : Records or None
        The export of an annotation tool.
    paths : tuple of Path
        The files.
    restore : callable or None
        Turns a completed DataFrame into the kind of object that the items came in; None for a DataFrame.
    original : DataFrame or None
        The DataFrame of pandas that the items are, with its own column names.
    take : callable or None
        Returns some rows of a table in memory; None for others.
    convert : callable or None
        Turns any other DataFrame into one of the library that the items came from; None for pandas.
    kept : ndarray of int or None
        The rows of the file that are items; None for all.
    """

    raw: RawTable
    labels: PartialLabels | None = None
    records: Records | None = None
    paths: tuple[Path, ...] = ()
    restore: Restore | None = None
    original: pd.DataFrame | None = None
    convert: Restore | None = None
    take: Take | None = None
    kept: Ints | None = None

    @property
    def format(self) -> str:
        """The name of the format of the file, empty for objects in memory."""
        return self.raw.format

    def keep_rows(self, rows: Ints) -> Source:
        """Return the items of some rows, as if there were no others."""
        if self.take is not None:
            return source_of(self.take(rows.tolist()), labels_apart=False)
        raw = self.raw
        if raw.form is not None and raw.form.cells is not None:
            from halflabel.files.delimited import read_values  # imported here: other files have no cells

            form = replace(raw.form, first=None)  # rows are no longer lines one after another
            return replace(self, raw=read_values(replace(raw, form=form), raw.form.cells.take(rows)), kept=rows)
        frame = raw.frame.iloc[rows].reset_index(drop=True).infer_objects()
        return replace(
            self, raw=replace(raw, frame=frame, lines=tuple(raw.lines[row] for row in rows if raw.lines)), kept=rows
        )

    def add_columns(self, added: pd.DataFrame) -> Source:
        """Return the items with further columns, whose row labels are the numbers of the items."""

        def add(table: pd.DataFrame) -> pd.DataFrame:
            own = added.reindex(range(len(table))).set_axis(table.index)
            return pd.concat([table, own], axis=1)

        original = None if self.original is None else add(self.original)
        return replace(self, raw=replace(self.raw, frame=add(self.raw.frame)), original=original)


def source_of(items: Any, *, labels_apart: bool) -> Source:
    """Return the source of items that are in memory.

    Parameters
    ----------
    items : Source, RawTable, Records, DataFrame of any library, list of dict, array or sparse matrix
        One row per item. An array is taken as features, so that its labels must come apart.
    labels_apart : bool
        Whether the labels are given apart from the items.
    """
    if isinstance(items, Source):
        return items
    if isinstance(items, RawTable):
        return Source(items)
    from halflabel.files.records import Records  # imported here: a file of a table needs none

    if isinstance(items, Records):
        return source_of_records(items, "the records")
    native = open_native(items)
    if native is not None:
        frame = use_text_names(native.frame)
        raw = RawTable(frame, source="the table")
        return Source(raw, restore=native.restore, original=native.frame, convert=native.convert, take=native.take)
    if not labels_apart:
        raise ValueError(
            f"labels are looked for in the columns of a table, but items are a {name_kind(items)}: pass a table "
            "that holds them (pandas, polars, pyarrow, list of dict, path), or the labels apart, as Y."
        )
    matrix = _as_matrix(items)
    return Source(RawTable(pd.DataFrame(index=range(matrix.shape[0])), matrix, source="the array"))


def source_of_records(records: Records, where: str, notes: Notes = (), paths: tuple[Path, ...] = ()) -> Source:
    """Return records of an annotation tool as a table: ids, fields of the items, and one column per label.

    A field that is called like a label is renamed.
    """
    names = list(records.names)
    fields = records.items.reset_index(drop=True)
    fields.columns = pd.Index(_rename(list(map(str, fields.columns)), names), dtype=object)
    key = _rename([str(records.items.index.name or "id")], [*fields.columns, *names])[0]
    has_ids = not (isinstance(records.items.index, pd.RangeIndex) and records.items.index.name is None)
    ids = pd.DataFrame({key: records.items.index.to_numpy()}) if has_ids else pd.DataFrame(index=fields.index)
    frame = pd.concat([ids, fields, records.labels.reset_index(drop=True)], axis=1)
    return Source(
        RawTable(
            frame,
            label_names=records.names,
            source=where,
            notes=(*notes, *records.notes),
            id=key if has_ids else None,
            format=records.format,
        ),
        labels=records.to_partial_labels(),
        records=records,
        paths=paths,
    )


def assign_columns(source: Source, columns: Description) -> tuple[RawTable, Description]:
    """Bring every column where its role needs it, and return the record with patterns expanded.

    Labels, ids and all other named columns leave a sparse matrix for the frame. A label has numbers or texts then.
    Vectors from an array or a file replace the matrix.
    """
    raw, columns = source.raw, _add_declared(source, columns)
    columns = expand_patterns(columns, (*raw.frame.columns, *raw.matrix_names), raw.label_names)
    categories = [name for name in columns.labels or () if has_categories(raw.frame.get(name))]
    if categories:
        raw = replace(raw, frame=raw.frame.assign(**{name: write_out(raw.frame[name]) for name in categories}))
    if raw.matrix is not None:
        single = (columns.id, columns.tags, columns.text, columns.group)
        others = (*columns.ignore, *(columns.features or ()), *(columns.labels or ()))
        named = [*others, *(name for name in single if name is not None)]
        raw = raw.arranged(raw.matrix_names, named)
        if columns.features is not None:
            raw = replace(raw, matrix=None, matrix_names=())
    return _attach_vectors(raw, columns)


def _add_declared(source: Source, columns: Description) -> Description:
    """Return the columns with the id and the lists of labels that the file declares, where nothing was stated."""
    if source.labels is not None:  # the reader used these
        return replace(columns, id=source.raw.id, tags=None, absent=None, empty=None)
    if columns.id is None and source.raw.id is not None:
        columns = replace(columns, id=source.raw.id)
    if columns.tags is None and columns.labels is None and columns.pairs is None and source.raw.tags is not None:
        columns = replace(columns, tags=source.raw.tags)
    return columns


def _rename(names: list[str], taken: list[str]) -> list[str]:
    """Return names that differ from the names that are taken."""
    free = []
    for name in names:
        while name in taken:
            name += "_"
        free.append(name)
    return free


def _attach_vectors(raw: RawTable, columns: Description) -> tuple[RawTable, Description]:
    """Attach vectors that are not a column of the table. The name of a column stays in the record."""
    vectors = columns.vectors
    is_name = isinstance(vectors, str) and (vectors in raw.frame.columns or not vectors.endswith(".npy"))
    if vectors is None or is_name:
        return raw, columns
    if isinstance(vectors, str | os.PathLike):
        from halflabel.files.vectors import read_vectors  # imported here: most items have no vectors

        matrix: Matrix = read_vectors(vectors)
    else:
        matrix = _as_matrix(vectors)
    if matrix.shape[0] != len(raw):
        named = f"the vectors in {vectors}" if isinstance(vectors, str | os.PathLike) else "the vectors"
        raise ValueError(
            f"{named} have {matrix.shape[0]} rows and {matrix.shape[1]} columns, but there are "
            f"{plural(len(raw), 'item')}: give one row per item; or take the vectors as the items, and the labels as a "
            f"table with the row number of each, from 0 ({option('labels_file', 'FILE')}, {option('on', 'COLUMN')})."
        )
    return replace(raw, matrix=matrix, matrix_names=()), replace(columns, vectors=None)


def _as_matrix(array: Any) -> Matrix:
    matrix = array if is_sparse(array) else np.asarray(array)
    if matrix.ndim != 2:
        raise ValueError(f"items need one row per item and one column per feature, not {matrix.ndim} dimensions.")
    if np.iscomplexobj(matrix):
        raise ValueError("items are complex numbers: give their real and imaginary parts as features of their own.")
    return matrix
