"""Through the door: whatever a user holds becomes features, labels and a word about both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from halflabel.arrays import is_sparse
from halflabel.labels import PartialLabels
from halflabel.table.features import FeatureEncoder
from halflabel.table.labelling import Absent, Empty, LabelReading, read_labels, read_tag_pairs
from halflabel.table.roles import Roles, choose_roles

__all__ = ["OpenTable", "open_table"]


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A table whose columns have found their roles.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_items, n_features)
    labels : PartialLabels of shape (n_items, n_labels)
    index : Index
        What items are known by: the id column, else the row labels.
    frame : DataFrame or None
        The table that labels are written back to; None where they came apart from the features.
    roles : Roles
    encoder : FeatureEncoder
    notes : tuple of str
        Sentences for the user.
    sep : str
        Separator of a tags column.
    """

    X: NDArray[np.float64] | sparse.csr_array
    labels: PartialLabels
    index: pd.Index[Any]
    frame: pd.DataFrame | None
    roles: Roles
    encoder: FeatureEncoder
    notes: tuple[str, ...] = ()
    sep: str = ";"


def open_table(
    items: Any,
    Y: Any = None,
    *,
    labels: Sequence[str] | None = None,
    tags: str | None = None,
    pairs: pd.DataFrame | None = None,
    on: str | None = None,
    absent: Absent | None = None,
    empty: Empty = "unlabelled",
    sep: str = ";",
    id: str | None = None,
    features: Sequence[str] | None = None,
    vectors: str | None = None,
    text: str | None = None,
    ignore: Sequence[str] = (),
    matrix: Any = None,
    matrix_names: Sequence[str] = (),
    declared_labels: Sequence[str] = (),
) -> OpenTable:
    """Give every column its role, read the labels and encode the features.

    Parameters
    ----------
    items : DataFrame, array or sparse matrix
        One row per item.
    Y : array-like, DataFrame or PartialLabels, optional
        The labels, where they are not in the table.
    labels, tags, id, features, vectors, text, ignore, declared_labels
        As in :func:`choose_roles`.
    pairs, on : DataFrame and str, optional
        A long table of (id, tag) and its id column, as in :func:`read_tag_pairs`; needs ``id``.
    absent, empty, sep
        As in :func:`read_labels`.
    matrix, matrix_names
        Features that stand beside the table, one row per item.

    Raises
    ------
    ValueError
        If rows do not match, nothing can serve as a feature, or a column does not fit its role.
    """
    if not isinstance(items, pd.DataFrame):
        # Numbers without names: all of them features, nothing to choose.
        items, matrix = pd.DataFrame(index=range(items.shape[0] if hasattr(items, "shape") else len(items))), items
        matrix = matrix if is_sparse(matrix) else np.asarray(matrix)
    apart = Y is not None or pairs is not None
    roles = (
        choose_roles(
            items,
            id=id,
            labels=() if apart else labels,
            tags=None if apart else tags,
            features=features,
            vectors=vectors,
            text=text,
            ignore=ignore,
            declared_labels=declared_labels,
        )
        if items.shape[1]
        else Roles()
    )
    index = pd.Index(items[roles.id]) if roles.id is not None else items.index
    reading = _read(items, Y, pairs, on, index, roles, absent, empty, sep)
    _refuse_other_length(len(items), len(reading.labels))
    encoder = FeatureEncoder.learn(items, roles, matrix, matrix_names)
    X = encoder.transform(items, matrix)
    notes = (*reading.notes, *encoder.notes)
    return OpenTable(X, reading.labels, index, items if Y is None else None, roles, encoder, notes, sep)


def _read(
    items: pd.DataFrame,
    Y: Any,
    pairs: pd.DataFrame | None,
    on: str | None,
    index: pd.Index[Any],
    roles: Roles,
    absent: Absent | None,
    empty: Empty,
    sep: str,
) -> LabelReading:
    """Read the labels from wherever they are."""
    if Y is not None:
        if isinstance(Y, pd.DataFrame | pd.Series) and not Y.index.equals(items.index):
            raise ValueError(
                "items and labels have different row labels: bring them into the same order, or reset both indexes."
            )
        return LabelReading(PartialLabels.from_table(Y))
    if pairs is None:
        return read_labels(items, roles, absent=absent, empty=empty, sep=sep)
    if on is None or roles.id is None:
        raise ValueError("a long table of tags needs the id column of the items (--id) and its own (--on).")
    if absent is None:
        raise ValueError(
            "a long table of tags lists what items have; say what a tag that is not listed means: "
            "absent='irrelevant' (--absent irrelevant) or absent='unknown' (--absent unknown)."
        )
    return LabelReading(read_tag_pairs(pairs, on, index, absent=absent))


def _refuse_other_length(n_items: int, n_labelled: int) -> None:
    if n_items != n_labelled:
        raise ValueError(f"there are {n_items} items but labels for {n_labelled}: give one row of labels per item.")
