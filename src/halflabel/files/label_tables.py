"""From tables of labels and probabilities to cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Mask
from halflabel.files.records import SOURCES, Records, cell_table
from halflabel.labels import PartialLabels

_GIVEN, _MODEL = SOURCES.index("given"), SOURCES.index("model")


def from_tables(
    items: pd.DataFrame,
    labels: pd.DataFrame | PartialLabels,
    probabilities: Any = None,
    given: pd.DataFrame | PartialLabels | None = None,
    *,
    model: str | None = None,
    format: str = "",
    notes: Sequence[str] = (),
) -> Records:
    """Return records from tables with one row per item and one column per label.

    Parameters
    ----------
    items : DataFrame of shape (n_items, n_fields)
        The items' own fields; the index holds their ids.
    labels : DataFrame or PartialLabels of shape (n_items, n_labels)
        The values: 1, 0 or missing.
    probabilities : DataFrame or array-like of shape (n_items, n_labels), optional
        Probabilities that a label is relevant; NaN where there is none.
    given : DataFrame or PartialLabels of shape (n_items, n_labels), optional
        The values that were given; what ``labels`` adds or changes is a suggestion. By default all were given.
    model : str, optional
        The name of the model that made the suggestions.

    Raises
    ------
    ValueError
        If the tables do not have the same shape, ids are not distinct, or a value is not 1, 0 or missing.
    """
    names, values = _values(labels)
    given_names, answers = (names, values) if given is None else _values(given)
    p = np.full(values.shape, np.nan) if probabilities is None else np.asarray(probabilities, dtype=np.float64)
    if given_names != names:
        raise ValueError("labels and given labels must have the same names in the same order.")
    _check(items, values, answers, p)
    answered = ~np.isnan(answers)
    suggested = ~np.isnan(values) & (values != answers)
    undecided = np.isnan(values) & ~answered & ~np.isnan(p)
    stated = labels if given is None else given
    return Records(
        items=items,
        cells=pd.concat(
            [
                _entries(answered, answers, np.where(suggested, np.nan, p), _GIVEN, None),
                _entries(suggested | undecided, values, p, _MODEL, model),
            ],
            ignore_index=True,
        ),
        names=names,
        annotated=np.asarray(stated.annotated if isinstance(stated, PartialLabels) else answered.any(axis=1)),
        closed=np.zeros(len(names), dtype=np.bool_),
        positive_only=isinstance(stated, PartialLabels) and stated.positive_only,
        format=format,
        notes=tuple(notes),
    )


def _values(labels: pd.DataFrame | PartialLabels) -> tuple[tuple[str, ...], Floats]:
    """Return (names, values with NaN for unknown). A table in which nothing is known is allowed here."""
    if isinstance(labels, pd.DataFrame) and not labels.notna().any(axis=None):
        return tuple(map(str, labels.columns)), np.full(labels.shape, np.nan)
    checked = PartialLabels.from_table(labels)
    return checked.names, checked.values()


def _entries(chosen: Mask, values: Floats, p: Floats, source: int, by: str | None) -> pd.DataFrame:
    rows, columns = np.nonzero(chosen)
    return cell_table(rows, columns, values[rows, columns], source, p[rows, columns], by)


def _check(items: pd.DataFrame, labels: Floats, given: Floats, p: Floats) -> None:
    if not items.index.is_unique:
        twice = items.index[items.index.duplicated()][0]
        raise ValueError(f"ids must be distinct, but {twice!r} appears twice in the index of the items.")
    if len(items) != len(labels) or given.shape != labels.shape or p.shape != labels.shape:
        raise ValueError(
            f"there are {len(items)} items, but labels of shape {labels.shape}, given labels of shape {given.shape} "
            f"and probabilities of shape {p.shape}."
        )
    if ((p < 0) | (p > 1)).any():
        raise ValueError("a probability is below 0 or above 1.")
