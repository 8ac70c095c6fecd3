"""Charts as SVG of nothing but paths and texts: the same bytes every time, legible on light and dark pages.

Colours lie in the middle between a white and a black page, because one file has to serve both: at least 3 : 1 in
contrast for lines and about 4 : 1 for text, which is what can be had on both at once. A page that knows its own ground
gives ``text`` a colour of its own, which overrides the attribute. Methods differ by the shape of their marks too.
"""

from __future__ import annotations

import textwrap
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
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from halflabel._arrays import Floats
from halflabel._wording import clipped, decimal
from halflabel.reproduction.page.svg import convert_figure, printable
from halflabel.reproduction.verdicts.significance import Ranking

#: Blue, vermilion, green, purple and grey; they also differ for colour-blind readers.
COLOURS = ("#1f77c9", "#d2571b", "#0f9170", "#b65a9c", "#777c84")
TEXT = "#74787f"

#: Shapes of marks; as many as have no factor in common with the colours, so that 35 methods look different.
MARKS = ("o", "s", "^", "D", "v", "P", "h")

#: Width of every chart, in its own units; the letters are 11 of them high, and a phone shows 320 pixels of it.
WIDTH = 400.0
LETTERS = 11.0
#: Room for a letter of the font that charts are laid out with; those of the reader's system are narrower.
PER_LETTER = 0.56 * LETTERS

#: Longest name of a method.
MOST_LETTERS = 44

_DASHED: dict[str, Any] = {"marker": "x", "linestyle": (0, (4, 2.5)), "linewidth": 1.1, "markersize": 4.5}

_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may hold dollar signs
    "font.family": "DejaVu Sans",  # comes with matplotlib: the layout is the same on every machine
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

