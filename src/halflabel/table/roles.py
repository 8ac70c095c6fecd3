"""Which column plays which role: chosen by rule, reported in words, settable by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import pandas as pd

from halflabel._wording import name_row, option, option_to_skip
from halflabel.table.cells import infer_kind, require_columns, show_cell, use_text_names
from halflabel.table.columns import Description
from halflabel.table.exclusions import Cause, explain_exclusion, explain_invalid
from halflabel.table.patterns import expand_patterns, select
from halflabel.table.tag_notations import name_open_column

#: The reason of a column that the user leaves out.
ON_REQUEST = "left out on request"

#: Names of columns of ids.
_ID = re.compile(r"(^|[_ .-])id$", re.IGNORECASE)

#: Maximum number of names of one line.
MAX_NAMES = 5

_WHY = {
    "id": "identifies the rows",
    "label": "yes, no or unknown in each row",
    "tags": "a list of tags per row",
    "number": "one feature",
    "category": "one feature per distinct value",
    "vector": "one feature per position",
    "text": "one feature per word, weighted by tf-idf",
    "group": "rows of equal value are held out together",
}


@dataclass(frozen=True)
class Roles:
    """The role of every column of a table.

    Parameters
    ----------
    id : str or None
        The column that identifies the rows.
    labels : tuple of str
        Columns of 1 (relevant), 0 (irrelevant) and missing (unknown).
    tags : str or None
        A column of tag lists, instead of label columns.
    numeric, categorical : tuple of str
        Feature columns: numbers as they are, categories one-hot.
    vectors, text : str or None
        A column of feature vectors; a column of words for tf-idf.
    group : str or None
        The column whose equal values keep rows together (a thread, an author) when some are hidden.
    ignored : tuple of (str, str)
        The columns that play no role, each with the reason.

    Examples
    --------
    >>> roles = Roles(labels=("rock",), numeric=("tempo",), ignored=(("url", "left out on request"),))
    >>> for line in roles.describe():
    ...     print(line)
    ('rock', 'label', 'yes, no or unknown in each row')
    ('tempo', 'number', 'one feature')
    ('url', 'ignored', 'left out on request')
    """

    id: str | None = None
    labels: tuple[str, ...] = ()
    tags: str | None = None
    numeric: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    vectors: str | None = None
    text: str | None = None
    group: str | None = None
    ignored: tuple[tuple[str, str], ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that features are made of."""
        return (*self.numeric, *self.categorical, *_as_tuple(self.vectors), *_as_tuple(self.text))

    def leave_out(self, reasons: Mapping[str, str]) -> Roles:
        """Return the roles without the number columns and the categories of these names, each with its reason."""
        numeric, categorical = (
            tuple(name for name in names if name not in reasons) for names in (self.numeric, self.categorical)
        )
        ignored = (*self.ignored, *reasons.items())
        return replace(self, numeric=numeric, categorical=categorical, ignored=ignored)

    def find_ignored(self, cause: Cause) -> list[str]:
        """Return the columns that were excluded for this cause."""
        return [name for name, reason in self.ignored if getattr(reason, "cause", Cause.OTHER) is cause]

    def describe(self) -> list[tuple[str, str, str]]:
        """Return (column, role, why) for every column, for printing."""
        by_role = {
            "id": _as_tuple(self.id),
            "label": self.labels,
            "tags": _as_tuple(self.tags),
            "number": self.numeric,
            "category": self.categorical,
            "vector": _as_tuple(self.vectors),
            "text": _as_tuple(self.text),
            "group": _as_tuple(self.group),
        }
        used = [(column, role, _WHY[role]) for role, columns in by_role.items() for column in columns]
        return used + [(column, "ignored", reason) for column, reason in self.ignored]

    def describe_groups(self) -> list[tuple[str, str, str]]:
        """Return (columns, role, why), where consecutive columns with the same role and reason share a line."""
        groups = groupby(self.describe(), key=lambda line: line[1:])
        return [(shorten_names([line[0] for line in lines]), role, why) for (role, why), lines in groups]


