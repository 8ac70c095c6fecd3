"""Feature vectors in NumPy's own file format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel.files.bounded import check_ordinary, sha256_of
from halflabel.files.raw_table import RawTable, ReadError, TableFormat

#: Columns of the widest matrix.
MAX_FEATURES = 1_000_000


def read_vectors(path: str | os.PathLike[str]) -> NDArray[Any]:
    """Return the matrix of a ``.npy`` file, mapped from the disk, one row per item.

    Objects are never unpickled.

    Raises
    ------
    ReadError
        If it is not a NumPy file, is truncated, holds objects, or is not a
        two-dimensional table of real numbers.
    """
    path = Path(path)
    check_ordinary(path)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise ReadError.at(path, f"it cannot be opened ({error.strerror or error}).") from error
    except Exception as error:  # a damaged header makes NumPy raise whatever its tokenizer raises
        raise ReadError.at(
            path, f"it cannot be read as a NumPy array without pickled objects ({' '.join(str(error).split())[:200]})."
        ) from None
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "biuf":
        found = f"shape {array.shape} and type {array.dtype}" if isinstance(array, np.ndarray) else "several arrays"
        raise ReadError.at(
            path, f"feature vectors are a two-dimensional array of real numbers, but this holds {found}."
        )
    if not array.size or array.shape[1] > MAX_FEATURES:
        reason = f"it has the shape {array.shape}: at least one row, and 1 to {MAX_FEATURES:,} columns are needed."
        raise ReadError.at(path, reason)
    return array


def _read_table(path: Path) -> RawTable:
    matrix = read_vectors(path)
    names = tuple(f"x{j}" for j in range(matrix.shape[1]))
    return RawTable(
        pd.DataFrame(index=pd.RangeIndex(len(matrix))), matrix, names, source=str(path), sha256=sha256_of(path)
    )


FORMAT = TableFormat("npy", (".npy",), _read_table)
