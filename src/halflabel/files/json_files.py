"""JSON files in bounds: the records of an array, of lines or of one document, read and written.

A file from elsewhere may hold a number of any length, lists nested to any depth and records of any size: depth, digits
and size have limits, and errors name the line and the record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from halflabel._files import atomic_write
from halflabel._wording import clipped
from halflabel.files.bounded import MAX_BYTES, lines, open_text
from halflabel.files.field_values import plain
from halflabel.files.raw_table import ReadError

#: Maximum bytes of one line, of a file that is one document or array, and maximum depth of lists and objects.
MAX_RECORD, MAX_DOCUMENT, MAX_DEPTH = 64 << 20, 1 << 30, 64

_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_HALF_CHARACTER = re.compile(r"\\u[dD][89abAB]")
_NO_BRACKETS, _PAIRS = re.compile(r"[^\[\]{}]+"), re.compile(r"\[\]|\{\}")
#: NaN and Infinity, which some programs write though JSON does not have them, become None.
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)

Layout = Literal["array", "lines", "document"]


class Place(NamedTuple):
    """The place of a record in a file: its line, where each record has one, and its number from 1."""

    path: Path
    line: int | None = None
    number: int = 0

    def error(self, reason: str, *, line: int | None = None) -> ReadError:
        """Return the error for this place."""
        which = f"record {self.number}: " if self.number else ""
        return ReadError.at(self.path, which + reason, line=line or self.line)


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


Reading = Iterator[tuple[Place, dict[str, Any]]]


def layout_of(path: Path) -> Layout | None:
    """Return the arrangement of the records in a file, or None if the file does not begin as JSON does."""
    with open_text(path, max_line=MAX_BYTES) as stream:
        start = stream.read(1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start != b"{":
        return "array" if start == b"[" else None
    filled = _filled_lines(path, MAX_DOCUMENT)
    first = next(filled)[1]
    is_lines = next(filled, None) is not None and first.rstrip().endswith("}")
    return "lines" if is_lines else "document"


def read_records(paths: Sequence[Path]) -> Reading:
    """Yield (place, object) for the records of files of any layout. A document is one record."""
    for path in paths:
        layout = layout_of(path)
        if layout is None:
            raise ReadError.at(path, "it is not JSON: it begins with neither '[' nor '{'.")
        yield from _READERS[layout](path)


def read_document(path: Path) -> dict[str, Any]:
    """Return the one object that a file holds."""
    return next(_whole(path))[1]


def write_array(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write records as a JSON array with one record per line."""
    with atomic_write(path, "w") as file:
        file.write("[\n")
        file.writelines((",\n" if number else "") + dumped(record) for number, record in enumerate(records))
        file.write("\n]\n")


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write records as JSON lines."""
    with atomic_write(path, "w") as file:
        file.writelines(dumped(record) + "\n" for record in records)


def write_document(path: Path, document: dict[str, Any]) -> None:
    """Write one object."""
    with atomic_write(path, "w") as file:
        file.write(dumped(document) + "\n")


def dumped(value: Any) -> str:
    """Return a value as JSON text on one line."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=plain)
    except ValueError:
        raise ValueError("a field holds an infinite number, which JSON does not have: replace it first.") from None


def _lines(path: Path) -> Reading:
    for count, (number, line) in enumerate(_filled_lines(path, MAX_RECORD), start=1):
        place = Place(path, number, count)
        yield place, _object(parse(line.rstrip(), place), place)


def _whole(path: Path) -> Reading:
    """Yield the records of an array, or the one object that a document is."""
    value = parse(_read(path), Place(path))
    for number, record in enumerate(value if isinstance(value, list) else [value], start=1):
        place = Place(path, None, number)
        yield place, _object(record, place)


def _read(path: Path) -> str:
    return "".join(line for _, line in lines(path, max_line=MAX_BYTES))


def _object(value: Any, place: Place) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise place.error(
            f"it is {clipped(json.dumps(value, ensure_ascii=False), 40)}, but a record must be an object: {{...}}."
        )
    return value


def _filled_lines(path: Path, max_line: int) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in lines(path, max_line=max_line) if line.strip())


_READERS: dict[Layout, Callable[[Path], Reading]] = {"lines": _lines, "document": _whole, "array": _whole}


def _explained(error: Exception, text: str, place: Place) -> ReadError:
    """Return the sentence for an error of the decoder."""
    if isinstance(error, json.JSONDecodeError):
        near = clipped(text[max(error.pos - 10, 0) : error.pos + 20])
        ended = not text[error.pos :].strip()
        reason = f"it ends too early ({error.msg})." if ended else f"it is not valid JSON near {near!r} ({error.msg})."
        return place.error(reason, line=(place.line or 1) + text.count("\n", 0, error.pos))
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
