"""Charts as SVG of paths and texts only: the same bytes every time, legible on light and dark pages.

One file serves light and dark pages, so that the brightness of all colours is between both: the contrast is at least
3 : 1 for lines and about 4 : 1 for text, the maximum that is possible on both. The style sheet of a page overrides the
colour of ``text``. Methods also differ by the shape of their marks.
"""

from __future__ import annotations

import textwrap
import unicodedata
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator

from halflabel.plugins import Floats, clipped, decimal
from halflabel_papers.page.svg import convert_figure, printable
from halflabel_papers.verdicts.significance import Ranking

#: The page's teal and orange, then violet, plum, grey and olive, all between light and dark.
COLOURS = ("#1a8499", "#c7621f", "#7468c2", "#b0508c", "#777c84", "#7d8a1e")
TEXT = "#74787f"

#: Shapes of marks; their number and that of the colours have no common factor, so that 42 methods look different.
MARKS = ("o", "s", "^", "D", "v", "P", "h")

#: Width of every chart and height of its letters, in its own units; a phone shows it 320 pixels wide.
WIDTH = 400.0
LETTERS = 11.0

#: Font of the layout. It comes with matplotlib, and hardly any system font is wider.
FONT = "DejaVu Sans"

#: Maximum length of a method's name.
MAX_LETTERS = 44

_DASHED: dict[str, Any] = {"marker": "x", "linestyle": (0, (4, 2.5)), "linewidth": 1.1, "markersize": 4.5}

_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may hold dollar signs
    "font.family": FONT,
    "font.size": LETTERS,
    "axes.titlesize": LETTERS + 1,
    "axes.titlelocation": "left",
    "axes.formatter.useoffset": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": TEXT,
    "axes.labelcolor": TEXT,
    "text.color": TEXT,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
    "grid.color": TEXT,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "lines.markersize": 5.5,
    "lines.linewidth": 1.6,
}

#: All data are inside the axes: do not cut marks at the edge, and do not reserve space for an empty curve.
_INSIDE: dict[str, Any] = {"clip_on": False, "in_layout": False}

Points = Sequence[tuple[float, float]]


