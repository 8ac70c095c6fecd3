"""Text cells -> values: a column becomes numbers or truth values where every cell is one and nothing is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute

from halflabel._arrays import Floats

_DIGITS, _LEADING_ZERO = r"^\s*[+-]?\d+\s*$", r"^\s*[+-]?0\d"
_TRUTH = ["True", "TRUE", "true", "False", "FALSE", "false"]

#: A number as most of Europe writes it: 40,92 or 1.240,5; and one that may as well be 1,240 with a thousands comma.
_COMMA = r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2}(,\d{3})?$"


def to_values(column: pa.ChunkedArray, *, decimal_comma: bool = False) -> tuple[Any, str | None]:
    """Return a text column as values, with a remark where its notation was not the plain one.

    Digits with a leading zero (``007``) and whole numbers beyond 2^53 are names, not quantities: the column stays
    text, as it is written.

    Parameters
    ----------
    column : ChunkedArray of string
        Null where a cell is missing.
    decimal_comma : bool
        Whether ``1,240`` is 1.24 where nothing in the column decides: the cells are not separated by commas.

    Returns
    -------
    values : array-like
    remark : {"decimal comma", "comma unclear", None}
    """
    trimmed = compute.utf8_trim_whitespace(column)
    column = compute.if_else(compute.equal(trimmed, ""), None, column)  # in quotes, or blanks, and empty all the same
    trimmed = compute.if_else(compute.equal(trimmed, ""), None, trimmed)
    try:
        numbers = trimmed.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return _comma_numbers(column, trimmed, decimal_comma)
    fractions = np.isfinite(numbers) & (numbers != np.floor(numbers))
    plain = fractions.any() or column.null_count == len(column)
    return (numbers if plain else _whole_numbers(column, numbers)), None


def _comma_numbers(column: pa.ChunkedArray, trimmed: pa.ChunkedArray, decimal_comma: bool) -> tuple[Any, str | None]:
    with_comma = compute.match_substring(trimmed, ",")
    if not compute.any(with_comma).as_py() or not _all_match(trimmed, _COMMA):
        return _words(column), None
    if not decimal_comma and _all_match(trimmed, _THOUSANDS):
        return _words(column), "comma unclear"
    plain = compute.replace_substring(compute.replace_substring(trimmed, ".", ""), ",", ".")
    return plain.cast(pa.float64()).to_numpy(), "decimal comma"


def _words(column: pa.ChunkedArray) -> Any:
    if not compute.all(compute.is_in(column.drop_null(), pa.array(_TRUTH))).as_py():
        return column.to_pandas()
    truth = compute.equal(compute.utf8_lower(column), "true")
    return truth.to_pandas() if column.null_count == 0 else pd.array(truth.to_pylist(), dtype="boolean")


def _whole_numbers(column: pa.ChunkedArray, numbers: Floats) -> Any:
    """Return integers, floats where a value is missing or written as one, or the text where it is a name."""
    all_digits = _all_match(column, _DIGITS)
    name = compute.any(compute.match_substring_regex(column, _LEADING_ZERO)).as_py()
    if name or (all_digits and np.nanmax(np.abs(numbers)) > 2**53):
        return column.to_pandas()
    return numbers.astype(np.int64) if all_digits and column.null_count == 0 else numbers


def _all_match(column: pa.ChunkedArray, pattern: str) -> bool:
    return bool(compute.all(compute.match_substring_regex(column, pattern)).as_py())
