"""Argilla 2: a folder as ``Dataset.to_disk`` writes it, with one question of yes, no and unsure per label.

Responses need the number of a user of the server: answers are written as suggestions of the agent "given", and read so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel.files import Collector, Format, Loss, Options, Records
from halflabel.files.choice_answers import NO, UNSURE, YES, Answers, word_for
from halflabel.files.field_values import number_in, rows_of, text_of
from halflabel.files.json_files import read_document, read_records, write_array, write_document
from halflabel.plugins import atomic_folder, plural

RECORDS, SETTINGS, DATASET = "records.json", Path(".argilla", "settings.json"), Path(".argilla", "dataset.json")

#: The question that Argilla requires, the field for items without any text, and the agent of given answers.
SEEN, ITEM, GIVEN = "halflabel-seen", "halflabel-item", "given"
_TASK = {"guidelines": None, "allow_extra_metadata": False, "distribution": {"strategy": "overlap", "min_submitted": 1}}


def _read(paths: Sequence[Path], options: Options) -> Records:
    files = [path / RECORDS if path.is_dir() else path for path in paths]
    collector, answers, titles, n_other = Collector(files[0], options.absent), Answers(), _titles(files[0].parent), 0
    for place, record in read_records(files):
        if not isinstance(record.get("fields"), dict) or record.get("id") is None:
            raise place.error("it has no 'fields' or no 'id'.")
        fields = {**record["fields"], **_mapping(record, "metadata")}
        named = {titles.get(name, name): value for name, value in fields.items() if name != ITEM}
        item = collector.item(str(record["id"]), named, new=True, place=f"record {place.number}: ")
        people: dict[str | None, int] = {}
        for name, by, part in _answers(record):
            question, value = titles.get(name, name), part.get("value")
            chosen: list[Any] = value if isinstance(value, list) else [value]
            is_choice = all(isinstance(choice, str) for choice in chosen)
            n_other += not is_choice
            if part.get("agent", GIVEN) == GIVEN:
                person = people[by] if by in people else people.setdefault(by, answers.annotation(item, by))
                if is_choice and question != SEEN:
                    answers.answer(person, question, chosen)
            elif is_choice:
                scores = part.get("score")
                each = scores if isinstance(scores, list) and len(scores) == len(chosen) else [scores] * len(chosen)
                for choice, score in zip(chosen, each, strict=True):
                    answers.guess(item, question, [choice], number_in(score), text_of(part["agent"]))
    if n_other:
        collector.notes.append(f"{plural(n_other, 'answer')} of other kinds than choices left out.")
    answers.settle(collector)
    return collector.records(FORMAT.name)


def _titles(folder: Path) -> dict[str, str]:
    """Return the titles of questions, fields and metadata by their names, where a folder has the settings."""
    stated = read_document(folder / SETTINGS) if (folder / SETTINGS).exists() else {}
    parts = [part for key in ("questions", "fields", "metadata") for part in stated.get(key) or ()]
    return {part["name"]: title_of(part) for part in parts if isinstance(part, dict) and "name" in part}


def _answers(record: dict[str, Any]) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
    """Yield (question, person, answer) for the answers of people, and for suggestions, which have an agent."""
    for name, given in _mapping(record, "responses").items():
        for part in given if isinstance(given, list) else ():
            answer = part if isinstance(part, dict) else {}
            yield name, text_of(answer.get("user_id")), {"value": answer.get("value")}
    for name, part in _mapping(record, "suggestions").items():
        yield name, None, {"agent": None} | (part if isinstance(part, dict) else {})


def _mapping(record: dict[str, Any], key: str) -> dict[str, Any]:
    return value if isinstance(value := record.get(key), dict) else {}


def _write(records: Records, path: Path) -> None:
    names = slugs(records.names, "label")
    fields = slugs(_carried(records.items), "field", names.values())
    questions = [_part(name, label, (YES, NO, UNSURE)) for label, name in names.items()]
    stated = {
        "questions": [*questions, _part(SEEN, "All questions seen", (YES,), required=True)],
        "fields": [_part(ITEM, "Item", required=True), *(_part(name, title) for title, name in fields.items())],
        "vectors": [], "metadata": [], "mapping": None,
    }  # fmt: skip
    with atomic_folder(path) as folder:
        (folder / SETTINGS).parent.mkdir()
        write_document(folder / DATASET, {"name": path.name, "status": "draft"} | _TASK)
        write_document(folder / SETTINGS, stated | _TASK)
        write_array(folder / RECORDS, _records(records, names, fields))


def _part(name: str, title: str, options: Iterable[str] = (), *, required: bool = False) -> dict[str, Any]:
    """Return the settings of a question with options, or of a field."""
    choices = [{"value": word, "text": word, "description": None} for word in options]
    kind = {"type": "label_selection", "options": choices} if choices else {"type": "text", "use_markdown": False}
    return {"name": name, "title": title, "required": required, "settings": kind}


def _records(records: Records, names: dict[str, str], fields: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the items, each entry with one suggestion: that of a model if it differs from the answer, else that."""
    rows = zip(records.by_item(), rows_of(records.items[[*fields]]), records.labels.to_numpy(), strict=True)
    for (key, cells), row, values in rows:
        known = {label: int(value) for label, value in zip(names, values, strict=True) if value == value}
        found: dict[str, tuple[int, float | None, str | None]] = {x: (known[x], None, GIVEN) for x in known}
        made = (cell for cell in cells if cell.source == "model" and cell.value != known.get(cell.label))
        found |= {cell.label: (cell.value, cell.confidence, cell.by) for cell in made if cell.value is not None}
        suggested = {x: {"value": word_for(v), "score": p, "agent": agent} for x, (v, p, agent) in found.items()}
        yield {
            "id": str(key),
            "fields": {ITEM: str(key)} | {fields[name]: text for name, text in row.items() if text is not None},
            "suggestions": {names[label]: suggestion for label, suggestion in suggested.items()},
            "metadata": {}, "responses": {}, "vectors": {}, "status": "pending", "_server_id": None,
        }  # fmt: skip


def slugs(titles: Iterable[str], prefix: str, taken: Collection[str] = ()) -> dict[str, str]:
    """Return a name for each title: small letters, digits, - and _, distinct and none that is ``taken``."""
    names: dict[str, str] = {}
    for number, title in enumerate(titles, start=1):
        name = _slug(title)
        while not name or name in {SEEN, ITEM, *taken, *names.values()}:
            name = f"{name or prefix}-{number}"
        names[title] = name
    return names


def title_of(question: Mapping[str, Any]) -> str:
    """Return the title of a question if its name was made of it by :func:`slugs`, else the name."""
    name, title = str(question["name"]), str(question.get("title") or "")
    slug = _slug(title)
    made = re.fullmatch(re.escape(slug) + r"(-\d+)*" if slug else r"(label|field)(-\d+)+", name)
    return title if title and made else name


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", title.lower()).strip("-_")[:180]


def _carried(items: pd.DataFrame) -> list[str]:
    """Return the fields of text."""
    texts = ((str(name), items[name].dropna()) for name in items.columns)
    return [name for name, known in texts if len(known) and all(isinstance(value, str) for value in known)]


LOSSES = (Loss.BOTH, Loss.GIVEN_PROBABILITIES, Loss.UNDECIDED, Loss.UNSURE, Loss.PEOPLE, Loss.FIELDS, Loss.LABELS,
          Loss.ANNOTATED)  # fmt: skip
FORMAT = Format("argilla", "Argilla", "cells", ("",), _read, _write, LOSSES, carries=_carried)
