"""ARFF, dense and sparse, read in one pass over the lines.

Every value is written as a number while it is read (a nominal value as its place in
the declaration, a text as its place among the texts seen), so that a row is a list
of floats whatever its attributes are; whole columns are turned back at the end. A
line that holds nothing but plain numbers takes a short cut past the tokenizer.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from halflabel.files import RawTable, ReadError, lines, sha256_of
from halflabel.plugins import Floats
from halflabel_papers.sets.arff_header import QUOTED, Attribute, bare_value, read_header, split_cells, unquote

#: Bytes of the longest line (a sparse row of a very wide set), and values of the largest file
#: (which also keeps sparse indices within 32 bits, as scikit-learn wants them).
MAX_LINE, MAX_VALUES = 16_000_000, 500_000_000

_PAIR = re.compile(rf"""\s*(\d+)\s+(?:({QUOTED})\s*|([^,'"\s][^,]*))(,|\Z)""")


def read_arff(path: Path) -> RawTable:
    """Read an ARFF file, ``.gz`` or not. The table declares no label.

    Numeric attributes and nominal ``{0,1}`` become numbers, other nominals
    categories, strings text, dates timestamps where they are in ISO form (else
    text); ``?`` (and NaN) is missing. A dense file gives ``frame`` alone. A sparse
    file gives numbers as csr ``matrix`` and all other columns as ``frame``. A value that
    a sparse row leaves out is 0, the first value of a nominal, or a missing text.

    Raises
    ------
    ReadError
        With line and attribute, for whatever does not fit the declaration.
    """
    numbered = lines(path, max_line=MAX_LINE)
    attributes = read_header(numbered, path)
    rows = _read_rows(numbered, attributes, path)
    frame, matrix, names = _sparse_table(rows) if rows.sparse else _dense_table(rows)
    return RawTable(frame, matrix, names, (), str(path), sha256_of(path))


class _Coder:
    """Writes the values of one attribute as numbers, and back."""

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute
        self.number = attribute.kind in ("number", "binary")
        self.codes = {value: float(code) for code, value in enumerate(attribute.values)}

    def encode(self, token: str | None) -> float:
        if token is None:
            return float("nan")
        if self.attribute.kind in ("text", "date"):
            return self.codes.setdefault(token, len(self.codes) + 1.0)  # a sparse row leaves out zeros
        if self.number:
            return _number(token)
        if token not in self.codes:
            shown = ", ".join(self.attribute.values[:5]) + (", ..." if len(self.attribute.values) > 5 else "")
            raise ValueError(f"{token[:40]!r} is not one of the declared values {{{shown}}}.")
        return self.codes[token]

    def decode(self, column: Floats) -> Any:
        codes = np.where(np.isnan(column), -1, column).astype(np.int64)
        if self.attribute.kind in ("text", "date"):
            texts = np.array([None, *self.codes, None], dtype=object)[codes]
            return _as_dates(texts) if self.attribute.kind == "date" else pd.Series(texts.tolist())
        if set(self.attribute.values) == {"0", "1"}:  # declared as {1,0}
            return np.array([*map(float, self.attribute.values), np.nan])[codes]
        return pd.Categorical.from_codes(codes, categories=pd.Index(self.attribute.values, dtype="str"))


@dataclass
class _Rows:
    """The data section as flat arrays. Only a sparse section has ``indices`` and ``starts``."""

    path: Path
    coders: list[_Coder]
    sparse: bool = False
    values: array[float] = field(default_factory=lambda: array("d"))
    indices: array[int] = field(default_factory=lambda: array("i"))
    starts: array[int] = field(default_factory=lambda: array("i", [0]))
    line_numbers: array[int] = field(default_factory=lambda: array("q"))

    def error(self, row: int, column: int, reason: str) -> ReadError:
        name = self.coders[column].attribute.name
        return ReadError.at(self.path, reason, line=self.line_numbers[row], column=name)

    def encode(self, column: int, token: str | None) -> float:
        try:
            return self.coders[column].encode(token)
        except ValueError as error:
            raise self.error(-1, column, str(error)) from None


def _read_rows(numbered: Iterator[tuple[int, str]], attributes: Sequence[Attribute], path: Path) -> _Rows:
    rows = _Rows(path, [_Coder(attribute) for attribute in attributes])
    plain = all(coder.number for coder in rows.coders)
    for number, line in numbered:
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        in_braces = text.startswith("{")
        if not rows.line_numbers:
            rows.sparse = in_braces
        rows.line_numbers.append(number)
        if in_braces is not rows.sparse:
            raise ReadError.at(path, "dense and sparse rows are mixed in one file.", line=number)
        (_add_sparse if rows.sparse else _add_dense)(rows, text, plain and "_" not in text)
        if len(rows.values) > MAX_VALUES:
            raise ReadError.at(path, f"more than {MAX_VALUES:,} values, the limit: split the file.", line=number)
    if not rows.line_numbers:
        raise ReadError.at(path, "there is no row after @data.")
    return rows


def _add_dense(rows: _Rows, text: str, plain: bool) -> None:
    """Append one dense row. ``float`` takes 1_000, which is why a line with ``_`` is never plain."""
    values: list[float] | None = None
    if plain:
        try:
            cells = text.split(",")
            values = [nan if cell == "?" else float(cell) for cell in cells] if "?" in text else list(map(float, cells))
        except ValueError:
            values = None
    if values is None or len(values) != len(rows.coders):
        values = _dense_values(rows, text)
    rows.values.extend(values)


def _dense_values(rows: _Rows, text: str) -> list[float]:
    try:
        cells = split_cells(text)
    except ValueError as error:
        raise ReadError.at(rows.path, str(error), line=rows.line_numbers[-1]) from None
    if len(cells) != len(rows.coders):
        reason = f"{len(cells)} values, but {len(rows.coders)} attributes are declared."
        raise ReadError.at(rows.path, reason, line=rows.line_numbers[-1])
    return [rows.encode(column, cell) for column, cell in enumerate(cells)]


def _add_sparse(rows: _Rows, text: str, plain: bool) -> None:
    """Append one sparse row ``{index value, ...}``."""
    pairs: list[tuple[int, float]] | None = None
    inside = text[1:-1].strip()
    if plain and text.endswith("}"):
        try:
            pairs = [(int(index), float(value)) for index, value in map(str.split, inside.split(","))] if inside else []
        except ValueError:
            pairs = None
    if pairs is None or any(not 0 <= index < len(rows.coders) for index, _ in pairs):
        pairs = _sparse_values(rows, text)
    if pairs:
        indices, values = zip(*pairs, strict=True)
        rows.indices.extend(indices)
        rows.values.extend(values)
    rows.starts.append(len(rows.values))


def _sparse_values(rows: _Rows, text: str) -> list[tuple[int, float]]:
    inside, line = text[1:-1].strip(), rows.line_numbers[-1]
    if not text.endswith("}"):
        raise ReadError.at(rows.path, "the sparse row has no closing brace at its end.", line=line)
    pairs: list[tuple[int, float]] = []
    position, comma = 0, "," if inside else ""
    while comma:
        match = _PAIR.match(inside, position)
        if match is None:
            reason = f"near {inside[position : position + 20]!r} a sparse row must read '{{index value, ...}}'."
            raise ReadError.at(rows.path, reason, line=line)
        index, quoted, bare, comma = match.groups()
        if len(index) > 9 or int(index) >= len(rows.coders):
            reason = f"index {index[:20]} (counted from 0), but only {len(rows.coders)} attributes are declared."
            raise ReadError.at(rows.path, reason, line=line)
        try:
            token = bare_value(bare) if quoted is None else unquote(quoted)
        except ValueError as error:
            raise ReadError.at(rows.path, str(error), line=line) from None
        pairs.append((int(index), rows.encode(int(index), token)))
        position = match.end()
    return pairs


def _dense_table(rows: _Rows) -> tuple[pd.DataFrame, None, tuple[str, ...]]:
    block = np.frombuffer(rows.values, dtype=np.float64).reshape(-1, len(rows.coders))
    _check_values(rows, block.ravel(), lambda at: divmod(at, len(rows.coders)))
    numbers = [j for j, coder in enumerate(rows.coders) if coder.number]
    names = [coder.attribute.name for coder in rows.coders]
    # A complete {0,1} attribute is whole numbers: written again as 0 and 1, and three times as fast as 0.0 and 1.0.
    gaps = np.asarray(np.isnan(block).any(axis=0))
    whole = [j for j in numbers if rows.coders[j].attribute.kind == "binary" and not gaps[j]]
    rest = sorted(set(numbers) - set(whole))
    parts = [pd.DataFrame(block[:, rest], columns=[names[j] for j in rest])]
    parts.append(pd.DataFrame(block[:, whole].astype(np.int64), columns=[names[j] for j in whole]))
    parts.append(_decoded(rows, block))
    return pd.concat(parts, axis=1)[names], None, ()


def _sparse_table(rows: _Rows) -> tuple[pd.DataFrame, sparse.csr_array, tuple[str, ...]]:
    values = np.frombuffer(rows.values, dtype=np.float64)
    indices, starts = (np.frombuffer(part, dtype=np.int32) for part in (rows.indices, rows.starts))

    def place(at: int) -> tuple[int, int]:
        return int(np.searchsorted(starts, at, side="right")) - 1, int(indices[at])

    _check_values(rows, values, place, indices)
    whole = sparse.csr_array((values.copy(), indices, starts), shape=(len(rows.line_numbers), len(rows.coders)))
    whole.sort_indices()
    _check_repeats(rows, whole)
    numbers = [j for j, coder in enumerate(rows.coders) if coder.number]
    frame = _decoded(rows, whole)
    matrix = whole if len(numbers) == len(rows.coders) else whole[:, numbers]
    matrix.eliminate_zeros()
    return frame, matrix, tuple(rows.coders[j].attribute.name for j in numbers)


def _decoded(rows: _Rows, whole: Any) -> pd.DataFrame:
    """Return the columns that are not numbers, decoded."""
    columns = {}
    for j, coder in enumerate(rows.coders):
        if not coder.number:
            column = whole[:, [j]]
            columns[coder.attribute.name] = coder.decode((column.toarray() if rows.sparse else column).ravel())
    return pd.DataFrame(columns, index=pd.RangeIndex(len(rows.line_numbers)))


def _check_values(rows: _Rows, values: Floats, place: Any, indices: Any = None) -> None:
    """Raise for an infinite number, and for a value of a {0,1} attribute that is neither. Fast paths check none."""
    binary = np.array([coder.attribute.kind == "binary" for coder in rows.coders])
    wrong = (values != 0) & (values != 1) & ~np.isnan(values)
    wrong &= binary[indices] if indices is not None else np.tile(binary, len(rows.line_numbers))
    wrong |= np.isinf(values)
    if wrong.any():
        at = int(np.argmax(wrong))
        row, column = place(at)
        declared = "one of the declared values {0, 1}" if binary[column] else "a finite number"
        raise rows.error(row, column, f"{values[at]:g} is not {declared}.")


def _check_repeats(rows: _Rows, whole: sparse.csr_array) -> None:
    row_of = np.repeat(np.arange(whole.shape[0]), np.diff(whole.indptr))
    repeated = np.flatnonzero((np.diff(whole.indices) == 0) & (np.diff(row_of) == 0))
    if repeated.size:
        at = int(repeated[0])
        raise rows.error(int(row_of[at]), int(whole.indices[at]), "the sparse row gives this attribute twice.")


def _number(token: str) -> float:
    try:
        if "_" in token:
            raise ValueError
        return float(token)
    except ValueError:
        found = f"{token[:40]!r} is not a number" if token else "the value is empty"
        raise ValueError(f"{found}; a missing value is written '?'.") from None


def _as_dates(texts: NDArray[np.object_]) -> Any:
    try:
        return pd.to_datetime(pd.Series(texts), format="ISO8601").to_numpy()
    except ValueError:
        return pd.Series(texts.tolist())
