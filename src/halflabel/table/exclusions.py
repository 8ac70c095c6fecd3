"""Why a column is not made a feature unless it is asked for."""

from __future__ import annotations

from enum import StrEnum, auto
from typing import Self

import pandas as pd

from halflabel._arrays import Column
from halflabel._wording import option
from halflabel.table.cells import infer_kind, show_cell


class Cause(StrEnum):
    """Causes that code asks for. Columns that are excluded for another cause have OTHER."""

    CONSTANT = auto()
    IDENTIFIER = auto()
    SENTENCES = auto()
    STRAYS = auto()  # numbers with single cells of text
    OTHER = auto()


class Exclusion(str):
    """The reason why a column is not made a feature, in words, and its cause. No code reads the words."""

    cause: Cause

    def __new__(cls, words: str, cause: Cause = Cause.OTHER) -> Self:
        """Return the words with their cause."""
        made = super().__new__(cls, words)
        made.cause = cause
        return made


#: Texts with at least this number of spaces, in the median, are taken to be sentences and no names.
MIN_SPACES = 3


def explain_invalid(column: Column, max_categories: int) -> str | None:
    """Return the reason that a column cannot be a feature even if the user names it, or None."""
    kind = infer_kind(column)
    if kind == "numbers":
        return None
    if kind == "text":
        distinct = column.nunique()
        return _describe_many(distinct, len(column), max_categories) if distinct > max_categories else None
    return {
        "nothing": "no value at all",
        "dates": "dates or times; turn them into numbers, such as a year or days since a start, to use them",
        "lists": f"lists; name it with {option('vectors')} or {option('tags')} to use it",
        "other": "values that are neither numbers nor text",
    }[kind]


def explain_exclusion(column: Column, max_categories: int) -> str | None:
    """Return the reason that a column is not a feature by default, or None."""
    kind = infer_kind(column)
    if kind not in ("numbers", "text"):
        return explain_invalid(column, max_categories)
    observed = column[column.notna()]
    if (observed == observed.iloc[0]).all():
        return Exclusion(f"a single value ({observed.iloc[0]})", Cause.CONSTANT)
    if str(column.name).lower() == "id":
        return _exclude_identifier("it is called id")
    return _exclude_numbers(column) if kind == "numbers" else _exclude_text(observed, max_categories)


def _exclude_numbers(column: Column) -> str | None:
    """Exclude whole numbers without gaps that differ in every row: they count rows and measure nothing."""
    counts_rows = pd.api.types.is_integer_dtype(column.dtype) and column.is_unique and column.notna().all()
    return _exclude_identifier("every value is different") if counts_rows else None


def _exclude_text(observed: Column, max_categories: int) -> str | None:
    """Exclude text unless it has a limited number of values, each twice on average. The reason depends on its form."""
    distinct = observed.nunique()
    if distinct <= max_categories and 2 * distinct <= len(observed):
        return None
    strays = pd.to_numeric(observed.astype(object), errors="coerce").isna().to_numpy()
    if 0 < strays.mean() < 0.5:
        first = show_cell(observed[strays], 0)
        words = f"numbers with text among them, first {first}; correct such cells to use it"
        return Exclusion(words, Cause.STRAYS)
    texts = observed.astype(str)
    cause = Cause.SENTENCES if texts.str.count(r"\s").median() >= MIN_SPACES else Cause.OTHER
    if distinct == len(observed):
        if texts.str.match(r"\s*\[").all():
            own = f"or as a .npy file ({option('vectors')})"
            return f"lists written as text; give vectors as lists in a Parquet file, {own}"
        if cause is Cause.SENTENCES:
            return Exclusion(f"a different text in every row; name it with {option('text')} to use its words", cause)
        return _exclude_identifier("every value is different")
    if not strays.any():
        return "numbers stored as text; convert them to numbers to use it"
    return Exclusion(_describe_many(distinct, len(observed), max_categories), cause)


def _exclude_identifier(sign: str) -> Exclusion:
    words = f"{sign}: an identifier; name it with {option('id')} if it identifies the rows"
    return Exclusion(words, Cause.IDENTIFIER)


def _describe_many(distinct: int, n_rows: int, max_categories: int) -> str:
    return (
        f"{distinct} distinct texts in {n_rows} rows, where categories are at most {max_categories} and repeat "
        f"({option('max_categories')}); name it with {option('text')} to use its words"
    )