#: Data are inside the axes anyway: marks at the edge are not cut, and an empty curve claims no room at the origin.
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
        What was measured, in the order of x. A point with a NaN is left out, and the curve with a gap.
    x_label, y_label, title : str
    published : mapping of the same form, optional
        What a paper prints: dashed, in the colour of the method of the same name.
    marked : (mapping of str to x, why), optional
        Points of these series beyond their x are drawn hollow, and the legend says why.

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
    measured, printed = _arrays(series), _arrays(published or {})
    if not any(np.isfinite(points).all(axis=1).any() for points in (*measured.values(), *printed.values())):
        raise ValueError("there is nothing to draw: no series has a point without NaN.")
    looks = dict(zip(dict.fromkeys([*measured, *printed]), _looks(), strict=False))
    keys = _keys(looks, set(measured), bool(printed), marked[1] if marked else "")
    columns = 2 if max(len(text) for text, _ in keys) <= 20 else 1
    rows = -(-sum(text.count("\n") + 1 for text, _ in keys) // columns)
    with _house_style():
        figure = Figure((WIDTH / 72, (230 + 1.6 * LETTERS * rows) / 72), layout="constrained")
        axes = figure.add_subplot()
        _frame(axes, _wrapped(x_label, 50), _wrapped(y_label, 30), _wrapped(title, 50))
        for name, points in printed.items():
            _draw_printed(axes, points, looks[name][0])
        for name, points in measured.items():
            _draw_measured(axes, points, looks[name], marked[0].get(name, np.inf) if marked else np.inf)
        _legend(figure, keys, columns)
        return convert_figure(figure)


def _arrays(series: Mapping[str, Points]) -> dict[str, Floats]:
    return {name: np.asarray(points, dtype=float).reshape(-1, 2) for name, points in series.items()}


def _looks() -> Iterator[tuple[str, str]]:
    return zip(cycle(COLOURS), cycle(MARKS), strict=False)


def _frame(axes: Axes, x_label: str, y_label: str, title: str) -> None:
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


def _draw_printed(axes: Axes, points: Floats, colour: str) -> None:
    axes.plot(*points.T, color=colour, **_INSIDE, **_DASHED)


def _keys(
    looks: Mapping[str, tuple[str, str]], measured: set[str], printed: bool, why: str
) -> list[tuple[str, dict[str, Any]]]:
    """Return text and look of every entry of the legend."""
    keys: list[tuple[str, dict[str, Any]]] = []
    for name, (colour, mark) in looks.items():
        look = {"marker": mark} if name in measured else _DASHED
        keys.append((clipped(printable(name), MOST_LETTERS), {"color": colour, **look}))
    if printed:
        keys.append(("published", {"color": TEXT, **_DASHED}))
    if why:
        hollow = {"marker": "o", "markerfacecolor": "none", "linestyle": "none"}
        keys.append((_wrapped(why, 50), {"color": TEXT, **hollow}))
    return keys


def _legend(figure: Figure, keys: Sequence[tuple[str, Mapping[str, Any]]], columns: int) -> None:
    """Add the legend below the plot."""
    handles = [Line2D([], [], **look) for _, look in keys]
    # A legend leaves out what begins with "_", and so the texts come afterwards.
    legend = figure.legend(handles, ["-"] * len(keys), loc="outside lower left", ncols=columns)
    for place, (text, _) in zip(legend.get_texts(), keys, strict=True):
        place.set_text(text)


def draw_ranks(ranking: Ranking) -> str:
    """Draw mean ranks on a line; thick bars join methods that the ranks do not separate.

    The best rank is at the left. The length of the critical difference is drawn above the line; where it is
    longer than the line, its number says so.

    Parameters
    ----------
    ranking : Ranking
        From :func:`halflabel.reproduction.verdicts.significance.rank_methods`.

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
    texts = [_wrapped(f"{clipped(printable(name), 30)} {decimal(place)}", 16) for name, place in places.items()]
    step = 6 + 13.0 * max(text.count("\n") + 1 for text in texts)
    left, right = _margin(texts[:rows]), WIDTH - _margin(texts[rows:])
    x = pd.Series(left + (places - 1) / (k - 1) * (right - left), index=places.index)
    bars = [(x[group[0]], x[group[-1]]) for group in ranking.groups if len(group) > 1]
    first = 70 + 7.0 * len(bars) + step / 2
    with _house_style():
        figure, axes = _canvas(first + step * rows - step / 2 + 4)
        _scale(axes, left, right, k)
        _length(axes, left, right, ranking.critical_difference / (k - 1), ranking.critical_difference)
        for row, ends in enumerate(bars):
            y = 64 + 7.0 * row
            axes.plot([ends[0] - 3, ends[1] + 3], [y, y], color=COLOURS[0], linewidth=3.5, solid_capstyle="butt")
        for i, (text, place) in enumerate(zip(texts, x, strict=True)):
            y = first + step * min(i, k - 1 - i)
            _leader(axes, text, place, y, (left - 8, "right") if i < rows else (right + 8, "left"))
        return convert_figure(figure)


def _margin(texts: Sequence[str]) -> float:
    return 16 + PER_LETTER * max(len(line) for text in texts for line in text.splitlines())


def _canvas(height: float) -> tuple[Figure, Axes]:
    """Return axes whose units are those of the SVG, y downwards."""
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(height, 0))
    axes.set_axis_off()
    return figure, axes


def _scale(axes: Axes, left: float, right: float, k: int) -> None:
    axes.plot([left, right], [56, 56], color=TEXT, linewidth=1.2)
    for rank in range(1, k + 1, -(-k // 12)):
        x = left + (rank - 1) / (k - 1) * (right - left)
        axes.plot([x, x], [52, 56], color=TEXT, linewidth=1)
        axes.text(x, 49, str(rank), ha="center", va="bottom", fontsize=LETTERS - 1)


def _length(axes: Axes, left: float, right: float, share: float, length: float) -> None:
    """Draw the critical difference, so large a share of the scale, above it."""
    end = left + min(1.0, share) * (right - left)
    more = ", more than the scale" if share > 1 else ""
    axes.plot([left, left, left, end, end, end], [18, 26, 22, 22, 18, 26], color=COLOURS[0], linewidth=1.4)
    axes.text(left, 8, f"CD = {decimal(length)}{more}", va="center", fontsize=LETTERS - 1)


def _leader(axes: Axes, text: str, place: float, y: float, side: tuple[float, str]) -> None:
    """Lead from a place on the scale to the name of its method at one side."""
    edge, anchor = side
    axes.plot([place, place, edge], [56, y, y], color=TEXT, linewidth=0.9)
    axes.text(edge + (-3 if anchor == "right" else 3), y, text, ha=anchor, va="center")


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(printable(text), width)


@contextmanager
def _house_style() -> Iterator[None]:
    """Draw as the library does, whatever the reader's own matplotlibrc says; without pyplot and its state."""
    with matplotlib.style.context(["default", _STYLE]), warnings.catch_warnings():
        # A name in letters that the font of the layout lacks is drawn by the reader's system.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield
