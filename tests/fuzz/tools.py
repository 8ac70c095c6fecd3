"""One small valid file per format of other tools, with all the parts that its reader looks at, and that reader."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import parquet
from tests.fuzz.mutator import overwrite
from tests.fuzz.structure import Change, change_json, change_member

from halflabel import files
from halflabel.files.raw_table import AbsentNotStated, ReadError
from halflabel.table import Description
from halflabel.table.source_files import read_file

TASKS = """[{"id": 1, "data": {"item_id": "x", "text": "a & b"}, "annotations": [
{"completed_by": {"email": "ana"}, "was_cancelled": false, "updated_at": "2026-11-22T08:00:00Z", "result": [
{"from_name": "rock", "to_name": "item", "type": "choices", "value": {"choices": ["yes"]}},
{"from_name": "box", "type": "rectanglelabels", "value": {"x": 1}}]}, {"was_cancelled": true, "result": []}],
"predictions": [{"model_version": "m", "score": 0.8, "result": [
{"from_name": "sad", "to_name": "item", "type": "choices", "score": 0.8, "value": {"choices": ["no"]}}]}]},
{"id": 2, "data": {"item_id": "y", "text": null}, "annotations": [], "predictions": []}]"""

PRODIGY = """{"text": "a", "label": "rock", "answer": "accept", "meta": {"id": "x", "p": 0.9}, "_annotator_id": "ana", \
"_timestamp": 1790000000}
{"text": "b", "label": "sad", "meta": {"id": "y", "p": 0.2, "suggested": "no", "model": "m"}}
{"text": "c", "options": [{"id": "rock"}, {"id": "sad"}], "accept": ["rock"], "answer": "accept", "_input_hash": 7}
{"text": "d", "label": "rock", "answer": "ignore", "_session_id": "s"}
"""

ARGILLA = """[{"id": "x", "fields": {"text": "a"}, "metadata": {"n": 3}, "responses": {
"rock": [{"value": "yes", "user_id": "ana"}], "mood": [{"value": ["sad", "live"], "user_id": "ana"}]},
"suggestions": {"sad": {"value": "no", "score": 0.8, "agent": "m"},
"mood": {"value": ["sad", "rock"], "score": [0.7, 0.6], "agent": "m"}}, "vectors": {}, "status": "pending"},
{"id": "y", "fields": {"text": "b"}, "suggestions": {"rock": {"value": "yes", "agent": "given"}}, "responses": {}}]"""

DOCCANO = """{"id": 1, "text": "a", "label": ["rock", "sad"], "n": 1}
{"id": 2, "text": "b", "label": []}
{"id": 3, "text": "c", "label": ["sad"]}
"""

COCO = """{"info": {}, "images": [{"id": 1, "item_id": "x", "file_name": "1.jpg"}, {"id": 2, "file_name": "2.jpg"}],
"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]}],
"categories": [{"id": 1, "name": "rock"}, {"id": 2, "name": "sad"}]}"""

RECORDS = """[{"id": "x", "text": "a", "rock": 1, "sad": null, "v": [1, 2.5], "p": {"rock": 0.9}},
{"id": "y", "text": null, "rock": 0, "sad": 1, "v": [0, 1], "p": {}}]"""
RECORD_LINES = """{"id": "x", "n": 1, "tags": ["rock", "sad"], "flag": true}
{"id": "y", "n": 2.5, "tags": null, "flag": false}
"""


def read_as(name: str, **options: Any) -> Callable[[Path], Any]:
    """Return a reader that recognises a file, reads it as one of a format, and asks for its labels."""

    def reader(path: Path) -> Any:
        with contextlib.suppress(ReadError):  # then the user states the format
            files.detect(path)
        try:
            records = files.read(path, name, **options)
        except AbsentNotStated:
            records = files.read(path, name, "unknown", **options)
        return records.to_partial_labels(), records.suggestions

    return reader


@cache
def class_lists() -> bytes:
    """Return a Parquet file with a list of classes, as the package of Hugging Face writes it."""
    feature = {"feature": {"names": ["rock", "sad"], "_type": "ClassLabel"}, "_type": "List"}
    features = {"labels": feature, "text": {"dtype": "string", "_type": "Value"}}
    table = pa.table({"labels": pa.array([[0, 1], None, []], pa.list_(pa.int64())), "text": ["a", "b", None]})
    stream = io.BytesIO()
    parquet.write_table(
        table.replace_schema_metadata({b"huggingface": json.dumps({"info": {"features": features}})}), stream
    )
    return stream.getvalue()


def written_as(suffix: str) -> Callable[[], bytes]:
    """Return what writes two items as a table."""

    @cache
    def write() -> bytes:
        items = pd.DataFrame({"id": ["x", "y"], "text": ["a", None], "n": [1.5, 2], "rock": [1, None], "p": [0.9, 0.8]})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"seed{suffix}"
            files.write_frame(items, path)
            return path.read_bytes()

    return write


#: The format of plain records by suffix.
PLAIN = {".xlsx": "excel", ".jsonl": "jsonl", ".json": "json", ".arrow": "arrow", ".parquet": "huggingface"}


def read_table(path: Path) -> Any:
    """Read plain records as the items of a table."""
    return read_file(path, Description(format=PLAIN[path.suffix]))


#: (name, suffix, seed, reader, change) of each format.
TOOLS: list[tuple[str, str, Callable[[], bytes], Callable[[Path], Any], Change]] = [
    ("label studio", ".json", TASKS.encode, read_as("label-studio"), change_json),
    ("prodigy", ".jsonl", PRODIGY.encode, read_as("prodigy"), change_json),
    ("argilla", ".json", ARGILLA.encode, read_as("argilla"), change_json),
    ("doccano", ".jsonl", DOCCANO.encode, read_as("doccano"), change_json),
    ("huggingface", ".parquet", class_lists, read_table, overwrite),
    ("coco", ".json", COCO.encode, lambda path: read_file(path, Description(format="coco")), change_json),
    ("json", ".json", RECORDS.encode, read_table, change_json),
    ("jsonl", ".jsonl", RECORD_LINES.encode, read_table, change_json),
    ("excel", ".xlsx", written_as(".xlsx"), read_table, change_member),
    ("arrow", ".arrow", written_as(".arrow"), read_table, overwrite),
]
