"""Rows that are probably not items of their own: remarks, empty rows, sums of groups, and one row for each tag."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from halflabel._arrays import Ints, Mask
from halflabel._wording import clipped, name_row, option_to_skip, plural, quoted
from halflabel.table.cells import infer_kind
from halflabel.table.roles import Roles

#: Minimum number of columns of a table whose rows can lack values.
MIN_COLUMNS = 3

#: Minimum share of different values of a column that distinguishes rows, and number of rows that are equal in it.
MIN_DISTINCT, MIN_EQUAL = 0.3, 4

#: Maximum share of rows that are sums.
MAX_SUMS = 0.1

_SUMS = re.compile(r"(?:(?:sub|grand)[ -]?)?totals?|zwischensumme|summe|gesamt|subtotaal|sous-total|sums?", re.I)

#: Further statistics that stand below a table.
_BELOW = re.compile(r"min(?:imum)?|max(?:imum)?|median(?:wert)?|mean|average|avg|moyenne|mittelwert|sd|std\.?|stdev|"
                    r"standard deviation|standardabweichung|variance|count|anzahl|missing", re.I)  # fmt: skip

#: Minimum number of rows of a second table, and maximum share of the other rows that have as few values.
MIN_SECOND, MAX_OTHERS = 3, 0.05


def describe_odd_rows(frame: pd.DataFrame, roles: Roles) -> tuple[str, ...]:
    """Return a sentence for each kind of row that is probably not an item.

    Examples
    --------
    >>> songs = pd.DataFrame({"song": ["a", "b", "Source: us"], "bpm": [99, 98, None], "rock": [1, 0, None]})
    >>> [note] = describe_odd_rows(songs, Roles(id="song", numeric=("bpm",), labels=("rock",)))
    >>> print(note.partition(".")[0])
    1 row has at most one value (row 2, 'Source: us'), and is read as an item
    """
    return (*_describe_bare(frame, roles), *_describe_sums(frame, roles), *_describe_repeated(frame, roles))


def _describe_bare(frame: pd.DataFrame, roles: Roles) -> Iterator[str]:
    """Yield a sentence about rows with at most one value, such as a remark, or an empty row."""
    known = frame.notna()
    others = [name for name in frame if name not in (*roles.labels, roles.tags)]
    is_bare = (known.sum(axis=1) <= 1).to_numpy()
    few = (known[others].sum(axis=1) <= len(others) / 2).to_numpy() & ~known.drop(columns=others).any(axis=1).to_numpy()
    end = _count_last(few)
    has_second = end >= MIN_SECOND and few[: len(few) - end].sum() <= MAX_OTHERS * len(few)
    bare = np.flatnonzero(is_bare | (has_second & (np.arange(len(few)) >= len(few) - end)))
    if frame.shape[1] < MIN_COLUMNS or len(others) < 2 or not len(bare) or 2 * len(bare) > len(frame):
        return
    most = "one value" if is_bare[bare].all() else f"{len(others) // 2} values"
    cells = [cell for cell, here in zip(frame.iloc[bare[0]], known.iloc[bare[0]], strict=True) if here]
    example = f", {clipped(cells[0], 40)!r}" if cells else ""
    yield (
        f"{plural(len(bare), 'row has', 'rows have')} at most {most} ({name_row(int(bare[0]))}{example}), and "
        f"{_leave_out(bare)}"
    )


def _describe_sums(frame: pd.DataFrame, roles: Roles) -> Iterator[str]:
    """Yield a sentence about rows that are called a sum between other rows, or another statistic below them."""
    texts = [name for name in frame.columns if name != roles.tags and infer_kind(frame[name]) == "text"]
    for name in texts:
        words = [cell.strip() if isinstance(cell, str) else "" for cell in frame[name]]
        is_sum = np.array([bool(_SUMS.fullmatch(word)) for word in words])
        below = _count_last(is_sum | np.array([bool(_BELOW.fullmatch(word)) for word in words]))
        sums = np.flatnonzero(is_sum | (np.arange(len(words)) >= len(words) - below))
        is_total = sums.tolist() == [len(frame) - 1] and is_sum[-1]  # described by its numbers
        if 0 < len(sums) <= MAX_SUMS * len(frame) and not is_total:
            called = f"called {frame[name].iloc[sums[0]]!r} in {name!r} ({name_row(int(sums[0]))})"
            yield f"{plural(len(sums), 'row is', 'rows are')} {called}, and {_leave_out(sums)}"


def _count_last(marked: Mask) -> int:
    """Return how many rows at the end are marked, without a gap."""
    return len(marked) if marked.all() else int(marked[::-1].argmin())


def _leave_out(rows: Ints) -> str:
    """Return the end of a sentence about rows that are probably not items, with the way to leave them out."""
    way = option_to_skip(rows.tolist())
    if len(rows) == 1:
        return f"is read as an item. If it is not one, leave it out: {way}."
    return f"are read as items. If they are not items, leave them out: {way}."


def _describe_repeated(frame: pd.DataFrame, roles: Roles) -> Iterator[str]:
    """Yield a sentence if rows differ from each other in their tag only, as tables with one row for each tag do."""
    if roles.tags is None or len(frame) < MIN_EQUAL:
        return
    rest = frame.drop(columns=[roles.tags])
    rest = rest[[name for name in rest if infer_kind(rest[name]) not in ("lists", "other", "nothing")]]
    apart = [str(name) for name in rest if rest[name].nunique() >= MIN_DISTINCT * len(frame)]
    if not apart:
        return
    equal = rest[rest.duplicated(keep=False) & rest[apart].notna().any(axis=1)]
    tags = frame.loc[equal.index, roles.tags].astype(str)
    if len(equal) >= MIN_EQUAL and (tags.groupby([equal[name] for name in apart]).nunique() > 1).any():
        yield (
            f"{len(equal)} rows differ from another row in {roles.tags!r} only, and each is read as an item. If an "
            f"item has one row for each of its tags, join them: {join_rows(apart[0], roles.tags)}."
        )


def join_rows(name: str, tags: str) -> str:
    """Return the line of Python that joins the rows of each item."""
    joined = f"items.groupby({name!r})[{tags!r}].transform(lambda tags: ';'.join(tags.dropna()))"
    return f"items.assign(tags={joined}).drop_duplicates({name!r})"


def describe_further_tags(frame: pd.DataFrame, roles: Roles) -> tuple[str, ...]:
    """Return a sentence if categories hold the words of the tags, as columns tag1, tag2 and tag3 do.

    Examples
    --------
    >>> songs = pd.DataFrame({"tag1": ["rock", "sad", "sad"], "tag2": ["sad", None, "rock"]})
    >>> [note] = describe_further_tags(songs, Roles(tags="tag1", categorical=("tag2",)))
    >>> note.partition(".")[0]
    "'tag2' holds the same words as the tags column 'tag1', and is a feature"
    """
    if roles.tags is None or infer_kind(frame[roles.tags]) != "text":
        return ()
    words = set(frame[roles.tags].dropna())
    same = [name for name in roles.categorical if len(found := set(frame[name].dropna())) > 1 and found <= words]
    if not same:
        return ()
    are = ("holds", "is a feature", "it lists") if len(same) == 1 else ("hold", "are features", "they list")
    return (
        f"{quoted(same)} {are[0]} the same words as the tags column {roles.tags!r}, and {are[1]}. If {are[2]} further "
        f"tags, join the columns: {join_columns([roles.tags, *same])}.",
    )


def join_columns(names: Sequence[str]) -> str:
    """Return the line of Python that joins columns of one tag each into one column of tags."""
    return f"items['tags'] = items[{list(names)}].agg(lambda row: ';'.join(row.dropna()), axis=1)"
