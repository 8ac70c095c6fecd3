"""An open table: its columns have their roles, its labels are read and its features encoded."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import pandas as pd
from markupsafe import escape
from scipy import sparse

from halflabel._arrays import Floats, Index, Ints, Mask
from halflabel._version import __version__
from halflabel._wording import Notes, count, plural
from halflabel.files.raw_table import TextForm
from halflabel.labels import PartialLabels
from halflabel.labels.label_rules import NO_RULES, LabelRules
from halflabel.labels.votes import Votes
from halflabel.table.columns import Description
from halflabel.table.features import FeatureEncoder
from halflabel.table.label_words import find_meanings, find_words
from halflabel.table.nothing import Form
from halflabel.table.reading import Reading, align, describe_reading
from halflabel.table.roles import Roles
from halflabel.table.rows import check_rows
from halflabel.table.sources import Source
from halflabel.table.table_file import require_paths, write_table_file
from halflabel.table.tag_notations import TagNotation

if TYPE_CHECKING:
    from halflabel._arrays import MatrixLike
    from halflabel.files.raw_table import RawTable
    from halflabel.files.records import Records
    from halflabel.table.accepted import PathLike, TableLike

#: Items: a table that holds the labels, features alone, or a table that is open already.
ItemsLike: TypeAlias = "TableLike | PathLike | MatrixLike | OpenTable | Source | RawTable | Records"

#: Number of labels of which a representation shows counts.
MAX_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class OpenTable:
    """A table whose columns have their roles, from which every task starts.

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
        Probabilities from another source, see :func:`halflabel.table.prior.read_prior`.
    votes : Votes or None
        The votes of several sources on the entries that are not known.
    asked : ndarray of bool, shape (n_items, n_labels), or None
        The known entries that were gaps until a question about them was answered.
    source : Source or None
        The items as they were read.
    description : Description
        The values that were stated about the table, by arguments and by a table file.
    all_labels : PartialLabels or None
        All labels that were read, where ``labels`` has only some of them.
    nothing : tuple of Form
        The forms in which the table has nothing for an item or an entry, each with its meaning.
    rules : LabelRules
        The rules between its labels.

    Examples
    --------
    >>> import halflabel as hl
    >>> songs = pd.DataFrame({"song": ["a", "b", "c"], "tempo": [90.5, 120.0, 121.0], "rock": [1, 0, None]})
    >>> hl.open_table(songs, id="song", labels=["rock"])
    3 items, 1 feature, 1 label. 1 item without any label, 0 with some; 66.7% of all entries known, 1 of them relevant.
    column  role    why
    song    id      identifies the rows
    rock    label   yes, no or unknown in each row
    tempo   number  one feature
    item  has   does not have
    a     rock  –
    b     –     rock
    c     –     –
    label  relevant  irrelevant  unknown
    rock          1           1        1
    An empty cell in 1 label column: 1 value, unknown.
    """

    X: Floats | sparse.csr_array
    labels: PartialLabels
    index: Index
    frame: pd.DataFrame | None
    roles: Roles
    encoder: FeatureEncoder
    notes: Notes = ()
    notation: TagNotation | None = None
    groups: Ints | None = None
    prior: Floats | None = None
    votes: Votes | None = None
    asked: Mask | None = None
    source: Source | None = None
    description: Description = field(default_factory=Description)
    all_labels: PartialLabels | None = None
    nothing: tuple[Form, ...] = ()
    rules: LabelRules = NO_RULES

    def __repr__(self) -> str:
        roles = align([("column", "role", "why"), *self.roles.describe_groups()])
        counts = self.counts[:MAX_SHOWN].reset_index().to_string(index=False)
        rest = len(self.labels.names) - MAX_SHOWN
        more = [f"and {plural(rest, 'more label')}"] if rest > 0 else []
        return "\n".join([self.summary, roles, self.reading.table, counts, *more, *self.reading.nothing])

    def _repr_html_(self) -> str:
        tables = (self.describe(), self.reading.rows, self.counts[:MAX_SHOWN].reset_index())
        sentences = (self.summary, *self.reading.nothing, *self.notes)
        written = [f"<p>{escape(sentence)}</p>" for sentence in sentences]
        return "\n".join([written[0], *(table.to_html(index=False, border=0) for table in tables), *written[1:]])

    @property
    def reading(self) -> Reading:
        """The reading of the table: some rows, the labels with counts, and the meaning of each form of nothing."""
        stated = "" if self.source is None or self.source.labels is None else f"({self.source.format})"
        where = f"in {self.roles.tags!r} ({self.notation.description})" if self.notation is not None else stated
        return describe_reading(self.written_labels, self.index, self.nothing, where)

    @property
    def summary(self) -> str:
        """The numbers of items, features, labels and known entries, in sentences."""
        labels, known = self.labels, self.labels.observed
        partial = int((known.any(axis=1) & ~known.all(axis=1)).sum())
        return (
            f"{plural(len(labels), 'item')}, {plural(self.X.shape[1], 'feature')}, "
            f"{plural(len(labels.names), 'label')}. {plural(int(labels.unlabelled.sum()), 'item')} without any label, "
            f"{count(partial)} with some; {known.mean():.1%} of all entries known, "
            f"{count(int(labels.relevant.sum()))} of them relevant."
        )

    @property
    def counts(self) -> pd.DataFrame:
        """The number of relevant, irrelevant and unknown entries of each label."""
        state = self.labels.state
        numbers = {"relevant": state > 0, "irrelevant": state < 0, "unknown": state == 0}
        names = pd.Index(self.labels.names, name="label", dtype=object)
        return pd.DataFrame({name: each.sum(axis=0) for name, each in numbers.items()}, index=names)

    def describe(self) -> pd.DataFrame:
        """Return the role of each column, and the reason."""
        return pd.DataFrame(self.roles.describe(), columns=["column", "role", "why"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the description of the table as a table file, which commands and :func:`halflabel.open_table` read.

        Parameters
        ----------
        path : path
            By its name ``songs.table.toml`` it is found for ``songs.csv``.

        Raises
        ------
        ValueError
            If a part of the description is an object in memory.
        """
        name = "" if self.source is None else self.source.raw.source
        write_table_file(path, _describe_understood(self), [
            f"How halflabel {__version__} reads {name or 'a table'}. Commands find this file next to the table;",
            "their options override it.",
        ])  # fmt: skip

    @property
    def form(self) -> TextForm | None:
        """The notation of the file that the table was read from, so that it can be written in the same way."""
        return None if self.source is None else self.source.raw.form

    @property
    def meanings(self) -> dict[str, float] | None:
        """The meaning of the words of label columns, if the user stated it."""
        return find_meanings(self.description)

    @property
    def has_label_columns(self) -> bool:
        """Whether the labels were read from columns whose cells options can give a meaning."""
        declared = self.source is not None and self.source.labels is not None
        return self.frame is not None and bool(self.roles.labels) and not declared

    @property
    def brought(self) -> Mask:
        """The known entries that no answer to a question has filled: these alone show why entries are known."""
        known = self.labels.observed
        return known if self.asked is None else known & ~self.asked

    @property
    def written_labels(self) -> PartialLabels:
        """The labels of a completed table, with the labels that are not learned, which stay as they were given."""
        return self.labels if self.all_labels is None else self.all_labels

    def keep_labels(self, names: Sequence[str]) -> OpenTable:
        """Return the table with some of its labels. A completed table has all other labels as they were given."""
        at = [self.labels.names.index(name) for name in names]
        labels = self.labels.select(at)
        if not labels.has_positive_only:  # an item of which only other labels are known is unlabelled
            labels = replace(labels, annotated=labels.annotated & labels.observed.any(axis=1))
        kept = {name: each[:, at] for name in ("prior", "asked") if (each := getattr(self, name)) is not None}
        votes, rules = self.votes and self.votes.select(at), self.rules.select(names)
        return replace(self, labels=labels, **kept, votes=votes, rules=rules, all_labels=self.written_labels)

    @property
    def row_labels(self) -> tuple[Index, ...]:
        """The ids of the items, and the row labels of their table."""
        return (self.index,) if self.frame is None else (self.index, self.frame.index)

    def name_items(self, found: pd.DataFrame) -> pd.DataFrame:
        """Return a table whose column ``position`` became ``item``, the ids of these rows."""
        items = self.index[found["position"].to_numpy(dtype=int)]
        return found.assign(position=items).rename(columns={"position": "item"})

    def check_rows(self, table: pd.DataFrame, rows: Ints, noun: str, skip: Collection[str] = ()) -> None:
        """Raise if a table names items by row number, because it has no ids, and a column denies these numbers."""
        if self.roles.id is None and self.frame is not None:
            own = (*self.written_labels.names, *skip, *((self.roles.tags,) if self.roles.tags else ()))
            check_rows(table, self.frame, rows, own, noun)

    def restore(self, table: pd.DataFrame) -> Any:
        """Return a completed table as the kind of object that the items came in."""
        if self.frame is None or self.source is None or self.source.restore is None:
            return self.as_given(table)
        return self.source.restore(table)

    def as_given(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return a new table as a DataFrame of the library of the items, and of pandas where they are of none.

        Other libraries have no row labels. There, ids that have a name are the first column.
        """
        convert = None if self.source is None else self.source.convert
        return table if convert is None else cast(pd.DataFrame, convert(table))  # other libraries have other types

    def find_words(self) -> dict[str, tuple[Any, Any]]:
        """Return the words of label columns for irrelevant and for relevant entries, if they are not 0 and 1."""
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
        by_row = ("X", "labels", "index", "groups", "prior", "votes", "asked", "all_labels")
        taken = {name: each[rows] for name in by_row if (each := getattr(self, name)) is not None}
        frame = None if self.frame is None else self.frame.iloc[rows]
        return replace(self, **taken, frame=frame, source=None)


def _describe_understood(opened: OpenTable) -> dict[str, Any]:
    """Return the description of a table with its id, labels, text and groups by name, ready for a table file.

    All other roles follow from the rules again. A file that declares its labels, ids or lists needs no key for them.
    """
    stated, source, roles = opened.description, opened.source, opened.roles
    if opened.frame is None and stated.pairs is None:
        raise ValueError("the labels came apart from the items, so that a table file cannot describe them.")
    values = stated.stated
    require_paths(values)
    if source is not None and source.labels is None:
        single = {name: getattr(roles, name) for name in ("id", "tags", "text", "group")}
        values |= {name: column for name, column in single.items() if column is not None}
        values |= {"labels": roles.labels} if stated.labels is not None else {}
    return values
