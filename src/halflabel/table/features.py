"""From a table to X: learned once, repeated on new tables, saved as plain state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from halflabel._arrays import Floats, Matrix, is_sparse
from halflabel._wording import Notes, plural, quoted
from halflabel.labels import PartialLabels
from halflabel.table.blocks import (
    learn_words,
    read_matrix,
    read_numbers,
    read_one_hot,
    read_vectors,
    read_words,
)
from halflabel.table.cells import read_as_text, use_text_names
from halflabel.table.imputation import Filling
from halflabel.table.odd_values import hide_codes
from halflabel.table.roles import Roles


@dataclass(frozen=True, eq=False)
class FeatureEncoder:
    """How the columns of a table become features.

    Learn one with :meth:`learn`. Features have this order: numbers, vectors, the
    matrix, categories, words. Nothing is scaled here; estimators do that.

    * Numbers, vectors and a dense matrix: a missing cell is filled by low-rank completion, or with the mean of its
      feature where completion is not better on hidden cells, see :class:`halflabel.table.imputation.Filling`. Where
      missing cells predict labels, they are features, too.
    * Categories: one indicator per value; a missing or an unseen value has none.
    * Words: tf-idf of words (case and accents dropped) of at least two rows, at most
      20 000, with 1 + log(tf), rows of length 1. X is sparse then.

    Parameters
    ----------
    numeric : tuple of str
        Number columns.
    vectors : str or None
        The column of vectors, ``vector_width`` numbers each.
    matrix_names : tuple of str
        Names of the features in a matrix next to the table.
    filling : Filling
        The values in place of missing cells. A sparse matrix has no missing cells.
    categories : mapping of str to tuple of str
        The values of each category column.
    text : str or None
        The column of words, with ``vocabulary`` and ``idf``.
    missing : tuple of str
        Numbers and words that mean a missing value.
    notes : tuple of str
        Sentences for the user about the table that it was learned from.

    Examples
    --------
    >>> frame = pd.DataFrame({"tempo": [90.0, None, 120.0], "key": ["minor", "major", None]})
    >>> encoder = FeatureEncoder.learn(frame, Roles(numeric=("tempo",), categorical=("key",)))
    >>> encoder.feature_names
    ('tempo', 'key=major', 'key=minor')
    >>> encoder.transform(frame)
    array([[ 90.,   0.,   1.],
           [105.,   1.,   0.],
           [120.,   0.,   0.]])
    >>> encoder.notes
    ("1 feature with missing values (1 cell; 'tempo'): filled with the mean of the feature.",
     "1 row without a value in the category column 'key': encoded as no category.")
    """

    numeric: tuple[str, ...] = ()
    vectors: str | None = None
    vector_width: int = 0
    matrix_names: tuple[str, ...] = ()
    filling: Filling = field(default_factory=Filling)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    text: str | None = None
    vocabulary: tuple[str, ...] = ()
    idf: Floats = field(default_factory=lambda: np.empty(0))
    missing: tuple[str, ...] = ()
    notes: Notes = ()

    @classmethod
    def learn(
        cls,
        frame: pd.DataFrame,
        roles: Roles,
        matrix: Any = None,
        matrix_names: Sequence[str] = (),
        missing: Sequence[str] = (),
        labels: PartialLabels | None = None,
    ) -> FeatureEncoder:
        """Learn the values for gaps, the categories and the words.

        Parameters
        ----------
        frame : DataFrame
            One row per item.
        roles : Roles
            From :func:`choose_roles`.
        matrix : ndarray or sparse matrix of shape (n_items, n_features), optional
            Numeric features next to the table.
        matrix_names : sequence of str, optional
            By default ``"x0"``, ``"x1"``, ...
        missing : sequence of str, optional
            Numbers and words that mean a missing value, such as ``"-99"``.
        labels : PartialLabels, optional
            With them, missing cells are features where they predict the labels.

        Raises
        ------
        ValueError
            If all features are left out; for infinite values, and for values of
            another kind, with column and row.
        """
        if matrix is None and not roles.features:
            why = "; ".join(f"{column!r}: {reason}" for column, reason in roles.ignored[:8])
            raise ValueError(f"no column of the table can be a feature ({why or 'there is none but the labels'}).")
        frame = use_text_names(frame)
        if matrix is not None:
            matrix_names = matrix_names or [f"x{j}" for j in range(matrix.shape[1])]
        columns = _require_columns(roles.categorical, frame)
        values = {column: set(read_as_text(frame[column])) - {None, *missing} for column in columns}
        encoder = cls(
            numeric=roles.numeric,
            vectors=roles.vectors,
            matrix_names=tuple(matrix_names),
            categories={column: tuple(sorted(found)) for column, found in values.items()},
            text=roles.text,
            missing=tuple(missing),
        )
        blocks = encoder._read_gapped(frame, matrix)
        encoder = replace(encoder, vector_width=blocks[1].shape[1], filling=Filling.learn(_join_dense(blocks), labels))
        if encoder.text is not None:
            vocabulary, idf = learn_words(frame[encoder.text])
            encoder = replace(encoder, vocabulary=vocabulary, idf=idf)
        return replace(encoder, notes=encoder._describe(frame, blocks))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that are read."""
        single = (column for column in (self.vectors, self.text) if column is not None)
        return (*self.numeric, *self.categories, *single)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """One name per column of X: ``column``, ``column[position]``, ``column=value`` or ``column:word``."""
        names, end = self._gapped_names, len(self.filling.means)
        return (
            *names[:end],
            *(f"{names[j]} is missing" for j in self.filling.marked),
            *names[end:],
            *(f"{column}={value}" for column, values in self.categories.items() for value in values),
            *(f"{self.text}:{word}" for word in self.vocabulary),
        )

    def transform(self, frame: pd.DataFrame, matrix: Any = None) -> Matrix:
        """Return X, dense, or sparse if there are words or a sparse matrix.

        Parameters
        ----------
        frame : DataFrame
            With the columns that were learned from, in any order; others are passed over.
        matrix : ndarray or sparse matrix, optional
            Needed if the encoder was learned with one.

        Returns
        -------
        X : ndarray or csr_array of float64, shape (n_items, len(feature_names))

        Raises
        ------
        ValueError
            For columns that are not there, and values that do not fit, with column and row.
        """
        frame = use_text_names(frame)
        gapped = self._read_gapped(frame, matrix)
        blocks: list[Matrix] = [self.filling(_join_dense(gapped)), *filter(is_sparse, gapped)]
        blocks += [read_one_hot(frame[column], values) for column, values in self.categories.items()]
        if self.text is not None:
            blocks.append(read_words(frame[self.text], self.vocabulary, self.idf))
        dense = [block for block in blocks if isinstance(block, np.ndarray)]
        if len(dense) == len(blocks):
            return _join_dense(dense)
        return sparse.csr_array(sparse.hstack([sparse.csr_array(block) for block in blocks], format="csr"))

    def describe_unseen(self, frame: pd.DataFrame) -> Notes:
        """Return a sentence for each category column of a new table that holds values not learned from."""
        frame = use_text_names(frame)
        sentences = []
        for column in _require_columns(self.categories, frame):
            new = [value for value in read_as_text(frame[column]) if value not in {None, *self.categories[column]}]
            if new:
                sentences.append(
                    f"{plural(len(new), 'row')} with a value that is new in the category column "
                    f"{column!r} ({quoted(dict.fromkeys(new))}): encoded as no category."
                )
        return tuple(sentences)

    @property
    def _gapped_names(self) -> tuple[str, ...]:
        positions = (f"{self.vectors}[{j}]" for j in range(self.vector_width))
        return (*self.numeric, *positions, *self.matrix_names)

    def _read_gapped(self, frame: pd.DataFrame, matrix: Any) -> list[Matrix]:
        """Return numbers, vectors and matrix, gaps as NaN."""
        _require_columns(self.columns, frame)
        none = np.empty((len(frame), 0))
        if matrix is None and self.matrix_names:
            need = f"a matrix of {len(self.matrix_names)} features"
            way = f"{need} is needed together with the table, as in training"
            if not self.columns:
                way = f"the model was made from {need} without a table: give new items in the same way, such as "
                way += "new.to_numpy()"
            raise ValueError(f"{way}.")
        return [
            hide_codes(read_numbers(frame, self.numeric), self.missing),
            none if self.vectors is None else read_vectors(frame[self.vectors], self.vector_width or None),
            none if matrix is None else self._read_matrix(matrix, len(frame)),
        ]

    def _read_matrix(self, matrix: Any, n_items: int) -> Matrix:
        values = read_matrix(matrix, self.matrix_names, n_items)
        return hide_codes(values, self.missing) if isinstance(values, np.ndarray) else values

    def _describe(self, frame: pd.DataFrame, blocks: Sequence[Matrix]) -> Notes:
        gaps = np.concatenate([*map(_count_gaps, blocks)])
        names = [name for name, count in zip(self._gapped_names, gaps, strict=True) if count]
        empty = sum(count == len(frame) for count in gaps)
        missing = {column: int(frame[column].isna().sum()) for column in self.categories}
        filled = (
            f"{plural(len(names), 'feature')} with missing values ({plural(gaps.sum(), 'cell')}; {quoted(names)}): "
            f"{self.filling.way}{f', {empty} without any value with 0' if empty else ''}."
        )
        unset = (
            f"{plural(rows, 'row')} without a value in the category column {column!r}: encoded as no category."
            for column, rows in missing.items()
            if rows
        )
        return (*([filled] if names else []), *unset)


def _require_columns(columns: Iterable[str], frame: pd.DataFrame) -> list[str]:
    """Return the columns as a list. Raise for columns that the table lacks."""
    columns = list(columns)
    lacking = [column for column in columns if column not in frame.columns]
    if lacking:
        raise ValueError(
            f"the table lacks {plural(len(lacking), 'column')} that the features are made of: {quoted(lacking)}."
        )
    return columns


def _count_gaps(block: Matrix) -> NDArray[np.int_]:
    """Return the number of missing cells per column. A sparse block has no missing cells."""
    return np.isnan(block).sum(axis=0) if isinstance(block, np.ndarray) else np.zeros(block.shape[1], dtype=int)


def _join_dense(blocks: Sequence[Matrix]) -> Floats:
    """Return the dense blocks, which can have gaps, side by side. A single one is not copied."""
    dense = [block for block in blocks if not is_sparse(block)]
    filled = [block for block in dense if block.shape[1]]
    return filled[0] if len(filled) == 1 else np.hstack(dense)
