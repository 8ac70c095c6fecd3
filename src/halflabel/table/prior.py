"""A table of probabilities from another source, brought into the rows and labels of the items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel._wording import count, option, quoted
from halflabel.labels.calibration import require_probabilities
from halflabel.table.cells import read_as_numbers, use_text_names


def align_prior(
    prior: Any, index: pd.Index[Any], labels: Sequence[str], id: str | None = None
) -> tuple[Floats, tuple[str, ...]]:
    """Return a prior with one row per item and one column per label, and a sentence on its size.

    Parameters
    ----------
    prior : DataFrame or array-like
        Of a table, the columns that are named like labels are read. Its rows are found by the column ``id`` if there is
        one, else by the row labels if these are those of the items; else it needs one row per item, in the same order.
        An array needs the shape of the labels.
    index : Index
        The ids of the items.
    labels : sequence of str
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
        If it has no column of a label, no row of an item, an id twice, another length, or values that are no
        probabilities.

    Examples
    --------
    >>> prior = pd.DataFrame({"song": ["b", "a"], "sad": [0.9, 0.2]})
    >>> table, notes = align_prior(prior, pd.Index(["a", "b"]), ["sad", "live"], id="song")
    >>> table.tolist(), notes
    ([[0.2, nan], [0.9, nan]], ("The prior has a value for 2 of 4 entries, none for the label 'live'.",))
    """
    values = (
        _read_frame(prior, index, labels, id) if isinstance(prior, pd.DataFrame) else np.asarray(prior, dtype=float)
    )
    if values.shape != (len(index), len(labels)):
        raise ValueError(
            f"the prior has shape {values.shape}, the labels {(len(index), len(labels))}: give one value per entry."
        )
    require_probabilities(values, "the prior", index.tolist(), labels)
    given = ~np.isnan(values)
    if not given.any():
        raise ValueError("the prior has no value for any of these items: are its ids those of the items?")
    rest = [name for name, any_given in zip(labels, given.any(axis=0), strict=True) if not any_given]
    without = f", none for the label{'s' * (len(rest) > 1)} {quoted(rest)}" if rest else ""
    return values, (f"The prior has a value for {count(int(given.sum()))} of {count(given.size)} entries{without}.",)


def _read_frame(prior: pd.DataFrame, index: pd.Index[Any], labels: Sequence[str], id: str | None) -> Floats:
    """Return the columns that are named like labels; NaN for the others, and for items that the prior lacks."""
    table = _order_rows(use_text_names(prior), index, labels, id)
    names = [name for name in labels if name in table.columns]
    if not names:
        raise ValueError(f"the prior has no column of a label; the labels are {quoted(labels)}.")
    values = np.full((len(index), len(labels)), np.nan)
    for name in names:
        values[:, list(labels).index(name)] = read_as_numbers(table[name].rename(f"{name} of the prior"))
    return values


def _order_rows(prior: pd.DataFrame, index: pd.Index[Any], labels: Sequence[str], id: str | None) -> pd.DataFrame:
    """Return the rows in the order of the items; NaN for an item that the prior lacks."""
    if id is not None and id in prior.columns and id not in labels:
        prior = prior.set_index(id)
    elif len(prior) == len(index) and (prior.index.equals(index) or isinstance(prior.index, pd.RangeIndex)):
        return prior
    elif isinstance(prior.index, pd.RangeIndex):
        by_id = (
            f"or name the ids of the items ({option('id')})" if id is None else f"or a column {id!r} to find rows by"
        )
        raise ValueError(
            f"the prior has {len(prior)} rows for {len(index)} items: give one row per item in order, {by_id}."
        )
    if prior.index.has_duplicates:
        raise ValueError(f"the prior has {prior.index[prior.index.duplicated()][0]!r} more than once.")
    return prior.reindex(index)
