"""Rows that are not items are left out, with a way back: empty rows, remarks, and rows that sum up the rows above."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel._wording import Notes, clipped, name_lines, name_row, option, plural
from halflabel.table.cells import as_floats, infer_kind
from halflabel.table.columns import Description
from halflabel.table.sources import Source

#: Minimum number of columns of a table whose rows can be empty, and of rows that are summed up.
MIN_COLUMNS, MIN_ROWS = 3, 3

#: Maximum distance of a value to a statistic, in spreads of the column: in a row with a word for it, and in another.
NEAR, VERY_NEAR = 1e-3, 1e-4

_WORD = re.compile(
    r"((sub|grand|sous)[ -]?)?(totals?|totaal)|(zwischen)?summe|gesamt|sums?|somme|suma|mean|average|avg|mittelwert|"
    r"moyenne|median(wert)?|min(imum)?|max(imum)?",
    re.I,
)

#: The statistics that a row can have of the rows above. A row without a word for it has one of the first two.
_STATISTICS: dict[str, Callable[..., Any]] = {
    "sums": np.nansum,
    "means": np.nanmean,
    "minima": np.nanmin,
    "maxima": np.nanmax,
    "medians": np.nanmedian,
}


def leave_out_rows(source: Source, columns: Description, first: int | None) -> tuple[Source, Notes]:
    """Return the items without the rows that are not items, and a sentence about them with the way to keep them.

    Labels, vectors or probabilities in the order of the rows mean that each row is an item.

    Parameters
    ----------
    source, columns
    first : int or None
        The line of the first row, where rows are lines of a text file.
    """
    by_order = any(isinstance(table, np.ndarray | list) for table in (columns.vectors, columns.prior))
    keeps_all = "none" in (columns.skip_rows or "").split(",")
    if keeps_all or by_order or source.labels is not None or source.raw.matrix is not None:
        return source, ()
    found = find_odd_rows(source.raw.frame, columns)
    if not found:
        return source, ()
    with name_lines(first):
        row, why = next(iter(found.items()))
        cell = next((cell for cell in source.raw.frame.iloc[row] if isinstance(cell, str)), None)
        example = f"{name_row(row)}{'' if cell is None else f' ({clipped(cell, 40)!r})'}, {why}"
    them = "it" if len(found) == 1 else "them"
    which = plural(len(found), "row is not an item", "rows are not items")
    way = option("skip_rows", ",".join(filter(None, [columns.skip_rows, "none"])))
    keep = np.delete(np.arange(len(source.raw)), list(found))
    return source.keep_rows(keep), (f"{which} and left out: {example}. {way} keeps {them}.",)


def find_odd_rows(frame: pd.DataFrame, columns: Description) -> dict[int, str]:
    """Return the rows that are not items, each with the reason as a clause.

    Examples
    --------
    >>> songs = pd.DataFrame({"song": ["a", "b", "c", "Total"], "bpm": [90, 95, 103, 288], "rock": [1, 0, None, None]})
    >>> find_odd_rows(songs, Description(labels=["rock"]))
    {3: 'which has the sums of the rows above'}
    """
    words = [name for name in frame if name not in (columns.text, columns.tags) and infer_kind(frame[name]) == "text"]
    bare = _find_bare(frame, words)
    sums = _find_sums(frame.drop(index=frame.index[list(bare)]) if bare else frame, words)
    at = np.delete(np.arange(len(frame)), list(bare))
    return dict(sorted({**bare, **{int(at[row]): why for row, why in sums.items()}}.items()))


def _find_bare(frame: pd.DataFrame, words: Sequence[Any]) -> dict[int, str]:
    """Return rows without a value, and rows with a remark only: a text of more words than all others of its column."""
    known = frame.notna()
    number = known.sum(axis=1).to_numpy()
    if frame.shape[1] < MIN_COLUMNS or 2 * (number < 2).sum() > len(frame):
        return {}
    found = {}
    if isinstance(frame.index, pd.RangeIndex):  # no row labels
        found = {int(row): "which has no value" for row in np.flatnonzero(number == 0)}
    for name in words:
        lengths = frame[name].astype(str).str.split().str.len().where(known[name], 0).to_numpy()
        alone = known[name].to_numpy() & (number == 1)
        most = lengths[~alone].max(initial=1)
        found |= {int(row): "which has one text only" for row in np.flatnonzero(alone & (lengths > most))}
    return found


def _find_sums(frame: pd.DataFrame, words: Sequence[Any]) -> dict[int, str]:
    """Return the rows that have one statistic of the rows above: of all of them, or of those since the last such row.

    Most numbers of such a row are this statistic. Without a word for it, there are two or more, and no other row has
    one of these values: the last row only is examined.
    """
    columns = [frame[name] for name in frame if infer_kind(frame[name]) == "numbers"]
    if not columns:
        return {}
    numbers = np.column_stack([as_floats(column) for column in columns])
    numbers[np.isinf(numbers)] = np.nan
    called = np.zeros(len(frame), dtype=bool)
    for name in words:
        called |= [isinstance(cell, str) and _WORD.fullmatch(cell.strip()) is not None for cell in frame[name]]
    found: dict[int, str] = {}
    for row in sorted({*np.flatnonzero(called).tolist(), len(frame) - 1}):
        for start in sorted({0, max(found, default=-1) + 1}):
            above = numbers[start:row][~called[start:row]]
            kind = _find_statistic(numbers[row], above, is_called=bool(called[row]))
            found |= {row: f"which has the {kind} of the rows above"} if kind else {}
    return found


def _find_statistic(values: Floats, above: Floats, *, is_called: bool) -> str | None:
    """Return the statistic of the columns above that most numbers of a row are, or None."""
    known = ~np.isnan(values) & ((~np.isnan(above)).sum(axis=0) >= MIN_ROWS)
    values, above = values[known], above[:, known]
    if not len(values):
        return None
    spread = np.nanmax(above, axis=0) - np.nanmin(above, axis=0)
    is_new = (spread > 0) & (is_called | ~(above == values).any(axis=0))
    near = NEAR if is_called else VERY_NEAR
    equal = {kind: int((is_new & (np.abs(values - statistic(above, axis=0)) <= near * spread)).sum())
             for kind, statistic in list(_STATISTICS.items())[: None if is_called else 2]}  # fmt: skip
    kind = max(equal, key=lambda each: equal[each])
    return kind if 2 * equal[kind] > (spread > 0).sum() and equal[kind] > (not is_called) else None