class NoLabelsNamed(ValueError):
    """No column was named as a label, the file declares none, and no column can be one.

    Attributes
    ----------
    roles : Roles
        The roles of all columns if none is a label.
    """

    def __init__(self, roles: Roles) -> None:
        super().__init__(
            f"no labels were named, and no column holds yes, no and gaps, or tags: give the label columns "
            f"({option('labels')}; patterns such as 'tag_*' are understood), or one column of tag "
            f"lists ({option('tags')})."
        )
        self.roles = roles


def choose_roles(frame: pd.DataFrame, columns: Description, declared_labels: Sequence[str] = ()) -> Roles:
    """Choose a role for every column of a table.

    A column that is named gets the role it is named for. Of the other columns, numbers, booleans and
    text with a limited number of repeated values become features. Never a feature unless named: dates,
    columns of one value or none, identifiers (whole numbers or text that differ in
    every row, or the name "id"), text of many values, lists. The reason is kept in
    ``ignored``.

    Parameters
    ----------
    frame : DataFrame
        One row per item. Column names that are not text are read as text.
    columns : Description
        The roles that were stated; its ``vectors`` name a column.
    declared_labels : sequence of str, optional
        The labels that the file itself declares; used if neither ``labels`` nor ``tags`` is given.

    Raises
    ------
    NoLabelsNamed
        If labels are lacking.
    ValueError
        For a name that no column has, a column with two roles, an id or group that is invalid, and a column that is
        asked for as feature and cannot be one.

    Examples
    --------
    >>> frame = pd.DataFrame({"song": ["a", "b", "c"], "tempo": [90.5, 120.0, 121.0], "rock": [1, 0, None]})
    >>> roles = choose_roles(frame, Description(labels=["rock"]))
    >>> roles.numeric, roles.ignored[0][0]
    (('tempo',), 'song')
    """
    frame = use_text_names(frame)
    if len(frame) == 0:
        raise ValueError("the table has no rows: there is nothing to learn from.")
    columns = expand_patterns(columns, frame.columns, declared_labels)
    columns = replace(columns, id=see_id(frame, columns) if columns.id is None else columns.id)
    labels = _choose_labels(frame, columns, declared_labels)
    named = _assign_named(frame, columns, labels)
    _check_id(frame, columns.id)
    _check_group(frame, columns.group)
    reasons = _explain_rest(frame, columns, named, set(declared_labels) - named.keys())
    if columns.tags is not None and (undecided := name_open_column(columns.tags)) in reasons:
        reasons[undecided] = f"the labels of {columns.tags!r} that are not decided"
    is_number = {name: infer_kind(frame[name]) == "numbers" for name, reason in reasons.items() if reason is None}
    return Roles(
        id=columns.id,
        labels=labels,
        tags=columns.tags,
        numeric=tuple(name for name, number in is_number.items() if number),
        categorical=tuple(name for name, number in is_number.items() if not number),
        vectors=None if columns.vectors is None else str(columns.vectors),
        text=columns.text,
        group=columns.group,
        ignored=(
            *((name, ON_REQUEST) for name in columns.ignore),
            *((name, reason) for name, reason in reasons.items() if reason is not None),
        ),
    )


def see_id(frame: pd.DataFrame, columns: Description) -> str | None:
    """Return the only column that is called id, or ends so, and that has another value in every row."""
    single = (columns.tags, columns.text, columns.group)
    named = {*single, *columns.ignore, *(columns.features or ()), *(columns.labels or ())}
    names = [name for name in map(str, frame.columns) if _ID.search(name) and name not in named]
    found = [name for name in names if infer_kind(frame[name]) in ("numbers", "text") and frame[name].is_unique]
    found = [name for name in found if frame[name].notna().all()]
    called = [name for name in found if name.casefold() == "id"] or found
    return called[0] if len(called) == 1 and isinstance(frame.index, pd.RangeIndex) else None


def shorten_names(names: Sequence[str]) -> str:
    """Return names, the middle left out where there are more than :data:`MAX_NAMES`."""
    if len(names) <= MAX_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[: MAX_NAMES - 2])}, … {names[-1]} ({len(names)} columns)"


def _as_tuple(column: str | None) -> tuple[str, ...]:
    return () if column is None else (column,)


