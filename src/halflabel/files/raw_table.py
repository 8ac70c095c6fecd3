"""The result of a reader of tables: a raw table, or an error of one sentence. The description of a format of tables."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]

from halflabel._arrays import Matrix, is_sparse
from halflabel._wording import Notes, clipped
from halflabel.labels import MAX_CELLS

#: Characters of the longest sentence: a file may hold anything, also names without end.
MAX_REASON = 1000


class AbsentNotStated(ValueError):
    """A file lists the labels of items, and the caller did not state the meaning of a label that is not listed."""


class ReadError(ValueError):
    """A file cannot be read. The message names the file and, where known, line and column."""

    line: int | None = None

    @classmethod
    def at(
        cls, path: str | os.PathLike[str], reason: str, *, line: int | None = None, column: str | None = None
    ) -> ReadError:
        """Return the error whose message is ``path: line N, column 'NAME': reason``.

        Examples
        --------
        >>> print(ReadError.at("a.csv", "3 cells, but the header has 2.", line=7))
        a.csv: line 7: 3 cells, but the header has 2.
        """
        place = [f"line {line}"] if line is not None else []
        place += [f"column {clipped(column)!r}"] if column is not None else []
        error = cls(": ".join([os.fspath(path), *([", ".join(place)] if place else []), reason[:MAX_REASON]]))
        error.line = line
        return error


@dataclass(frozen=True, eq=False)
class TextForm:
    r"""The notation of a delimited file.

    Parameters
    ----------
    delimiter : str
    encoding : str
        "utf-8-sig" and "utf-16" write a byte order mark.
    line_end : str
        ``"\n"`` or ``"\r\n"``.
    missing : str
        How a missing cell is written.
    header : tuple of str
        Column names as the file writes them; one less than there are columns where row names have none.
    skip : tuple of int
        The lines that do not belong to rows of the table.
    cells : Table or None
        The cells as text, null where missing, by column name.
    quote : str
        The quote around cells, or an empty text where quotes are characters.
    above : str
        The text in front of the column names.
    first : int or None
        The line of the first row, or None where rows are not lines: one has several, some are blank, or the table is in
        several files.
    """

    delimiter: str = ","
    encoding: str = "utf-8"
    line_end: str = "\n"
    missing: str = ""
    header: tuple[str, ...] = ()
    skip: tuple[int, ...] = ()
    cells: pa.Table | None = None
    quote: str = '"'
    above: str = ""
    first: int | None = None

    @property
    def dialect(self) -> dict[str, Any]:
        """The options of :mod:`csv`."""
        return {
            "delimiter": self.delimiter,
            "quotechar": self.quote or '"',
            "quoting": csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
        }


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table as a file holds it, with the roles that the file states for its columns.

    Parameters
    ----------
    frame : DataFrame of shape (n_items, any)
        The tabular columns, under distinct text names.
    matrix : ndarray or csr_array of shape (n_items, n_features), optional
        Numeric features kept outside the frame: sparse ARFF, svmlight, ``.npy``.
    matrix_names : tuple of str
        One name per column of ``matrix``.
    label_names : tuple of str
        Labels that the file itself declares, each a column of ``frame`` holding 1, 0 or NaN.
    source : str
        The file or files it was read from.
    sha256 : str
        Digest of the file as it lies on the disk (of the digests, for :func:`stack`).
    form : TextForm or None
        The notation of a delimited file, so that its table can be written in the same way.
    notes : tuple of str
        One sentence for each thing that was recognised rather than stated.
    id, tags : str or None
        The column of ids, and the column of lists of labels, which the file declares.
    classes : dict of str to sequence of str
        The names of the classes of columns that hold numbers of classes. In the frame, the numbers are names.
    format : str
        The name of the format of the file; empty for objects in memory.
    table : str
        The name of the table, in a file that holds several.
    lines : tuple of int
        The row of the sheet that holds each row of the table.
    places : dict of str to int
        The columns of the sheet by name; the empty name has the row of the column names.
    references : dict of str to (str, str)
        The columns that refer to another table of the same file: its name, and its column.
    """

    frame: pd.DataFrame
    matrix: Matrix | None = None
    matrix_names: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    source: str = ""
    sha256: str = ""
    form: TextForm | None = None
    notes: Notes = ()
    id: str | None = None
    tags: str | None = None
    classes: Mapping[str, list[str]] = field(default_factory=dict)
    format: str = ""
    table: str = ""
    lines: tuple[int, ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    references: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.frame)

    def arranged(self, matrix_names: Sequence[str], frame_names: Sequence[str] = ()) -> RawTable:
        """Return the table with exactly these columns in ``matrix``, in this order, and those others in ``frame``.

        Raises
        ------
        ReadError
            If the matrix lacks a column.
        """
        table = self._pulled([name for name in frame_names if name in self.matrix_names])
        position = {name: j for j, name in enumerate(table.matrix_names)}
        names = tuple(name for name in matrix_names if name not in table.frame.columns)
        if lacking := [name for name in names if name not in position]:
            reason = f"it lacks {len(lacking)} of {len(names)} features, for example {lacking[0]!r}."
            raise ReadError.at(self.source, reason)
        if names == table.matrix_names:
            return table
        assert table.matrix is not None  # only the matrix can hold them
        return replace(table, matrix=table.matrix[:, [position[name] for name in names]], matrix_names=names)

    def _pulled(self, names: list[str]) -> RawTable:
        """Move columns of the matrix to the right-hand end of the frame."""
        if not names:
            return self
        if len(self) * len(names) > MAX_CELLS:
            raise ReadError.at(
                self.source, f"{len(self)} items x {len(names)} labels are more than {MAX_CELLS:.0e} cells."
            )
        assert self.matrix is not None  # only the matrix can hold them
        position = {name: j for j, name in enumerate(self.matrix_names)}
        taken = np.array([position[name] for name in names])
        kept = np.setdiff1d(np.arange(len(self.matrix_names)), taken)
        columns = self.matrix[:, taken]
        dense = columns.toarray() if is_sparse(columns) else columns
        return replace(
            self,
            frame=pd.concat([self.frame, pd.DataFrame(dense, columns=names, index=self.frame.index)], axis=1),
            matrix=self.matrix[:, kept],
            matrix_names=tuple(self.matrix_names[j] for j in kept),
        )


