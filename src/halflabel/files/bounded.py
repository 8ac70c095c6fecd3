"""Bytes from the disk, with limits: every text reader of this package reads through here."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import os
import stat
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from halflabel._memory import free_memory
from halflabel._wording import option, plural
from halflabel.files.raw_table import ReadError

#: Maximum size of a decompressed file, in bytes and as a share of the free memory.
MAX_BYTES, MAX_SHARE = 8_000_000_000, 0.25


def join_names(*paths: Path) -> str:
    """Return the name of a table that may be in several files.

    Examples
    --------
    >>> join_names(Path("a.csv")), join_names(Path("a.csv"), Path("b.csv"), Path("c.csv"))
    ('a.csv', 'a.csv and 2 more files')
    """
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {plural(len(paths) - 1, 'more file')}"


def sha256_of(*paths: Path) -> str:
    """Return the SHA-256 digest of a file as it lies on the disk, or the digest of the digests of several files."""
    digests = []
    for path in paths:
        try:
            with path.open("rb") as stream:
                digests.append(hashlib.file_digest(stream, "sha256").hexdigest())
        except OSError as error:
            raise ReadError.at(path, f"it cannot be read ({os.strerror(error.errno or 0)}).") from error
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def check_ordinary(path: Path) -> None:
    """Raise for a pipe or a device, which may never end and can be read only once."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise ReadError.at(path, f"it cannot be opened ({os.strerror(error.errno or 0)}).") from error
    if not stat.S_ISREG(mode):
        raise ReadError.at(path, "it is not an ordinary file (a pipe, a device or a folder): write it to a file first.")


def read_start(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, by which its format is recognised."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise ReadError.at(path, f"it cannot be opened ({os.strerror(error.errno or 0)}).") from error


def size_limit() -> int:
    """Return the maximum size of a decompressed file: a fixed limit, or a share of the free memory if that is less."""
    return int(min(MAX_BYTES, MAX_SHARE * free_memory()))


def open_text(
    path: Path, *, max_line: int, max_bytes: int | None = None, encoding: str = "utf-8", skip: Collection[int] = ()
) -> io.BufferedReader[Any]:
    """Open a text file, gzipped or not, as UTF-8 bytes that are checked while they pass, without the lines of ``skip``.

    Raises
    ------
    ReadError
        Here or while reading: the file cannot be opened, is not an ordinary file, is larger than ``max_bytes``
        when decompressed, is a broken gzip file, cannot be decoded, holds a NUL byte or a line of more
        than ``max_line`` bytes.
    """
    stream: io.BufferedReader[Any] = io.BufferedReader(
        _Checked(path, max_line, max_bytes or size_limit(), encoding), buffer_size=1 << 18
    )
    if not skip:
        return stream
    with stream:
        kept = b"".join(line for number, line in enumerate(stream, start=1) if number not in skip)
    return io.BufferedReader(io.BytesIO(kept))


def lines(
    path: Path, *, max_line: int, encoding: str = "utf-8", skip: Collection[int] = ()
) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line with its end) of a text file, checked as in :func:`open_text`."""
    with open_text(path, max_line=max_line, encoding=encoding) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                if number not in skip:
                    yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                reason = (
                    f"byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8: save the file as "
                    "UTF-8 (in Excel: Save as, CSV UTF-8; or iconv -f WINDOWS-1252 -t UTF-8)."
                )
                raise ReadError.at(path, reason, line=number) from None


def encoding_of(path: Path) -> str:
    """Return the encoding of a text file: by its byte order mark, else UTF-8, else Windows-1252.

    Raises
    ------
    ReadError
        If it is none of these; as :func:`open_text`.
    """
    for encoding in ("utf-8", "cp1252"):
        decoder = codecs.getincrementaldecoder(encoding)()
        with io.BufferedReader(_Raw(path, size_limit())) as stream:
            start = stream.peek(4)[:4]
            if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return "utf-16"
            try:
                while chunk := stream.read(1 << 20):
                    decoder.decode(chunk)
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                continue
        return "utf-8-sig" if start.startswith(codecs.BOM_UTF8) and encoding == "utf-8" else encoding
    raise ReadError.at(path, f"it is neither UTF-8 nor Windows-1252. Name its encoding with {option('encoding')}.")


class _Raw(io.RawIOBase):
    """Bytes of a file, decompressed, that raise :class:`ReadError` where they end too soon or not soon enough."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        super().__init__()
        self._path, self._max_bytes, self._size = path, max_bytes, 0
        check_ordinary(path)
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
            raise ReadError.at(
                self._path,
                f"it holds more than {self._max_bytes:,} bytes, the limit ({MAX_BYTES:,} or a quarter of the free "
                "memory): split it, or use a machine with more memory.",
            )
        return chunk


class _Checked(_Raw):
    """The same bytes as UTF-8, without NUL bytes and without lines that are too long."""

    def __init__(self, path: Path, max_line: int, max_bytes: int, encoding: str) -> None:
        super().__init__(path, max_bytes)
        self._max_line, self._line, self._open_line = max_line, 1, 0
        self._encoding, self._decoded = encoding, b""
        try:
            if not codecs.lookup(encoding)._is_text_encoding:
                raise LookupError
            self._decoder = None if encoding in ("utf-8", "utf-8-sig") else codecs.getincrementaldecoder(encoding)()
        except LookupError:
            raise ReadError.at(path, f"there is no encoding {encoding!r}: try utf-8, cp1252 or utf-16.") from None

    def readinto(self, buffer: Any) -> int:
        chunk = self._read(len(buffer)) if self._decoder is None else self._transcoded(len(buffer))
        self._check(chunk)
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _transcoded(self, size: int) -> bytes:
        """Return up to ``size`` bytes of UTF-8. Further bytes wait for the next call."""
        assert self._decoder is not None
        while not self._decoded:
            chunk = self._read(1 << 16)
            try:
                self._decoded = self._decoder.decode(chunk, final=not chunk).encode()
            except UnicodeError as error:
                reason = (
                    f"it cannot be decoded as {self._encoding} ({error}): name its encoding with {option('encoding')}."
                )
                raise ReadError.at(self._path, reason, line=self._line) from None
            if not chunk:
                break
        chunk, self._decoded = self._decoded[:size], self._decoded[size:]
        return chunk

    def _check(self, chunk: bytes) -> None:
        """Look for NUL bytes and lines without end, and count the lines."""
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
