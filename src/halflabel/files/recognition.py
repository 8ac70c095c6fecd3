"""Why a file is of a format of a tool: one function per format, which looks at the beginning of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

#: The columns that every short export of Label Studio has.
SHORT = ("annotation_id", "annotator", "lead_time")

#: The kind of a file or folder, by its first bytes and its name.
Kind = Literal["json", "table", "parquet", "arrow", "workbook", "folder", "other"]


@dataclass(frozen=True)
class Sample:
    """The beginning of a file.

    Parameters
    ----------
    path : Path
        The file or folder.
    kind : str
        The kind of the file.
    records : tuple of dict
        The first records of a JSON file.
    layout : {"array", "lines", "document"}, optional
        The arrangement of the records of a JSON file.
    columns : tuple of str
        The header of a delimited text file.
    schema : pyarrow.Schema or None
        The schema of a Parquet or Arrow file.
    members : frozenset of str
        The names in a folder.
    """

    path: Path
    kind: Kind
    records: tuple[dict[str, Any], ...] = ()
    layout: Literal["array", "lines", "document"] | None = None
    columns: tuple[str, ...] = ()
    schema: Any = None
    members: frozenset[str] = frozenset()

    def every(self, *keys: str) -> bool:
        """Return whether each of the records has all of these keys."""
        return bool(self.records) and all(set(keys) <= record.keys() for record in self.records)

    @property
    def metadata(self) -> Mapping[bytes, bytes]:
        """The metadata of the schema."""
        return (self.schema.metadata if self.schema is not None else None) or {}


def is_task(record: dict[str, Any]) -> bool:
    """Return whether a record is a task of Label Studio."""
    return isinstance(record.get("data"), dict) and bool({"annotations", "predictions", "completions"} & record.keys())


def _is_label_studio(sample: Sample) -> str | None:
    if sample.records and all(map(is_task, sample.records)):
        return "Its records have 'data' with 'annotations' or 'predictions', as tasks have."
    columns = sample.columns or (sample.records[0].keys() if sample.every(*SHORT) else ())
    if set(SHORT) <= set(columns):
        return "It has 'annotation_id', 'annotator' and 'lead_time', as short exports have."
    return None


def _is_prodigy(sample: Sample) -> str | None:
    if sample.kind != "json" or not sample.records:
        return None
    if all("answer" in line and ("label" in line or "accept" in line) for line in sample.records):
        return "Its records have an 'answer' with a 'label' or a choice."
    asked = all(isinstance(line.get("label"), str) and isinstance(line.get("meta"), dict) for line in sample.records)
    return "Its records ask for a 'label' and have 'meta'." if asked else None


def _is_argilla(sample: Sample) -> str | None:
    if sample.kind == "folder":
        is_one = {"records.json", ".argilla"} <= sample.members
        return "It is a folder with 'records.json' and '.argilla'." if is_one else None
    if sample.kind == "json" and sample.every("fields", "suggestions", "responses"):
        return "Its records have 'fields', 'suggestions' and 'responses'."
    return None


def _is_doccano(sample: Sample) -> str | None:
    if not (sample.every("text", "label") or sample.every("filename", "label")):
        return None
    if any("answer" in record or not isinstance(record["label"], list) for record in sample.records):
        return None
    return "Its records have a 'text' or 'filename', and a list under 'label'."


def _is_huggingface(sample: Sample) -> str | None:
    if sample.kind == "folder":
        if "dataset_dict.json" in sample.members or {"state.json", "dataset_info.json"} <= sample.members:
            return "It is a folder with the files of a dataset saved to disk."
        are_parts = sample.members and all(name.endswith(".parquet") for name in sample.members)
        return "It is a folder of Parquet files." if are_parts else None
    has_features = b"huggingface" in sample.metadata
    return "Its schema holds the features of a Hugging Face dataset." if has_features else None


def _is_coco(sample: Sample) -> str | None:
    is_one = sample.layout == "document" and sample.every("images", "annotations", "categories")
    return "It has 'images', 'annotations' and 'categories'." if is_one else None


def _is_workbook(sample: Sample) -> str | None:
    return "It is a workbook of Excel." if sample.kind == "workbook" else None


def _is_arrow(sample: Sample) -> str | None:
    is_one = sample.kind == "arrow" and b"huggingface" not in sample.metadata
    return "It begins as an Arrow file or stream does." if is_one else None


def _is_array(sample: Sample) -> str | None:
    return "It is a JSON array of objects." if sample.layout == "array" and sample.records else None


def _is_lines(sample: Sample) -> str | None:
    return "Each line is a JSON object." if sample.layout == "lines" else None


Recognise = Callable[[Sample], str | None]

#: The function that recognises each format, and the formats that a file has where it has no other one.
OF_TOOLS: Mapping[str, Recognise] = {
    "label-studio": _is_label_studio,
    "prodigy": _is_prodigy,
    "argilla": _is_argilla,
    "doccano": _is_doccano,
    "huggingface": _is_huggingface,
    "coco": _is_coco,
    "excel": _is_workbook,
    "arrow": _is_arrow,
}
OF_RECORDS: Mapping[str, Recognise] = {"json": _is_array, "jsonl": _is_lines}
