"""Convert user input to a feature matrix, partial labels, and notes about both."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from halflabel._arrays import Floats, Ints
from halflabel._wording import count, name_lines, option, plural, quoted
from halflabel.datasets.delimited import find_first_line
from halflabel.datasets.records import TextForm
from halflabel.labels import PartialLabels
from halflabel.labels.groups import number_groups
from halflabel.table.columns import Columns, Empty
from halflabel.table.features import FeatureEncoder
from halflabel.table.files import read_source
from halflabel.table.label_words import find_meanings, find_words
from halflabel.table.labelling import LabelReading, read_labels, read_stated_labels, read_tag_pairs
from halflabel.table.native import as_pandas
from halflabel.table.prior import align_prior
from halflabel.table.role_notes import describe_surprises
from halflabel.table.roles import Roles, choose_roles
from halflabel.table.rows import check_rows
from halflabel.table.sources import Source, assign_columns
from halflabel.table.tag_cells import TagNotation


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A table whose columns have their roles: what every task starts from.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
    labels : PartialLabels of shape (n_items, n_labels)
    index : Index
        The ids of the items: the id column, else the row labels.
    frame : DataFrame or None
        The table that labels are written back to; None where they came apart from the features.
    roles : Roles
    encoder : FeatureEncoder
    notes : tuple of str
        Sentences for the user.
    notation : TagNotation or None
        How a tags column is written.
    groups : ndarray of int, shape (n_items,), or None
        The number of each item's group, where a column marks which items belong together.
    prior : ndarray of shape (n_items, n_labels), or None
        Probabilities from another source, see :func:`align_prior`.
    form : TextForm or None
        The notation of the file that the table was read from, so that it can be written in the same way.
    source : Source or None
        The items as they were read.
    meanings : dict of str to float, or None
        What the words of label columns mean, where the user stated it.
    empty : {"unlabelled", "none"}
        What an empty cell of a tags column is.
    """

    X: Floats | sparse.csr_array
    labels: PartialLabels
    index: pd.Index[Any]
    frame: pd.DataFrame | None
    roles: Roles
    encoder: FeatureEncoder
    notes: tuple[str, ...] = ()
    notation: TagNotation | None = None
    groups: Ints | None = None
    prior: Floats | None = None
    form: TextForm | None = None
    source: Source | None = None
    meanings: dict[str, float] | None = None
    empty: Empty = "unlabelled"

    @property
    def row_labels(self) -> tuple[pd.Index[Any], ...]:
        """The ids of the items, and the row labels of their table."""
        return (self.index,) if self.frame is None else (self.index, self.frame.index)

    def check_rows(self, table: pd.DataFrame, rows: Ints, noun: str, skip: Collection[str] = ()) -> None:
        """Raise if a table names items by row number, because there are no ids, and a column denies these numbers."""
        if self.roles.id is None and self.frame is not None:
            own = (*self.labels.names, *skip, *((self.roles.tags,) if self.roles.tags else ()))
            check_rows(table, self.frame, rows, own, noun)

    def restore(self, table: pd.DataFrame) -> Any:
        """Return a completed table as the kind of object that the items came in."""
        has_kind = self.frame is not None and self.source is not None and self.source.restore is not None
        return self.source.restore(table) if has_kind else table  # type: ignore[union-attr, misc]

    def find_words(self) -> dict[str, tuple[Any, Any]]:
        """Return what label columns write for irrelevant and for relevant entries, where that is not 0 and 1."""
        if self.frame is None or self.roles.tags is not None:
            return {}
        table = self.form.cells if self.form is not None else None
        known = set(table.column_names) if table is not None else set()
        words = {}
        for name in self.labels.names:
            if name in self.frame.columns:
                cells = table.column(name).to_pylist() if table is not None and name in known else None
                words[name] = find_words(self.frame[name], self.meanings, cells)
        return {name: pair for name, pair in words.items() if pair is not None}

    def take(self, rows: Ints) -> OpenTable:
        """Return the table of these rows only."""
        return replace(
            self,
            X=self.X[rows],
            labels=self.labels[rows],
            index=self.index[rows],
            frame=None if self.frame is None else self.frame.iloc[rows],
            groups=None if self.groups is None else self.groups[rows],
            prior=None if self.prior is None else self.prior[rows],
            form=None,
            source=None,
        )


def open_table(items: Any, Y: Any = None, columns: Columns | None = None) -> OpenTable:
    """Give every column its role, read the labels and encode the features.

    Parameters
    ----------
    items : DataFrame of any library, Dataset, list of dict, path, Source, Records, array, sparse matrix or OpenTable
        One row per item. An open table is returned as it is.
    Y : array-like, DataFrame or PartialLabels, optional
        The labels, where they are not in the table.
    columns : Columns, optional
        The roles of columns that were stated.

    Raises
    ------
    ValueError
        If rows do not match, there is no feature, or a column does not fit its role.

    Examples
    --------
    >>> songs = pd.DataFrame({"song": ["a", "b", "c"], "tempo": [90.5, 120.0, 121.0], "rock": [1, 0, None]})
    >>> opened = open_table(songs, columns=Columns(id="song", labels=["rock"]))
    >>> opened.X.shape, opened.labels.names, opened.index.tolist()
    ((3, 1), ('rock',), ['a', 'b', 'c'])
    """
    columns = columns or Columns()
    if isinstance(items, OpenTable):
        _require_nothing_more(Y, columns)
        return items
    _check_labels_once(Y, columns)
    source = read_source(items, columns, labels_apart=Y is not None)
    with name_lines(_find_first_line(source.raw.form)):
        return _open_source(source, Y, columns)


