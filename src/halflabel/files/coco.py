"""COCO: a JSON document of images, categories, and annotations that name a category of an image.

An annotation is read as a label of the whole image. Boxes and segments are neither read nor written. The annotations of
an image are a list of labels. An image without annotation is unlabelled unless the caller states that all images were
annotated.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halflabel._wording import clipped
from halflabel.files.collector import Collector
from halflabel.files.field_values import rows_of
from halflabel.files.formats import Format, Options
from halflabel.files.json_files import read_document, write_document
from halflabel.files.loss import OF_LISTS
from halflabel.files.raw_table import ReadError
from halflabel.files.records import Records

#: The field that holds the id of an item, because tools give the images new numbers.
ID = "item_id"

#: The key by which LVIS states which categories an image does not have.
NEGATIVES = "neg_category_ids"

_WITH_ID = {"images": "image", "categories": "category"}
_OWN = frozenset((ID, "id"))


def _read(paths: Sequence[Path], options: Options) -> Records:
    path = paths[0]
    if len(paths) > 1:
        raise ReadError.at(path, "files of this format are read one by one.")
    document = read_document(path)
    collector = Collector(path, options.absent)
    names = {part["id"]: str(part.get("name")) for part in _objects(document, "categories", path)}
    if len(set(names.values())) < len(names):
        raise ReadError.at(path, "two categories have the same name.")
    images = _objects(document, "images", path)
    has = _labels_of_images(document, images, names, path)
    if any(NEGATIVES in image for image in images):
        raise ReadError.at(path, f"{NEGATIVES!r} is of LVIS, which is not read: save the labels as a table.")
    collector.declare(names.values())
    for number, image in enumerate(images, start=1):
        fields = {name: value for name, value in image.items() if name not in _OWN}
        item = collector.item(str(image.get(ID, image["id"])), fields, new=True, place=f"image {number}: ")
        if has[image["id"]] or options.empty == "none":
            collector.add_list(item, has[image["id"]])
    collector.require_absent()
    if n_empty := sum(not labels for labels in has.values()):
        why = "such files do not show which images were annotated"
        collector.note_empty(n_empty, "without annotation", options.empty or "unlabelled", because=why)
    return collector.records(FORMAT.name)


def _objects(document: dict[str, Any], key: str, path: Path) -> list[dict[str, Any]]:
    parts = document.get(key)
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise ReadError.at(path, f"{key!r} must be a list of objects.")
    if key in _WITH_ID and not all(isinstance(part.get("id"), str | int | float) for part in parts):
        raise _without_id(key, path)
    return parts


def _without_id(key: str, path: Path) -> ReadError:
    return ReadError.at(path, f"every {_WITH_ID[key]} must have an id of its own, a number or a text.")


def _labels_of_images(
    document: dict[str, Any], images: list[dict[str, Any]], names: dict[Any, str], path: Path
) -> dict[Any, list[str]]:
    """Return the labels that the annotations give to each image, by its id."""
    has: dict[Any, list[str]] = {image["id"]: [] for image in images}
    if len(has) < len(images):
        raise _without_id("images", path)
    for number, part in enumerate(_objects(document, "annotations", path), start=1):
        image = part.get("image_id")
        if isinstance(image, list | dict) or image not in has:
            raise ReadError.at(path, f"annotation {number} is about an image that is not in the file.")
        has[image].append(_name(names, part.get("category_id"), path, f"annotation {number}"))
    return has


def _name(names: dict[Any, str], key: Any, path: Path, place: str) -> str:
    if isinstance(key, list | dict) or key not in names:
        shown = clipped(repr(key), 40)
        raise ReadError.at(path, f"{place} names the category {shown}, which is not in the file.")
    return names[key]


def _write(records: Records, path: Path) -> None:
    values = records.final.to_numpy()
    fields = rows_of(records.items.drop(columns=list(_OWN), errors="ignore"))
    images = [
        {"id": number, ID: str(key), **row}
        for number, (key, row) in enumerate(zip(records.items.index, fields, strict=True), start=1)
    ]
    pairs = np.argwhere(values == 1) + 1
    annotations = [
        {"id": number, "image_id": image, "category_id": label}
        for number, (image, label) in enumerate(pairs.tolist(), start=1)
    ]
    categories = [{"id": number, "name": name} for number, name in enumerate(records.names, start=1)]
    info = {"description": "labels of images, written by halflabel"}
    write_document(path, {"info": info, "images": images, "annotations": annotations, "categories": categories})


FORMAT = Format(
    name="coco",
    title="COCO",
    dialect="sets",
    suffixes=(".json",),
    read=_read,
    write=_write,
    losses=OF_LISTS,
    carries=lambda items: [name for name in items.columns if name not in _OWN],
    options=("empty",),
)
