"""Surfaces: levels of the whole range, the border of the region near the best, the same bytes every time."""

from __future__ import annotations

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from halflabel_papers.page import plots
from halflabel_papers.page.charts import COLOURS
from halflabel_papers.page.surfaces import N_LEVELS, draw_surface
from halflabel_papers.page.svg import check_svg

#: Values that grow to the right only: 0 at H = 0, 1 at H = 1.
SLOPE = pd.DataFrame([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]], index=[0.0, 0.5, 1.0], columns=[0.1, 0.9])


def draw(table: pd.DataFrame, bound: float) -> list[ElementTree.Element]:
    svg = draw_surface(table, x_label="H", y_label="alpha", bound=bound, name="90 % of the best")
    check_svg(svg)
    return list(ElementTree.fromstring(svg))


def find_lines(elements: list[ElementTree.Element]) -> list[np.ndarray]:
    """Corners of the lines in the colour of the border, without that of the legend."""
    styled = [e.get("d") for e in elements if f"stroke: {COLOURS[1]}" in e.get("style", "")]
    return [np.array(re.findall(r"-?[\d.]+", d), dtype=float).reshape(-1, 2) for d in styled]


def test_the_border_is_where_the_values_reach_the_bound():
    def find_x(bound: float) -> float:
        return float(find_lines(draw(SLOPE, bound))[0][:, 0].mean())

    low, middle, high = find_x(0.25), find_x(0.5), find_x(0.75)
    assert middle - low == pytest.approx(high - middle, rel=0.02)
    assert low < middle < high


def test_a_bound_below_all_values_has_no_border():
    assert len(find_lines(draw(SLOPE + 1, 0.5))) == len(find_lines(draw(SLOPE, 0.5))) - 1


def test_the_levels_cover_the_whole_range():
    texts = [e.text for e in draw(SLOPE, 0.9) if e.tag.endswith("text") and " to " in (e.text or "")]
    spans = np.array([[float(part) for part in text.split(" to ")] for text in texts])
    assert len(spans) == N_LEVELS
    assert (spans.min(), spans.max()) == (0.0, 1.0)


def test_the_right_side_has_the_other_unit_at_the_measured_points():
    svg = draw_surface(
        SLOPE, x_label="H", y_label="alpha", bound=0.5, name="best", other=("ours", np.array([0.25, 0.75]))
    )
    check_svg(svg)
    place = {e.text: float(e.get("y")) for e in ElementTree.fromstring(svg) if e.tag.endswith("text") and e.get("y")}
    assert {"ours", "0.25", "0.75"} <= set(place)
    assert place["0.25"] > place["0.75"]


def test_labels_of_the_other_unit_do_not_cover_each_other():
    table = pd.DataFrame([[0.0] * 4, [1.0] * 4], index=[0.0, 1.0], columns=[0.0, 0.03, 0.06, 1.0])
    unit = ("ours", np.array([0.123, 0.456, 0.654, 0.789]))
    svg = draw_surface(table, x_label="H", y_label="alpha", bound=0.5, name="best", other=unit)
    assert [text in svg for text in ("0.123", "0.456", "0.654", "0.789")] == [True, False, True, True]


def test_equal_values_are_one_level():
    assert draw(SLOPE * 0 + 0.3, 0.27)


@pytest.mark.parametrize("table", [SLOPE.iloc[:, :1], SLOPE.where(SLOPE != 0.5)])
def test_without_the_whole_map_there_is_no_surface(table, monkeypatch):
    monkeypatch.setattr(plots, "average_map", lambda *_: table)
    experiment = SimpleNamespace(surface="alpha", surface_unit="")
    assert list(plots.draw_map_of_settings(None, experiment, "micro_f1", "yeast")) == []
