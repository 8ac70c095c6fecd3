"""FiftyOne: samples with labels that they have and labels that they do not have, as its Open Images importer stores.

Written is the JSON that ``fiftyone.Dataset.from_json`` reads; read are that, and the samples of an exported dataset.
Suggestions stand in fields of their own, with their confidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._wording import listed, option
from halflabel.files.collector import Collector
from halflabel.files.fields import rows_of, share_in
from halflabel.files.formats import Format, Options
from halflabel.files.json_files import read_document, write_document
from halflabel.files.loss import Loss
from halflabel.files.raw_table import ReadError
from halflabel.files.records import Cell, Records
from halflabel.files.sample import Sample

#: The fields of classifications: (value, whether it is a suggestion).
FIELDS = {
    "positive_labels": (1.0, False),
    "negative_labels": (0.0, False),
    "positive_predictions": (1.0, True),
    "negative_predictions": (0.0, True),
}

#: Fields that hold the path of a sample, in the order of preference, and fields that every sample has.
PATHS = ("filepath", "image", "path", "file_name", "filename", "url")
ID, OWN = "item_id", frozenset(("id", "tags", "metadata", "media_type", "created_at", "last_modified_at"))

_LABELS = "fiftyone.core.labels.Classifications"
_TYPES = {"b": "BooleanField", "i": "IntField", "u": "IntField", "f": "FloatField"}


def _read(paths: Sequence[Path], options: Options) -> Records:
    path = paths[0]
    if len(paths) > 1:
        raise ReadError.at(path, "files of this format are read one by one.")
    path = path / "samples.json" if path.is_dir() else path
    document = read_document(path)
    samples = document.get("samples")
    if not isinstance(samples, list) or not all(isinstance(sample, dict) for sample in samples):
        raise ReadError.at(path, "'samples' must be a list of objects.")
    collector = Collector(path, options.absent)
    if isinstance(document.get("default_classes"), list):
        collector.declare(map(str, document["default_classes"]))
    has_id = all(sample.get(ID) is not None for sample in samples)
    listing = None if any(name in sample for sample in samples for name in FIELDS) else _listing(samples, path, options)
    for number, sample in enumerate(samples, start=1):
        key = sample.get(ID if has_id else "filepath")
        if key is None:
            raise ReadError.at(path, f"sample {number} has neither an {ID!r} nor a 'filepath'.")
        item = collector.item(str(key), _fields_of(sample), new=True, place=f"sample {number}: ")
        if listing is None:
            _add_pairs(collector, item, sample)
        elif sample.get(listing) is not None:
            collector.add_list(item, [label for label, _ in _classifications(sample[listing])])
    return collector.records(FORMAT.name)


def _listing(samples: list[dict[str, Any]], path: Path, options: Options) -> str:
    """Return the one field of classifications, where a dataset does not state which labels a sample lacks."""
    names = sorted({name for sample in samples for name, value in sample.items() if _is(value, "Classifications")})
    if options.tags is not None:
        names = [options.tags]
    if len(names) != 1:
        found = f"{listed(names)} hold classifications" if names else "no field holds classifications"
        raise ReadError.at(path, f"{found}: name one with {option('tags')}.")
    return names[0]


def _fields_of(sample: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are plain values: no labels, no metadata."""
    plain = {name: value for name, value in sample.items() if name not in OWN | {ID} and not name.startswith("_")}
    return {name: value for name, value in plain.items() if name not in FIELDS and not isinstance(value, dict)}


def _add_pairs(collector: Collector, item: int, sample: dict[str, Any]) -> None:
    for name, (value, is_suggestion) in FIELDS.items():
        for label, confidence in _classifications(sample.get(name)):
            if is_suggestion:
                p = confidence if value or confidence is None else 1 - confidence
                collector.add(item, label, value, "model", p)
            else:
                collector.add(item, label, value)
        if name == "positive_labels" and sample.get(name) is not None:
            collector.annotate(item)


