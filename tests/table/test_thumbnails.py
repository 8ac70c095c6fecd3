"""Image files become small pictures inside the page, and only images do."""

from __future__ import annotations

import base64
import io

import pandas as pd
import pytest
from PIL import Image
from tests.report.test_render import page_of

from halflabel.table import pictures
from halflabel.table.pictures import MAX_BYTES, MAX_SIDE, read_thumbnail
from halflabel.table.sources import Source


def decode(address: str) -> Image.Image:
    head, _, body = address.partition(",")
    assert head == "data:image/jpeg;base64"
    content = base64.b64decode(body)
    assert len(content) <= MAX_BYTES
    return Image.open(io.BytesIO(content))


@pytest.fixture
def birds(tmp_path):
    """A large red picture, one that is transparent, and a file that is no image."""
    Image.new("RGB", (900, 300), "red").save(tmp_path / "red.jpg")
    Image.new("RGBA", (20, 20), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    (tmp_path / "broken.jpg").write_bytes(b"no image")
    (tmp_path / "secret.txt").write_text("secret")
    return tmp_path


def test_a_picture_is_small_and_keeps_its_shape(birds):
    small = decode(read_thumbnail("red.jpg", birds))
    assert small.size == (MAX_SIDE, round(MAX_SIDE / 3))
    assert small.getpixel((5, 5))[0] > 240


def test_transparent_ground_is_white(birds):
    assert decode(read_thumbnail("clear.png", birds)).getpixel((5, 5)) == (255, 255, 255)


def test_content_as_hugging_face_datasets_have_it(birds):
    content = (birds / "red.jpg").read_bytes()
    for cell in (content, {"bytes": content, "path": None}, {"bytes": None, "path": "red.jpg"}):
        assert read_thumbnail(cell, birds) == read_thumbnail("red.jpg", birds)


@pytest.mark.parametrize(
    "cell", ["broken.jpg", "secret.txt", "none.png", "http://a.test/x.png", "a\0.png", b"GIF89a", 7]
)
def test_what_is_no_image_has_no_picture(birds, cell):
    assert read_thumbnail(cell, birds) is None


def test_large_files_and_large_images_are_not_decoded(birds, monkeypatch):
    monkeypatch.setattr(pictures, "MAX_FILE", 100)
    assert read_thumbnail("red.jpg", birds) is None
    monkeypatch.undo()
    monkeypatch.setattr(pictures, "MAX_PIXELS", 1000)
    assert read_thumbnail("red.jpg", birds) is None


@pytest.mark.parametrize("side", [11_000, 14_000])
def test_a_picture_above_the_limits_of_the_decoder_has_no_picture(tmp_path, side):
    """The decoder warns above 89 million pixels, and raises above twice as many."""
    Image.new("1", (side, side)).save(tmp_path / "large.png")
    assert read_thumbnail("large.png", tmp_path) is None


def test_pictures_stand_in_the_tables_of_the_report(by_hand, birds):
    frame = pd.DataFrame({"file": ["red.jpg", "clear.png", "broken.jpg", "https://a.test/x.jpg", "red.jpg", None]})
    page = page_of(by_hand(frame=frame), show=["file"], folder=birds)
    pictures = [image for image in page.all("img") if image.get("class") == "picture"]
    assert pictures
    assert all(image["src"].startswith("data:image/jpeg") for image in pictures)
    assert "broken.jpg" in page.text  # its path stays, where there is no picture
    assert not [image for image in page_of(by_hand(frame=frame)).all("img") if image.get("class") == "picture"]


def test_paths_start_from_the_folder_of_the_table(by_hand, birds):
    completion = by_hand(frame=pd.DataFrame({"file": ["red.jpg"] * 6}))
    completion.opened.source = Source(None, paths=(birds / "table.csv",))
    assert [image for image in page_of(completion, show=["file"]).all("img") if image.get("class") == "picture"]
