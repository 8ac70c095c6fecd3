"""Tables and lists of labels as users give them, read as numbers and as names."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from halflabel._arrays import Floats, Mask

#: Maximum number of cells of a dense int8 table, which then takes 200 MB.
MAX_CELLS = 200_000_000


def read_float_table(Y: Any) -> tuple[Floats, tuple[str, ...]]:
    """Return (values with NaN for missing, label names). Raise with the reason if ``Y`` is invalid."""
    frame = as_frame(Y)
    check_size(*frame.shape)
    names = tuple(str(name) for name in frame.columns)
    columns = [_as_float(frame.iloc[:, j], names[j]) for j in range(frame.shape[1])]
    return np.column_stack(columns) if columns else np.empty((len(frame), 0)), names


def as_frame(Y: Any) -> pd.DataFrame:
    """Return labels in any form as a DataFrame, one column per label. Raise for a form whose gaps are ambiguous."""
    if isinstance(Y, np.ma.MaskedArray):
        raise TypeError(
            "labels were given as a masked array, whose mask scikit-learn drops silently: "
            "pass labels.filled(numpy.nan), or PartialLabels.from_observed(Y, mask)."
        )
    if sparse.issparse(Y):
        raise TypeError(
            "labels were given as a sparse matrix, where an absent entry may mean irrelevant or unknown: pass "
            "Y.toarray() if it means irrelevant, PartialLabels.from_positives(Y.toarray()) if it means unknown."
        )
    frame = Y.to_frame() if isinstance(Y, pd.Series) else Y
    if not isinstance(frame, pd.DataFrame):
        array = np.asarray(frame)
        if array.ndim not in (1, 2):
            raise ValueError(
                f"labels must have one row per item and one column per label, not {array.ndim} dimensions."
            )
        array = array[:, None] if array.ndim == 1 else array
        frame = pd.DataFrame(array, columns=[f"label{j}" for j in range(array.shape[1])])
    return frame


def _as_float(column: pd.Series[Any], name: str) -> Floats:
    """Return one label column as floats, or raise with the first value that is text."""
    is_numeric, is_complex = pd.api.types.is_numeric_dtype, pd.api.types.is_complex_dtype
    if is_numeric(column.dtype) and not is_complex(column.dtype):  # booleans and nullable integers too
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    values, known = column.astype("object"), column.notna().to_numpy()
    for row, value in enumerate(values):  # one by one: NumPy would read the text "1" as a number
        if known[row] and not isinstance(value, Real | Decimal | np.bool_):
            raise ValueError(
                f"label {name!r} holds {value!r} (row {row}), but a label is 1 (has it), 0 (does not have it) or "
                "missing (unknown). Map such values to 1 and 0 first; lists of tags go through PartialLabels.from_tags."
            )
    return values.where(known, np.nan).to_numpy(dtype=np.float64)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or a missing value of pandas."""
    return (
        value is None
        or value is pd.NA
        or value is pd.NaT
        or (isinstance(value, float | np.floating) and bool(np.isnan(value)))
    )


def read_tags(row: Any, item: int) -> list[str] | None:
    """Return the tags of a list, or None for a list of missing values only."""
    parts = list(_as_list(row, item))
    tags = [str(tag) for tag in parts if not is_missing(tag)]
    return tags if tags or not parts else None


def _as_list(row: Any, item: int) -> Iterable[Any]:
    if isinstance(row, str | bytes) or not isinstance(row, Iterable):
        raise TypeError(f"item {item} has {row!r} instead of a list of tags: split the text first, for example on ';'.")
    return row


def describe_impossible(values: Floats, wrong: Mask, names: tuple[str, ...]) -> str:
    """Return why the first of the wrong values is not a label."""
    row, column = np.argwhere(wrong)[0]
    value = values[row, column]
    cause = {
        -1.0: "If -1 means unknown, use PartialLabels.from_minus_one(Y); if it means irrelevant, replace it by 0.",
        2.0: "scikit-learn's cross_val_predict recodes NaN to 2: use halflabel.methods.model_selection.out_of_fold "
        "instead.",
    }.get(value, "Replace other values first.")
    return (
        f"label {names[column]!r} holds {value:g} (row {row}), but a label is 1 (has it), "
        f"0 (does not have it) or missing (unknown). {cause}"
    )


def check_size(n_items: int, n_labels: int) -> None:
    """Raise for a table of more than :data:`MAX_CELLS` cells."""
    if n_items * n_labels > MAX_CELLS:
        raise ValueError(
            f"{n_items} items x {n_labels} labels are more than {MAX_CELLS:.0e} cells: "
            f"keep the most frequent labels only, or rank the labels of each item with "
            "`halflabel rank` of halflabel-scale (in a clone: pip install ./scale)."
        )
