"""Maps side by side: every item is drawn once, at its place, in a look of its own kind."""

from __future__ import annotations

import itertools
import re
from importlib.resources import files
from xml.etree import ElementTree

import numpy as np
import pytest
from papers.tests.cases import read_marks
from tests.report.page import contrast

from halflabel_papers.page.panels import HUES, MAX_KINDS, SIDE, Panel, _look, draw_panels
from halflabel_papers.page.svg import check_svg

WORDS = {"filled": "labelled", "hollow": "not labelled", "other": "others"}

#: How a colour of linear light looks without one kind of cone (Machado, Oliveira & Fernandes 2009, severity 1).
BLINDNESS = {
    "none": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


@pytest.fixture
def panel(rng):
    def make(title="PCA", n=40, kinds=None, places=None):
        places = rng.normal(size=(n, 2)) if places is None else np.asarray(places, dtype=float)
        kinds = np.arange(len(places)) % 5 - 1 if kinds is None else np.asarray(kinds)
        return Panel(title, "micro-F1 0.8", places, kinds, np.arange(len(places)) % 3 == 0)

    return make


def test_every_item_is_drawn_once_in_each_map(panel):
    maps = [panel("a", 40), panel("b", 40)]
    svg = draw_panels(maps, list("wxyz"), **WORDS)
    check_svg(svg)
    found = read_marks(svg)
    assert len(found) == 80
    assert sum(filled for _, filled, *_ in found) == 2 * 14
    assert sum(colour == _look(-1)[0] for colour, *_ in found) == 2 * 8


def test_items_stand_where_the_map_has_them_and_up_is_up(panel):
    """A circle starts at its left end: a radius, of at most 3, to the left of its place."""
    corners = [[0, 0], [8, 0], [0, 4], [8, 4], [4, 2]]
    one = panel(places=corners, kinds=[0] * 5)
    low, middle, high = 0.04 * SIDE, 0.5 * SIDE, 0.96 * SIDE
    expected = [[low, high], [high, high], [low, low], [high, low], [middle, middle]]
    np.testing.assert_allclose(one.places, expected, atol=0.02 * SIDE)
    drawn = sorted((x + 3, y) for _, _, x, y in read_marks(draw_panels([one], ["k"], **WORDS)))
    np.testing.assert_allclose(drawn, sorted(map(tuple, one.places)), atol=0.06)


def test_far_items_stand_at_the_edge_and_are_counted(panel, rng):
    places = rng.uniform(size=(500, 2))
    places[7] = 1e6, 0.5
    one = panel(places=places, kinds=[0] * 500)
    assert one.at_edge == 1
    assert panel(places=places[:7], kinds=[0] * 7).at_edge == 0
    assert np.ptp(np.delete(one.places, 7, axis=0), axis=0).min() > 0.8 * SIDE, "one item must not shrink the others"


def test_a_map_without_extent_is_drawn_in_the_middle(panel):
    one = panel(places=np.zeros((5, 2)))
    assert one.at_edge == 0
    np.testing.assert_allclose(one.places, SIDE / 2, atol=0.2)


def test_many_items_weigh_less_than_a_photograph(panel):
    """Circles take the most bytes."""
    maps = [panel("x" * 40, 600, kinds=np.zeros(600, dtype=int)) for _ in range(6)]
    svg = draw_panels(maps, ["k" * 100] * MAX_KINDS, **WORDS)
    assert len(svg) < 200_000
    assert svg == draw_panels(maps, ["k" * 100] * MAX_KINDS, **WORDS)


def test_names_from_outside_are_text_and_nothing_else(panel):
    svg = draw_panels([panel("<script>\x00&")], ["]]><path d='M0 0'/>", "b", "c", "d"], **WORDS)
    check_svg(svg)
    texts = [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "<script>\ufffd&" in texts
    assert "]]><path d='M0 0'/>" in texts


def test_the_legend_names_others_only_where_there_are_some(panel):
    assert "others" in draw_panels([panel()], list("wxyz"), **WORDS)
    assert "others" not in draw_panels([panel(kinds=[0, 1, 2], places=np.eye(3)[:, :2])], list("wxyz"), **WORDS)


def test_too_many_kinds_and_too_few_maps_raise(panel):
    with pytest.raises(ValueError, match="0 maps of 1 kinds"):
        draw_panels([], ["k"], **WORDS)
    with pytest.raises(ValueError, match="at most 10 kinds"):
        draw_panels([panel()], ["k"] * 11, **WORDS)


# -- looks ---------------------------------------------------------------------------------


def linear(colour):
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light):
    xyz = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]]) @ np.clip(
        light, 0, 1
    )
    ratio = xyz / [0.9505, 1.0, 1.0888]
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_colours_stand_out_on_light_and_dark_pages():
    css = files("halflabel.report").joinpath("templates/base.css").read_text()
    grounds = [*re.findall(r"--paper: (#\w{6})", css), "#ffffff", "#0d1117"]
    assert len(grounds) == 4
    for colour, ground in itertools.product((*HUES, _look(-1)[0]), grounds):
        assert contrast(colour, ground) >= 3, (colour, ground)


@pytest.mark.parametrize("kind", BLINDNESS)
def test_kinds_of_one_shape_differ_in_colour_for_every_reader(kind):
    looks = [_look(i) for i in range(MAX_KINDS)]
    assert len({*looks, _look(-1)}) == MAX_KINDS + 1
    for (one, shape), (other, same) in itertools.combinations(looks, 2):
        if shape == same:
            seen = [lab(np.array(BLINDNESS[kind]) @ linear(colour)) for colour in (one, other)]
            assert np.linalg.norm(seen[0] - seen[1]) >= 20, (one, other)
