"""The map as a file."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import matplotlib.image
import numpy as np
import pytest

from halflabel.report.pictures import draw_picture

HOSTILE = '<script>"&\u202e$x_</script>'
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def completion(by_hand):
    return by_hand(names=(HOSTILE, "sad"))


def draw(completion, suffix, **options) -> bytes:
    return draw_picture(completion, completion.map(), suffix, **options)


def test_a_drawing_has_a_title_per_item(completion):
    root = ET.fromstring(draw(completion, ".svg", label="sad"))
    titles = [mark.find(f"{SVG}title").text for mark in root.iter(f"{SVG}circle")]
    assert len(titles) == 6
    visible = HOSTILE.replace("\u202e", r"\u202e")
    assert titles[3] == f"song 3 · {visible} (given), sad (given)"
    assert {path.get("class") for path in root.iter(f"{SVG}path")} >= {"given relevant", "filled irrelevant"}
    assert not list(root.iter(f"{SVG}script"))


def test_the_chosen_label_comes_first_on_a_page(completion):
    page = draw(completion, ".html", label="sad", title=HOSTILE).decode()
    assert page.index('aria-label="sad"') < page.index('aria-label="&lt;script')
    assert "Content-Security-Policy" in page
    assert "<script" not in page
    assert "doubtful given entries" not in page


def test_an_image_is_a_png(completion):
    image = matplotlib.image.imread(io.BytesIO(draw(completion, ".png")))
    assert image.shape[:2] == (840, 1350)
    assert np.ptp(image) > 0


def test_what_cannot_be_drawn(completion):
    with pytest.raises(ValueError, match=r"not drawn as '\.pdf'; use \.html, \.svg, \.png"):
        draw(completion, ".pdf")
    with pytest.raises(ValueError, match="there is no label 'glad'"):
        draw(completion, ".svg", label="glad")
