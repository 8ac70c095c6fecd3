"""Rows that are not items are left out, with a way back: empty rows, remarks, and rows that sum up the rows above."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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
_STATISTICS: dict[str, Callable[[Floats], Any]] = {
    "sums": np.sum,
    "means": np.mean,
    "minima": np.min,
    "maxima": np.max,
    "medians": np.median,
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
    columns = [as_floats(frame[name]) for name in frame if infer_kind(frame[name]) == "numbers"]
    called = np.zeros(len(frame), dtype=bool)
    for name in words:
        called |= [isinstance(cell, str) and _WORD.fullmatch(cell.strip()) is not None for cell in frame[name]]
    found: dict[int, str] = {}
    for row in sorted({*np.flatnonzero(called).tolist(), len(frame) - 1}):
        for start in sorted({0, max(found, default=-1) + 1}):
            is_above = ~called[start:row]
            rows = ((values[row], values[start:row][is_above]) for values in columns)
            kind = _find_statistic(rows, is_called=bool(called[row]))
            found |= {row: f"which has the {kind} of the rows above"} if kind else {}
    return found


def _find_statistic(rows: Iterable[tuple[float, Floats]], *, is_called: bool) -> str | None:
    """Return the statistic of the cells above that most numbers of a row are, or None."""
    near = NEAR if is_called else VERY_NEAR
    number, equal = 0, Counter[str]()
    for value, cells in rows:
        above = cells[np.isfinite(cells)]
        if not np.isfinite(value) or len(above) < MIN_ROWS or not (spread := np.ptp(above)):
            continue
        number += 1
        is_new = is_called or value not in above
        equal.update(kind for kind, statistic in list(_STATISTICS.items())[: None if is_called else 2]
                     if is_new and abs(value - statistic(above)) <= near * spread)  # fmt: skip
    kind, most = max(equal.items(), key=lambda each: each[1], default=(None, 0))
    return kind if 2 * most > number and most > (not is_called) else None
