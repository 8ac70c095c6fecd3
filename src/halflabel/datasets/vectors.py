"""Feature vectors in NumPy's own file format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel.datasets.records import ReadError


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
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise ReadError.at(path, f"it cannot be opened ({error.strerror or error}).") from error
    except Exception as error:  # a damaged header makes NumPy raise whatever its tokenizer raises
        raise ReadError.at(path, f"it cannot be read as a NumPy array without pickled objects ({error}).") from None
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "biuf":
        found = f"shape {array.shape} and type {array.dtype}" if isinstance(array, np.ndarray) else "several arrays"
        raise ReadError.at(
            path, f"feature vectors are a two-dimensional array of real numbers, but this holds {found}."
        )
    return array
