"""Values that are probably codes of missing values, such as -99."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel._wording import Notes, option_names, plural, quoted
from halflabel.table.cells import as_floats
from halflabel.table.roles import Roles

#: Minimum share of the rows, and number of them, that have a code of a missing value.
MIN_SHARE, MIN_ROWS = 0.01, 3

#: Maximum number of columns in a sentence.
MAX_COLUMNS = 5

#: Whole numbers of equal digits, 7 to 9 as in surveys, and -1.
_CODES = (-1, *(sign * int(n * digit) for sign in (1, -1) for digit in "789" for n in range(1, 16)))


def describe_odd_values(frame: pd.DataFrame, roles: Roles, missing: Sequence[str] = ()) -> Notes:
    """Return sentences about values of the number columns that are probably codes of missing values.

    Parameters
    ----------
    frame : DataFrame
    roles : Roles
    missing : sequence of str
        The values that mean a missing value.
    """
    return tuple(_describe_codes({name: hide_codes(as_floats(frame[name]), missing) for name in roles.numeric}))


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
    """Return repeated values that are the lowest or the highest of a column, and far from all others: -99, 999.

    It is far at half of the range of all other values; a negative one below values that are not negative always is.

    Examples
    --------
    >>> ratings = [1.0, 2, 3, 4, 5]
    >>> find_codes(np.array(3 * [*ratings, -99, 999])), find_codes(np.array(3 * [*ratings, 7]))
    ([-99.0, 999.0], [])
    """
    known = values[~np.isnan(values)]
    least, most = known.min(initial=0), known.max(initial=0)
    likely = [code for code in _CODES if least <= code <= most]
    codes, number = np.unique(known[np.isin(known, likely)], return_counts=True)
    codes = codes[number >= max(MIN_ROWS, MIN_SHARE * len(values))]
    if not len(codes) or len(inner := np.unique(known[~np.isin(known, codes)])) < 3:
        return []
    low, high = inner[0], inner[-1]
    below = (codes < low) & ((low - codes > (high - low) / 2) | ((codes < 0) & (low >= 0)))
    found: list[float] = codes[below | (codes - high > (high - low) / 2)].tolist()
    return found


def _describe_codes(columns: dict[str, Floats]) -> Iterator[str]:
    """Yield a sentence for the values that are probably codes of missing values."""
    found: dict[tuple[float, ...], list[str]] = {}
    for name, values in columns.items():
        if own := find_codes(values):
            found.setdefault(tuple(own), []).append(name)
    for codes, names in found.items():
        words = [_write_number(code) for code in codes]
        number = sum(int(np.isin(columns[name], codes).sum()) for name in names)
        yield (
            f"{plural(number, 'cell')} of {quoted(names, MAX_COLUMNS)} with {' or '.join(words)}, far from all other "
            f"values. If this means a missing value, state {option_names('missing', words)}."
        )


def _write_number(value: float) -> str:
    """Return a number as the shortest text that is read as the same number."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e16 else repr(value)
