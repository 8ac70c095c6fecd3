"""Bytes from the disk, with limits: every text reader of this package reads through here."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halflabel.datasets.records import ReadError

#: A file, decompressed, may not be larger than this.
MAX_BYTES = 8_000_000_000


def base_suffix(path: Path) -> str:
    """Return the suffix in lower case, without a final ``.gz``.

    Examples
    --------
    >>> base_suffix(Path("Yeast.ARFF.gz"))
    '.arff'
    """
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def sha256_of(path: Path) -> str:
    """Return the SHA-256 digest of the file as it lies on the disk."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def open_text(path: Path, *, max_line: int, max_bytes: int = MAX_BYTES) -> io.BufferedReader:
    """Open a text file, gzipped or not, as bytes that are checked while they pass.

    Raises
    ------
    ReadError
        Here or while reading: the file cannot be opened, is larger than ``max_bytes``
        when decompressed, is a broken gzip file, holds a NUL byte or a line of more
        than ``max_line`` bytes.
    """
    return io.BufferedReader(_Checked(path, max_line, max_bytes), buffer_size=1 << 18)


def lines(path: Path, *, max_line: int) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line with its end) of a UTF-8 text file, checked as in :func:`open_text`."""
    with open_text(path, max_line=max_line) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                reason = (
                    f"byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8: save the file as "
                    "UTF-8, for example with 'iconv -f latin1 -t utf-8'."
                )
                raise ReadError.at(path, reason, line=number) from None


class _Checked(io.RawIOBase):
    """Raw bytes of a file that raise :class:`ReadError` where something is wrong with them."""

    def __init__(self, path: Path, max_line: int, max_bytes: int) -> None:
        super().__init__()
        self._path, self._max_line, self._max_bytes = path, max_line, max_bytes
        self._size, self._line, self._open_line = 0, 1, 0
        try:
            opener: Any = gzip.open if path.name.lower().endswith(".gz") else open
            self._file = opener(path, "rb")
        except OSError as error:
            raise ReadError.at(path, f"it cannot be opened ({os.strerror(error.errno or 0)}).") from error

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed and hasattr(self, "_file"):
            self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        chunk = self._read(len(buffer))
        self._check(chunk)
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _read(self, size: int) -> bytes:
        try:
            chunk: bytes = self._file.read(size)
        except EOFError:
            reason = "the gzip file is truncated: it ends in the middle of the data. Fetch or copy it again."
            raise ReadError.at(self._path, reason) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise ReadError.at(self._path, f"it is not a sound gzip file ({error}).") from None
        except OSError as error:
            raise ReadError.at(self._path, f"it cannot be read ({error.strerror}).") from error
        self._size += len(chunk)
        if self._size > self._max_bytes:
            raise ReadError.at(self._path, f"it holds more than {self._max_bytes:,} bytes, the limit: split it.")
        return chunk

    def _check(self, chunk: bytes) -> None:
        """Look for NUL bytes and lines without end; keep count of the lines."""
        nul = chunk.find(b"\0")
        if nul >= 0:
            line = self._line + chunk.count(b"\n", 0, nul)
            raise ReadError.at(
                self._path, "a NUL byte: this is not a text file (or it is UTF-16: save it as UTF-8).", line=line
            )
        start = 0
        while len(chunk) - start + self._open_line > self._max_line:  # false at once for nearly every chunk
            end = chunk.find(b"\n", start)
            length = self._open_line + (end if end >= 0 else len(chunk)) - start
            if length > self._max_line:
                reason = f"the line is longer than {self._max_line:,} bytes, the limit."
                raise ReadError.at(self._path, reason, line=self._line + chunk.count(b"\n", 0, start))
            start, self._open_line = end + 1, 0
        self._line += chunk.count(b"\n")
        last = chunk.rfind(b"\n")
        self._open_line = len(chunk) - last - 1 if last >= 0 else self._open_line + len(chunk)