@dataclass(frozen=True)
class TableFormat:
    """A format whose files hold one table.

    Parameters
    ----------
    name : str
        The value of ``format=`` and ``--set format=``.
    suffixes : tuple of str
        The suffixes of its files.
    read : callable
        Takes one or several paths, and :attr:`options` by name; returns a :class:`RawTable`.
    write : callable, optional
        Takes a table, a path and the notation of the text file that the table comes from. Returns one sentence for each
        thing that the file cannot hold.
    check : callable, optional
        Raises for values that the format cannot hold, before any work is done.
    options : tuple of str
        The options that the reader takes.
    in_parts : bool
        Whether several files are read as one table.
    tables : callable, optional
        Returns the names of the tables in a file that holds several; the first of :attr:`options` names one of them.
    rewrite : callable, optional
        Takes a completed table, the table that it was read as, and a path. Writes a copy of the original file in which
        only the cells of the table differ, and returns sentences.
    append : callable, optional
        Adds a table of pairs to an existing file and changes nothing else in it. Returns sentences about it.
    title : str
        The name of the format in a sentence, where records are written in it.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[..., RawTable]
    write: Callable[[pd.DataFrame, Path, TextForm], Notes] | None = None
    check: Callable[[pd.DataFrame], object] | None = None
    options: tuple[str, ...] = ()
    in_parts: bool = False
    tables: Callable[[Path], Sequence[str]] | None = None
    rewrite: Callable[[pd.DataFrame, RawTable, Path], Notes] | None = None
    append: Callable[[pd.DataFrame, Path], Notes] | None = None
    title: str = ""