def draw_lines(
    series: Mapping[str, Points],
    *,
    x_label: str,
    y_label: str,
    title: str = "",
    published: Mapping[str, Points] | None = None,
    marked: tuple[Mapping[str, float], str] | None = None,
) -> str:
    """Draw curves, one per method.

    Parameters
    ----------
    series : mapping of str to sequence of (x, y)
        Measured values, in the order of x. A point with a NaN is left out, and the curve has a gap.
    published : mapping of the same form, optional
        Values that a paper prints: dashed, in the colour of the method of the same name.
    marked : (mapping of str to x, reason), optional
        Points of these series beyond their x have hollow marks, and the legend has the reason.

    Returns
    -------
    str
        SVG, 400 units wide.

    Raises
    ------
    ValueError
        If there is no point to draw.

    Examples
    --------
    >>> svg = draw_lines({"SSDRMC": [(5, 0.61), (10, 0.66)]}, x_label="labelled, %", y_label="micro-F1")
    >>> svg.startswith("<svg"), "SSDRMC" in svg
    (True, True)
    """
    measured, printed = _to_arrays(series), _to_arrays(published or {})
    if not any(np.isfinite(points).all(axis=1).any() for points in (*measured.values(), *printed.values())):
        raise ValueError("there is nothing to draw: no series has a point without NaN.")
    names = dict.fromkeys([*measured, *printed])
    looks = dict(zip(names, zip(cycle(COLOURS), cycle(MARKS), strict=False), strict=False))
    keys = _list_keys(looks, set(measured), bool(printed), marked[1] if marked else "")
    columns = 2 if max(len(text) for text, _ in keys) <= 20 else 1
    rows = -(-sum(text.count("\n") + 1 for text, _ in keys) // columns)
    with house_style():
        figure = Figure((WIDTH / 72, (230 + 1.6 * LETTERS * rows) / 72), layout="constrained")
        axes = figure.add_subplot()
        style_axes(axes, _wrap(x_label, 50), _wrap(y_label, 30), _wrap(title, 50))
        for name, points in printed.items():
            axes.plot(*points.T, color=looks[name][0], **_INSIDE, **_DASHED)
        for name, points in measured.items():
            _draw_measured(axes, points, looks[name], marked[0].get(name, np.inf) if marked else np.inf)
        add_legend(figure, keys, columns)
        return convert_figure(figure)


def _to_arrays(series: Mapping[str, Points]) -> dict[str, Floats]:
    return {name: np.asarray(points, dtype=float).reshape(-1, 2) for name, points in series.items()}


def style_axes(axes: Axes, x_label: str, y_label: str, title: str) -> None:
    """Set the texts, the grid and the ticks of axes."""
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.tick_params(length=3)


def _draw_measured(axes: Axes, points: Floats, look: tuple[str, str], beyond: float) -> None:
    colour, mark = look
    axes.plot(*points.T, color=colour, **_INSIDE)
    hollow = points[:, 0] > beyond
    for own, face in ((points[~hollow], colour), (points[hollow], "none")):
        axes.plot(*own.T, mark, color=colour, markerfacecolor=face, **_INSIDE)


def _list_keys(
    looks: Mapping[str, tuple[str, str]], measured: set[str], printed: bool, reason: str
) -> list[tuple[str, dict[str, Any]]]:
    """Return text and look of every entry of the legend."""
    keys: list[tuple[str, dict[str, Any]]] = []
    for name, (colour, mark) in looks.items():
        look = {"marker": mark} if name in measured else _DASHED
        keys.append((clipped(printable(name), MAX_LETTERS), {"color": colour, **look}))
    if printed:
        keys.append(("published", {"color": TEXT, **_DASHED}))
    if reason:
        hollow = {"marker": "o", "markerfacecolor": "none", "linestyle": "none"}
        keys.append((_wrap(reason, 50), {"color": TEXT, **hollow}))
    return keys


def add_legend(figure: Figure, keys: Sequence[tuple[str, Mapping[str, Any]]], columns: int) -> None:
    """Add the legend below the plot."""
    handles = [Line2D([], [], **look) for _, look in keys]
    # A legend ignores texts that begin with "_", and so the texts come afterwards.
    legend = figure.legend(handles, ["-"] * len(keys), loc="outside lower left", ncols=columns)
    for place, (text, _) in zip(legend.get_texts(), keys, strict=True):
        place.set_text(text)


def draw_ranks(ranking: Ranking) -> str:
    """Draw mean ranks on a line. Thick bars join methods that the ranks do not separate.

    The best rank is at the left. A bar above the line has the length of the critical difference; if that is longer
    than the line, the text at the bar has a remark.

    Parameters
    ----------
    ranking : Ranking
        From :func:`halflabel_papers.verdicts.significance.rank_methods`.

    Returns
    -------
    str
        SVG, 400 units wide.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006, figure 1.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> places, groups = pd.Series({"a": 1.2, "b": 2.1, "c": 2.7}), [("a", "b"), ("b", "c")]
    >>> ranking = SimpleNamespace(mean_ranks=places, critical_difference=1.1, groups=groups)
    >>> "CD = 1.10" in draw_ranks(ranking)
    True
    """
    places = ranking.mean_ranks
    k = len(places)
    rows = (k + 1) // 2
    texts = [_wrap(f"{clipped(printable(name), 30)} {decimal(place)}", 16) for name, place in places.items()]
    step = 6 + 13.0 * max(text.count("\n") + 1 for text in texts)
    left, right = _measure_margin(texts[:rows]), WIDTH - _measure_margin(texts[rows:])
    x = pd.Series(left + (places - 1) / (k - 1) * (right - left), index=places.index)
    bars = [(x[group[0]], x[group[-1]]) for group in ranking.groups if len(group) > 1]
    first = 70 + 7.0 * len(bars) + step / 2
    with house_style():
        figure, axes = _make_canvas(first + step * rows - step / 2 + 4)
        _draw_scale(axes, left, right, k)
        _draw_length(axes, left, right, ranking.critical_difference / (k - 1), ranking.critical_difference)
        for row, ends in enumerate(bars):
            y = 64 + 7.0 * row
            axes.plot([ends[0] - 3, ends[1] + 3], [y, y], color=COLOURS[0], linewidth=3.5, solid_capstyle="butt")
        for i, (text, place) in enumerate(zip(texts, x, strict=True)):
            y = first + step * min(i, k - 1 - i)
            _draw_leader(axes, text, place, y, (left - 8, "right") if i < rows else (right + 8, "left"))
        return convert_figure(figure)


def _measure_margin(texts: Sequence[str]) -> float:
    """Return the space between the edge of the diagram and its scale: the widest text, its leader and a reserve."""
    return 18 + max(measure_text(line, LETTERS) for text in texts for line in text.splitlines())


def measure_text(text: str, size: float) -> float:
    """Return the width of a line of text in the font of the layout, in the units of a chart.

    Examples
    --------
    >>> measure_text("MMMM", 10) > 2 * measure_text("llll", 10)
    True
    """
    font = FontProperties(family=FONT, size=size)
    with _without_glyph_warnings():
        width: float = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    # The font has no Chinese, Japanese or Korean letters: these are a square, and their replacement is 0.6 of it wide.
    return width + 0.4 * size * sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)


