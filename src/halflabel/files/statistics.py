"""Files of SPSS and Stata, with the extra ``stats`` (pyreadstat): value labels as words, declared gaps as gaps."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Column, Mask
from halflabel._wording import Notes, clipped, count, plural
from halflabel.files.bounded import check_ordinary, sha256_of, size_limit
from halflabel.files.header import name_columns
from halflabel.files.parquet import explain_damage, run_apart
from halflabel.files.raw_table import RawTable, ReadError, TableFormat

#: Bytes of a cell when it is read: a number, or the reference to a text.
CELL = 8

#: Columns whose declared missing values are named in a note.
MAX_SHOWN = 5

#: Reads the description of the columns of a file: the library reads beyond its memory if some files are damaged.
_TRIAL = "import sys, pyreadstat; getattr(pyreadstat, sys.argv[1])(sys.argv[2], metadataonly=True)"


def _read(title: str, name: str, path: Path, *, encoding: str | None = None) -> RawTable:
    """Read a file. A column is read as words if all of its values that are not missing have value labels.

    Parameters
    ----------
    title : str
        The program that wrote the file.
    name : str
        The function of pyreadstat.
    path : Path
    encoding : str, optional
        The encoding of texts; by default the file states it.

    Raises
    ------
    ReadError
        If it is damaged, empty, or above the limit of size.
    """
    check_ordinary(path)
    stated = {"encoding": encoding} if encoding else {}
    reader = partial(getattr(_pyreadstat(), name), path, **stated)
    with explain_damage(path, f"a file of {title}"):
        if _ends_process(name, path):
            raise ReadError.at(path, "it is damaged: its description of the columns cannot be read.")
        _check_size(path, reader(metadataonly=True)[1])
        frame, meta = reader(user_missing=True)  # so that declared missing values are counted
    frame.columns = pd.Index(name_columns(list(map(str, frame.columns)))[0])
    gaps = {name: _find_declared(column, meta.missing_ranges.get(name, ()), meta.missing_user_values.get(name, ()))
            for name, column in frame.items()}  # fmt: skip
    table = pd.DataFrame(
        {name: _read_column(frame[name].mask(gap), meta.variable_value_labels.get(name, {}))
         for name, gap in gaps.items()}
    )  # fmt: skip
    return RawTable(table, source=str(path), sha256=sha256_of(path), notes=_describe(frame, gaps, table))


def _ends_process(name: str, path: Path) -> bool:
    return run_apart(_TRIAL, name, path).returncode not in (0, 1)  # 1: an exception, which is raised here, too


def _check_size(path: Path, meta: Any) -> None:
    """Raise for a file whose table is above the limit of size. Some formats do not state the number of their rows."""
    size, limit = CELL * max(meta.number_rows or 0, 0) * meta.number_columns, size_limit()
    if size > limit:
        raise ReadError.at(path, f"it unpacks to {count(size)} bytes, above the limit of {count(limit)}: split it.")


def _pyreadstat() -> Any:
    try:
        return importlib.import_module("pyreadstat")
    except ImportError:
        raise ImportError("files of SPSS and Stata need pyreadstat: pip install 'halflabel[stats]'.") from None


def _find_declared(column: Column, spans: Iterable[Mapping[str, Any]], values: Collection[Any]) -> Mask:
    """Return which cells hold a value that the file declares as missing: -99, a span of numbers, a letter of Stata."""
    declared = column.isin(list(values))
    for span in spans:
        low, high = span["lo"], span["hi"]
        cells = column if isinstance(low, str) else pd.to_numeric(column, errors="coerce")
        declared |= cells == low if isinstance(low, str) else (cells >= low) & (cells <= high)
    return np.asarray(declared, dtype=bool)


def _read_column(column: Column, labels: Mapping[Any, str]) -> Column:
    """Return the values that are there: as words, if each of them has one, else as they are."""
    if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
        column = column.mask(column == "").infer_objects()
    given = column.notna()
    if not labels or not given.any() or not column[given].isin(list(labels)).all():
        return column
    used = [text for value, text in labels.items() if (column == value).any()]
    return pd.Series(pd.Categorical(column.map(dict(labels)), list(dict.fromkeys(used))), column.index)


def _describe(frame: pd.DataFrame, gaps: Mapping[str, Mask], table: pd.DataFrame) -> Notes:
    """Return sentences on the value labels and on the declared missing values of a file."""
    words = sum(isinstance(dtype, pd.CategoricalDtype) for dtype in table.dtypes)
    notes = [f"The value labels of {plural(words, 'column')} are read in place of their numbers."] if words else []
    found = [
        f"{name!r} {count(int(gap.sum()))} ({', '.join(_show(value) for value in frame[name][gap].unique()[:3])})"
        for name, gap in gaps.items()
        if gap.any()
    ]
    more = f" and {plural(len(found) - MAX_SHOWN, 'more column')}" if len(found) > MAX_SHOWN else ""
    if found:
        notes.append(f"Values that the file declares as missing are empty: {', '.join(found[:MAX_SHOWN])}{more}.")
    return tuple(notes)


def _show(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else clipped(value, 20)


SPSS = TableFormat("spss", (".sav", ".zsav"), partial(_read, "SPSS", "read_sav"), options=("encoding",))
STATA = TableFormat("stata", (".dta",), partial(_read, "Stata", "read_dta"), options=("encoding",))
