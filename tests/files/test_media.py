"""Folders of pictures and texts: features without a model, folders as tags, errors that name the file."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import halflabel as hl
from halflabel.files import ReadError
from halflabel.files.media import describe_media
from halflabel.table.source_files import read_file

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def pictures():
    return pytest.importorskip("skimage", reason="scikit-image (extra images) is not installed")


def save_picture(path, rgb, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(rgb).save(path, **options)


def make_stripes(rng, upright, colour):
    """Return a picture of stripes: 40 x 48 pixels, upright or lying, in one of two colours."""
    grey = 120 + 100 * np.sin(np.arange(40)[:, None] + np.zeros(48)) + rng.normal(scale=20, size=(40, 48))
    grey = np.clip(grey if not upright else grey[:, :40].T, 0, 255)
    rgb = np.zeros((*grey.shape, 3))
    rgb[..., colour] = grey
    return rgb.astype(np.uint8)


@pytest.fixture
def folder(tmp_path, pictures):
    """A folder of stripes: half of them in folders of two classes, half without a class."""
    rng = np.random.default_rng(0)
    for number in range(48):
        upright = bool(number % 2)
        place = "" if number >= 24 else ("upright/" if upright else "lying/")
        kind = ("png", "jpg", "bmp")[number % 3]
        save_picture(tmp_path / f"pics/{place}{number:02}.{kind}", make_stripes(rng, upright, number % 3))
    return tmp_path / "pics"


@pytest.mark.usefixtures("small_forests")
def test_a_folder_of_classes_is_completed(folder):
    opened = hl.open_table(folder, absent="irrelevant")
    assert opened.labels.names == ("lying", "upright")
    assert opened.labels.unlabelled.sum() == 24
    assert [*opened.frame.columns] == ["file", "folder"]
    filled = hl.complete(opened, effort="fast")
    assert filled.index.tolist() == opened.frame["file"].tolist()
    right = filled.table["folder"].map(lambda tags: tags == ["upright"]).to_numpy()
    truth = [int(name.rsplit("/", 1)[-1][:2]) % 2 == 1 for name in filled.index]
    assert np.mean(right == truth) > 0.95


def test_labels_of_pictures_may_be_in_a_table(folder):
    names = read_file(folder).raw.frame["file"]
    labels = pd.DataFrame({"picture": names, "striped": np.arange(len(names)) % 2}).sample(frac=1, random_state=0)
    opened = hl.open_table(folder, labels_file=labels, on="picture", labels=["striped"], ignore=["folder"])
    assert opened.labels.state[:, 0].tolist() == [1 if i % 2 else -1 for i in range(len(names))]


def test_features_depend_on_the_content_and_not_on_name_size_or_format(tmp_path, pictures):
    rgb = make_stripes(np.random.default_rng(0), True, 1)
    save_picture(tmp_path / "a.png", rgb)
    save_picture(tmp_path / "b.bmp", rgb)
    save_picture(tmp_path / "c.png", rgb.repeat(2, axis=0).repeat(2, axis=1))
    save_picture(tmp_path / "d.png", np.rot90(rgb), exif=_turned(3 * 2))
    X, names = describe_media([tmp_path / name for name in ("a.png", "b.bmp", "c.png", "d.png")])
    assert X.shape == (4, len(names))
    np.testing.assert_array_equal(X[0], X[1])
    save_picture(tmp_path / "e.png", make_stripes(np.random.default_rng(0), False, 1))
    other = describe_media([tmp_path / "e.png"])[0][0]
    assert np.abs(X[0] - X[2]).mean() < np.abs(X[0] - other).mean() / 2  # a larger picture is sampled at other places
    np.testing.assert_allclose(X[0], X[3], atol=0.02)  # EXIF states how to turn it


def _turned(orientation):
    exif = Image.Exif()
    exif[274] = orientation
    return exif


def test_pictures_of_one_colour_are_described(tmp_path, pictures):
    for number, value in enumerate((0, 255)):
        save_picture(tmp_path / f"{number}.png", np.full((1, 1, 3), value, dtype=np.uint8))
    save_picture(tmp_path / "grey.png", np.full((9, 9), 7, dtype=np.uint8))
    X, _ = describe_media(sorted(tmp_path.iterdir()))
    assert np.isfinite(X).all()


def test_a_folder_of_texts_is_a_table_with_its_texts(tmp_path):
    for name, text in {"a/1.txt": "loud \ufeff", "b/2.txt": "soft", "3.md": "no class"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    frame = read_file(tmp_path).raw.frame
    assert frame["file"].tolist() == ["3.md", "a/1.txt", "b/2.txt"]
    assert frame["folder"].tolist() == [None, ["a"], ["b"]]
    assert frame["text"].tolist() == ["no class", "loud \ufeff", "soft"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\nxx", r"a\.png: it cannot be read as a picture"),
        ("a.txt", b"\xff\xfe\x00", r"a\.txt: byte 1 is not UTF-8"),
        ("a.mp3", b"ID3", r"`np\.save\('vectors\.npy', vectors\)`"),
        ("a.xyz", b"", "pictures and texts are read, too"),
    ],
)
def test_a_file_that_cannot_be_described_is_one_sentence(tmp_path, pictures, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ReadError, match=message):
        read_file(tmp_path)


def test_five_lines_make_vectors(tmp_path):
    (tmp_path / "a.mp3").write_bytes(b"ID3")
    with pytest.raises(ReadError) as raised:
        read_file(tmp_path)
    assert len(re.findall("`", str(raised.value))) == 10


def test_a_picture_of_too_many_pixels_is_an_error(tmp_path, pictures, monkeypatch):
    save_picture(tmp_path / "a.png", np.zeros((50, 50, 3), dtype=np.uint8))
    monkeypatch.setattr("halflabel.files.media.MAX_PIXELS", 2499)
    with pytest.raises(ReadError, match="more than 2,499 pixels"):
        read_file(tmp_path)


def test_pictures_that_a_table_names(tmp_path, folder):
    names = [f"pics/{name}" for name in read_file(folder).raw.frame["file"]]
    table = pd.DataFrame({"picture": names, "striped": [1, 0] * (len(names) // 2)})
    table.to_csv(tmp_path / "a.csv", index=False)
    opened = hl.open_table(tmp_path / "a.csv", labels=["striped"], images="picture")
    np.testing.assert_array_equal(opened.X, read_file(folder).raw.matrix)
    table.assign(picture=["x.png", *names[1:]]).to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(ValueError, match=r"1 of 48 files in the column 'picture' are not there, for example .*x\.png"):
        hl.open_table(tmp_path / "a.csv", labels=["striped"], images="picture")
    with pytest.raises(ValueError, match="both give the vectors"):
        hl.open_table(table, labels=["striped"], images="picture", vectors=np.zeros((48, 2)))
    with pytest.raises(ValueError, match="did you mean 'picture'"):
        hl.open_table(table, labels=["striped"], images="pictur")


def test_pictures_that_a_coco_file_names(folder):
    raw = read_file(folder).raw
    names = raw.frame["file"]
    images = [{"id": number, "file_name": name, "width": 40} for number, name in enumerate(names)]
    annotations = [{"id": n, "image_id": n, "category_id": 1 + n % 2} for n in range(20)]
    categories = [{"id": 1, "name": "even"}, {"id": 2, "name": "odd"}]
    document = {"images": images, "annotations": annotations, "categories": categories}
    (folder / "instances.json").write_text(json.dumps(document))
    opened = hl.open_table(folder / "instances.json", absent="irrelevant", images="file_name", ignore=["width"])
    np.testing.assert_array_equal(opened.X, raw.matrix)
    assert opened.labels.state[:20].tolist() == [[1, -1], [-1, 1]] * 10
