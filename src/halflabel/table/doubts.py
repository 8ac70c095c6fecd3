"""Why a column is not made a feature unless it is asked for."""

from __future__ import annotations

from typing import Any

import pandas as pd

from halflabel.table.columns import kind_of, shown

_IDENTIFIER = "an identifier; name it with --id if rows should be known by it"


def reason_to_refuse(column: pd.Series[Any], max_categories: int) -> str | None:
    """Return why a column cannot be a feature even if it is asked for; None if it can."""
    kind = kind_of(column)
    if kind == "numbers":
        return None
    if kind == "text":
        distinct = column.nunique()
        return _too_many(distinct, len(column), max_categories) if distinct > max_categories else None
    return {
        "nothing": "no value at all",
        "dates": "dates or times; turn them into numbers, such as a year or days since a start, to use them",
        "lists": "lists; name it with --vectors or --tags to use it",
        "other": "values that are neither numbers nor text",
    }[kind]


def reason_against(column: pd.Series[Any], max_categories: int) -> str | None:
    """Return why a column is not made a feature by itself; None if it is."""
    kind = kind_of(column)
    if kind not in ("numbers", "text"):
        return reason_to_refuse(column, max_categories)
    observed = column[column.notna()]
    if (observed == observed.iloc[0]).all():
        return f"a single value ({observed.iloc[0]})"
    if str(column.name).lower() == "id":
        return f"its name says {_IDENTIFIER}"
    return _against_numbers(column) if kind == "numbers" else _against_text(observed, max_categories)


def _against_numbers(column: pd.Series[Any]) -> str | None:
    """Whole numbers without gaps that differ in every row count rows, they do not measure."""
    counts_rows = pd.api.types.is_integer_dtype(column.dtype) and column.is_unique and column.notna().all()
    return f"every value is different: {_IDENTIFIER}" if counts_rows else None


def _against_text(observed: pd.Series[Any], max_categories: int) -> str | None:
    """Categories are few and seen twice on average; other text is told apart by what it looks like."""
    distinct = observed.nunique()
    if distinct <= max_categories and 2 * distinct <= len(observed):
        return None
    strays = pd.to_numeric(observed.astype(object), errors="coerce").isna().to_numpy()
    if 0 < strays.mean() < 0.5:
        return f"numbers with text among them, first {shown(observed[strays], 0)}; correct such cells to use it"
    if distinct == len(observed):
        return f"every value is different: {_IDENTIFIER}"
    if not strays.any():
        return "numbers stored as text; convert them to numbers to use it"
    return _too_many(distinct, len(observed), max_categories)


def _too_many(distinct: int, n_rows: int, max_categories: int) -> str:
    return (
        f"{distinct} distinct texts in {n_rows} rows, where categories are at most {max_categories} and repeat "
        "(--max-categories); name it with --text to use its words"
    )
