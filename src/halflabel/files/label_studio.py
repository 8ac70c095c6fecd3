"""Label Studio: tasks with annotations and predictions, one question of yes, no and unsure per label.

It writes tasks to import, and their labelling configuration. It reads the export as JSON, also of projects where the
labels are the choices of one question. The shorter exports, JSON-MIN and CSV, lack predictions and skipped tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._files import atomic_write
from halflabel._wording import plural
from halflabel.files.choice_answers import Answers, word_for
from halflabel.files.collector import Collector
from halflabel.files.field_values import names_in, number_in, rows_of, text_of
from halflabel.files.formats import Format, Options
from halflabel.files.json_files import Place, read_records, write_array
from halflabel.files.label_studio_config import config, object_name
from halflabel.files.loss import Loss
from halflabel.files.records import Cell, Question, Records

#: The key of the id in the data of a task.
ID = "item_id"


def _read(paths: Sequence[Path], options: Options) -> Records:
    collector, answers = Collector(paths[0], options.absent), Answers()
    targets = _collect_tasks(paths, collector, answers, options)
    listing = answers.settle(collector)
    records = collector.records(FORMAT.name)
    if len(listing) != 1:
        return records
    (name,) = listing
    return replace(records, question=Question(name, targets.get(name, "item")))


def _collect_tasks(paths: Sequence[Path], collector: Collector, answers: Answers, options: Options) -> dict[str, str]:
    """Give the tasks of a JSON export to a collector. Return the object that each question is about."""
    targets: dict[str, str] = {}
    n_skipped = n_other = 0
    key = options.id
    for place, task in read_records(paths):
        data = task.get("data")
        if not isinstance(data, dict):
            raise place.error("the task has no 'data'.")
        key = key or next((name for name in (ID, "id") if name in data), None)
        item = collector.item(_id_of(task, key, place), _fields(data, key), new=True, place=f"record {place.number}: ")
        for annotation in _objects(task.get("annotations", task.get("completions"))):
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                n_skipped += 1
                continue
            number = answers.annotation(item, _person(annotation), text_of(annotation.get("updated_at")))
            for question, chosen, _ in _choices(annotation):
                answers.answer(number, question, chosen)
            n_other += _n_other(annotation)
            targets |= _targets(annotation)
        for prediction in _objects(task.get("predictions")):
            targets |= _targets(prediction)
            for question, chosen, score in _choices(prediction):
                answers.guess(item, question, chosen, score, text_of(prediction.get("model_version")))
    if n_skipped:
        collector.notes.append(f"{plural(n_skipped, 'skipped annotation')} left out.")
    if n_other:
        collector.notes.append(f"{plural(n_other, 'result')} of other kinds than choices left out.")
    return targets


def _targets(annotation: dict[str, Any]) -> dict[str, str]:
    names = ((result.get("from_name"), result.get("to_name")) for result in _objects(annotation.get("result")))
    return {name: target for name, target in names if isinstance(name, str) and isinstance(target, str)}


def _id_of(task: dict[str, Any], key: str | None, place: Place) -> str:
    value = task.get("id") if key is None else task["data"].get(key)
    if value is None:
        raise place.error(f"the data of the task have no {key!r}." if key else "the task has no id.")
    return str(value)


def _fields(data: dict[str, Any], key: str | None) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list. Exports may have bare numbers of predictions in their place."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _choices(annotation: dict[str, Any]) -> Iterator[tuple[str, list[str], float | None]]:
    """Yield (question, choices, score) of the results that are choices. One result may have the score of the whole."""
    results = _objects(annotation.get("result"))
    for result in results:
        value = result.get("value")
        chosen = value.get("choices") if isinstance(value, dict) else None
        if isinstance(chosen, list) and isinstance(result.get("from_name"), str):
            score = result.get("score", annotation.get("score") if len(results) == 1 else None)
            yield result["from_name"], names_in(chosen), number_in(score)


def _n_other(annotation: dict[str, Any]) -> int:
    return len(_objects(annotation.get("result"))) - sum(1 for _ in _choices(annotation))


def _person(annotation: dict[str, Any]) -> str | None:
    person = annotation.get("completed_by")
    if isinstance(person, dict):
        person = person.get("email") or person.get("id")
    return text_of(person)


def _write(records: Records, path: Path) -> None:
    fields = records.items.drop(columns=ID, errors="ignore")
    target = object_name(records.names) if records.question is None else records.question.target
    write_array(path, _tasks(records, fields, target))
    with atomic_write(_companion(path), "w") as file:
        file.write(
            config(records.names, fields, ID, target, None if records.question is None else records.question.name)
        )


def _tasks(records: Records, fields: pd.DataFrame, target: str) -> Iterator[dict[str, Any]]:
    for (key, cells), row, annotated in zip(
        records.by_item(), rows_of(fields), records.annotated.tolist(), strict=True
    ):
        yield {
            "data": {ID: str(key)} | row,
            "annotations": _annotations(cells, target, annotated, records.question),
            "predictions": _predictions(cells, target, records.question),
        }


def _annotations(cells: list[Cell], target: str, annotated: bool, question: Question | None) -> list[dict[str, Any]]:
    """Return one annotation per person, and one per different answer for answers without a name."""
    sheets: list[tuple[str | None, dict[str, Cell]]] = []
    for cell in sorted(cells, key=lambda cell: cell.by is None):  # answers with a name come first
        if cell.source == "model":
            continue
        sheet = next((sheet for by, sheet in sheets if by == cell.by and (by or cell.label not in sheet)), None)
        if sheet is None and cell.by is None and len(sheets) == 1 and cell.label not in sheets[0][1]:
            sheet = sheets[0][1]  # labels that the only person did not list
        if sheet is None:
            sheets.append((cell.by, sheet := {}))
        before = sheet.get(cell.label)
        if before is None or (cell.at or "") >= (before.at or ""):
            sheet[cell.label] = cell
    if annotated and not sheets:
        sheets.append((None, {}))
    return [{"result": _results(list(sheet.values()), target, question)} for _, sheet in sheets]


def _predictions(cells: list[Cell], target: str, question: Question | None) -> list[dict[str, Any]]:
    """Return one prediction per model. Its score, for sorting tasks, is the score of the least certain entry."""
    by_model: dict[str | None, list[Cell]] = {}
    for cell in cells:
        if cell.source == "model" and cell.value is not None:
            by_model.setdefault(cell.by, []).append(cell)
    predictions = []
    for model, made in by_model.items():
        scores = [cell.confidence for cell in made if cell.confidence is not None]
        score = {"score": min(scores)} if scores else {}
        if question is None:
            prediction: dict[str, Any] = {"result": [_result(cell, target) | _score(cell) for cell in made]}
        else:  # the answer to the question is the whole list
            known = [cell for cell in cells if cell.source != "model" and cell.label not in {c.label for c in made}]
            prediction = {"result": [result | score for result in _results([*known, *made], target, question)]}
        prediction |= {"model_version": model} if model is not None else {}
        prediction |= score
        predictions.append(prediction)
    return predictions


def _results(cells: list[Cell], target: str, question: Question | None) -> list[dict[str, Any]]:
    """Return the results that state the values of cells: one per label, or one with the list of the labels."""
    if question is None:
        return [_result(cell, target) for cell in cells]
    chosen = list(dict.fromkeys(cell.label for cell in cells if cell.value == 1))
    value = {"choices": chosen}
    return [{"from_name": question.name, "to_name": target, "type": "choices", "value": value}] if chosen else []


def _result(cell: Cell, target: str) -> dict[str, Any]:
    return {
        "from_name": cell.label,
        "to_name": target,
        "type": "choices",
        "value": {"choices": [word_for(cell.value)]},
    }


def _score(cell: Cell) -> dict[str, float]:
    return {} if cell.confidence is None else {"score": cell.confidence}


def _companion(path: Path) -> Path:
    return path.with_suffix(".xml")


FORMAT = Format(
    name="label-studio",
    title="Label Studio",
    dialect="cells",
    suffixes=(".json",),
    read=_read,
    write=_write,
    losses=(Loss.GIVEN_PROBABILITIES, Loss.UNDECIDED, Loss.WHO, Loss.LABELS),
    question_losses=(Loss.IRRELEVANT, Loss.SCORES, Loss.UNSURE, Loss.WHO, Loss.LABELS),
    carries=lambda items: [name for name in items.columns if name != ID],
    options=("id",),
    companion=_companion,
)
