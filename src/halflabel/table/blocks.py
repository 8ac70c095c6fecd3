"""Blocks of features: numbers, categories, vectors, words and a matrix, each read from its own place.

Gaps are NaN here; :mod:`halflabel.table.features` fills them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute
from scipy import sparse

from halflabel._arrays import Floats, Matrix
from halflabel.table.cells import read_as_numbers, read_as_text

#: Words, not characters; accents and case dropped; 1 + log(tf); rows of length 1.
#: A word of a single row links the row to no other. Only the most frequent words are kept.
_TFIDF: dict[str, Any] = {"strip_accents": "unicode", "sublinear_tf": True}
_MIN_ROWS, _MAX_WORDS = 2, 20_000


def read_numbers(frame: pd.DataFrame, columns: Sequence[str]) -> Floats:
    """Return number columns side by side. Raise for a column that holds anything else."""
    return np.column_stack([np.empty((len(frame), 0)), *(read_as_numbers(frame[column]) for column in columns)])


def read_one_hot(column: pd.Series[Any], categories: Sequence[str]) -> Floats:
    """Return one indicator per category. All are 0 for a missing value and for an unknown category."""
    known: pd.Index[Any] = pd.Index(list(categories), dtype="object")
    codes = known.get_indexer(pd.Index(read_as_text(column), dtype="object"))
    return np.equal.outer(codes, np.arange(len(categories))).astype(np.float64)


def read_vectors(column: pd.Series[Any], width: int | None = None) -> Floats:
    """Return a column of equally long lists of numbers as one array, through Arrow's flat memory.

    ``width`` is the length asked for, by default that of the first list that is not empty.
    """
    lists = _as_arrow_lists(column)
    lengths = compute.list_value_length(lists).fill_null(-1).to_numpy()
    width = int(next(iter(lengths[lengths > 0]), 1)) if width is None else width
    if (wrong := lengths != width).any():
        row = int(np.argmax(wrong))
        found = "no vector" if lengths[row] < 0 else f"a vector of {lengths[row]} numbers"
        raise ValueError(
            f"row {row} of the vector column {column.name!r} has {found}, but every row needs {width} numbers."
        )
    flat = lists.flatten().cast(pa.float64()).to_numpy(zero_copy_only=False)
    values: Floats = flat.reshape(len(column), width)
    if np.isinf(values).any():
        row, position = np.argwhere(np.isinf(values))[0]
        raise ValueError(f"row {row} of the vector column {column.name!r} holds inf at position {position}.")
    return values


def learn_words(column: pd.Series[Any]) -> tuple[tuple[str, ...], Floats]:
    """Return the words of a text column, sorted, and their inverse document frequencies."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # imported here: it takes a second

    vectorizer = TfidfVectorizer(min_df=_MIN_ROWS, max_features=_MAX_WORDS, **_TFIDF)
    try:
        vectorizer.fit(_list_documents(column))
    except ValueError:  # scikit-learn's message names its own parameters
        raise ValueError(
            f"no word of the text column {column.name!r} is in {_MIN_ROWS} rows or more: its words link no rows."
        ) from None
    return tuple(vectorizer.get_feature_names_out().tolist()), np.asarray(vectorizer.idf_, dtype=np.float64)


def read_words(column: pd.Series[Any], vocabulary: Sequence[str], idf: Floats) -> sparse.csr_array:
    """Return the tf-idf weights of known words. All are 0 for a missing text."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(vocabulary={word: j for j, word in enumerate(vocabulary)}, **_TFIDF)
    vectorizer.idf_ = idf
    return sparse.csr_array(vectorizer.transform(_list_documents(column)))


def read_matrix(matrix: Any, names: Sequence[str], n_rows: int) -> Matrix:
    """Return a matrix next to the table as float64, after a check of its shape and values."""
    if matrix.shape != (n_rows, len(names)):
        raise ValueError(
            f"the matrix has shape {matrix.shape}, but {n_rows} rows and {len(names)} features are needed."
        )
    if sparse.issparse(matrix):
        return _read_sparse(matrix, names)
    dense: Floats = np.asarray(matrix, dtype=np.float64)
    if np.isinf(dense).any():
        row, feature = np.argwhere(np.isinf(dense))[0]
        raise ValueError(f"the matrix holds {dense[row, feature]} in row {row}, feature {names[feature]!r}.")
    return dense


def _read_sparse(matrix: Any, names: Sequence[str]) -> sparse.csr_array:
    values: sparse.csr_array = sparse.csr_array(matrix, dtype=np.float64)
    wrong = ~np.isfinite(values.data)
    if wrong.any():
        at = int(np.argmax(wrong))
        row = int(np.searchsorted(values.indptr, at, side="right")) - 1
        raise ValueError(
            f"the sparse matrix holds {values.data[at]} in row {row}, feature {names[values.indices[at]]!r}: "
            "gaps are filled in dense matrices only; fill it, leave the feature out, or give the matrix dense."
        )
    return values


def _as_arrow_lists(column: pd.Series[Any]) -> Any:
    try:
        lists = pa.array(column, from_pandas=True)
    except pa.ArrowException:  # lists and something else in one column
        lists = pa.nulls(0)
    if isinstance(lists, pa.ChunkedArray):
        lists = lists.combine_chunks()
    is_list = (
        pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type) or pa.types.is_fixed_size_list(lists.type)
    )
    if not is_list or not _is_number_type(lists.type.value_type):
        row, cell = next(((i, c) for i, c in enumerate(column) if not _is_number_list(c)), (0, column.iloc[0]))
        raise ValueError(
            f"the vector column {column.name!r} holds {cell!r} (row {row}), "
            "but it must hold one list of numbers per row, as Parquet files can."
        )
    return lists


def _is_number_type(arrow_type: Any) -> bool:
    return any(is_a(arrow_type) for is_a in (pa.types.is_floating, pa.types.is_integer, pa.types.is_null))


def _is_number_list(cell: Any) -> bool:
    if not isinstance(cell, list | tuple | np.ndarray):
        return False
    return all(number is None or isinstance(number, int | float | np.integer | np.floating) for number in cell)


def _list_documents(column: pd.Series[Any]) -> list[str]:
    return ["" if text is None else text for text in read_as_text(column)]
