"""Values that are probably no measurements: codes of missing values, total rows, and numbers that are names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel._wording import name_row, option, option_names, plural, quoted
from halflabel.table.cells import infer_kind
from halflabel.table.roles import Roles

#: Minimum share of the rows, and number of them, that have a code of a missing value.
MIN_SHARE, MIN_ROWS = 0.01, 3

#: Maximum number of different codes at one end of a column, and of columns in a sentence.
MAX_CODES, MAX_COLUMNS = 3, 5

#: A number or a date with further marks, such as 1/5, 3-4, <0.1 or 5'11".
_WRITTEN = re.compile(r"[^\w\s]?\s?\d+(?:\s?[^\w\s]\s?\d+)*[^\w\s]?")

#: Minimum number of columns whose sums, or means, a total row has.
MIN_SUMS = 2

_EQUAL_DIGITS = re.compile(r"(7|8|9)\1*")
_TOTALS = re.compile(r"(grand )?(totals?|totaal|sums?|summe|gesamt|mean|average|avg|mittelwert|somme|suma)\W*", re.I)
_CODES = re.compile(
    r"(?:^|[_\W])(?i:ids?|zip|plz|postcode|postal|codes?|cluster|class|category|type|key|nr|no|user|customer|account|phone|"
    r"isbn|ean|sku)(?:$|[_\W])|[a-z](?:Id|ID|Code|Key|Nr|No)$|^(?i:unnamed: [\d.]+|index|level_\d|row)$"
)


def describe_odd_values(frame: pd.DataFrame, roles: Roles, missing: Sequence[str] = ()) -> tuple[str, ...]:
    """Return a sentence for each kind of value of the number columns that is probably no measurement.

    Parameters
    ----------
    frame : DataFrame
    roles : Roles
    missing : sequence of str
        The values that mean a missing value.
    """
    columns = {name: hide_codes(_as_floats(frame[name]), missing) for name in roles.numeric}
    return (
        *_describe_codes(columns),
        *_describe_total(frame, columns),
        *_describe_names(frame, columns),
        *_describe_written_numbers(frame, roles),
    )


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


def _describe_total(frame: pd.DataFrame, columns: dict[str, Floats]) -> Iterator[str]:
    """Yield a sentence if the last row has the sums or the means of the rows above."""
    if len(frame) < MIN_ROWS + 1:
        return
    last = {name: (values[-1], values[:-1][~np.isnan(values[:-1])]) for name, values in columns.items()}
    whole = {name: pair for name, pair in last.items() if np.isfinite(pair[0]) and len(pair[1]) >= MIN_ROWS}
    sums, means = (
        [name for name, (value, rest) in whole.items() if np.ptp(rest) > 0 and np.isclose(value, of(rest), rtol=1e-4)]
        for of in (np.sum, np.mean)
    )
    names = max(sums, means, key=len)
    words = [str(cell) for cell in frame.iloc[-1] if isinstance(cell, str) and _TOTALS.fullmatch(cell.strip())]
    if len(names) >= (1 if words else MIN_SUMS) and 2 * len(names) > len(whole):
        kind = "sums" if names is sums else "means"
        yield (
            f"The last row ({name_row(len(frame) - 1)}{f', {words[0]!r}' if words else ''}) has the {kind} of the rows "
            f"above in {quoted(names, MAX_COLUMNS)}, and is read as an item. If it is a total row, leave it out: "
            f"{option('skip_rows', 'last')}."
        )


def _describe_names(frame: pd.DataFrame, columns: dict[str, Floats]) -> Iterator[str]:
    """Yield a sentence about columns of whole numbers that are called like codes."""
    names = [
        name
        for name, values in columns.items()
        if _CODES.search(name) and infer_kind(frame[name]) == "numbers" and _are_whole(values)
    ]
    if names:
        are = "is a quantity" if len(names) == 1 else "are quantities"
        yield (
            f"{quoted(names, MAX_COLUMNS)} {are} here, but {'its name is' if len(names) == 1 else 'their names are'} "
            f"like that of a code: leave out a column that is not a quantity with {option_names('ignore', names)}."
        )


def _describe_written_numbers(frame: pd.DataFrame, roles: Roles) -> Iterator[str]:
    """Yield a sentence about categories whose values look like numbers or dates, such as 1/5 or 03.05.2024."""
    for name in roles.categorical:
        texts = [str(text) for text in frame[name].dropna().unique() if isinstance(text, str)]
        found = [text for text in texts if _WRITTEN.fullmatch(text.strip())]
        if len(texts) > 2 and 2 * len(found) > len(texts):
            yield (
                f"{name!r} is a category here, but its values look like numbers or dates, such as {found[0]!r}: write "
                "plain numbers to use their order."
            )


def _write_number(value: float) -> str:
    """Return a number as the shortest text that is read as the same number."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e16 else repr(value)


def _are_whole(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return len(np.unique(known[:1000])) > 2 and bool((known == np.floor(known)).all())
