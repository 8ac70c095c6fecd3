"""Why a file is of a format of a tool: one function per format, which looks at the beginning of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class Sample:
    """The beginning of a file.

    Parameters
    ----------
    path : Path
        The file or folder.
    records : tuple of dict
        The first records of a JSON file.
    layout : {"array", "lines", "document"}, optional
        The arrangement of the records of a JSON file.
    metadata : mapping of bytes to bytes
        The metadata of the schema of a Parquet or Arrow file.
    members : frozenset of str
        The names in a folder.
    """

    path: Path
    records: tuple[dict[str, Any], ...] = ()
    layout: Literal["array", "lines", "document"] | None = None
    metadata: Mapping[bytes, bytes] = field(default_factory=dict)
    members: frozenset[str] = frozenset()

    def every(self, *keys: str) -> bool:
        """Return whether each of the records has all of these keys."""
        return bool(self.records) and all(set(keys) <= record.keys() for record in self.records)


def _is_label_studio(sample: Sample) -> str | None:
    answers = {"annotations", "predictions", "completions"}
    is_task = [isinstance(each.get("data"), dict) and not answers.isdisjoint(each) for each in sample.records]
    is_one = bool(is_task) and all(is_task)
    return "Its records have 'data' with 'annotations' or 'predictions', as tasks have." if is_one else None


def _is_prodigy(sample: Sample) -> str | None:
    if not sample.records:
        return None
    if all("answer" in line and ("label" in line or "accept" in line) for line in sample.records):
        return "Its records have an 'answer' with a 'label' or a choice."
    asked = all(isinstance(line.get("label"), str) and isinstance(line.get("meta"), dict) for line in sample.records)
    return "Its records ask for a 'label' and have 'meta'." if asked else None


def _is_argilla(sample: Sample) -> str | None:
    if {"records.json", ".argilla"} <= sample.members:
        return "It is a folder with 'records.json' and '.argilla'."
    is_one = sample.every("fields", "suggestions", "responses")
    return "Its records have 'fields', 'suggestions' and 'responses'." if is_one else None


def _is_doccano(sample: Sample) -> str | None:
    if not (sample.every("text", "label") or sample.every("filename", "label")):
        return None
    if any("answer" in record or not isinstance(record["label"], list) for record in sample.records):
        return None
    return "Its records have a 'text' or 'filename', and a list under 'label'."


def _is_huggingface(sample: Sample) -> str | None:
    if "dataset_dict.json" in sample.members or {"state.json", "dataset_info.json"} <= sample.members:
        return "It is a folder with the files of a dataset saved to disk."
    if sample.members and all(name.endswith(".parquet") for name in sample.members):
        return "It is a folder of Parquet files."
    has_features = b"huggingface" in sample.metadata
    return "Its schema holds the features of a Hugging Face dataset." if has_features else None


def _is_coco(sample: Sample) -> str | None:
    is_one = sample.layout == "document" and sample.every("images", "annotations", "categories")
    return "It has 'images', 'annotations' and 'categories'." if is_one else None


#: The function that recognises each format.
OF_TOOLS: Mapping[str, Callable[[Sample], str | None]] = {
    "label-studio": _is_label_studio,
    "prodigy": _is_prodigy,
    "argilla": _is_argilla,
    "doccano": _is_doccano,
    "huggingface": _is_huggingface,
    "coco": _is_coco,
}