def _open_source(source: Source, Y: Any, columns: Columns) -> OpenTable:
    raw, columns = assign_columns(source, columns)
    frame, apart = raw.frame, Y is not None or columns.pairs is not None
    roles = choose_roles(frame, replace(columns, labels=()) if apart else columns, raw.label_names)
    index = frame.index if roles.id is None else pd.Index(frame[roles.id])
    reading = _read_labels(source, frame, as_pandas(Y), columns, roles, index)
    encoder = FeatureEncoder.learn(frame, roles, raw.matrix, raw.matrix_names)
    on_roles = describe_surprises(frame, roles, index)
    groups, on_groups = _read_groups(frame, roles)
    prior, on_prior = _read_prior(columns, reading.labels, index, roles, frame)
    return OpenTable(
        X=encoder.transform(frame, raw.matrix),
        labels=reading.labels,
        index=index,
        frame=None if Y is not None else frame if source.original is None else source.original,
        roles=roles,
        encoder=encoder,
        notes=(*raw.notes, *reading.notes, *on_roles, *encoder.notes, *on_groups, *on_prior),
        notation=reading.notation,
        groups=groups,
        prior=prior,
        form=raw.form,
        source=source,
        meanings=find_meanings(columns),
        empty=columns.empty,
    )


def _find_first_line(form: TextForm | None) -> int | None:
    """Return the line of the first row of a text file; None where a cell holds a line break, and for other files."""
    return None if form is None or form.cells is None else find_first_line([form.cells])


def _require_nothing_more(Y: Any, columns: Columns) -> None:
    """Raise if an open table comes together with labels or columns: it has its own."""
    if Y is not None or columns.stated:
        given = ", ".join([*(["Y"] if Y is not None else []), *map(option, columns.stated)])
        raise ValueError(f"the table is open already, so that {given} has no effect: give it to open_table.")


def _check_labels_once(Y: Any, columns: Columns) -> None:
    """Raise if labels come from two places, or an option of a long table of tags comes without that table."""
    named = columns.labels is not None or columns.tags is not None
    if (Y is not None) + (columns.pairs is not None) + named > 1:
        raise ValueError(
            f"labels were given twice: apart from the items, and as columns ({option('labels')}, {option('tags')})."
        )
    if columns.on is not None and columns.pairs is None:
        raise ValueError(
            f"{option('on')} names the id column of a long table of tags: give that table, too ({option('pairs')})."
        )


def _read_labels(
    source: Source, frame: pd.DataFrame, Y: Any, columns: Columns, roles: Roles, index: pd.Index[Any]
) -> LabelReading:
    """Read the labels from wherever they are, one row per item."""
    if columns.pairs is not None:
        labels = _read_pairs(columns, roles, index)
    elif Y is not None:
        labels = _read_apart(frame, Y)
    elif source.labels is not None:
        return read_stated_labels(source.labels, roles.labels, source.format)
    else:
        return read_labels(
            frame,
            roles,
            absent=columns.absent,
            empty=columns.empty,
            sep=columns.sep,
            meanings=find_meanings(columns),
        )
    has_names = columns.pairs is not None or isinstance(Y, pd.DataFrame)
    if has_names and (both := [name for name in frame.columns if name in labels.names]):
        raise ValueError(f"{quoted(both)} is a label and also a column of the items: rename it in one of them.")
    return LabelReading(labels)


def _read_apart(frame: pd.DataFrame, Y: Any) -> PartialLabels:
    """Read labels that come apart from the items."""
    if isinstance(Y, pd.DataFrame | pd.Series) and not Y.index.equals(frame.index):
        way = "such as Y.loc[items.index]" if frame.index.isin(Y.index).all() else "or reset both indexes"
        raise ValueError(f"items and labels have different row labels: bring them into the same order, {way}.")
    labels = PartialLabels.from_table(Y)
    if len(labels) != len(frame):
        raise ValueError(f"there are {len(frame)} items but labels for {len(labels)}: give one row of labels per item.")
    return labels


def _read_pairs(columns: Columns, roles: Roles, index: pd.Index[Any]) -> PartialLabels:
    """Read a long table of (id, tag)."""
    if columns.on is None or roles.id is None:
        raise ValueError(
            f"a long table of tags needs the id column of the items ({option('id')}) and its own ({option('on')})."
        )
    if columns.absent is None:
        raise ValueError(
            "a long table of tags lists the tags that items have; state what a tag that is not listed means: "
            f"{option('absent', 'irrelevant')} or {option('absent', 'unknown')}."
        )
    return read_tag_pairs(as_pandas(columns.pairs), columns.on, index, absent=columns.absent)


def _read_prior(
    columns: Columns, labels: PartialLabels, index: pd.Index[Any], roles: Roles, frame: pd.DataFrame
) -> tuple[Floats | None, tuple[str, ...]]:
    """Return the prior in the order of items and labels, and sentences about it."""
    if columns.prior is None:
        return None, ()
    return align_prior(as_pandas(columns.prior), index, labels.names, roles.id, frame)


def _read_groups(frame: pd.DataFrame, roles: Roles) -> tuple[Ints | None, tuple[str, ...]]:
    """Return the number of each row's group, and a sentence about the groups."""
    if roles.group is None:
        return None, ()
    column = frame[roles.group]
    groups = number_groups(column, len(column))
    size = np.bincount(groups)
    if size.max() == 1:
        return groups, (f"Every value of the group column {column.name!r} is different: it keeps no rows together.",)
    alone = int(column.isna().sum())
    without = f"; {plural(alone, 'row')} without a value: each is a group of its own" if alone else ""
    counts = f"{count(len(column))} rows in {count(len(size))} groups by {column.name!r}"
    return groups, (f"{counts}, at most {size.max()} in one{without}.",)
