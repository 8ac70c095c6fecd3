"""COCO: annotations are the labels of an image."""

import json

import pytest

from halflabel import files
from halflabel.files.raw_table import ReadError
from halflabel.table import open_table
from halflabel.table.question import Question

COCO = {
    "info": {},
    "images": [{"id": 397133, "file_name": "1.jpg"}, {"id": 37777, "file_name": "2.jpg"}],
    "annotations": [
        {"id": 1, "image_id": 397133, "category_id": 1, "bbox": [0, 0, 1, 1], "area": 1.0, "segmentation": []},
        {"id": 2, "image_id": 397133, "category_id": 1, "bbox": [2, 2, 1, 1], "area": 1.0, "segmentation": []},
    ],
    "categories": [{"id": n, "name": name, "frequency": "r"} for n, name in enumerate(("rock", "sad", "live"), 1)],
}


def test_annotations_are_tags_of_an_image(write):
    path = write("coco.json", json.dumps(COCO))
    assert files.detect(path).format == "coco"
    raw = files.read_table(path, kind="coco")
    assert raw.frame.to_dict("list") == {"id": [397133, 37777], "file_name": ["1.jpg", "2.jpg"],
                                         "categories": [["rock"], None]}  # fmt: skip
    with pytest.raises(Question, match="lists the tags that an item has"):
        open_table(path)
    images = [{"id": n, "file_name": f"{n}.jpg", "width": 30 + n % 3} for n in range(9)]
    annotations = [{"image_id": n, "category_id": 1 + n % 2} for n in range(6)]
    path = write("more.json", json.dumps(COCO | {"images": images, "annotations": annotations}))
    opened = open_table(path, absent="irrelevant")
    assert (opened.labels.names, opened.index.tolist()) == (("rock", "sad"), list(range(9)))
    assert opened.labels.annotated.tolist() == 6 * [True] + 3 * [False]
    assert "An empty cell in the tags column 'categories': 3 items, unlabelled." in opened.notes
    assert open_table(path, absent="irrelevant", empty="none").labels.annotated.all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"images": [{"file_name": "a"}]}, "each of the images must have an id of its own"),
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
        files.read_table(write("a.json", json.dumps(COCO | change)), kind="coco")
