"""Charts: the same bytes every time, texts that stay texts, colours for light and dark pages, no other element."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from tests.report.page import contrast

from halflabel_papers.page.charts import COLOURS, TEXT, draw_lines, draw_ranks
from halflabel_papers.page.svg import check_svg

HOSTILE = [
    "<script>alert(1)</script>",
    "a & b",
    "$x^2$ and \\$5",
    "_private",
    "\x00\x1b",
    "日本語 🎵",
    "]]>",
    "'\"",
]
CURVES = {"SSDRMC": [(5, 0.5), (10, 0.6), (15, 0.65)], "RankSVM": [(5, 0.4), (10, 0.5), (15, 0.5)]}
LABELS = {"x_label": "labelled, %", "y_label": "micro-F1"}


def ranking(places: dict[str, float], length: float, groups: list[tuple[str, ...]]) -> SimpleNamespace:
    return SimpleNamespace(mean_ranks=pd.Series(places), critical_difference=length, groups=groups)


RANKS = ranking({"a": 1.25, "b": 2.0, "c": 3.25, "d": 3.5}, 1.5, [("a", "b"), ("b", "c", "d")])


def elements(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg))


def texts(svg: str) -> list[str]:
    return [element.text for element in elements(svg) if element.tag.endswith("text")]


def paths(svg: str, *looks: str) -> list[ElementTree.Element]:
    """Paths whose style has all of these."""
    return [e for e in elements(svg) if e.tag.endswith("path") and all(look in e.get("style") for look in looks)]


def read_corners(svg: str, *looks: str) -> list[np.ndarray]:
    """Corners of the lines whose style has all of these."""
    numbers = [np.array(re.findall(r"-?[\d.]+", path.get("d")), dtype=float) for path in paths(svg, *looks)]
    return [flat.reshape(-1, 2) for flat in numbers]


CHARTS = {
    "lines": lambda: draw_lines(
        CURVES, **LABELS, title="Yeast", published=CURVES, marked=(dict.fromkeys(CURVES, 5), "fewer trials")
    ),
    "ranks": lambda: draw_ranks(RANKS),
}


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_two_calls_give_the_same_bytes(chart):
    first = chart()
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "path", "axes.grid": True}):
        assert chart() == first  # whatever the reader has set up


def test_another_process_gives_the_same_bytes_without_pyplot_and_its_state():
    code = "import sys\nfrom halflabel_papers.page.charts import draw_lines\n"
    code += f"print(draw_lines({CURVES!r}, **{LABELS!r}))"
    code += "\nassert 'matplotlib.pyplot' not in sys.modules"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert other.strip() == draw_lines(CURVES, **LABELS)


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_nothing_but_paths_and_texts(chart):
    svg = chart()
    check_svg(svg)
    assert {element.tag.rpartition("}")[2] for element in elements(svg)} == {"path", "text"}
    assert not re.search(r"\bid=|href|url\(|<style|metadata|Date", svg)


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_everything_is_inside(chart):
    svg = chart()
    width, height = (float(part) for part in re.search('viewBox="0 0 (.*?) (.*?)"', svg).groups())
    for points in read_corners(svg):
        assert np.all(points <= [width, height])
    for element in elements(svg):
        if element.tag.endswith("text"):
            assert 0 <= float(element.get("x")) <= width
            assert 0 <= float(element.get("y")) <= height


def test_a_curve_goes_through_its_points():
    points = np.array([(0, 1.0), (1, 3.0), (2, 2.0), (4, 5.0)])
    (curve,) = (
        line for line in read_corners(draw_lines({"a": points}, **LABELS), f"stroke: {COLOURS[0]}") if len(line) == 4
    )
    assert len(np.unique(np.polyfit(points[:, 0], curve[:, 0], 1).round(1))) == 2
    for axis in (0, 1):
        slope, start = np.polyfit(points[:, axis], curve[:, axis], 1)
        np.testing.assert_allclose(start + slope * points[:, axis], curve[:, axis], atol=0.02)
        assert slope * (1, -1)[axis] > 0  # y of an SVG grows downwards


def test_published_curves_are_dashed_in_the_colour_of_their_method():
    svg = draw_lines(CURVES, **LABELS, published={"RankSVM": CURVES["RankSVM"]})
    assert [len(line) for line in read_corners(svg, "stroke-dasharray", COLOURS[1])] == [3]
    assert not read_corners(svg, "stroke-dasharray", COLOURS[0])
    assert texts(svg)[-3:] == ["SSDRMC", "RankSVM", "published"]
    assert "published" not in texts(draw_lines(CURVES, **LABELS))


def test_a_method_that_was_only_published_has_its_own_entry():
    svg = draw_lines(CURVES, **LABELS, published={"LPP": [(5, 0.3), (10, 0.4)]})
    assert texts(svg)[-4:] == ["SSDRMC", "RankSVM", "LPP", "published"]
    assert len(read_corners(svg, "stroke-dasharray", COLOURS[2])) == 2  # the curve and its key


def test_marked_points_are_hollow_and_the_legend_has_the_reason():
    svg = draw_lines(CURVES, **LABELS, marked=(dict.fromkeys(CURVES, 5), "3 of 50 trials"))
    hollow = [p for p in paths(svg, "fill-opacity: 0", COLOURS[0]) if p.get("transform")]
    assert len(hollow) == 2  # at 10 and 15
    full = [p for p in paths(svg, f"fill: {COLOURS[0]}") if p.get("transform")]
    assert len(full) == 2  # at 5, and the key
    assert "3 of 50 trials" in texts(svg)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_point_without_a_value_is_a_gap(bad):
    svg = draw_lines({"a": [(0, 1), (1, bad), (2, 2), (3, 3)], "b": [(0, bad)]}, **LABELS)
    full = [p for p in paths(svg, f"fill: {COLOURS[0]}") if p.get("transform")]
    assert len(full) == 3 + 1
    assert not re.search("nan|inf", svg)


def test_an_empty_part_of_a_chart_claims_no_room():
    """matplotlib places an empty line at the origin, and would reserve space for it."""
    for known in (CURVES, {**CURVES, "none": []}):
        svg = draw_lines(known, **LABELS)
        x_label, legend = (next(e for e in elements(svg) if e.text == text) for text in ("labelled, %", "SSDRMC"))
        assert 10 < float(legend.get("y")) - float(x_label.get("y")) < 40


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_shown_as_they_are(name):
    shown = name.replace("\x00", "\ufffd").replace("\x1b", "\ufffd")
    svg = draw_lines({name: [(0, 1), (1, 2)]}, x_label=name, y_label=name, title=name, published={name: [(0, 1)]})
    check_svg(svg)
    assert texts(svg).count(shown) == 4
    diagram = draw_ranks(ranking({name: 1.0, "b": 2.0, "c": 3.0}, 1.0, []))
    check_svg(diagram)
    assert "".join(f"{shown} 1.00".split()) in "".join("".join(texts(diagram)).split())  # perhaps on several lines


def test_every_method_has_its_own_look():
    svg = draw_lines({f"m{i}": [(0, i)] for i in range(20)}, **LABELS)
    marks = {(e.get("d"), e.get("style")) for e in paths(svg) if e.get("transform") and "fill: #" in e.get("style")}
    assert len({(d, re.search("fill: (#......)", style)[1]) for d, style in marks if TEXT not in style}) == 20


def test_nothing_to_draw():
    for nothing in ({}, {"a": []}, {"a": [(1, np.nan)]}):
        with pytest.raises(ValueError, match="nothing to draw"):
            draw_lines(nothing, **LABELS)


def test_ranks_lie_on_the_scale_and_bars_join_groups():
    svg = draw_ranks(RANKS)
    ticks = [line for line in read_corners(svg, f"stroke: {TEXT}") if len(line) == 2 and np.ptp(line[:, 0]) == 0]
    x = np.array([tick[0, 0] for tick in ticks])
    assert len(x) == 4

    def at(rank: float) -> float:
        return float(np.interp(rank, [1, 2, 3, 4], x))

    leaders = [line for line in read_corners(svg, f"stroke: {TEXT}") if len(line) == 3]
    assert [line[0, 0] for line in leaders] == pytest.approx([at(r) for r in (1.25, 2.0, 3.25, 3.5)], abs=0.02)
    length, *bars = read_corners(svg, f"stroke: {COLOURS[0]}")
    assert np.ptp(length[:, 0]) == pytest.approx(at(2.5) - at(1), abs=0.02)
    ends = [(bar[0, 0], bar[-1, 0]) for bar in bars]
    assert ends == [pytest.approx((at(a) - 3, at(b) + 3), abs=0.02) for a, b in ((1.25, 2.0), (2.0, 3.5))]
    assert {"CD = 1.50", "a 1.25", "d 3.50"} <= set(texts(svg))


def test_best_ranks_are_named_at_the_left():
    svg = draw_ranks(RANKS)
    sides = {e.text[0]: e.get("text-anchor", "start") for e in elements(svg) if re.match(r"[a-d] \d", e.text or "")}
    assert sides == {"a": "end", "b": "end", "c": "start", "d": "start"}


def test_a_critical_difference_longer_than_the_scale_has_a_remark():
    svg = draw_ranks(ranking({"a": 1.5, "b": 2.0, "c": 2.5}, 2.34, [("a", "b", "c")]))
    assert "CD = 2.34, more than the scale" in texts(svg)
    assert all((line[:, 0] <= 400).all() for line in read_corners(svg))


@pytest.mark.parametrize("names", [["MDDM", "MLSI", "ORI"], ["EM1+SVM", "FPC+SVM", "MC-1", "Mean+SVM", "WWWWWWWWWWWW"]])
def test_no_letter_of_a_method_is_cut_off(names):
    """The widths are those of the letters' outlines in a font that is at least as wide as a reader's."""
    font = FontProperties(family="DejaVu Sans")
    svg = draw_ranks(ranking({name: 1.0 + i for i, name in enumerate(names)}, 1.0, []))
    for text in (element for element in elements(svg) if element.tag.endswith("text")):
        width = TextPath((0, 0), text.text, size=float(text.get("font-size")), prop=font).get_extents().width
        before = {"start": 0.0, "middle": width / 2, "end": width}[text.get("text-anchor", "start")]
        x = float(text.get("x") or re.search(r"translate\(([\d.]+)", text.get("transform"))[1])
        assert x - before >= 3
        assert x - before + width <= 397


def test_long_names_leave_room_for_the_scale():
    names = {f"a rather long name of a method, number {i}": float(i) for i in range(1, 8)}
    svg = draw_ranks(ranking(names, 1.0, []))
    scale = max(np.ptp(line[:, 0]) for line in read_corners(svg, f"stroke: {TEXT}") if len(line) == 2)
    assert scale >= 150


@pytest.mark.parametrize("ground", ["#ffffff", "#fbfaf7", "#15171b", "#0d1117"])
def test_colours_stand_out_on_light_and_dark(ground):
    assert min(contrast(colour, ground) for colour in COLOURS) >= 3
    assert contrast(TEXT, ground) >= 4


SPACE = 'xmlns="http://www.w3.org/2000/svg"'


@pytest.mark.parametrize(
    "foreign",
    [
        f"<svg {SPACE}><script>alert(1)</script></svg>",
        f'<svg {SPACE} onload="alert(1)"/>',
        f"<svg {SPACE}><style>*{{display:none}}</style></svg>",
        f'<svg {SPACE}><image href="http://leak.test/a.png"/></svg>',
        f'<svg {SPACE}><path style="fill: url(http://leak.test/a.svg#b)"/></svg>',
        f'<svg {SPACE}><path style="fill: \\75rl(x)"/></svg>',
        f'<svg {SPACE}><text fill="url(#x)">a</text></svg>',
        f'<svg {SPACE}><path id="m1"/></svg>',
        f'<svg {SPACE}><foreignObject><p xmlns="http://www.w3.org/1999/xhtml">a</p></foreignObject></svg>',
        f'<svg {SPACE}><a xmlns:x="http://www.w3.org/1999/xlink" x:href="javascript:alert(1)"/></svg>',
        f'<!DOCTYPE svg [<!ENTITY a "b">]><svg {SPACE}/>',
        '<svg xmlns="http://www.w3.org/1999/xhtml"/>',
        "<svg/>",
        f"<svg {SPACE}>",
        "a text",
    ],
)
def test_any_other_drawing_raises(foreign):
    with pytest.raises(ValueError, match=r"this drawing cannot go on a page: .*page\.charts"):
        check_svg(foreign)
