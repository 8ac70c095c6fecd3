"""LVIS-like JSON: images, categories, annotations for the labels that an image has, and a list of those it lacks.

Boxes and segments are neither read nor written: an annotation stands for the label of the whole image. In files without
``neg_category_ids``, such as those of COCO, the annotations are lists of labels; an image without annotation is
unlabelled unless it is stated that all images were annotated.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halflabel._wording import clipped
from halflabel.files.collector import Collector
from halflabel.files.fields import rows_of
from halflabel.files.formats import Format, Options
from halflabel.files.json_files import read_document, write_document
from halflabel.files.loss import Loss
from halflabel.files.raw_table import ReadError
from halflabel.files.records import Records
from halflabel.files.sample import Sample

NEGATIVES, OPEN, ID = "neg_category_ids", "not_exhaustive_category_ids", "item_id"
_WITH_ID = {"images": "image", "categories": "category"}
OWN = frozenset((NEGATIVES, OPEN, ID, "id"))


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
    has_negatives = any(NEGATIVES in image for image in images)
    collector.declare(names.values())
    for number, image in enumerate(images, start=1):
        fields = {name: value for name, value in image.items() if name not in OWN}
        item = collector.item(str(image.get(ID, image["id"])), fields, new=True, place=f"image {number}: ")
        if has_negatives:
            lacks = [_name(names, key, path, f"image {number}") for key in _negatives(image, path, number)]
            _add_pairs(collector, item, has[image["id"]], lacks)
        elif has[image["id"]] or options.empty == "none":
            collector.add_list(item, has[image["id"]])
    n_empty = 0 if has_negatives else sum(not labels for labels in has.values())
    if n_empty:
        collector.require_absent()
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


def _negatives(image: dict[str, Any], path: Path, number: int) -> list[Any]:
    keys = image.get(NEGATIVES) or []
    if not isinstance(keys, list):
        raise ReadError.at(path, f"image {number}: {NEGATIVES!r} must be a list.")
    return keys


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


def _add_pairs(collector: Collector, item: int, has: list[str], lacks: list[str]) -> None:
    for name in dict.fromkeys(has):
        collector.add(item, name, 1.0)
    for name in dict.fromkeys(lacks):
        collector.add(item, name, 0.0)


def _write(records: Records, path: Path) -> None:
    values = records.final.to_numpy()
    fields = rows_of(records.items.drop(columns=list(OWN), errors="ignore"))
    lacks = [(np.flatnonzero(row == 0) + 1).tolist() for row in values]
    images = [
        {"id": number, ID: str(key), **row, NEGATIVES: absent, OPEN: []}
        for number, (key, row, absent) in enumerate(zip(records.items.index, fields, lacks, strict=True), start=1)
    ]
    pairs = np.argwhere(values == 1) + 1
    annotations = [
        {"id": number, "image_id": image, "category_id": label}
        for number, (image, label) in enumerate(pairs.tolist(), start=1)
    ]
    categories = [{"id": number, "name": name} for number, name in enumerate(records.names, start=1)]
    info = {"description": "labels of images, written by halflabel"}
    write_document(path, {"info": info, "images": images, "annotations": annotations, "categories": categories})


def _recognise(sample: Sample) -> str | None:
    if sample.layout == "document" and sample.every("images", "annotations", "categories"):
        return "It has 'images', 'annotations' and 'categories'."
    return None


FORMAT = Format(
    name="lvis",
    title="LVIS",
    dialect="pairs",
    suffixes=(".json",),
    read=_read,
    write=_write,
    recognise=_recognise,
    losses=(
        Loss.SUGGESTED,
        Loss.BOTH,
        Loss.PROBABILITIES,
        Loss.UNSURE,
        Loss.PEOPLE,
        Loss.MODEL,
        Loss.FIELDS,
        Loss.ANNOTATED,
    ),
    carries=lambda items: [name for name in items.columns if name not in OWN],
    options=("empty",),
)
