"""Probabilities inside the records of the items: a field of scores, or one field per label."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._wording import clipped, name_row, option
from halflabel.table.cells import describe_missing
from halflabel.table.columns import Description

#: Keys of a name and of a score in an object such as ``{"name": "rock", "score": 0.9}``.
_NAMES = ("name", "tag", "label", "class", "value")
_SCORES = ("score", "probability", "p", "prob", "confidence")


def take_scores(frame: pd.DataFrame, columns: Description) -> Description:
    """Return the columns with the scores of a field as the prior. The field is not a feature.

    Examples
    --------
    >>> frame = pd.DataFrame({"n": [1, 2], "llm.rock": [0.9, None], "llm.sad": [0.1, 0.2]})
    >>> take_scores(frame, Description(prior_field="llm")).prior
       rock  sad
    0   0.9  0.1
    1   NaN  0.2
    """
    field = columns.prior_field
    if field is None:
        return columns
    if columns.prior is not None:
        raise ValueError(f"the prior was given twice ({option('prior')}, {option('prior_field')}): use one.")
    parts = {name: str(name).removeprefix(f"{field}.") for name in frame.columns if str(name).startswith(f"{field}.")}
    if field in frame.columns:
        scores = pd.DataFrame([_read_cell(cell, row, field) for row, cell in enumerate(frame[field])])
    elif parts:
        scores = frame[list(parts)].rename(columns=parts)
    else:
        scores = _read_nested(frame, field)
    key = columns.id if columns.id in frame.columns else None
    # The row labels are the ids of the items, so that no key is needed.
    index = pd.Index(frame.index.to_numpy() if key is None else frame[key].to_numpy())
    ignore = (*columns.ignore, *(parts if field not in frame.columns and parts else (_find_column(frame, field),)))
    return replace(columns, prior=scores.set_axis(index, axis=0), ignore=ignore, prior_field=None)


def _find_column(frame: pd.DataFrame, field: str) -> str:
    """Return the column that holds a field, which may be a part of the objects in it."""
    names = [name for name in frame.columns if field == name or field.startswith(f"{name}.")]
    if not names:
        raise ValueError(describe_missing(field, map(str, frame.columns)))
    return str(max(names, key=len))


def _read_nested(frame: pd.DataFrame, field: str) -> pd.DataFrame:
    """Return the scores of a field inside the objects of a column."""
    column = _find_column(frame, field)
    path = field.removeprefix(f"{column}.").split(".")
    rows = []
    for row, cell in enumerate(frame[column]):
        inner = _parse(cell)
        for key in path:
            inner = inner.get(key) if isinstance(inner, Mapping) else None
        rows.append(_read_cell(inner, row, field))
    return pd.DataFrame(rows)


def _read_cell(cell: Any, row: int, field: str) -> dict[str, float]:
    """Return the scores of an item by name: none for a missing cell."""
    value = _parse(cell)
    try:
        if value is None:
            return {}
        pairs: Iterable[Any] = value.items() if isinstance(value, Mapping) else map(_read_object, value)
        return {str(name).strip(): float(score) for name, score in pairs if score is not None}
    except (TypeError, ValueError):
        raise ValueError(
            f"the field {field!r} holds {clipped(repr(cell), 60)} ({name_row(row)}), but scores are objects such as "
            '{"rock": 0.9} or lists of {"name": "rock", "score": 0.9}.'
        ) from None


def _read_object(value: Any) -> tuple[Any, Any]:
    """Return the name and the score of an object, or of a pair."""
    if isinstance(value, Mapping):
        names, scores = ([value[key] for key in keys if key in value] for keys in (_NAMES, _SCORES))
        return (*names, None)[0], (*scores, "")[0]  # a text that is not a number is an error
    name, score = value
    return name, score


def _parse(cell: Any) -> Any:
    """Return an object that may be written as JSON, or None for a missing cell."""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
        with suppress(ValueError):
            return json.loads(cell)
    if cell is None or cell is pd.NA or (isinstance(cell, float) and np.isnan(cell)):
        return None
    return cell
