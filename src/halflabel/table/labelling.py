"""From label columns, a tags column or a long table of tags to PartialLabels, and back into a tags column."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._wording import option, plural, quoted
from halflabel.labels import Absent, PartialLabels
from halflabel.table.cells import describe_missing, read_as_text, use_text_names
from halflabel.table.columns import Empty
from halflabel.table.roles import Roles


@dataclass(frozen=True, eq=False)
class LabelReading:
    """Labels as read, and notes for the user about the reading.

    Parameters
    ----------
    labels : PartialLabels
        One row per row of the table.
    notes : tuple of str
        Sentences, such as the number of empty cells and their meaning.
    """

    labels: PartialLabels
    notes: tuple[str, ...] = ()


def read_labels(
    frame: pd.DataFrame, roles: Roles, *, absent: Absent | None = None, empty: Empty = "unlabelled", sep: str = ";"
) -> LabelReading:
    """Read the label columns, or the tags column, that the roles name.

    Parameters
    ----------
    frame : DataFrame
        One row per item.
    roles : Roles
        From :func:`choose_roles`.
    absent : {"irrelevant", "unknown"}, optional
        What a tag that an item does not list means; needed for a tags column, invalid for label columns.
    empty : {"unlabelled", "none"}, default="unlabelled"
        What an empty cell of a tags column of text is: an unlabelled item, or an
        annotated item without tags. Real lists need no such choice: a missing list is
        an unlabelled item, an empty one an annotated item.
    sep : str, default=";"
        The separator of the tags in a text cell. Blanks around tags, and empty tags, are dropped.

    Raises
    ------
    ValueError
        For values that are no labels, if ``absent`` is missing or superfluous, and if nothing is observed.

    Examples
    --------
    >>> frame = pd.DataFrame({"tags": ["rock; sad", "live", None]})
    >>> reading = read_labels(frame, Roles(tags="tags"), absent="irrelevant")
    >>> reading.labels.names
    ('live', 'rock', 'sad')
    >>> reading.notes
    ("1 item has an empty cell in the tags column 'tags': taken as unlabelled.",)
    """
    frame = use_text_names(frame)
    if roles.tags is None:
        if absent is not None:
            raise ValueError(
                f"{option('absent')} is about tag lists, but the labels are columns of 1, 0 and gaps: leave it out."
            )
        return LabelReading(PartialLabels.from_table(frame[list(roles.labels)]))
    if absent is None:
        raise ValueError(
            f"the column {roles.tags!r} lists the tags that an item has; state what a tag that is not listed means: "
            f"{option('absent', 'irrelevant')} if every tag was checked for every item, {option('absent', 'unknown')} "
            "if a tag may be missing where it is true."
        )
    return _read_tags(frame[roles.tags], absent, empty, sep)


def read_tag_pairs(
    pairs: pd.DataFrame, on: str, ids: Sequence[Hashable] | pd.Series[Any] | pd.Index[Any], *, absent: Absent
) -> PartialLabels:
    """Read a long table with one row per (id, tag) for the items of ``ids``.

    Ids are compared as written: the number 7 and the text "7" are the same id, the
    text "007" is another one. An item without a pair is unlabelled.

    Parameters
    ----------
    pairs : DataFrame
        Two columns: ``on`` and the tags.
    on : str
        The column of ids.
    ids : sequence, Series or Index
        The ids of the items, in their order.
    absent : {"irrelevant", "unknown"}
        What a tag that an item does not list means.

    Raises
    ------
    ValueError
        If there are not exactly two columns, a cell is empty, or an id is not among ``ids``.

    Examples
    --------
    >>> pairs = pd.DataFrame({"song": [7, 7, 9], "tag": ["rock", "sad", "rock"]})
    >>> read_tag_pairs(pairs, "song", ["7", "8", "9"], absent="unknown").to_frame()
       rock   sad
    0     1     1
    1  <NA>  <NA>
    2     1  <NA>
    """
    pairs = use_text_names(pairs)
    tag = _tag_column(pairs, on)
    for column in (on, tag):
        if pairs[column].isna().any():
            row = int(pairs[column].isna().to_numpy().argmax())
            raise ValueError(f"column {column!r} is empty in row {row} of the pairs: remove the row or fill the cell.")
    known, named = read_as_text(pd.Series(ids)), read_as_text(pairs[on])
    if not pd.Index(known).is_unique:
        twice = quoted(pd.unique(known[pd.Index(known).duplicated()]))
        raise ValueError(f"ids must be distinct as written, but {twice} appears more than once in the table.")
    unknown = sorted(set(named) - set(known))
    if unknown:
        raise ValueError(
            f"{int(np.isin(named, unknown).sum())} of {len(named)} pairs name ids that are not in the table: "
            f"{quoted(unknown)}. The ids of the table are written {quoted(known[:3])}; "
            "where leading zeros were lost, read both as text."
        )
    tags = [text.strip() for text in read_as_text(pairs[tag])]
    return PartialLabels.from_pairs(named.tolist(), tags, index=known.tolist(), absent=absent)


def fill_tags(
    column: pd.Series[Any], labels: PartialLabels, filled: NDArray[np.floating[Any]], sep: str = ";"
) -> pd.Series[Any]:
    """Add the labels that were filled in to a column of tags.

    Known tags stay verbatim and first in their order; a cell to which nothing is
    added is returned as it was. An empty cell stays empty while any of its labels is
    undecided, and becomes an empty list (an empty text) once all are irrelevant.

    Parameters
    ----------
    column : Series
        Text or lists, as given to :func:`read_labels`.
    labels : PartialLabels
        What was read from it; its names are the columns of ``filled``.
    filled : ndarray of shape (n_items, n_labels)
        1 (relevant), 0 (irrelevant) or NaN (left unknown).
    sep : str, default=";"
        The separator of the tags in a text cell.

    Examples
    --------
    >>> column = pd.Series(["sad; rock", None])
    >>> labels = PartialLabels.from_tags([["sad", "rock"], None], absent="unknown", names=["live", "rock", "sad"])
    >>> fill_tags(column, labels, np.array([[1, 1, 1], [0, 1, np.nan]])).tolist()
    ['sad; rock; live', 'rock']
    """
    if filled.shape != labels.shape or len(column) != len(labels):
        raise ValueError(
            f"filled has shape {filled.shape}, but {len(column)} cells and labels {labels.shape} were given."
        )
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    is_text = _holds_text(column)
    glue = f"{sep} " if is_text and any(f"{sep} " in cell for cell in column if isinstance(cell, str)) else sep
    names = np.array(labels.names, dtype=object)
    cells = []
    for cell, known, row in zip(column, _tag_lists(column, sep), filled, strict=True):
        new = [name for name in names[row == 1] if name not in (known or ())]
        if new or (known is None and not np.isnan(row).any()):
            tags = [*(known or ()), *new]
            cells.append(glue.join(tags) if is_text else tags)
        else:
            cells.append(cell)
    return pd.Series(cells, index=column.index, name=column.name, dtype=column.dtype)


def _read_tags(column: pd.Series[Any], absent: Absent, empty: Empty, sep: str) -> LabelReading:
    lists = _tag_lists(column, sep)
    n_empty = lists.count(None)
    annotated = empty == "none" and _holds_text(column)
    labels = PartialLabels.from_tags([[] if annotated and tags is None else tags for tags in lists], absent=absent)
    if n_empty == 0:
        return LabelReading(labels)
    meaning = "annotated, without tags" if annotated else "unlabelled"
    items = f"{plural(n_empty, 'item')} {'has' if n_empty == 1 else 'have'} an empty cell"
    return LabelReading(labels, (f"{items} in the tags column {column.name!r}: taken as {meaning}.",))


def _tag_lists(column: pd.Series[Any], sep: str) -> list[list[str] | None]:
    """Return the tags of each cell, stripped; None for a cell that is missing or has text but no tag."""
    lists: list[list[str] | None] = []
    for row, cell in enumerate(column):
        if isinstance(cell, str):
            lists.append(_stripped(cell.split(sep)) or None)
        elif isinstance(cell, list | tuple | set | np.ndarray):
            lists.append(_stripped(str(tag) for tag in cell if tag is not None))
        elif pd.isna(cell):
            lists.append(None)
        else:
            raise ValueError(
                f"the tags column {column.name!r} holds {cell!r} (row {row}), but it must hold text such as "
                f"'rock{sep} sad', or lists of text."
            )
    return lists


def _stripped(tags: Iterable[str]) -> list[str]:
    return [tag for tag in map(str.strip, tags) if tag]


def _holds_text(column: pd.Series[Any]) -> bool:
    return any(isinstance(cell, str) for cell in column)


def _tag_column(pairs: pd.DataFrame, on: str) -> str:
    """Return the one column of a long table that is not the id."""
    if on not in pairs.columns:
        raise ValueError(describe_missing(on, pairs.columns))
    others = [column for column in pairs.columns if column != on]
    if len(others) != 1:
        raise ValueError(
            f"a table of (id, tag) pairs has two columns, but next to {on!r} this one has {quoted(others) or 'none'}: "
            "keep the column of tags only."
        )
    return str(others[0])
