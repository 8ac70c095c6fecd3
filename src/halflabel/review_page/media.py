"""Images and sounds of items, requested by row and column, never by path."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

#: Suffixes of cells that name an image or a sound.
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".avif", ".svg")
SOUNDS = (".mp3", ".wav", ".ogg", ".oga", ".opus", ".flac", ".m4a", ".aac")

#: Maximum number of bytes of a file that is sent.
MAX_BYTES = 200_000_000

#: The first bytes of a format, at an offset, and its type.
_SIGNATURES = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftypmp4", "audio/mp4"),
    (4, b"ftypisom", "audio/mp4"),
)


@dataclass(frozen=True)
class Media:
    """The content of a cell (a file or bytes) and its type."""

    kind: str
    path: Path | None = None
    content: bytes = b""


def detect_kind(cell: Any) -> str | None:
    """Return "image" or "audio" for a cell that names or holds one, None for any other cell.

    Examples
    --------
    >>> [detect_kind(cell) for cell in ("a/1.PNG", "b.mp3", "https://a.org/1.png", {"bytes": b"", "path": "1"}, "text")]
    ['image', 'audio', None, 'image', None]
    """
    if isinstance(cell, Mapping):
        named = detect_kind(cell.get("path")) if cell.get("path") else None
        return named or ("image" if "bytes" in cell or "path" in cell else None)
    if isinstance(cell, bytes):
        return "image"
    if not isinstance(cell, str) or "://" in cell or len(cell) > 4096:
        return None
    suffix = os.path.splitext(cell)[1].lower()
    return "image" if suffix in IMAGES else "audio" if suffix in SOUNDS else None


class MediaFolder:
    """Finds the files that cells name, and opens none outside of ``root``, links resolved, by default ``folder``.

    Relative paths start from ``folder``, and from ``root`` if the file is not there.
    """

    def __init__(self, frame: pd.DataFrame, folder: str | os.PathLike[str], root: Path | None = None) -> None:
        self.frame = frame
        self.folder = Path(folder).resolve()
        self.root = self.folder if root is None else Path(root).resolve()
        if root is not None and not self.root.is_dir():
            raise ValueError(f"{root}: there is no such folder, so that its images and sounds cannot be shown.")

    def find(self, row: int, column: int) -> Media | None:
        """Return the image or sound of a cell. None if it is absent, of another type, or too large."""
        if not (0 <= row < len(self.frame) and 0 <= column < self.frame.shape[1]):
            return None
        cell: Any = self.frame.iat[row, column]
        if detect_kind(cell) is None:
            return None
        if isinstance(cell, Mapping):
            cell = cell.get("bytes") or cell.get("path")
        if isinstance(cell, bytes):
            kind = detect_type(cell[:4096])
            return Media(kind, content=cell) if kind and len(cell) <= MAX_BYTES else None
        return self._find_file(cell)

    def _find_file(self, name: Any) -> Media | None:
        if not isinstance(name, str) or "\0" in name:
            return None
        try:
            path = self.folder / name
            path = (path if path.exists() else self.root / name).resolve(strict=True)
            if not path.is_relative_to(self.root) or not path.is_file() or path.stat().st_size > MAX_BYTES:
                return None
            with path.open("rb") as file:
                kind = detect_type(file.read(4096))
        except (OSError, ValueError, RuntimeError):  # absent, not readable, a loop of links
            return None
        return Media(kind, path=path) if kind else None


def detect_type(start: bytes) -> str | None:
    """Return the type of an image or a sound from its first bytes, or None for everything else.

    Examples
    --------
    >>> detect_type(b"GIF89a"), detect_type(b"<html>"), detect_type(b"<svg xmlns=''>")
    ('image/gif', None, 'image/svg+xml')
    """
    for offset, signature, kind in _SIGNATURES:
        if start[offset : offset + len(signature)] == signature:
            return kind
    if len(start) > 1 and start[0] == 0xFF and start[1] & 0xE0 == 0xE0:  # a frame of MPEG audio
        return "audio/aac" if start[1] & 0xF6 == 0xF0 else "audio/mpeg"
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:4] == b"<svg" or (text[:5] == b"<?xml" and b"<svg" in text):
        return "image/svg+xml"
    return None
