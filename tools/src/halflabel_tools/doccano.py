"""doccano: one record per text or file with the list of the labels that it has.

A project without shared annotations is exported as one file per person, which has the name of the person: admin.jsonl,
bob.jsonl. Several files are the answers of these people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halflabel.files import Collector, Format, Loss, Options, Records
from halflabel.files.field_values import names_in, rows_of
from halflabel.files.json_files import Place, read_records, write_array, write_lines
from halflabel.plugins import clipped, option, plural

#: The keys of the labels: "label" in today's exports, "labels" in older ones, "cats" with intents.
KEYS = ("label", "labels", "cats")

_WHY = "doccano writes the same for items that are not annotated yet"


def _read(paths: Sequence[Path], options: Options) -> Records:
    collector = Collector(paths[0], options.absent)
    collector.require_absent()
    n_empty, numbered, seen = 0, None, set()
    for place, record in read_records(paths):
        name = options.tags or next((name for name in KEYS if name in record), None)
        key = record.get(options.id or "id")
        numbered = key is None if numbered is None else numbered
        if (key is None) != numbered:
            raise place.error("it has no id, but other records have one.")
        fields = {field: value for field, value in record.items() if field not in (name, options.id or "id")}
        item = collector.item(place.number if numbered else str(key), fields)
        if (item, place.path) in seen:
            raise place.error(f"the id {clipped(key)!r} appears twice; ids must be distinct.")
        seen.add((item, place.path))
        labels = _labels(record.get(name) if name else None, place)
        n_empty += not labels
        if labels or options.empty == "none":
            collector.add_list(item, labels, by=place.path.stem if len(paths) > 1 else None)
    if n_empty:
        is_none = options.empty == "none"
        taken = "annotated, without labels" if is_none else f"unlabelled: {_WHY}"
        way = option("empty", "unlabelled" if is_none else "none")
        collector.notes.append(f"{plural(n_empty, 'item')} without labels taken as {taken}. {way} states the opposite.")
    return collector.records(FORMAT.name, numbered=bool(numbered))


def _labels(value: Any, place: Place) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not all(isinstance(label, str | int | None) for label in value):
        shown = clipped(repr(value), 40)
        raise place.error(f"its labels are {shown}, but they must be a list of names: spans of text are not read.")
    return names_in(value)


def _write(records: Records, path: Path) -> None:
    write = write_array if path.suffix == ".json" else write_lines
    write(path, _rows(records))


def _rows(records: Records) -> Iterator[dict[str, Any]]:
    names = np.array(records.names, dtype=object)
    items = records.items.drop(columns=["id", "label"], errors="ignore")
    rows = zip(records.items.index.tolist(), rows_of(items), records.final.to_numpy() == 1, strict=True)
    for key, fields, relevant in rows:
        yield {"id": str(key), **fields, "label": names[relevant].tolist()}


FORMAT = Format(
    name="doccano",
    title="doccano",
    dialect="sets",
    suffixes=(".jsonl", ".json"),
    read=_read,
    write=_write,
    losses=(
        Loss.IRRELEVANT,
        Loss.SUGGESTED,
        Loss.BOTH,
        Loss.PROBABILITIES,
        Loss.UNSURE,
        Loss.PEOPLE,
        Loss.MODEL,
        Loss.FIELDS,
        Loss.ANNOTATED,
        Loss.LABELS,
    ),
    carries=lambda items: [name for name in items.columns if name not in ("id", "label")],
    options=("id", "tags", "empty"),
)
