"""The reading of the table and the roles of its columns, as short texts."""

from __future__ import annotations

from typing import Any

from halflabel._wording import clipped
from halflabel.table import OpenTable

#: Maximum length of a text, maximum number of groups of columns, and of columns in a group.
MAX_TEXT, MAX_GROUPS, MAX_COLUMNS = 300, 60, 40


def summarize_reading(opened: OpenTable) -> dict[str, Any]:
    """Return the reading of the table: its rows, the counts of its labels, and the roles of its columns."""
    reading = opened.reading
    rows = reading.rows.to_dict(orient="records")
    return {
        "columns": list(reading.rows.columns),
        "rows": [{name: clipped(text, MAX_TEXT) for name, text in row.items()} for row in rows],
        "where": clipped(reading.where, MAX_TEXT),
        "counts": reading.counts,
        "more": reading.n_labels - len(reading.counts),
        "nothing": [clipped(text, MAX_TEXT) for text in reading.nothing],
        "roles": _summarize_roles(opened),
    }


def _summarize_roles(opened: OpenTable) -> list[dict[str, Any]]:
    """Return columns by role and reason, so that a thousand number columns take one line."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for column, role, why in opened.roles.describe():
        grouped.setdefault((role, why), []).append(column)
    return [
        {"role": role, "why": why, "n_columns": len(columns), "columns": [clipped(c) for c in columns[:MAX_COLUMNS]]}
        for (role, why), columns in list(grouped.items())[:MAX_GROUPS]
    ]
