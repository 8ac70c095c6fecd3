"""Read and write JSON files: the records of an array, of lines or of one document, one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from halflabel._files import atomic_write
from halflabel._wording import clipped
from halflabel.files.bounded import lines
from halflabel.files.field_values import plain
from halflabel.files.json_text import MAX_RECORD, Place, TextStream, parse
from halflabel.files.raw_table import ReadError

#: Maximum bytes of a file that is one document.
MAX_DOCUMENT = 1 << 30

Layout = Literal["array", "lines", "document"]
Reading = Iterator[tuple[Place, dict[str, Any]]]


def layout_of(path: Path) -> Layout | None:
    """Return the arrangement of the records in a file, or None if the file does not begin as JSON does."""
    with TextStream(path) as text:
        start = text.skip_blanks()
    if start != "{":
        return "array" if start == "[" else None
    filled = _filled_lines(path, MAX_DOCUMENT)
    first = next(filled)[1]
    if next(filled, None) is None:
        return "document"
    return "lines" if first.rstrip().endswith("}") else "document"


def read_records(paths: Sequence[Path]) -> Reading:
    """Yield (place, object) for the records of files of any layout. A document is one record."""
    for path in paths:
        layout = layout_of(path)
        if layout is None:
            raise ReadError.at(path, "it is not JSON: it begins with neither '[' nor '{'.")
        yield from _READERS[layout](path)


def read_document(path: Path) -> dict[str, Any]:
    """Return the one object that a file holds."""
    return next(_document(path))[1]


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


def _document(path: Path) -> Reading:
    place = Place(path, 1, 1)
    with TextStream(path, max_record=MAX_DOCUMENT) as text:
        yield place, _object(parse(text.rest(), place), place)


def _array(path: Path) -> Reading:
    with TextStream(path) as text:
        text.skip_blanks()
        text.skip(1)
        number = 0
        while (mark := text.skip_blanks()) != "]":
            if number:
                if mark != ",":
                    raise ReadError.at(path, f"record {number} is followed by neither ',' nor ']'.", line=text.line)
                text.skip(1)
                text.skip_blanks()
            number += 1
            place = Place(path, text.line, number)
            yield place, _object(text.value(place), place)
        text.skip(1)
        if text.skip_blanks():
            raise ReadError.at(path, f"text follows the list of {number} records.", line=text.line)


def _object(value: Any, place: Place) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise place.error(
            f"it is {clipped(json.dumps(value, ensure_ascii=False), 40)}, but a record must be an object: {{...}}."
        )
    return value


def _filled_lines(path: Path, max_line: int) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in lines(path, max_line=max_line) if line.strip())


_READERS: dict[Layout, Callable[[Path], Reading]] = {"lines": _lines, "document": _document, "array": _array}
