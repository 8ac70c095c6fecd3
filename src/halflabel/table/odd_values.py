"""Values that are probably codes of missing values, such as -99."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel._wording import option_names, plural, quoted
from halflabel.table.roles import Roles

#: Minimum share of the rows, and number of them, that have a code of a missing value.
MIN_SHARE, MIN_ROWS = 0.01, 3

#: Maximum number of different codes at one end of a column, and of columns in a sentence.
MAX_CODES, MAX_COLUMNS = 3, 5

_EQUAL_DIGITS = re.compile(r"(7|8|9)\1*")


def describe_odd_values(frame: pd.DataFrame, roles: Roles, missing: Sequence[str] = ()) -> tuple[str, ...]:
    """Return sentences about values of the number columns that are probably codes of missing values.

    Parameters
    ----------
    frame : DataFrame
    roles : Roles
    missing : sequence of str
        The values that mean a missing value.
    """
    return tuple(_describe_codes({name: hide_codes(_as_floats(frame[name]), missing) for name in roles.numeric}))


def hide_codes(values: Floats, missing: Collection[str]) -> Floats:
    """Return numbers with NaN in place of the codes of missing values.

    Examples
    --------
    >>> hide_codes(np.array([1.0, -99.0]), ["-99", "none"]).tolist()
    [1.0, nan]
    """
    codes = [number for number in (pd.to_numeric(word, errors="coerce") for word in missing) if not np.isnan(number)]
    return np.where(np.isin(values, codes), np.nan, values) if codes else values


def find_codes(values: Floats) -> list[float]:
    """Return repeated values at the ends of a column that are far from all others, such as -99 and 999.

    Far is twice the range of all other values. A value of equal digits (99, -888) is far at half of the range, and
    so is a negative one below values that are not negative.

    Examples
    --------
    >>> ratings = [1.0, 2, 3, 4, 5]
    >>> find_codes(np.array(3 * [*ratings, -99, 999])), find_codes(np.array(3 * [*ratings, 7]))
    ([-99.0, 999.0], [])
    """
    known = values[~np.isnan(values)]
    distinct, number = np.unique(known, return_counts=True)
    often = number >= max(MIN_ROWS, MIN_SHARE * len(values))
    ends = [(low, high) for low in range(MAX_CODES + 1) for high in range(MAX_CODES + 1) if low + high]
    for low, high in sorted(ends, key=sum, reverse=True):
        inner = distinct[low : len(distinct) - high]
        if len(inner) < 3:
            continue
        lower, upper = distinct[:low], distinct[len(distinct) - high :]
        is_repeated = often[:low].all() and often[len(distinct) - high :].all()
        below = _is_far(lower, inner) or (len(inner) > 2 and _is_filler(lower, inner))
        if is_repeated and below and _is_far(-upper[::-1], -inner[::-1], negative=False):
            return [*lower.tolist(), *upper.tolist()]
    return []


def _is_far(codes: Floats, inner: Floats, *, negative: bool = True) -> bool:
    """Return whether codes are far below the values of a column, of which both are in order."""
    if not len(codes):
        return True
    gap, spread = inner[0] - codes[-1], inner[-1] - inner[0]
    if not all(_EQUAL_DIGITS.fullmatch(f"{abs(code):.0f}") and code == round(code) for code in codes):
        return bool(gap > 2 * spread)
    return bool(gap > spread / 2 or (negative and codes[-1] < 0 <= inner[0]))


def _is_filler(codes: Floats, inner: Floats) -> bool:
    """Return whether -1 or 0 stands alone below values that are all larger, and nearer to each other."""
    gap, steps = inner[0] - codes[-1], np.diff(inner)
    return (
        len(codes) == 1 and codes[0] in (-1, 0) and gap > 1 and gap > 2 * steps.max() and 4 * gap > inner[-1] - inner[0]
    )


def _as_floats(column: pd.Series[Any]) -> Floats:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _describe_codes(columns: dict[str, Floats]) -> Iterator[str]:
    """Yield a sentence for the values that are probably codes of missing values."""
    found: dict[tuple[float, ...], list[str]] = {}
    for name, values in columns.items():
        if own := find_codes(values):
            found.setdefault(tuple(own), []).append(name)
    for codes, names in found.items():
        words, one = [_write_number(code) for code in codes], len(codes) == 1
        number = sum(int(np.isin(columns[name], codes).sum()) for name in names)
        yield (
            f"{' and '.join(words)} {'is' if one else 'are'} in {plural(number, 'cell')} of "
            f"{quoted(names, MAX_COLUMNS)}, far from all other values, and read as {'a number' if one else 'numbers'}. "
            f"If this means a missing value, state {option_names('missing', words)}."
        )


def _write_number(value: float) -> str:
    """Return a number as the shortest text that is read as the same number."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e16 else repr(value)
