"""An item as its owner sees it: text, image, sound, cells of its row, or its vector as a picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._wording import clipped, escape_controls, plural
from halflabel.review_page.media import MediaFolder, detect_kind
from halflabel.table import OpenTable
from halflabel.table.items import choose_shown
from halflabel.table.pictures import encode_png, name_drawn, scale_to_ink, take_marks

#: Maximum length of a text, maximum number of cells that are shown by default, and maximum number of rows that are
#: examined for media.
MAX_TEXT, MAX_CELLS, MAX_EXAMINED = 20_000, 12, 50

#: Maximum number of further columns of an item, and median length of a text up to which a wall shows it whole.
MAX_OTHERS, SHORT = 40, 220


class ItemViews:
    """Descriptions of items for the page.

    By default text, images, sounds and recognised ids are shown, and the features of a row that has neither text nor
    image. The key ``show`` of the table names other columns; with the key ``thumbnails``, vectors or features are grey
    images. Media files must lie under ``media_root``, by default the folder of the table.
    """

    def __init__(
        self,
        opened: OpenTable,
        *,
        media_root: Path | None = None,
    ) -> None:
        self.opened = opened
        frame = pd.DataFrame(index=range(len(opened.labels))) if opened.frame is None else opened.frame
        self.frame = frame
        self.media = MediaFolder(frame, find_folder(opened), media_root)
        marks = opened.description.thumbnails
        self.ink: NDArray[np.uint8] | None = None if marks is None else scale_to_ink(take_marks(opened, marks))
        self.columns = self._choose_columns()
        known = {*opened.labels.names, str(opened.roles.id), *(() if marks is None else name_drawn(opened, marks))}
        names = enumerate(map(str, frame.columns))
        self.others = [j for j, name in names if j not in self.columns and name not in known]

    def describe(self, row: int) -> dict[str, Any]:
        """Return the item as the page shows it: its id, whole and shortened, its cells and its picture."""
        cells = [self._describe_cell(row, column) for column in self.columns]
        return {
            "row": row,
            "id": str(self.opened.index[row]),
            "item": clipped(self.opened.index[row], 200),
            "cells": [cell for cell in cells if cell is not None],
            "more": self._describe_others(row),
            "mark": None if self.ink is None else encode_png(self.ink[row]),
        }

    def _describe_others(self, row: int) -> list[dict[str, Any]]:
        """Return the cells of the first columns that the item is not shown with, as short texts."""
        cells = [(self.frame.columns[column], self.frame.iat[row, column]) for column in self.others[:MAX_OTHERS]]
        texts = [(clipped(name), "" if _is_missing(cell) else clipped(_write_cell(cell), 200)) for name, cell in cells]
        return [{"column": name, "text": text} for name, text in texts if text]

    @property
    def has_walls(self) -> bool:
        """Whether several items can be compared at a glance: pictures, or short texts."""
        image = any(detect_kind(cell) == "image" for column in self.columns for cell in self._take(column))
        text = self.opened.roles.text
        is_short = text in self.frame and self.frame[text][:MAX_EXAMINED].astype(str).str.len().median() <= SHORT
        return bool(self.ink is not None or image or is_short)

    def _take(self, column: int) -> list[Any]:
        """Return the first cells of a column."""
        return self.frame.iloc[:MAX_EXAMINED, column].dropna().tolist()

    def _choose_columns(self) -> list[int]:
        position = {str(name): j for j, name in enumerate(self.frame.columns)}
        if self.opened.description.show is not None:
            return [position[name] for name in choose_shown(self.opened)]
        media = [j for j in range(self.frame.shape[1]) if self._holds_media(j)]
        chosen = [*media, *(position[name] for name in choose_shown(self.opened))]
        if not media and self.opened.roles.text is None and self.ink is None:
            features = [name for name in self.opened.roles.features if name in position]
            chosen += [position[name] for name in features if name != self.opened.roles.vectors]
        return list(dict.fromkeys(chosen))[: MAX_CELLS + len(media)]

    def list_missing(self) -> list[str]:
        """Return a sentence for every column whose files are not there."""
        notes = []
        for column in self.columns:
            rows = [row for row in range(min(MAX_EXAMINED, len(self.frame))) if self._names_file(row, column)]
            missing = [row for row in rows if self.media.find(row, column) is None]
            if missing:
                notes.append(
                    f"{len(missing)} of the first {plural(len(rows), 'file')} of column {self.frame.columns[column]!r} "
                    f"cannot be shown, such as {clipped(self.frame.iat[missing[0], column])!r}: images and sounds must "
                    f"lie under {self.media.root}; name another folder with --media."
                )
        return notes

    def _names_file(self, row: int, column: int) -> bool:
        cell = self.frame.iat[row, column]
        return isinstance(cell, str) and detect_kind(cell) is not None

    def _holds_media(self, column: int) -> bool:
        cells = self._take(column)
        return len(cells) > 0 and all(detect_kind(cell) is not None for cell in cells)

    def _describe_cell(self, row: int, column: int) -> dict[str, Any] | None:
        cell: Any = self.frame.iat[row, column]
        name = clipped(self.frame.columns[column])
        kind = detect_kind(cell)
        if kind is not None and self.media.find(row, column) is not None:
            return {"column": name, "kind": kind, "source": f"/media/{row}/{column}"}
        text = "" if _is_missing(cell) else _write_cell(cell)
        is_long = self.opened.roles.text == str(self.frame.columns[column])
        return {"column": name, "kind": "text", "text": text, **({"long": True} if is_long else {})} if text else None


def find_folder(opened: OpenTable) -> Path:
    """Return the folder of the file that a table was read from, or the current folder for other tables."""
    paths = () if opened.source is None else opened.source.paths
    return Path(os.path.dirname(paths[0])) if paths else Path()


def _is_missing(cell: Any) -> bool:
    return np.ndim(cell) == 0 and not isinstance(cell, dict | set) and bool(pd.isna(cell))


def _write_cell(cell: Any) -> str:
    """Return the text of a cell with its line breaks, and only the size of bytes and vectors."""
    if isinstance(cell, bytes):
        return f"{len(cell)} bytes"
    if np.ndim(cell) > 0 and np.size(cell) > MAX_CELLS:
        return f"{np.size(cell)} values"
    if isinstance(cell, float | np.floating):
        return f"{cell:.6g}"
    text = escape_controls(str(cell)[: MAX_TEXT + 1].strip())
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"
