"""COCO: a JSON document of images, categories, and annotations that name a category of an image.

An annotation is a tag of the whole image: boxes and segments are not read. An image without annotation has no list of
tags, because such a file does not show which images were annotated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._wording import clipped
from halflabel.files.bounded import sha256_of
from halflabel.files.field_values import frame_of
from halflabel.files.json_files import read_document
from halflabel.files.raw_table import RawTable, ReadError, TableFormat

#: The column of tags, and the key by which LVIS states which categories an image does not have.
TAGS, NEGATIVES = "categories", "neg_category_ids"


def _read(path: Path) -> RawTable:
    """Read the images as items, with their fields, and the names of their categories as tags."""
    document = read_document(path)
    images, categories = (_list_objects(document, key, path) for key in ("images", "categories"))
    names = {part["id"]: str(part.get("name")) for part in categories}
    if len(set(names.values())) < len(names):
        raise ReadError.at(path, "two categories have the same name.")
    if any(NEGATIVES in image for image in images):
        raise ReadError.at(path, f"{NEGATIVES!r} is of LVIS, which is not read: save the labels as a table.")
    tags: dict[Any, list[str]] = {image["id"]: [] for image in images}
    for number, part in enumerate(_list_objects(document, "annotations", path), start=1):
        image, category = part.get("image_id"), part.get("category_id")
        if isinstance(image, list | dict) or image not in tags:
            raise ReadError.at(path, f"annotation {number} is about an image that is not in the file.")
        if isinstance(category, list | dict) or category not in names:
            shown = clipped(repr(category), 40)
            raise ReadError.at(path, f"annotation {number} names the category {shown}, which is not in the file.")
        tags[image].append(names[category])
    rows = [{**image, TAGS: list(dict.fromkeys(tags[image["id"]])) or None} for image in images]
    frame = frame_of(rows, pd.RangeIndex(len(rows)))
    return RawTable(frame, source=str(path), sha256=sha256_of(path), id="id", tags=TAGS)


def _list_objects(document: dict[str, Any], key: str, path: Path) -> list[dict[str, Any]]:
    """Return the objects under a key. Images and categories have ids of their own."""
    parts = document.get(key)
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise ReadError.at(path, f"{key!r} must be a list of objects.")
    ids = [part.get("id") for part in parts if isinstance(part.get("id"), str | int | float)]
    if key != "annotations" and len(set(ids)) < len(parts):
        raise ReadError.at(path, f"each of the {key} must have an id of its own, a number or a text.")
    return parts


FORMAT = TableFormat("coco", (), _read, title="COCO")
