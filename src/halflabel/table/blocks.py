"""Blocks of features: numbers, categories, vectors, words and a matrix, each read from its own place.

Gaps are NaN here; :mod:`halflabel.table.features` fills them.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from halflabel._arrays import Column, Floats, Index, Matrix
from halflabel.table.cells import read_as_numbers, read_as_text

#: The types of vectors.
VECTORS = (list, tuple, np.ndarray)

#: Words, not characters; accents and case dropped; 1 + log(tf); rows of length 1.
#: A word of a single row links the row to no other. Only the most frequent words are kept.
_TFIDF: dict[str, Any] = {"strip_accents": "unicode", "sublinear_tf": True}
_MIN_ROWS, _MAX_WORDS = 2, 20_000


def read_numbers(frame: pd.DataFrame, columns: Sequence[str]) -> Floats:
    """Return number columns side by side. Raise for a column that holds anything else."""
    return np.column_stack([np.empty((len(frame), 0)), *(read_as_numbers(frame[column]) for column in columns)])


def read_one_hot(column: Column, categories: Sequence[str]) -> Floats:
    """Return one indicator per category. All are 0 for a missing value and for an unknown category."""
    known: Index = pd.Index(list(categories), dtype="object")
    codes = known.get_indexer(pd.Index(read_as_text(column), dtype="object"))
    return np.equal.outer(codes, np.arange(len(categories))).astype(np.float64)


def read_vectors(column: Column, width: int | None = None) -> Floats:
    """Return a column of equally long lists of numbers as one array.

    ``width`` is the length asked for, by default that of the first list that is not empty.
    """
    cells = column.tolist()
    wrong = next((row for row, cell in enumerate(cells) if not _is_vector(cell)), None)
    if wrong is not None:
        raise ValueError(
            f"the vector column {column.name!r} holds {cells[wrong]!r} (row {wrong}), "
            "but it must hold one list of numbers per row, as Parquet files can."
        )
    lengths = [len(cell) if isinstance(cell, VECTORS) else -1 for cell in cells]
    width = next((length for length in lengths if length > 0), 1) if width is None else width
    for row, length in enumerate(lengths):
        if length != width:
            found = "no vector" if length < 0 else f"a vector of {length} numbers"
            raise ValueError(
                f"row {row} of the vector column {column.name!r} has {found}, but every row needs {width} numbers."
            )
    values: Floats = np.array(cells, dtype=np.float64).reshape(len(cells), width)
    if np.isinf(values).any():
        row, position = np.argwhere(np.isinf(values))[0]
        raise ValueError(f"row {row} of the vector column {column.name!r} holds inf at position {position}.")
    return values


def _is_vector(cell: Any) -> bool:
    """Return whether a cell is a list of numbers, or missing."""
    if not isinstance(cell, VECTORS):
        return cell is None or cell is pd.NA or cell != cell
    is_array = np.asarray(cell).dtype.kind in "iuf"
    return is_array or all(each is None or isinstance(each, numbers.Real) for each in cell)


def learn_words(column: Column) -> tuple[tuple[str, ...], Floats]:
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


def read_words(column: Column, vocabulary: Sequence[str], idf: Floats) -> sparse.csr_array:
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


def _list_documents(column: Column) -> list[str]:
    return ["" if text is None else text for text in read_as_text(column)]
