"""Lists of entries in the terminal: each line shows the item itself, not only its number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from halflabel._wording import NONE, clipped, count, percent, plural
from halflabel.cli.console import out

if TYPE_CHECKING:
    import pandas as pd

    from halflabel.completion import Completion

#: Maximum number of lines, and of characters of a name or id; minimum width of a column that shows the item.
MAX_LINES, MAX_NAME, MIN_ROOM = 5, 24, 12

#: Columns of the entry, and hidden columns. Every other column describes the item.
_ENTRY, _LEFT_OUT = ("item", "label", "given", "suggested", "probability"), ("reason", "answer")


def print_first_to_check(filled: Completion, shown: tuple[str, ...]) -> None:
    """Print the entries whose answers help most, with the columns by which a reader recognises the item."""
    entries = filled.review(MAX_LINES, shown)
    total = len(filled.evidence.doubts)
    if total > len(entries):
        print_entries(entries, f"The first {len(entries)} of {count(total)} entries to check")
    elif total:
        print_entries(entries, f"{plural(total, 'entry', 'entries')} to check")


def print_entries(entries: pd.DataFrame, title: str) -> None:
    """Print entries, and the columns by which a reader recognises the item, cut where the line ends."""
    from halflabel.table.items import describe_cells

    first = entries.head(MAX_LINES)
    own = [name for name in first.columns if name in _ENTRY]
    content = [name for name in first.columns if name not in (*_ENTRY, *_LEFT_OUT)]
    known = first[own].astype(object).where(first[own].notna(), None)
    lines = [list(map(_describe, own, row)) for row in known.itertuples(index=False, name=None)]
    used = sum(2 + max(map(len, column)) for column in zip(own, *lines, strict=True))
    room = max((out.width - used) // max(len(content), 1) - 2, MIN_ROOM)
    table = Table(*own, title=title, title_justify="left", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in content:
        table.add_column(clipped(name, room))
    for line, cells in zip(lines, describe_cells(first[content]), strict=True):
        texts = {cell["column"]: cell["text"] for cell in cells}
        table.add_row(*line, *(clipped(texts.get(clipped(name)) or NONE, room) for name in content))
    out.print(table)


def _describe(name: str, value: Any) -> str:
    if value is None:
        return NONE
    return percent(value) if name == "probability" else clipped(value, MAX_NAME)
