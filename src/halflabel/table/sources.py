"""From whatever holds the items to one raw table: columns in a frame, feature vectors in a matrix."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Matrix, is_sparse
from halflabel.datasets import RawTable, read, read_vectors
from halflabel.table.cells import use_text_names
from halflabel.table.columns import Columns
from halflabel.table.patterns import expand_patterns


def read_items(items: Any, *, labels_apart: bool) -> RawTable:
    """Return a raw table of what holds the items.

    Parameters
    ----------
    items : DataFrame, list of dict, path, RawTable, array or sparse matrix
        One row per item. An array is taken as features, so that its labels must come apart.
    labels_apart : bool
        Whether the labels are given apart from the items.
    """
    if isinstance(items, RawTable):
        return items
    if isinstance(items, str | os.PathLike):
        return read(items)
    if isinstance(items, list) and items and isinstance(items[0], Mapping):
        items = pd.DataFrame(items)
    if isinstance(items, pd.DataFrame):
        return RawTable(use_text_names(items), None, (), (), "the table", "")
    if not labels_apart:
        raise ValueError(
            f"labels are looked for in the columns of a table, but items are a {_name_kind(items)}: pass a pandas "
            "DataFrame that holds them, or the labels apart, as Y."
        )
    matrix = _as_matrix(items)
    return RawTable(pd.DataFrame(index=range(matrix.shape[0])), matrix, (), (), "the array", "")


def assign_columns(raw: RawTable, columns: Columns) -> tuple[RawTable, Columns]:
    """Bring every column where its role needs it, and return the record with patterns expanded.

    Labels, ids and all other named columns leave a sparse matrix for the frame. A label that is a category of two words
    with one possible meaning (yes/no, true/false) becomes 1 and 0. Vectors from an array or a file replace the matrix.
    """
    columns = expand_patterns(columns, (*raw.frame.columns, *raw.matrix_names), raw.label_names)
    if converted := [name for name in columns.labels or () if _needs_conversion(raw.frame, name)]:
        raw = raw.with_labels([*raw.label_names, *converted])
    if raw.matrix is not None:
        single = (columns.id, columns.tags, columns.text, columns.group)
        named = [*columns.ignore, *(name for name in single if name is not None), *(columns.features or ())]
        raw = raw.arranged(raw.matrix_names, named)
        if columns.features is not None:
            raw = replace(raw, matrix=None, matrix_names=())
    return _attach_vectors(raw, columns)


def _needs_conversion(frame: pd.DataFrame, label: str) -> bool:
    """Return whether a label is outside the frame, or a category of words."""
    if label not in frame.columns:
        return True
    dtype = frame[label].dtype
    return isinstance(dtype, pd.CategoricalDtype) and pd.api.types.infer_dtype(dtype.categories) == "string"


def _attach_vectors(raw: RawTable, columns: Columns) -> tuple[RawTable, Columns]:
    """Attach vectors that are no column of the table; what stays in the record is the name of a column."""
    vectors = columns.vectors
    is_name = isinstance(vectors, str) and (vectors in raw.frame.columns or not vectors.endswith(".npy"))
    if vectors is None or is_name:
        return raw, columns
    matrix = read_vectors(vectors) if isinstance(vectors, str | os.PathLike) else _as_matrix(vectors)
    return replace(raw, matrix=matrix, matrix_names=()), replace(columns, vectors=None)


def _as_matrix(array: Any) -> Matrix:
    matrix = array if is_sparse(array) else np.asarray(array)
    if matrix.ndim != 2:
        raise ValueError(f"items need one row per item and one column per feature, not {matrix.ndim} dimensions.")
    return matrix


def _name_kind(items: Any) -> str:
    """Return the name of a class with that of its package, such as ``polars.DataFrame``."""
    kind = type(items)
    package = kind.__module__.partition(".")[0]
    return kind.__name__ if package == "builtins" else f"{package}.{kind.__name__}"
