"""Small pictures of items inside a page: image files, and vectors of pixels. Nothing is loaded from the network."""

from __future__ import annotations

import base64
import io
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import is_sparse
from halflabel.table import OpenTable
from halflabel.table.exclusions import Cause

#: Suffixes of the cells that name an image file, and the formats that are decoded.
SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp")
FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP")

#: Maximum side of a picture on the page, and maximum number of its bytes there.
MAX_SIDE, MAX_BYTES = 160, 30_000

#: Maximum number of bytes and of pixels of a file; larger ones are named by their path only.
MAX_FILE, MAX_PIXELS = 30_000_000, 50_000_000

#: Maximum side of an image of pixels.
MAX_MARK = 128


def is_image(cell: Any) -> bool:
    """Return whether a cell holds an image, or the path of an image file.

    Examples
    --------
    >>> [is_image(cell) for cell in ("birds/1.JPG", "https://a.org/1.jpg", b"PNG", {"bytes": b"", "path": "1"}, 3)]
    [True, False, True, True, False]
    """
    if isinstance(cell, Mapping):
        return "bytes" in cell or "path" in cell
    is_path = isinstance(cell, str) and cell.lower().endswith(SUFFIXES) and "://" not in cell
    return is_path or isinstance(cell, bytes)


def name_image(cell: Any) -> str:
    """Return the path of an image, or the word "image" if it has none."""
    path = cell.get("path") if isinstance(cell, Mapping) else cell
    return path if isinstance(path, str) else "image"


def read_thumbnail(cell: Any, folder: str | os.PathLike[str] = ".") -> str | None:
    """Return the small picture of an image as a data URI, or None without an image of a moderate size.

    Parameters
    ----------
    cell : str, bytes or mapping
        The path of a file, its content, or both as ``bytes`` and ``path``, as Hugging Face datasets have them.
    folder : path, default="."
        The folder that relative paths start from.
    """
    content = _read_content(cell, Path(folder))
    if content is None:
        return None
    from PIL import Image  # imported here: most tables have no images. It comes with matplotlib.

    try:
        with (
            warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning),
            Image.open(io.BytesIO(content), formats=FORMATS) as image,
        ):
            return _shrink(image) if image.width * image.height <= MAX_PIXELS else None
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombError):
        return None  # damaged, or of another format


def _read_content(cell: Any, folder: Path) -> bytes | None:
    """Return the bytes of the image file."""
    if isinstance(cell, Mapping):
        return _read_content(cell.get("bytes") or cell.get("path"), folder)
    if isinstance(cell, bytes):
        return cell if len(cell) <= MAX_FILE else None
    if not is_image(cell):
        return None
    try:
        path = folder / cell
        return path.read_bytes() if path.is_file() and path.stat().st_size <= MAX_FILE else None
    except (OSError, ValueError):  # a name that no file can have, or no permission
        return None


def _shrink(image: Any) -> str | None:
    """Return the picture on white ground, at most :data:`MAX_SIDE` pixels a side."""
    from PIL import Image

    image.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))
    image.thumbnail((MAX_SIDE, MAX_SIDE))
    small = image.convert("RGBA")
    ground = Image.new("RGB", small.size, "white")
    ground.paste(small, mask=small)
    address, size = _write(ground, "jpeg", quality=80)
    return address if size <= MAX_BYTES else None


def encode_png(ink: NDArray[np.uint8]) -> str:
    """Return an image of black ink on a transparent ground as a data URI.

    Parameters
    ----------
    ink : ndarray of uint8, shape (height, width)
        0 is transparent, 255 black.
    """
    from PIL import Image

    return _write(Image.fromarray(np.dstack([np.zeros_like(ink), ink])), "png")[0]


def _write(image: Any, form: str, **options: Any) -> tuple[str, int]:
    """Return an image as a data URI, and its number of bytes."""
    file = io.BytesIO()
    image.save(file, form, **options)
    return f"data:image/{form};base64,{base64.b64encode(file.getvalue()).decode()}", len(file.getvalue())


def read_images(marks: NDArray[Any], n_items: int) -> NDArray[np.uint8]:
    """Return one small grey image per item as ink. Raise if their shape is another one."""
    if marks.ndim != 3 or len(marks) != n_items or max(marks.shape[1:]) > MAX_MARK:
        raise ValueError(
            f"marks must be one small grey image per item, {n_items} x height x width, of at most "
            f"{MAX_MARK} pixels a side, but their shape is {marks.shape}."
        )
    return scale_to_ink(marks)


def take_marks(opened: OpenTable, shape: tuple[int, int]) -> NDArray[Any]:
    """Return the vectors of the items, or all their numbers, as images of this height and width.

    Raises
    ------
    ValueError
        If neither has as many numbers per item as the images have pixels.
    """
    size, width = shape[0] * shape[1], opened.encoder.vector_width
    X: Any = opened.X
    if width == size:
        X = X[:, len(opened.encoder.numeric) :][:, :width]
    elif X.shape[1] != size and opened.frame is not None:  # constant pixels are not features
        numbers = name_drawn(opened, shape)
        pixels = [name in numbers for name in map(str, opened.frame.columns)]
        X = opened.frame.loc[:, pixels].apply(pd.to_numeric, errors="coerce").fillna(0).to_numpy(np.float64)
    if X.shape[1] != size:
        what = f"vectors of {width} numbers" if width else f"{opened.X.shape[1]} features"
        raise ValueError(f"marks of {shape[0]} x {shape[1]} pixels need {size} numbers per item; there are {what}.")
    dense: NDArray[Any] = X.toarray() if is_sparse(X) else X
    return dense.reshape(-1, *shape)


def name_drawn(opened: OpenTable, shape: tuple[int, int]) -> set[str]:
    """Return the columns that images of this height and width draw: the vectors, or the numbers, constant ones too."""
    if opened.encoder.vector_width == shape[0] * shape[1]:
        return {str(opened.roles.vectors)}
    return {*opened.roles.find_ignored(Cause.CONSTANT), *opened.roles.numeric}


def scale_to_ink(marks: NDArray[Any]) -> NDArray[np.uint8]:
    """Return grey images as ink, from the smallest value of all images (0) to the largest (255)."""
    low, high = float(np.min(marks)), float(np.max(marks))
    return np.rint((marks - low) * (255 / ((high - low) or 1.0))).astype(np.uint8)
