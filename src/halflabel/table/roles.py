"""Which column plays which role: chosen by rule, said in words, settable by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel.table.columns import kind_of, listed, no_such_column, shown, with_text_names
from halflabel.table.doubts import reason_against, reason_to_refuse

#: A file of label names larger than this is refused.
MAX_NAME_FILE_BYTES = 10_000_000

_WHY = {
    "id": "rows are known by it",
    "label": "1, 0 or empty per row",
    "tags": "a list of tags per row",
    "number": "one feature",
    "category": "one feature per distinct value",
    "vector": "one feature per position",
    "text": "one feature per word, weighted by tf-idf",
    "group": "rows of equal value are held out together",
}


class NoLabelsNamed(ValueError):
    """Nobody said which columns are labels, and the file declares none."""


@dataclass(frozen=True)
class Roles:
    """The role of every column of a table.

    Parameters
    ----------
    id : str or None
        The column rows are known by.
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
    ('rock', 'label', '1, 0 or empty per row')
    ('tempo', 'number', 'one feature')
    ('url', 'ignored', 'left out on request')
    >>> Roles.from_dict(roles.to_dict()) == roles
    True
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
        return (*self.numeric, *self.categorical, *_only(self.vectors), *_only(self.text))

    def describe(self) -> list[tuple[str, str, str]]:
        """Return (column, role, why) for every column, for printing."""
        by_role = {
            "id": _only(self.id),
            "label": self.labels,
            "tags": _only(self.tags),
            "number": self.numeric,
            "category": self.categorical,
            "vector": _only(self.vectors),
            "text": _only(self.text),
            "group": _only(self.group),
        }
        used = [(column, role, _WHY[role]) for role, columns in by_role.items() for column in columns]
        return used + [(column, "ignored", reason) for column, reason in self.ignored]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Roles:
        """Return the roles written by :meth:`to_dict`, also after a trip through JSON."""
        plain: dict[str, Any] = {k: tuple(value) if isinstance(value, list) else value for k, value in values.items()}
        plain["ignored"] = tuple((column, reason) for column, reason in values["ignored"])
        return cls(**plain)


def choose_roles(
    frame: pd.DataFrame,
    *,
    id: str | None = None,
    labels: Sequence[str] | None = None,
    tags: str | None = None,
    features: Sequence[str] | None = None,
    vectors: str | None = None,
    text: str | None = None,
    group: str | None = None,
    ignore: Sequence[str] = (),
    declared_labels: Sequence[str] = (),
    max_categories: int = 20,
) -> Roles:
    """Choose a role for every column of a table.

    What is named is taken at its word. Of the other columns, numbers, booleans and
    text of few, repeated values become features. Never a feature unless named: dates,
    columns of one value or none, identifiers (whole numbers or text that differ in
    every row, or the name "id"), text of many values, lists. The reason is kept in
    ``ignored``.

    Parameters
    ----------
    frame : DataFrame
        One row per item. Column names that are not text are read as text.
    id : str, optional
        The column rows are known by; its values must be there and distinct.
    labels : sequence of str, optional
        Names, patterns (``"tag_*"``) or ``"@file"``, a text file with one name per
        line. An empty sequence says that the labels are not in this table.
    tags : str, optional
        A column of tag lists, instead of ``labels``.
    features : sequence of str, optional
        Names or patterns; exactly these columns become features then.
    vectors, text : str, optional
        A column of feature vectors; a column of free text for tf-idf.
    group : str, optional
        A column of numbers, text or dates whose equal values say which rows belong together; it is no feature. A row
        without a value stands for itself.
    ignore : sequence of str, optional
        Names or patterns of columns to leave out; patterns for labels pass over them.
    declared_labels : sequence of str, optional
        The labels that the file itself declares; used if neither ``labels`` nor ``tags`` is given.
    max_categories : int, default=20
        A column of more distinct texts is not made a category.

    Raises
    ------
    ValueError
        For a name that no column has, a column with two roles, no labels, a doubtful
        id or group, and a column asked for as feature that cannot be one.

    Examples
    --------
    >>> frame = pd.DataFrame({"song": ["a", "b", "c"], "tempo": [90.5, 120.0, 121.0], "rock": [1, 0, None]})
    >>> roles = choose_roles(frame, labels=["rock"])
    >>> roles.numeric, roles.ignored[0][0]
    (('tempo',), 'song')
    """
    frame = with_text_names(frame)
    if len(frame) == 0:
        raise ValueError("the table has no rows: there is nothing to learn from.")
    given = {"id": id, "tags": tags, "vectors": vectors, "text": text, "group": group}
    single = {role: None if name is None else str(name) for role, name in given.items()}
    id, names = single["id"], frame.columns
    dropped = select(ignore, names)
    label_columns = _label_columns(frame, labels, tags, declared_labels, dropped)
    taken = _one_role_each(frame, labels=label_columns, ignore=dropped, **{k: _only(v) for k, v in single.items()})
    if id is not None:
        _refuse_unfit_id(frame[id])
    if single["group"] is not None:
        _refuse_unfit_group(frame[single["group"]])
    unchosen = set(declared_labels) - taken.keys()
    asked = None if features is None else dict.fromkeys(select(features, names, skip=unchosen | taken.keys()))
    _refuse_unfit_features(frame, asked or (), taken, max_categories)
    rest = [column for column in frame.columns if column not in taken]
    if asked is None:
        reasons = {column: reason_against(frame[column], max_categories) for column in rest}
        reasons |= dict.fromkeys(unchosen, "the file declares it a label, but it was not chosen")
    else:
        reasons = {column: None if column in asked else "not among the features asked for" for column in rest}
    is_number = {column: kind_of(frame[column]) == "numbers" for column in rest if reasons[column] is None}
    return Roles(
        labels=label_columns,
        numeric=tuple(column for column, number in is_number.items() if number),
        categorical=tuple(column for column, number in is_number.items() if not number),
        ignored=(
            *((column, "left out on request") for column in dropped),
            *((column, reason) for column, reason in reasons.items() if reason is not None),
        ),
        **single,
    )


