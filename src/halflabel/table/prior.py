"""A table of probabilities from another source, brought into the rows and labels of the items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel._wording import count, option, quoted
from halflabel.labels.calibration import require_probabilities
from halflabel.table.cells import is_unnamed, read_as_numbers, read_as_text, use_text_names
from halflabel.table.rows import check_other_names, check_rows, find_key

#: How a prior without a column of ids is read.
_IN_ORDER = "The rows of the prior are the items in the same order, because no column identifies them."


def align_prior(
    prior: Any,
    index: pd.Index[Any],
    labels: Sequence[str],
    id: str | None = None,
    items: pd.DataFrame | None = None,
) -> tuple[Floats, tuple[str, ...]]:
    """Return a prior with one row per item and one column per label, and a sentence on its size.

    Parameters
    ----------
    prior : DataFrame or array-like
        Of a table, the columns that are named like labels are read. Its rows are found by the column ``id`` if there is
        one, else by the row labels if it has its own, else by a column that identifies the rows of both tables; else it
        needs one row per item, in the same order. An array needs the shape of the labels.
    index : Index
        The ids of the items.
    labels : sequence of str
    id : str, optional
        Name of the id column of the items.
    items : DataFrame, optional
        The items, for a column that both tables have.

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
    >>> prior = pd.DataFrame({"song": ["b", "a"], "sad": [0.9, 0.2]})
    >>> table, notes = align_prior(prior, pd.Index(["a", "b"]), ["sad", "live"], id="song")
    >>> table.tolist(), notes
    ([[0.2, nan], [0.9, nan]], ("The prior has a value for 2 of 4 entries, none for the label 'live'.",))
    """
    how = ""
    if isinstance(prior, pd.DataFrame) and is_unnamed(prior) and prior.shape[1] == len(labels):
        prior = prior.to_numpy()
    if isinstance(prior, pd.DataFrame):
        prior, how = _order_rows(use_text_names(prior), index, labels, id, items)
        values = _read_columns(prior, labels)
    else:
        values = np.asarray(prior, dtype=float)
    if values.shape != (len(index), len(labels)):
        raise ValueError(
            f"the prior has shape {values.shape}, the labels {(len(index), len(labels))}: give one value per entry."
        )
    require_probabilities(values, "the prior", index.tolist(), labels)
    given = ~np.isnan(values)
    if not given.any():
        raise ValueError("the prior has no value for any of these items: are its ids the ids of the items?")
    rest = [name for j, name in enumerate(labels) if not given[:, j].any()]
    without = f", none for the label{'s' * (len(rest) > 1)} {quoted(rest)}" if rest else ""
    size = f"The prior has a value for {count(int(given.sum()))} of {count(given.size)} entries{without}."
    return values, (size, how) if how else (size,)


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
    prior: pd.DataFrame, index: pd.Index[Any], labels: Sequence[str], id: str | None, items: pd.DataFrame | None
) -> tuple[pd.DataFrame, str]:
    """Return the rows in the order of the items, NaN for an item that the prior lacks, and how they were found."""
    own, ids, how = prior.index, index, ""
    if id is not None and id in prior.columns and id not in labels:
        own = pd.Index(prior[id])
    elif isinstance(own, pd.RangeIndex):
        items = pd.DataFrame(index=index) if items is None else use_text_names(items)
        key = find_key(prior, items, labels, "the prior")
        if key is None:
            _check_order(prior, index, id, items)
            check_rows(prior, items, np.arange(len(items)), labels, "the prior")
            check_other_names(prior, items, labels, "the prior")
            return prior, _IN_ORDER
        own, ids = pd.Index(prior[key[0]]), pd.Index(items[key[0]])
        how = f"The rows of the prior are found by the column {key[0]!r}, which the items have, too."
    if own.equals(ids):
        return prior, how
    if own.has_duplicates:
        raise ValueError(f"the prior has {own[own.duplicated()][0]!r} more than once.")
    return prior.set_axis(_as_text(own)).reindex(_as_text(ids)), how


def _check_order(prior: pd.DataFrame, index: pd.Index[Any], id: str | None, items: pd.DataFrame) -> None:
    """Raise unless the rows of the prior can only be the items in the same order."""
    if len(prior) != len(index):
        by_id = (
            f"or name the ids of the items ({option('id')})" if id is None else f"or a column {id!r} to find rows by"
        )
        raise ValueError(
            f"the prior has {len(prior)} rows for {len(index)} items: give one row per item in order, {by_id}."
        )
    numbered = items.index.isin(prior.index) & (items.index != prior.index)
    if numbered.any():
        raise ValueError(
            "the prior numbers its rows from 0, but the row labels of the items are such numbers in another order: "
            "give the prior the row labels of its items, such as prior.index = items.index."
        )


def _as_text(index: pd.Index[Any]) -> pd.Index[Any]:
    return pd.Index(read_as_text(pd.Series(index)), dtype=object)
