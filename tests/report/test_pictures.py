"""The map as a file."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from itertools import combinations
from types import SimpleNamespace

import matplotlib.image
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from halflabel.completion.mapping.regions import Lift, Region
from halflabel.report.pictures import draw_on_axes, draw_picture
from halflabel.report.scatter import WORDS

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


def test_the_legend_of_a_drawing_has_the_values_that_are_drawn_and_no_others(by_hand):
    texts = [text.text for text in ET.fromstring(draw(by_hand(), ".svg", label="sad")).iter(f"{SVG}text")]
    found = [words for words in WORDS if words in texts]
    assert found == ["yes, given", "no, given", "no, filled", "yes, uncertain"]
    given = by_hand([[1, 0], [0, 1]], [[0.9, 0.1], [0.1, 0.9]])
    texts = [text.text for text in ET.fromstring(draw(given, ".svg", label="sad")).iter(f"{SVG}text")]
    assert [words for words in WORDS if words in texts] == list(WORDS[:2])


def test_an_image_is_a_png(completion):
    image = matplotlib.image.imread(io.BytesIO(draw(completion, ".png")))
    assert image.shape[:2] == (840, 1350)
    assert np.ptp(image) > 0


@pytest.mark.parametrize("size", [(6.4, 4.8), (3.5, 2.5)])
def test_names_of_regions_are_inside_the_axes_and_apart(completion, size):
    places = np.array([[0, 0], [1, 0], [1, 0.02], [0.98, 0.9], [0.5, 0.5], [0.4, 0.5]])
    regions = [Region(item, 9, (Lift(f"a name of 24 letters he{item}", 2.0, 1.5, 3.0),)) for item in range(6)]
    drawn = SimpleNamespace(places=places, regions=regions, notes=())
    ax = draw_on_axes(completion, drawn, 1, Figure(size).subplots())
    ax.figure.draw_without_rendering()
    boxes, frame = [Text.get_window_extent(text) for text in ax.texts], ax.get_window_extent()
    assert len(boxes) >= 4
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_what_cannot_be_drawn(completion):
    with pytest.raises(ValueError, match=r"not drawn as '\.pdf'; use \.html, \.svg, \.png"):
        draw(completion, ".pdf")
    with pytest.raises(ValueError, match="a picture has 2 dimensions, not 3"):
        draw_picture(completion, SimpleNamespace(places=np.zeros((6, 3))), ".svg")