def _only(column: str | None) -> tuple[str, ...]:
    return () if column is None else (column,)


def _label_columns(
    frame: pd.DataFrame,
    labels: Sequence[str] | None,
    tags: str | None,
    declared: Sequence[str],
    dropped: tuple[str, ...],
) -> tuple[str, ...]:
    """Return the label columns: those named, else those the file declares; nothing is guessed."""
    if labels is not None and tags is not None:
        raise ValueError(
            "labels and tags were both given: name the label columns or one column of tag lists, not both."
        )
    if tags is not None:
        return ()
    if labels is not None:
        return select(labels, frame.columns, skip=dropped)
    if declared:
        return select(declared, frame.columns)
    likely = [column for column in frame.columns if _looks_like_label(frame[column])]
    hint = f" Columns of 0, 1 and gaps are {listed(likely)}." if likely else ""
    raise NoLabelsNamed(
        "no labels were named: give the label columns (labels=, --labels; patterns such as 'tag_*' and '@names.txt' "
        f"are understood), or one column of tag lists (tags=, --tags).{hint}"
    )


def _looks_like_label(column: pd.Series[Any]) -> bool:
    return bool(column.isna().any()) and kind_of(column) == "numbers" and bool(column.dropna().isin((0, 1)).all())


def select(patterns: Iterable[Any] | str, columns: Collection[str], skip: Collection[str] = ()) -> tuple[str, ...]:
    """Return the columns of the names, patterns and ``@files``, in that order; patterns pass over ``skip``."""
    chosen: dict[str, None] = {}
    for pattern in [patterns] if isinstance(patterns, str) else map(str, patterns):
        if pattern in columns:
            hits = [pattern]
        elif pattern.startswith("@"):
            hits = list(select(_names_in_file(Path(pattern[1:])), columns, skip))
        else:
            hits = [column for column in columns if fnmatchcase(column, pattern) and column not in skip]
            if not hits:
                raise ValueError(no_such_column(pattern, columns))
        chosen.update(dict.fromkeys(hits))
    return tuple(chosen)


def _names_in_file(path: Path) -> list[str]:
    """Return the lines of a text file that are not blank."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r} to read names from (one per line).")
    with path.open("rb") as file:
        content = file.read(MAX_NAME_FILE_BYTES + 1)
    if len(content) > MAX_NAME_FILE_BYTES:
        raise ValueError(
            f"{str(path)!r} is larger than {MAX_NAME_FILE_BYTES:,} bytes: a file of names has one per line."
        )
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{str(path)!r} is not UTF-8 text (byte {error.start}): save it as UTF-8.") from None
    return [line.strip() for line in lines if line.strip()]


def _one_role_each(frame: pd.DataFrame, **columns: tuple[str, ...]) -> dict[str, str]:
    """Return the role of each column that was named; a column named twice, or that is not there, is refused."""
    taken: dict[str, str] = {}
    for role, names in columns.items():
        for column in names:
            if column not in frame.columns:
                raise ValueError(no_such_column(column, frame.columns))
            if column in taken:
                raise ValueError(
                    f"column {column!r} was given as {taken[column]} and as {role}: a column has one role."
                )
            taken[column] = role
    return taken


def _refuse_unfit_id(column: pd.Series[Any]) -> None:
    if column.isna().any():
        row = int(column.isna().to_numpy().argmax())
        raise ValueError(f"id column {column.name!r} is empty in row {row}: every row needs its own id.")
    if kind_of(column) in ("lists", "other"):
        raise ValueError(f"id column {column.name!r} holds {shown(column, 0)}: an id is a text or a whole number.")
    repeated = column.duplicated(keep=False).to_numpy()
    if repeated.any():
        first = int(repeated.argmax())
        second = int((column == column.iloc[first]).to_numpy(dtype=bool).nonzero()[0][1])
        raise ValueError(
            f"id column {column.name!r} is not unique: {shown(column, first)} stands in rows {first} and {second}. "
            "Remove the duplicates, or name no id."
        )


def _refuse_unfit_group(column: pd.Series[Any]) -> None:
    kind = kind_of(column)
    if kind == "nothing":
        raise ValueError(f"group column {column.name!r} has no value at all: it keeps no rows together.")
    if kind in ("lists", "other"):
        first = int(column.notna().to_numpy().argmax())
        raise ValueError(
            f"group column {column.name!r} holds {shown(column, first)}: a group is told by a number, a text or a date."
        )


def _refuse_unfit_features(
    frame: pd.DataFrame, asked: Collection[str], taken: Mapping[str, str], max_categories: int
) -> None:
    """Refuse columns that were asked for as features and cannot be."""
    for column in asked:
        if column in taken:
            raise ValueError(f"column {column!r} was given as {taken[column]} and as features: a column has one role.")
        if reason := reason_to_refuse(frame[column], max_categories):
            raise ValueError(f"column {column!r} cannot be a feature: {reason}.")
