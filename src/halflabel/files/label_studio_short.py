"""The short exports of Label Studio: JSON-MIN and CSV, one row per annotation.

Their shape depends on the answers: one choice is a text, several are ``{"choices": [...]}``, in CSV as JSON text. Data
of the task and answers stand side by side: a column is a question if it holds such an object, or if all of its values
read as yes, no or unsure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from halflabel._wording import listed, option
from halflabel.files.choice_answers import Answers, read_choice
from halflabel.files.collector import Collector
from halflabel.files.delimited import read_delimited
from halflabel.files.field_values import names_in, rows_of, text_of
from halflabel.files.formats import Options
from halflabel.files.json_files import Place, parse, read_records
from halflabel.files.raw_table import ReadError
from halflabel.files.recognition import SHORT

#: The columns that every such export has, and the columns that some exports have.
OWN = frozenset((*SHORT, "id", "created_at", "updated_at", "agreement", "history"))

_OBJECT = '{"choices":'


def csv_rows(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the rows of CSV exports, with objects read from their text."""
    rows = []
    for path in paths:
        for number, row in enumerate(rows_of(read_delimited(path).frame), start=1):
            place = Place(path, number + 1, number)
            rows.append({name: _from_text(value, place) for name, value in row.items()})
    return rows


def json_rows(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the records of JSON-MIN exports."""
    return [record for _, record in read_records(paths)]


def collect(rows: list[dict[str, Any]], id_key: str, collector: Collector, answers: Answers, options: Options) -> None:
    """Hand the rows of a short export to a collector.

    Raises
    ------
    ReadError
        If no column holds choices, or a row has no id.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    questions = [name for name in names if name not in OWN and _is_question([row.get(name) for row in rows])]
    if options.tags is not None:
        questions = list(dict.fromkeys([*questions, options.tags]))
    if not questions:
        fields = listed([name for name in names if name not in OWN])
        reason = f"none of {fields} holds choices: name the question with {option('tags')}."
        raise ReadError.at(collector.path, reason)
    left_out = {*OWN, *questions, id_key}
    for number, row in enumerate(rows, start=1):
        key = row.get(id_key)
        if key is None:
            raise ReadError.at(collector.path, f"record {number} has no {id_key!r}.")
        item = collector.item(str(key), {name: value for name, value in row.items() if name not in left_out})
        if row.get("annotation_id") is None:
            continue
        annotation = answers.annotation(item, text_of(row.get("annotator")), text_of(row.get("updated_at")))
        for question in questions:
            if (chosen := _read_choices(row.get(question))) is not None:
                answers.answer(annotation, question, chosen)


def _is_question(values: Iterable[Any]) -> bool:
    present = [value for value in values if value is not None]
    if any(isinstance(part, Mapping) and "choices" in part for value in present for part in _parts(value)):
        return True
    return bool(present) and all(isinstance(value, str) and read_choice(value) is not None for value in present)


def _read_choices(value: Any) -> list[str] | None:
    """Return the choices of one answer, whatever its shape, or None for an answer without choices."""
    if value is None:
        return None
    chosen: list[str] = []
    for part in _parts(value):
        found = part.get("choices") if isinstance(part, Mapping) else part
        chosen += names_in(found if isinstance(found, list) else [found])
    return chosen


def _parts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _from_text(value: Any, place: Place) -> Any:
    """Return the value of a CSV cell. A cell that holds choices is JSON."""
    if isinstance(value, str) and _OBJECT in value[:20].replace(" ", ""):
        return parse(value, place)
    return value
