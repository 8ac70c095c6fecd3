"""A table of probabilities from another source, brought into the rows and labels of the items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel.labels.calibration import require_probabilities
from halflabel.table.columns import as_numbers, listed, with_text_names


def align_prior(
    prior: Any, index: pd.Index[Any], labels: Sequence[str], id: str | None = None
) -> tuple[Floats, tuple[str, ...]]:
    """Return a prior with one row per item and one column per label, and a sentence on how much it says.

    Parameters
    ----------
    prior : DataFrame or array-like
        Of a table, the columns named like labels count. Its rows are found by the column called ``id`` if it has one,
        else by its row labels where these are those of the items; else it needs as many rows as there are items, in
        their order. An array needs the labels' shape.
    index : Index
        What the items are known by.
    labels : sequence of str
    id : str, optional
        Name of the id column of the items.

    Returns
    -------
    table : ndarray of shape (n_items, n_labels)
        NaN where the prior says nothing.
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
    ([[0.2, nan], [0.9, nan]], ("The prior says something about 2 of 4 entries, nothing about the label 'live'.",))
    """
    if isinstance(prior, pd.DataFrame):
        table = _by_rows(with_text_names(prior), index, labels, id)
        names = [name for name in labels if name in table.columns]
        if not names:
            raise ValueError(f"the prior has no column of a label; the labels are {listed(labels)}.")
        found = np.full((len(index), len(labels)), np.nan)
        for name in names:
            found[:, list(labels).index(name)] = as_numbers(table[name].rename(f"{name} of the prior"))
    else:
        found, names = np.asarray(prior, dtype=np.float64), list(labels)
        if found.shape != (len(index), len(labels)):
            raise ValueError(
                f"the prior has shape {found.shape}, the labels {(len(index), len(labels))}: give one value per entry."
            )
    require_probabilities(found, "the prior", index.tolist(), labels)
    if not (heard := int((~np.isnan(found)).sum())):
        raise ValueError("the prior says nothing about any of these items: are its ids theirs?")
    rest = [name for name in labels if name not in names]
    silent = f", nothing about the label{'s' * (len(rest) > 1)} {listed(rest)}" if rest else ""
    return found, (f"The prior says something about {heard:,} of {found.size:,} entries{silent}.",)


def _by_rows(prior: pd.DataFrame, index: pd.Index[Any], labels: Sequence[str], id: str | None) -> pd.DataFrame:
    """Return the rows of the items in their order; NaN for an item that the prior does not know."""
    if id is not None and id in prior.columns and id not in labels:
        prior = prior.set_index(id)
    elif len(prior) == len(index) and (prior.index.equals(index) or isinstance(prior.index, pd.RangeIndex)):
        return prior
    elif isinstance(prior.index, pd.RangeIndex):
        how = f"or a column {id!r} by which its rows are found" if id is not None else "or name the items' ids (id=)"
        raise ValueError(f"the prior has {len(prior)} rows for {len(index)} items: give one for each in order, {how}.")
    if prior.index.has_duplicates:
        raise ValueError(f"the prior knows {prior.index[prior.index.duplicated()][0]!r} more than once.")
    return prior.reindex(index)
