"""Small grey images of items as PNG files inside the page."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import is_sparse
from halflabel.table import OpenTable
from halflabel.table.exclusions import Cause

#: Maximum side of an image, in pixels.
MAX_SIDE = 128


def read_images(marks: NDArray[Any], n_items: int) -> NDArray[np.uint8]:
    """Return one small grey image per item as ink. Raise if their shape is another one."""
    if marks.ndim != 3 or len(marks) != n_items or max(marks.shape[1:]) > MAX_SIDE:
        raise ValueError(
            f"marks must be one small grey image per item, {n_items} x height x width, of at most "
            f"{MAX_SIDE} pixels a side, but their shape is {marks.shape}."
        )
    return scale_to_ink(marks)


def take_marks(opened: OpenTable, shape: tuple[int, int]) -> NDArray[Any]:
    """Return the vectors of the items, or all their features, as images of this height and width.

    Raises
    ------
    ValueError
        If neither has as many numbers per item as the images have pixels.
    """
    size, width = shape[0] * shape[1], opened.encoder.vector_width
    X: Any = opened.X
    if width == size:
        start = len(opened.encoder.numeric)
        X = X[:, start : start + width]
    if X.shape[1] != size and (cells := _take_pixels(opened, shape)) is not None:
        return cells.reshape(-1, *shape)
    if X.shape[1] != size:
        what = f"vectors of {width} numbers" if width else f"{X.shape[1]} features"
        raise ValueError(f"marks of {shape[0]} x {shape[1]} pixels need {size} numbers per item; there are {what}.")
    dense: NDArray[Any] = X.toarray() if is_sparse(X) else X
    return dense.reshape(-1, *shape)


def name_drawn(opened: OpenTable, shape: tuple[int, int]) -> set[str]:
    """Return the columns that images of this height and width draw: the vectors, or the numbers, constant ones too."""
    if opened.encoder.vector_width == shape[0] * shape[1]:
        return {str(opened.roles.vectors)}
    return {*opened.roles.find_ignored(Cause.CONSTANT), *opened.roles.numeric}


def _take_pixels(opened: OpenTable, shape: tuple[int, int]) -> NDArray[Any] | None:
    """Return the number columns in the order of the table, constant ones included, if they are this many."""
    if opened.frame is None:
        return None
    numbers = name_drawn(opened, shape)
    pixels = [j for j, name in enumerate(map(str, opened.frame.columns)) if name in numbers]
    if len(pixels) != shape[0] * shape[1]:
        return None
    values = opened.frame.iloc[:, pixels].apply(pd.to_numeric, errors="coerce").fillna(0)
    return np.asarray(values, dtype=np.float64)


def scale_to_ink(marks: NDArray[Any]) -> NDArray[np.uint8]:
    """Return grey images as ink, from the smallest value of all images (0) to the largest (255)."""
    low, high = float(np.min(marks)), float(np.max(marks))
    return np.rint((marks - low) * (255 / ((high - low) or 1.0))).astype(np.uint8)


def encode_png(ink: NDArray[np.uint8]) -> str:
    """Return an image of black ink on a transparent ground as a data URI.

    A PNG of 8-bit grey and alpha is a signature and three chunks with checksums, too little to need an image library.

    Parameters
    ----------
    ink : ndarray of uint8, shape (height, width)
        0 is transparent, 255 black.
    """
    height, width = ink.shape
    rows = np.zeros((height, 1 + 2 * width), dtype=np.uint8)
    rows[:, 2::2] = ink
    header = struct.pack(">2I5B", width, height, 8, 4, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    file = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    return "data:image/png;base64," + base64.b64encode(file).decode()
