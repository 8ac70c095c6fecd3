"""Formats with the labels that an item has and those that it does not have: FiftyOne, LVIS, Open Images."""

import json

import numpy as np
import pytest

from halflabel import files
from halflabel.files.raw_table import ReadError

#: As ``FiftyOneDatasetExporter`` writes samples.json, one sample per line.
SAMPLE = {
    "_id": {"$oid": "6560c0ffee6560c0ffee0001"}, "filepath": "data/1.jpg", "tags": ["train"], "_media_type": "image",
    "_rand": 0.5, "metadata": {"_cls": "ImageMetadata", "width": 3}, "artist": "ana",
    "positive_labels": {"_cls": "Classifications", "logits": None, "classifications": [
        {"_id": {"$oid": "6560c0ffee6560c0ffee0002"}, "_cls": "Classification", "tags": [], "label": "rock",
         "confidence": 1.0, "logits": None}]},
    "negative_labels": {"_cls": "Classifications", "classifications": [{"_cls": "Classification", "label": "sad"}]},
}  # fmt: skip

LVIS = {
    "info": {},
    "images": [
        {"id": 397133, "file_name": "1.jpg", "neg_category_ids": [2], "not_exhaustive_category_ids": [1]},
        {"id": 37777, "file_name": "2.jpg", "neg_category_ids": [], "not_exhaustive_category_ids": []},
    ],
    "annotations": [
        {"id": 1, "image_id": 397133, "category_id": 1, "bbox": [0, 0, 1, 1], "area": 1.0, "segmentation": []},
        {"id": 2, "image_id": 397133, "category_id": 1, "bbox": [2, 2, 1, 1], "area": 1.0, "segmentation": []},
    ],
    "categories": [{"id": n, "name": name, "frequency": "r"} for n, name in enumerate(("rock", "sad", "live"), 1)],
}

OPEN_IMAGES = (
    "ImageID,Source,LabelName,Confidence\n"
    "000060e3121c7305,verification,/m/04rky,1\n"
    "000060e3121c7305,verification,/m/019jd,0\n"
    "000060e3121c7306,crowdsource-verification,/m/04rky,1.0\n"
    "000060e3121c7306,machine-generated,/m/019jd,0.6\n"
)


def test_fiftyone_dataset(write):
    other = {"filepath": "data/2.jpg", "positive_labels": None, "negative_labels": None}
    path = write("songs/samples.json", json.dumps({"samples": [SAMPLE, other]}))
    assert files.detect(path.parent).format == files.detect(path).format == "fiftyone"
    records = files.read(path.parent)
    np.testing.assert_array_equal(records.labels, [[1, 0], [np.nan] * 2])
    assert records.items.index.tolist() == ["data/1.jpg", "data/2.jpg"]
    assert records.items.columns.tolist() == ["filepath", "artist"]
    assert records.annotated.tolist() == [True, False]


def test_fiftyone_with_one_field(write):
    rename = {"positive_labels": "ground_truth"}
    sample = {rename.get(name, name): value for name, value in SAMPLE.items() if name != "negative_labels"}
    path = write("samples.json", json.dumps({"samples": [sample], "default_classes": ["rock", "sad"]}))
    with pytest.raises(ValueError, match="absent="):
        files.read(path)
    np.testing.assert_array_equal(files.read(path, absent="irrelevant").labels, [[1, 0]])


def test_fiftyone_needs_files(tmp_path, tables):
    items = tables["items"].drop(columns="filepath")
    with pytest.raises(ValueError, match=r"a field named “filepath”, “image”.* must hold the path of each item"):
        files.write(tmp_path / "a.json", "fiftyone", items, tables["labels"])
    assert not list(tmp_path.iterdir())


def test_fiftyone_as_from_json_reads_it(tmp_path, tables):
    path = tmp_path / "songs.json"
    files.write(path, "fiftyone", **tables)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["name"] == "songs"
    assert document["sample_fields"]["bpm"] == "fiftyone.core.fields.IntField"
    sample = document["samples"][2]
    assert [part["label"] for part in sample["positive_labels"]["classifications"]] == ["live show"]
    (predicted,) = sample["negative_predictions"]["classifications"]
    assert predicted["label"] == "sad"
    assert predicted["confidence"] == pytest.approx(1 - tables["probabilities"].loc["café", "sad"])
    assert document["samples"][3]["positive_labels"] is None


def test_lvis(write):
    path = write("lvis.json", json.dumps(LVIS))
    assert files.detect(path).format == "lvis"
    records = files.read(path)
    np.testing.assert_array_equal(records.labels, [[1, 0, np.nan], [np.nan] * 3])
    assert records.names == ("rock", "sad", "live")
    assert records.items.index.tolist() == ["397133", "37777"]


def test_coco_lists_labels(write):
    images = [{"id": image["id"], "file_name": image["file_name"]} for image in LVIS["images"]]
    path = write("coco.json", json.dumps(LVIS | {"images": images}))
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
        ({"annotations": [{"image_id": 37777, "category_id": 9}]}, "annotation 1 names the category 9"),
    ],
)
def test_damaged_lvis(write, change, message):
    with pytest.raises(ReadError, match=message):
        files.read(write("a.json", json.dumps(LVIS | change)))


def test_open_images(write):
    path = write("labels.csv", OPEN_IMAGES)
    assert files.detect(path).format == "open-images"
    records = files.read(path)
    np.testing.assert_array_equal(records.labels, [[1, 0], [1, np.nan]])
    assert records.probabilities.loc["000060e3121c7306", "/m/019jd"] == 0.6
    assert records.suggestions.isna().all(axis=None)  # a score is no decision


def test_open_images_of_two_files(write):
    first = write("human.csv", OPEN_IMAGES)
    second = write("machine.csv", "ImageID,Source,LabelName,Confidence\n000060e3121c7305,machine,/m/0,0.1\n")
    assert len(files.read([first, second]).names) == 3


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,verification,b", "line 6: 3 cells, but the header has 4"),
        ("a,verification,b,0.5", "line 6: the confidence of a verified label is 0 or 1, not 0.5"),
        ("a,machine,b,high", "line 6: the confidence 'high' is not a number from 0 to 1"),
        ("a,machine,b,nan", "line 6: the confidence 'nan' is not a number from 0 to 1"),
        ('a,machine,"b,0.5', "the row cannot be read"),
    ],
)
def test_damaged_open_images(write, row, message):
    with pytest.raises(ReadError, match=message):
        files.read(write("a.csv", OPEN_IMAGES + row + "\n"))
