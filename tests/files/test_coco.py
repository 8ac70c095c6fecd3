"""COCO: annotations are the labels of an image."""

import json

import numpy as np
import pytest

from halflabel import files
from halflabel.files.raw_table import ReadError

COCO = {
    "info": {},
    "images": [{"id": 397133, "file_name": "1.jpg"}, {"id": 37777, "file_name": "2.jpg"}],
    "annotations": [
        {"id": 1, "image_id": 397133, "category_id": 1, "bbox": [0, 0, 1, 1], "area": 1.0, "segmentation": []},
        {"id": 2, "image_id": 397133, "category_id": 1, "bbox": [2, 2, 1, 1], "area": 1.0, "segmentation": []},
    ],
    "categories": [{"id": n, "name": name, "frequency": "r"} for n, name in enumerate(("rock", "sad", "live"), 1)],
}


def test_annotations_are_lists_of_labels(write):
    path = write("coco.json", json.dumps(COCO))
    assert files.detect(path).format == "coco"
    with pytest.raises(ValueError, match="absent="):
        files.read(path)
    annotated = files.read(path, absent="irrelevant", empty="none")
    np.testing.assert_array_equal(annotated.labels, [[1, 0, 0], [0, 0, 0]])
    assert annotated.notes == (
        "1 item without annotation taken as annotated, without labels. empty='unlabelled' states the opposite.",
    )
    for unlabelled in (files.read(path, absent="irrelevant", **stated) for stated in ({}, {"empty": "unlabelled"})):
        np.testing.assert_array_equal(unlabelled.labels, [[1, 0, 0], [np.nan] * 3])
        assert unlabelled.notes[0].startswith("1 item without annotation taken as unlabelled: such files do not show")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"images": [{"file_name": "a"}]}, "every image must have an id of its own"),
        ({"images": 3}, "'images' must be a list of objects"),
        ({"categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "a"}]}, "two categories have the same name"),
        (
            {"annotations": [{"image_id": 1, "category_id": 1}]},
            "annotation 1 is about an image that is not in the file",
        ),
        ({"images": [{"id": 1, "neg_category_ids": []}], "annotations": []}, "is of LVIS, which is not read"),
        ({"annotations": [{"image_id": 37777, "category_id": 9}]}, "annotation 1 names the category 9"),
    ],
)
def test_damaged(write, change, message):
    with pytest.raises(ReadError, match=message):
        files.read(write("a.json", json.dumps(COCO | change)), absent="unknown")
