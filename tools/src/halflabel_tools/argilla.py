"""Argilla 2: a folder as ``Dataset.to_disk`` writes it, with one question of yes, no and unsure per label.

Responses need the number of a user of the server, which is not known here. Answers are written as suggestions of the
agent "given", and are recognised by it when they come back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel.files import Cell, Collector, Format, Loss, Options, ReadError, Records
from halflabel.files.choice_answers import Answers, word_for
from halflabel.files.field_values import number_in, rows_of, text_of
from halflabel.files.json_files import read_document, read_records, write_array, write_document
from halflabel.plugins import atomic_folder, plural
from halflabel_tools.argilla_settings import ITEM, SEEN, dataset, kinds, settings, slugs, title_of

RECORDS, FOLDER, SETTINGS, DATASET = "records.json", ".argilla", "settings.json", "dataset.json"

#: The agent of suggestions that are given answers.
GIVEN = "given"


def _read(paths: Sequence[Path], options: Options) -> Records:
    questions, titles = _titles(paths[0])
    files = [path / RECORDS if path.is_dir() else path for path in paths]
    collector, answers = Collector(files[0], options.absent), Answers()
    n_other = 0
    for place, record in read_records(files):
        if not isinstance(record.get("fields"), dict):
            raise place.error("it has no 'fields'.")
        key = record.get("id")
        if key is None:
            raise place.error("it has no 'id'.")
        fields = {**record["fields"], **_mapping(record, "metadata")}
        named = {titles.get(name, name): value for name, value in fields.items() if name != ITEM}
        item = collector.item(str(key), named, new=True, place=f"record {place.number}: ")
        n_other += _add_responses(answers, item, _mapping(record, "responses"), questions)
        n_other += _add_suggestions(answers, item, _mapping(record, "suggestions"), questions)
    if n_other:
        collector.notes.append(f"{plural(n_other, 'answer')} of other kinds than choices left out.")
    answers.settle(collector, [options.tags] if options.tags else [])
    return collector.records(FORMAT.name)


def _titles(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the titles of questions, and of fields and metadata, by their names, where a folder has the settings."""
    file = (path if path.is_dir() else path.parent) / FOLDER / SETTINGS
    if not file.exists():
        return {}, {}
    stated = read_document(file)
    parts = {key: stated.get(key) or () for key in ("questions", "fields", "metadata")}
    if not all(
        isinstance(part, dict) and isinstance(part.get("name"), str) for found in parts.values() for part in found
    ):
        raise ReadError.at(file, "its questions and fields must be objects with names.")
    questions, fields, metadata = ({part["name"]: title_of(part) for part in found} for found in parts.values())
    return questions, fields | metadata


def _mapping(record: dict[str, Any], key: str) -> dict[str, Any]:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def _add_responses(answers: Answers, item: int, responses: dict[str, Any], questions: dict[str, str]) -> int:
    """Add the answers of people, and return the number of answers that are not choices."""
    numbers: dict[str | None, int] = {}
    n_other = 0
    for question, given in responses.items():
        for response in given if isinstance(given, list) else ():
            by = text_of(response.get("user_id")) if isinstance(response, dict) else None
            number = numbers.setdefault(by, -1)
            if number < 0:
                number = numbers[by] = answers.annotation(item, by)
            chosen = _read_choices(response.get("value") if isinstance(response, dict) else None)
            if chosen is None:
                n_other += 1
            elif question != SEEN:
                answers.answer(number, questions.get(question, question), chosen)
    return n_other


def _add_suggestions(answers: Answers, item: int, suggestions: dict[str, Any], questions: dict[str, str]) -> int:
    """Add suggestions of models and given answers, and return the number of suggestions that are not choices."""
    given: int | None = None
    n_other = 0
    for question, suggestion in suggestions.items():
        chosen = _read_choices(suggestion.get("value")) if isinstance(suggestion, dict) else None
        name = questions.get(question, question)
        if chosen is None:
            n_other += 1
        elif suggestion.get("agent") == GIVEN:
            given = answers.annotation(item) if given is None else given
            answers.answer(given, name, chosen)
        else:
            scores = suggestion.get("score")
            listed_scores = (
                scores if isinstance(scores, list) and len(scores) == len(chosen) else [scores] * len(chosen)
            )
            for choice, score in zip(chosen, listed_scores, strict=True):
                answers.guess(item, name, [choice], number_in(score), text_of(suggestion.get("agent")))
    return n_other


def _read_choices(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    is_list = isinstance(value, list) and all(isinstance(choice, str) for choice in value)
    return list(value) if is_list else None


def _write(records: Records, path: Path) -> None:
    of_kind = kinds(records.items)
    questions = slugs(records.names, "label")
    fields = slugs(of_kind, "field", questions.values())
    with atomic_folder(path) as folder:
        (folder / FOLDER).mkdir()
        write_document(folder / FOLDER / DATASET, dataset(path.name))
        write_document(folder / FOLDER / SETTINGS, settings(questions, fields, of_kind))
        write_array(folder / RECORDS, _records(records, questions, fields, of_kind))


def _records(
    records: Records, questions: dict[str, str], fields: dict[str, str], of_kind: dict[str, str]
) -> Iterator[dict[str, Any]]:
    for (key, cells), row in zip(records.resolved().by_item(), rows_of(records.items[list(of_kind)]), strict=True):
        known = {name: value for name, value in row.items() if value is not None}
        yield {
            "id": str(key),
            "fields": {ITEM: str(key)} | {fields[name]: known[name] for name in known if of_kind[name] == "field"},
            "metadata": {fields[name]: known[name] for name in known if of_kind[name] != "field"},
            "suggestions": _suggestions(cells, questions),
            "responses": {},
            "vectors": {},
            "status": "pending",
            "_server_id": None,
        }


def _suggestions(cells: list[Cell], questions: dict[str, str]) -> dict[str, Any]:
    """Return one suggestion per entry: that of a model if it differs from the answer, else the answer."""
    answers = {cell.label: cell.value for cell in cells if cell.source != "model"}
    suggestions: dict[str, Any] = {
        questions[label]: {"value": word_for(value), "score": None, "agent": GIVEN} for label, value in answers.items()
    }
    for cell in cells:
        if cell.source == "model" and cell.value is not None and cell.value != answers.get(cell.label):
            word = word_for(cell.value)
            suggestions[questions[cell.label]] = {"value": word, "score": cell.confidence, "agent": cell.by}
    return suggestions


def _carried(items: pd.DataFrame) -> list[str]:
    return list(kinds(items))


FORMAT = Format(
    name="argilla",
    title="Argilla",
    dialect="cells",
    suffixes=("",),
    read=_read,
    write=_write,
    losses=(
        Loss.BOTH,
        Loss.GIVEN_PROBABILITIES,
        Loss.UNDECIDED,
        Loss.PEOPLE,
        Loss.FIELDS,
        Loss.LABELS,
        Loss.ANNOTATED,
    ),
    carries=_carried,
    options=("tags",),
)