def _choose_labels(frame: pd.DataFrame, columns: Description, declared: Sequence[str]) -> tuple[str, ...]:
    """Return the label columns that the user names, or that the file declares. Nothing is guessed."""
    if columns.tags is not None:
        return ()
    if columns.labels is not None:
        return tuple(columns.labels)
    if declared:
        return select(declared, frame.columns)
    from halflabel.table.seen_labels import see_labels

    if (question := see_labels(frame, columns)) is not None:
        raise question
    raise NoLabelsNamed(choose_roles(frame, replace(columns, labels=())))


def _assign_named(frame: pd.DataFrame, columns: Description, labels: tuple[str, ...]) -> dict[str, str]:
    """Return the role of each column that was named, features aside. Raise for two roles or a name without column."""
    single = {role: _as_tuple(getattr(columns, role)) for role in ("id", "tags", "vectors", "text", "group")}
    roles: dict[str, str] = {}
    for role, names in {"labels": labels, "ignore": columns.ignore, **single}.items():
        require_columns(names, frame)
        for name in names:
            if name in roles:
                raise ValueError(f"column {name!r} was given as {roles[name]} and as {role}: a column has one role.")
            roles[name] = role
    return roles


def _explain_rest(
    frame: pd.DataFrame, columns: Description, named: Mapping[str, str], unchosen: Collection[str]
) -> dict[str, str | None]:
    """Return for each column without a role the reason that it is not a feature, or None for a feature."""
    rest = [name for name in frame.columns if name not in named]
    if columns.features is not None:
        _check_features(frame, columns, named)
        left = {name: explain_exclusion(frame[name], columns.max_categories) for name in rest}
        return {
            name: None if name in columns.features else reason or "not among the features asked for"
            for name, reason in left.items()
        }
    reasons = {name: explain_exclusion(frame[name], columns.max_categories) for name in rest}
    return reasons | dict.fromkeys(unchosen, "the file declares it a label, but it was not chosen")


def _check_features(frame: pd.DataFrame, columns: Description, named: Mapping[str, str]) -> None:
    """Raise for a column that was asked for as a feature and cannot be one."""
    for name in columns.features or ():
        if name in named:
            raise ValueError(f"column {name!r} was given as {named[name]} and as features: a column has one role.")
        if reason := explain_invalid(frame[name], columns.max_categories):
            raise ValueError(f"column {name!r} cannot be a feature: {reason}.")


def _check_id(frame: pd.DataFrame, id: str | None) -> None:
    """Raise unless every row has an id of its own."""
    if id is None:
        return
    column = frame[id]
    if column.isna().any():
        row = int(column.isna().to_numpy().argmax())
        blank = frame.isna().all(axis=1).to_numpy().nonzero()[0].tolist()
        rows = "this row has" if len(blank) == 1 else f"{len(blank)} rows have"
        way = f" {rows} no value at all: leave out {option_to_skip(blank)}." if blank else ""
        raise ValueError(f"id column {id!r} is empty in {name_row(row)}: every row needs its own id.{way.capitalize()}")
    if infer_kind(column) in ("lists", "other"):
        raise ValueError(f"id column {id!r} holds {show_cell(column, 0)}: an id is a text or a whole number.")
    repeated = column.duplicated(keep=False).to_numpy()
    if repeated.any():
        first = int(repeated.argmax())
        second = int((column == column.iloc[first]).to_numpy(dtype=bool).nonzero()[0][1])
        raise ValueError(
            f"id column {id!r} is not unique: {show_cell(column, first)} is in {name_row(first)} and "
            f"{name_row(second)}. Remove the duplicates, or name no id. If each row is one tag of an item, give the "
            f"tags as a table of their own ({option('pairs')}), and the items once."
        )


def _check_group(frame: pd.DataFrame, group: str | None) -> None:
    """Raise if the values of the group column cannot mark groups."""
    kind = None if group is None else infer_kind(frame[group])
    if kind == "nothing":
        raise ValueError(f"group column {group!r} has no value at all: it keeps no rows together.")
    if kind in ("lists", "other"):
        first = int(frame[group].notna().to_numpy().argmax())
        raise ValueError(
            f"group column {group!r} holds {show_cell(frame[group], first)}: a group is a number, a text or a date."
        )
