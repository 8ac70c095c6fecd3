"""The columns of a completed table that distinguish given entries from filled ones: their names and their cells."""

from __future__ import annotations

from typing import Any

import pandas as pd

#: The cells of a column of marks: the entry was given, was filled in, or is left empty.
GIVEN, FILLED, OPEN = MARKS = ("given", "filled", "open")


def name_marks(label: str) -> str:
    """Return the name of the column of marks of a label."""
    return f"source_{label}"


def name_added(tags: str) -> str:
    """Return the name of the column with the tags that were added to a column of tags."""
    return f"{tags}_filled"


def holds_marks(cells: pd.Series[Any]) -> bool:
    """Return whether a column holds marks only, as an earlier completion wrote them. An empty column counts, too."""
    return all(isinstance(cell, str) and cell in MARKS for cell in cells.dropna())
