"""The columns by which a reader recognises an item: which ones, and their cells as short text."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Index, Ints
from halflabel._wording import clipped
from halflabel.labels import PartialLabels
from halflabel.labels.tables import is_missing
from halflabel.table import OpenTable
from halflabel.table.exclusions import Cause
from halflabel.table.patterns import select

#: Maximum number of columns that are shown by default because their values look like ids or titles.
MAX_IDS = 2

#: Maximum length of an address that becomes a link.
MAX_LINK = 2000

#: Maximum number of relevant labels, and maximum length, of the title of a point on the map.
MAX_TITLE_LABELS, MAX_TITLE = 6, 160

#: The parts of a cell that a page shows: its column, short text, address and small picture.
Cell = dict[str, str | None]

_LINK = re.compile(r"https?://[^\s\"<>]+", re.IGNORECASE)


def choose_shown(opened: OpenTable, show: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the names of the columns that are shown wherever items are listed.

    Parameters
    ----------
    opened : OpenTable
    show : sequence of str, optional
        Names or patterns; by default the names in the table's description, else the text column, and columns like
        ids or titles that have no role.

    Raises
    ------
    ValueError
        For a name that is not a column of the table.
    """
    show = opened.description.show if show is None else show
    if show is not None:
        names = () if opened.frame is None else tuple(map(str, opened.frame.columns))
        return select((show,) if isinstance(show, str) else map(str, show), names)
    if opened.frame is None:
        return ()
    roles = opened.roles
    ids = (*roles.find_ignored(Cause.IDENTIFIER), *roles.find_ignored(Cause.SENTENCES))
    return (*(() if roles.text is None else (roles.text,)), *ids[:MAX_IDS])


def take_shown(opened: OpenTable, names: Sequence[str], rows: Ints) -> pd.DataFrame:
    """Return the cells of the shown columns in these rows, with the names of the columns as text."""
    if opened.frame is None or not names:
        return pd.DataFrame(index=np.arange(len(rows)))
    position = {str(name): j for j, name in enumerate(opened.frame.columns)}
    cells = opened.frame.iloc[rows, [position[name] for name in names]]
    return cells.set_axis(list(names), axis=1).reset_index(drop=True)


def describe_cells(cells: pd.DataFrame, folder: str | os.PathLike[str] | None = None) -> list[list[Cell]]:
    """Return, for each row, the cells that hold something: name of the column, short text, address and small picture.

    Parameters
    ----------
    cells : DataFrame
        From :func:`take_shown`.
    folder : path, optional
        The folder of image files; without it, pictures are left out.

    Examples
    --------
    >>> describe_cells(pd.DataFrame({"text": ["a cat", None], "url": ["https://a.org/1", "javascript:x"]}))[0][1]
    {'column': 'url', 'text': 'https://a.org/1', 'link': 'https://a.org/1', 'image': None}
    """
    columns = [[_describe_cell(str(name), cell, folder) for cell in cells.iloc[:, j]] for j, name in enumerate(cells)]
    return [[column[i] for column in columns if column[i]["text"]] for i in range(len(cells))]


def write_titles(
    ids: Index, cells: Sequence[Sequence[Cell]], labels: PartialLabels, state: Any, rows: Ints
) -> list[str]:
    """Return for each point of the map the id of its item, its shown text and its relevant labels, as short text."""
    titles = []
    for key, own, row in zip(ids, cells, rows, strict=True):
        relevant = [
            f"{clipped(labels.names[j], 30)} ({'given' if labels.state[row, j] else 'filled in'})"
            for j in np.flatnonzero(state[row] > 0)[:MAX_TITLE_LABELS]
        ]
        texts = [clipped(key, 40), *(clipped(cell["text"], 60) for cell in own), ", ".join(relevant)]
        titles.append(clipped(" · ".join(text for text in texts if text), MAX_TITLE))
    return titles


def _describe_cell(name: str, cell: Any, folder: str | os.PathLike[str] | None) -> Cell:
    from halflabel.table.pictures import is_image

    if is_image(cell):
        from halflabel.table.pictures import name_image, read_thumbnail

        image = None if folder is None else read_thumbnail(cell, folder)
        return {"column": clipped(name), "text": clipped(name_image(cell)), "link": None, "image": image}
    text = "" if is_missing(cell) else str(cell).strip()
    is_link = len(text) <= MAX_LINK and _LINK.fullmatch(text)
    return {"column": clipped(name), "text": clipped(text), "link": text if is_link else None, "image": None}
