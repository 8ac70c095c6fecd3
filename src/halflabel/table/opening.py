"""Through the door: whatever a user holds becomes features, labels and a word about both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from halflabel._arrays import Floats, Ints, is_sparse
from halflabel.labels import Absent, PartialLabels
from halflabel.labels.groups import number_groups
from halflabel.table.columns import listed, with_text_names
from halflabel.table.features import FeatureEncoder
from halflabel.table.labelling import Empty, LabelReading, read_labels, read_tag_pairs
from halflabel.table.prior import align_prior
from halflabel.table.roles import Roles, choose_roles


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
    groups : ndarray of int, shape (n_items,), or None
        The number of each item's group, where a column says which items belong together.
    prior : ndarray of shape (n_items, n_labels), or None
        What another source says, see :func:`align_prior`.
    """

    X: Floats | sparse.csr_array
    labels: PartialLabels
    index: pd.Index[Any]
    frame: pd.DataFrame | None
    roles: Roles
    encoder: FeatureEncoder
    notes: tuple[str, ...] = ()
    sep: str = ";"
    groups: Ints | None = None
    prior: Floats | None = None

    def take(self, rows: Ints) -> OpenTable:
        """Return the table of these rows only."""
        return replace(
            self,
            X=self.X[rows],
            labels=self.labels[rows],
            index=self.index[rows],
            frame=None if self.frame is None else self.frame.iloc[rows],
            groups=None if self.groups is None else self.groups[rows],
            prior=None if self.prior is None else self.prior[rows],
        )


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
    group: str | None = None,
    ignore: Sequence[str] = (),
    matrix: Any = None,
    matrix_names: Sequence[str] = (),
    declared_labels: Sequence[str] = (),
    max_categories: int = 20,
    prior: Any = None,
) -> OpenTable:
    """Give every column its role, read the labels and encode the features.

    Parameters
    ----------
    items : DataFrame, array or sparse matrix
        One row per item.
    Y : array-like, DataFrame or PartialLabels, optional
        The labels, where they are not in the table.
    labels, tags, id, features, vectors, text, group, ignore, declared_labels, max_categories
        As in :func:`choose_roles`.
    pairs, on : DataFrame and str, optional
        A long table of (id, tag) and its id column, as in :func:`read_tag_pairs`; needs ``id``.
    absent, empty, sep
        As in :func:`read_labels`.
    matrix, matrix_names
        Features that stand beside the table, one row per item.
    prior : DataFrame or array-like, optional
        Probabilities from another source, as in :func:`align_prior`.

    Raises
    ------
    ValueError
        If rows do not match, nothing can serve as a feature, or a column does not fit its role.
    """
    if not isinstance(items, pd.DataFrame):
        # Numbers without names: all of them features, nothing to choose.
        matrix = _as_matrix(items, Y)
        items = pd.DataFrame(index=range(matrix.shape[0]))
    apart = Y is not None or pairs is not None
    if apart and (labels is not None or tags is not None):
        raise ValueError("labels were given twice: apart from the items, and as their columns (labels=, tags=).")
    if on is not None and pairs is None:
        raise ValueError("on= (--on) names the id column of a long table of tags: give that too (--tags-file).")
    roles = choose_roles(
        items,
        id=id,
        labels=() if apart else labels,
        tags=tags,
        features=features,
        vectors=vectors,
        text=text,
        group=group,
        ignore=ignore,
        declared_labels=declared_labels,
        max_categories=max_categories,
    )
    index = pd.Index(with_text_names(items)[roles.id]) if roles.id is not None else items.index
    reading = _read(items, Y, pairs, on, index, roles, absent, empty, sep)
    _refuse_other_length(len(items), len(reading.labels))
    if pairs is not None and (both := [name for name in map(str, items.columns) if name in reading.labels.names]):
        raise ValueError(f"{listed(both)} is a tag and also a column of the table: rename one of them.")
    if isinstance(Y, pd.DataFrame) and (both := [str(c) for c in items.columns if str(c) in reading.labels.names]):
        raise ValueError(f"{listed(both)} is a label and also a column of the items: leave it out of one of them.")
    encoder = FeatureEncoder.learn(items, roles, matrix, matrix_names)
    X = encoder.transform(items, matrix)
    groups, note = (None, ()) if roles.group is None else _read_groups(with_text_names(items)[roles.group])
    known, said = (None, ()) if prior is None else align_prior(prior, index, reading.labels.names, roles.id)
    notes = (*reading.notes, *encoder.notes, *note, *said)
    return OpenTable(X, reading.labels, index, items if Y is None else None, roles, encoder, notes, sep, groups, known)


def _as_matrix(items: Any, Y: Any) -> Any:
    """Return an array, or what can become one, as a matrix of features; its labels must come apart."""
    if Y is None:
        raise ValueError(
            f"labels are looked for in a DataFrame, but items are a {type(items).__name__}: pass a DataFrame that "
            "holds them, or the labels apart, as Y."
        )
    matrix = items if is_sparse(items) else np.asarray(items)
    if matrix.ndim != 2:
        raise ValueError(f"items need one row per item and one column per feature, not {matrix.ndim} dimensions.")
    return matrix


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


def _read_groups(column: pd.Series[Any]) -> tuple[Ints, tuple[str, ...]]:
    """Return the number of each row's group, and a sentence on what the column keeps together."""
    groups = number_groups(column, len(column))
    size = np.bincount(groups)
    if size.max() == 1:
        return groups, (f"Every value of the group column {column.name!r} is different: it keeps no rows together.",)
    alone = int(column.isna().sum())
    without = f"; {alone} without a value stand for themselves" if alone else ""
    return groups, (
        f"{len(column)} rows in {len(size)} groups by {column.name!r}, at most {size.max()} in one{without}.",
    )


def _refuse_other_length(n_items: int, n_labelled: int) -> None:
    if n_items != n_labelled:
        raise ValueError(f"there are {n_items} items but labels for {n_labelled}: give one row of labels per item.")
