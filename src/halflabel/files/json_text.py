"""JSON values from text in bounds: depth, digits and size have limits, and errors name the line and the record.

A file from elsewhere may hold a number of any length, lists nested to any depth and records of any size.
"""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from halflabel._wording import clipped
from halflabel.files.bounded import MAX_BYTES, open_text
from halflabel.files.raw_table import ReadError

#: Maximum bytes of one record, and maximum depth of lists and objects.
MAX_RECORD, MAX_DEPTH = 64 << 20, 64

_CHUNK = 1 << 20
_BLANKS = re.compile(r"[ \t\r\n]*")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_HALF_CHARACTER = re.compile(r"\\u[dD][89abAB]")
_NO_BRACKETS, _PAIRS = re.compile(r"[^\[\]{}]+"), re.compile(r"\[\]|\{\}")
#: NaN and Infinity, which some programs write though JSON does not have them, become None.
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)


class Place(NamedTuple):
    """The place of a record in a file."""

    path: Path
    line: int
    number: int

    def error(self, reason: str, *, line: int | None = None) -> ReadError:
        """Return the error for this place."""
        return ReadError.at(self.path, f"record {self.number}: {reason}", line=line or self.line)


def parse(text: str, place: Place) -> Any:
    """Return the value of a JSON text.

    Raises
    ------
    ReadError
        If it is not JSON, is nested deeper than :data:`MAX_DEPTH`, or has a number of thousands of digits.
    """
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise _explained(error, text, place) from None
    _check(value, text, place)
    return value


class TextStream:
    """The text of a file, decoded as it is needed. Consumed text is not kept."""

    def __init__(self, path: Path, *, max_record: int = MAX_RECORD) -> None:
        self._path, self._max_record = path, max_record
        self._stream = open_text(path, max_line=MAX_BYTES)
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text, self._at, self._ended = "", 0, False
        self.line = 1

    def __enter__(self) -> TextStream:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def skip(self, characters: int) -> None:
        """Consume characters."""
        self.line += self._text.count("\n", self._at, self._at + characters)
        self._at += characters

    def skip_blanks(self) -> str:
        """Consume blanks and line ends. Return the character behind them, or an empty text at the end of the file."""
        while True:
            blanks = _BLANKS.match(self._text, self._at)
            self.skip(blanks.end() - self._at if blanks else 0)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._grow():
                return ""

    def value(self, place: Place) -> Any:
        """Consume one JSON value."""
        while True:
            begun, begin = self._text, self._at
            try:
                value, end = _DECODER.raw_decode(begun, begin)
                break
            except (ValueError, RecursionError) as error:
                if isinstance(error, json.JSONDecodeError) and self._grow():
                    continue
                raise _explained(error, begun, place, begin) from None
        text = self._text[self._at : end]
        _check(value, text, place)
        self.skip(len(text))
        return value

    def rest(self) -> str:
        """Return the remaining text of the file."""
        while self._grow():
            pass
        return self._text[self._at :]

    def _grow(self) -> bool:
        """Read on, in steps that double. Return False at the end of the file."""
        if self._ended:
            return False
        kept = len(self._text) - self._at
        if kept > self._max_record:
            reason = f"a record is larger than {self._max_record:,} bytes, the limit."
            raise ReadError.at(self._path, reason, line=self.line)
        chunk = self._stream.read(max(_CHUNK, kept))
        self._ended = not chunk
        try:
            self._text, self._at = self._text[self._at :] + self._decode(chunk, self._ended), 0
        except UnicodeDecodeError as error:
            line = self.line + self._text.count("\n", self._at) + chunk.count(b"\n", 0, error.start)
            raise ReadError.at(self._path, "a byte is not UTF-8: save the file as UTF-8.", line=line) from None
        return not self._ended


def _explained(error: Exception, text: str, place: Place, begin: int = 0) -> ReadError:
    """Return the sentence for an error of the decoder in the value at ``begin``."""
    if isinstance(error, json.JSONDecodeError):
        near = clipped(text[max(error.pos - 10, begin) : error.pos + 20])
        ended = not text[error.pos :].strip()
        reason = f"it ends too early ({error.msg})." if ended else f"it is not valid JSON near {near!r} ({error.msg})."
        return place.error(reason, line=place.line + text.count("\n", begin, error.pos))
    if isinstance(error, RecursionError):
        return place.error(f"it is nested deeper than {MAX_DEPTH} lists and objects, the limit.")
    return place.error("a number has thousands of digits.")  # Python reads whole numbers of up to 4300


def _check(value: Any, text: str, place: Place) -> None:
    """Raise for valid JSON that later steps cannot take: half characters, and values that are nested too deeply."""
    if _HALF_CHARACTER.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise place.error("a text holds half of a character (a lone surrogate).") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_deep(text):
        raise _explained(RecursionError(), text, place)


def _is_deep(text: str) -> bool:
    """Return whether valid JSON exceeds :data:`MAX_DEPTH`: each pass removes the innermost lists and objects."""
    brackets = _NO_BRACKETS.sub("", _STRINGS.sub("", text))
    for _ in range(MAX_DEPTH):
        brackets = _PAIRS.sub("", brackets) if brackets else ""
    return bool(brackets)