def fit_text(text: str, size: float, width: float) -> str:
    """Return the text, cut if it is wider than ``width``.

    Examples
    --------
    >>> fit_text("a long name", 10, 40), fit_text("short", 10, 40)
    ('a lon…', 'short')
    """
    limit = len(text)
    while limit > 1 and measure_text(clipped(text, limit), size) > width:
        limit -= 1
    return clipped(text, limit)


def _make_canvas(height: float) -> tuple[Figure, Axes]:
    """Return axes in the units of the SVG, y downwards."""
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(height, 0))
    axes.set_axis_off()
    return figure, axes


def _draw_scale(axes: Axes, left: float, right: float, k: int) -> None:
    axes.plot([left, right], [56, 56], color=TEXT, linewidth=1.2)
    for rank in range(1, k + 1, -(-k // 12)):
        x = left + (rank - 1) / (k - 1) * (right - left)
        axes.plot([x, x], [52, 56], color=TEXT, linewidth=1)
        axes.text(x, 49, str(rank), ha="center", va="bottom", fontsize=LETTERS - 1)


def _draw_length(axes: Axes, left: float, right: float, share: float, length: float) -> None:
    """Draw the critical difference, a share of the scale, above it."""
    end = left + min(1.0, share) * (right - left)
    more = ", more than the scale" if share > 1 else ""
    axes.plot([left, left, left, end, end, end], [18, 26, 22, 22, 18, 26], color=COLOURS[0], linewidth=1.4)
    axes.text(left, 8, f"CD = {decimal(length)}{more}", va="center", fontsize=LETTERS - 1)


def _draw_leader(axes: Axes, text: str, place: float, y: float, side: tuple[float, str]) -> None:
    """Draw a line from a place on the scale to the name of its method at one side."""
    edge, anchor = side
    axes.plot([place, place, edge], [56, y, y], color=TEXT, linewidth=0.9)
    axes.text(edge + (-3 if anchor == "right" else 3), y, text, ha=anchor, va="center")


def _wrap(text: str, width: int) -> str:
    return textwrap.fill(printable(text), width)


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the style of the library, not of the user's matplotlibrc, and without pyplot and its state."""
    with matplotlib.style.context(["default", _STYLE]), _without_glyph_warnings():
        yield


@contextmanager
def _without_glyph_warnings() -> Iterator[None]:
    """Ignore that the font of the layout lacks a letter: the reader's browser takes it from another font."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield
