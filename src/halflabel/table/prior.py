"""Probabilities from another source, in the rows and labels of the items: a further table, or a field of the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Column, Floats
from halflabel._wording import Notes, count, option, quoted
from halflabel.labels.calibration import require_probabilities
from halflabel.table.cells import describe_missing, is_unnamed, read_as_numbers, use_text_names
from halflabel.table.columns import Description
from halflabel.table.rows import match_rows
from halflabel.table.tag_columns import read_tag_parts
from halflabel.table.tag_recognition import recognise_tags

#: How a prior without a column of ids is read.
_IN_ORDER = "The rows of the prior are the items in the same order, because no column identifies them."


def read_prior(prior: Any, labels: Sequence[str], items: pd.DataFrame, id: str | None = None) -> tuple[Floats, Notes]:
    """Return a prior with one row per item and one column per label, and a sentence on its size.

    Parameters
    ----------
    prior : DataFrame or array-like
        Of a table, the columns that are named like labels are read. :func:`halflabel.table.rows.match_rows` finds its
        rows, as of every further table; a table of nothing but labels may have one row per item in order.
        An array needs the shape of the labels.
    labels : sequence of str
    items : DataFrame
    id : str, optional
        Name of the id column of the items.

    Returns
    -------
    table : ndarray of shape (n_items, n_labels)
        NaN where the prior has no value.
    notes : tuple of str

    Raises
    ------
    ValueError
        If it has no column of a label, no row of an item, an id twice, another length, rows that can belong to
        different items, or values that are not probabilities.

    Examples
    --------
    >>> prior, items = pd.DataFrame({"song": ["b", "a"], "sad": [0.9, 0.2]}), pd.DataFrame({"song": ["a", "b"]})
    >>> table, notes = read_prior(prior, ["sad", "live"], items)
    >>> table.tolist(), notes[0]
    ([[0.2, nan], [0.9, nan]], "The prior has a value for 2 of 4 entries, none for the label 'live'.")
    """
    how: Notes = ()
    if isinstance(prior, pd.DataFrame) and is_unnamed(prior) and prior.shape[1] == len(labels):
        prior = prior.to_numpy()
    if isinstance(prior, pd.DataFrame):
        values, how = _order_rows(use_text_names(prior), labels, use_text_names(items), id)
    else:
        values = np.asarray(prior, dtype=float)
    return _check(values, labels, items.index if id is None else items[id], how)


def read_scores(field: str, labels: Sequence[str], items: pd.DataFrame) -> tuple[Floats, Notes]:
    """Return the scores that a field of the items holds, as :func:`read_prior` does.

    Examples
    --------
    >>> items = pd.DataFrame({"llm.rock": [0.9, None], "llm.sad": [0.1, 0.2]})
    >>> read_scores("llm", ["rock", "sad"], items)[0].tolist()
    [[0.9, 0.1], [nan, 0.2]]
    """
    names = find_fields(items, field)
    if names[0].startswith(f"{field}."):
        scores = items[names].rename(columns=lambda name: name.removeprefix(f"{field}."))
    else:
        scores = _read_cells(items[names[0]], field)
    return _check(_read_columns(scores, labels), labels, items.index)


def find_fields(items: pd.DataFrame, field: str) -> list[str]:
    """Return the columns that hold a field of scores: one for each label, or the column that has it."""
    names = list(map(str, items.columns))
    holders = [name for name in names if field == name or field.startswith(f"{name}.")]
    parts = [name for name in names if name.startswith(f"{field}.")]
    if parts and field not in names:
        return parts
    if not holders:
        raise ValueError(describe_missing(field, names))
    return [max(holders, key=len)]


def _read_cells(column: Column, field: str) -> pd.DataFrame:
    """Return the scores in the cells of a column, or in a key of the objects there. They are written as tags are."""
    cells = list(column)
    for key in field.removeprefix(str(column.name)).split(".")[1:]:
        cells = [cell.get(key) if isinstance(cell, Mapping) else None for cell in cells]
    found: Column = pd.Series(cells, dtype=object, name=field)
    tags = read_tag_parts(found, recognise_tags(found, Description(scores="prior")))
    rows = [{tag.name: tag.relevant if tag.score is None else tag.score for tag in each or () if tag is not None}
            for each in tags]  # fmt: skip
    return pd.DataFrame(rows, dtype=float)


def _check(values: Floats, labels: Sequence[str], ids: Any, how: Notes = ()) -> tuple[Floats, Notes]:
    """Return a prior with sentences about it. Raise unless it has a probability for some entries."""
    if values.shape != (len(ids), len(labels)):
        raise ValueError(
            f"the prior has shape {values.shape}, the labels {(len(ids), len(labels))}: give one value per entry."
        )
    require_probabilities(values, "the prior", ids.tolist(), labels)
    given = ~np.isnan(values)
    if not given.any():
        raise ValueError("the prior has no value for any of these items: are its ids the ids of the items?")
    rest = [name for j, name in enumerate(labels) if not given[:, j].any()]
    without = f", none for the label{'s' * (len(rest) > 1)} {quoted(rest)}" if rest else ""
    return values, (
        f"The prior has a value for {count(int(given.sum()))} of {count(given.size)} entries{without}.",
        *how,
    )


def _read_columns(table: pd.DataFrame, labels: Sequence[str]) -> Floats:
    """Return the columns that are named like labels, and NaN for labels without a column."""
    names = [name for name in labels if name in table.columns]
    if not names:
        raise ValueError(f"the prior has no column of a label; the labels are {quoted(labels)}.")
    values = np.full((len(table), len(labels)), np.nan)
    for name in names:
        values[:, list(labels).index(name)] = read_as_numbers(table[name].rename(f"{name} of the prior"))
    return values


def _order_rows(
    prior: pd.DataFrame, labels: Sequence[str], items: pd.DataFrame, id: str | None
) -> tuple[Floats, Notes]:
    """Return the values in the order of the items, NaN for an item that the prior lacks, and how they were found."""
    given = _read_columns(prior, labels)
    found = match_rows(prior, items, id, None, labels, "the prior")
    if found is None:
        _require_order(prior, labels, items, id)
        return given, (_IN_ORDER,)
    rows, how = found
    values = np.full((len(items), len(labels)), np.nan)
    values[rows[rows >= 0]] = given[rows >= 0]
    return values, how


def _require_order(prior: pd.DataFrame, labels: Sequence[str], items: pd.DataFrame, id: str | None) -> None:
    """Raise unless the rows of the prior can only be the items in the same order."""
    others = [name for name in prior.columns if name not in labels]
    if others or len(prior) != len(items):
        found = f"the prior has {len(prior)} rows for {len(items)} items"
        found = f"no column of the prior identifies its rows ({quoted(others)})" if others else found
        by_id = f"name the ids of the items ({option('id')})" if id is None else f"a column {id!r} to find rows by"
        raise ValueError(f"{found}: give only the columns of labels, one row per item in order, or {by_id}.")
    if (items.index.isin(prior.index) & (items.index != prior.index)).any():
        raise ValueError(
            "the prior numbers its rows from 0, but the row labels of the items are such numbers in another order: "
            "give the prior the row labels of its items, such as prior.index = items.index."
        )