def _classifications(field: Any) -> list[tuple[str, float | None]]:
    """Return (label, confidence) of what a field holds."""
    parts = field.get("classifications") if isinstance(field, dict) else None
    parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return [(str(part["label"]), share_in(part.get("confidence"))) for part in parts if part.get("label") is not None]


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, dict) and value.get("_cls") == kind


def _write(records: Records, path: Path) -> None:
    source = next((name for name in PATHS if name in records.items.columns), None)
    if source is None or records.items[source].isna().any():
        raise ValueError(f"FiftyOne shows files: a field named {listed(list(PATHS))} must hold the path of each item.")
    fields = records.items[_carried(records.items)]
    files = records.items[source].astype(str).tolist()
    samples = [
        {"filepath": file, "tags": [], "metadata": None, ID: str(key)}
        | {name: value for name, value in row.items() if name != "filepath"}
        | _labels_of(cells, annotated)
        for file, (key, cells), row, annotated in zip(
            files, records.resolved().by_item(), rows_of(fields), records.annotated.tolist(), strict=True
        )
    ]
    document = {
        "name": path.stem,
        "media_type": "image",
        "sample_fields": _schema(fields),
        "info": {},
        "default_classes": list(records.names),
        "samples": samples,
    }
    write_document(path, document)


def _labels_of(cells: list[Cell], annotated: bool) -> dict[str, Any]:
    """Return the four fields; those of answers are empty lists in annotated items, missing in others."""
    fields: dict[str, Any] = {}
    for name, (value, is_suggestion) in FIELDS.items():
        chosen = [cell for cell in cells if cell.value == value and (cell.source == "model") == is_suggestion]
        found = [_classification(cell) for cell in chosen]
        fields[name] = {"_cls": "Classifications", "classifications": found} if annotated or is_suggestion else None
    return fields


def _classification(cell: Cell) -> dict[str, Any]:
    confidence = cell.confidence if cell.source == "model" else None
    return {"_cls": "Classification", "tags": [], "label": cell.label, "confidence": confidence}


def _schema(fields: pd.DataFrame) -> dict[str, str]:
    """Return the type of each field in the notation of FiftyOne."""
    plain = {str(name): f"fiftyone.core.fields.{_type_of(fields[name])}" for name in fields.columns}
    labels = f"fiftyone.core.fields.EmbeddedDocumentField({_LABELS})"
    return {ID: "fiftyone.core.fields.StringField"} | plain | dict.fromkeys(FIELDS, labels)


def _type_of(column: pd.Series[Any]) -> str:
    return _TYPES.get(getattr(column.dtype, "kind", "O"), "StringField")


def _carried(items: pd.DataFrame) -> list[str]:
    """Return the fields of numbers, truth values and text with names that FiftyOne takes."""
    own = OWN | FIELDS.keys() | {ID}
    names = [name for name in items.columns if str(name).isidentifier() and name not in own]
    return [name for name in names if not str(name).startswith("_") and _is_plain(items[name])]


def _is_plain(column: pd.Series[Any]) -> bool:
    return getattr(column.dtype, "kind", "O") in _TYPES or all(isinstance(x, str) for x in column.dropna())


def _recognise(sample: Sample) -> str | None:
    if sample.kind == "folder":
        return "It is a folder with 'samples.json'." if "samples.json" in sample.members else None
    if sample.layout == "document" and sample.every("samples"):
        return "It has 'samples'."
    return None


FORMAT = Format(
    name="fiftyone",
    title="FiftyOne",
    dialect="pairs",
    suffixes=(".json",),
    read=_read,
    write=_write,
    recognise=_recognise,
    losses=(Loss.FIELDS, Loss.GIVEN_PROBABILITIES, Loss.UNDECIDED, Loss.UNSURE, Loss.PEOPLE, Loss.MODEL),
    carries=_carried,
    options=("tags",),
)
