"""Image files of items as small pictures inside the page. Nothing is loaded from the network."""

from __future__ import annotations

import base64
import io
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: Suffixes of the cells that name an image file, and the formats that are decoded.
SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp")
FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP")

#: Maximum side of a picture on the page, and maximum number of its bytes there.
MAX_SIDE, MAX_BYTES = 160, 30_000

#: Maximum number of bytes and of pixels of a file; larger ones are named by their path only.
MAX_FILE, MAX_PIXELS = 30_000_000, 50_000_000


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
    if isinstance(cell, Mapping):
        cell = cell.get("path")
    return cell if isinstance(cell, str) else "image"


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

    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            with Image.open(io.BytesIO(content), formats=FORMATS) as image:
                return _shrink(image) if image.width * image.height <= MAX_PIXELS else None
        except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombWarning):
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
    ground.paste(small, mask=small.getchannel("A"))
    file = io.BytesIO()
    ground.save(file, "JPEG", quality=80)
    if len(file.getvalue()) > MAX_BYTES:
        return None
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()
