"""A metric over two settings as a surface of levels, with the region that is near the best, as SVG."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from halflabel.plugins import Floats
from halflabel_papers.page.charts import COLOURS, LETTERS, TEXT, WIDTH, add_legend, house_style, style_axes
from halflabel_papers.page.svg import convert_figure

#: Number of levels; each is a tone between grey and the page's teal, legible on light and dark pages.
N_LEVELS = 6

#: Minimum distance of two labels of an axis, as a share of its length.
MIN_DISTANCE = 0.05


def draw_surface(
    table: pd.DataFrame,
    *,
    x_label: str,
    y_label: str,
    bound: float,
    name: str,
    other: tuple[str, Floats] | None = None,
) -> str:
    """Draw means over two settings: levels from low (pale) to high, and the border of the region near the best.

    Parameters
    ----------
    table : DataFrame
        A row per point of the horizontal axis and a column per point of the vertical one, both ascending; between
        them the values are interpolated linearly. No value may be missing.
    bound : float
        The region of values from here on has a border.
    name : str
        Description of the region, for the legend.
    other : (label, ndarray of one value per column), optional
        The vertical axis in another unit, at the measured points, on the right side.

    Returns
    -------
    str
        SVG, 400 units wide.

    Examples
    --------
    >>> table = pd.DataFrame([[0.1, 0.2], [0.3, 0.5]], index=[0.0, 1.0], columns=[0.0, 1.0])
    >>> svg = draw_surface(table, x_label="H", y_label="alpha", bound=0.4, name="at least 0.4")
    >>> "at least 0.4" in svg
    True
    """
    values = table.to_numpy(dtype=float).T
    levels = np.linspace(values.min(), np.nextafter(values.max(), np.inf) + 1e-12, N_LEVELS + 1)
    tones = _mix_tones()
    with house_style():
        figure = Figure((WIDTH / 72, (260 + 1.6 * LETTERS * (N_LEVELS // 2 + 2)) / 72), layout="constrained")
        axes = figure.add_subplot()
        style_axes(axes, x_label, y_label, "")
        sides = table.index.to_numpy(dtype=float), table.columns.to_numpy(dtype=float)
        axes.contourf(*sides, values, levels=levels, colors=tones)
        _draw_border(axes, sides, values, bound)
        axes.plot(*(grid.ravel() for grid in np.meshgrid(*sides)), ".", color=TEXT, markersize=2, clip_on=False)
        if other:
            _add_other_unit(axes, sides[1], *other)
        add_legend(figure, _list_keys(levels, tones, name), 2)
        return convert_figure(figure)


def _add_other_unit(axes: Axes, places: Floats, label: str, values: Floats) -> None:
    """Write the values of the points in another unit to the right, without values that would cover the one below."""
    right = axes.twinx()
    style_axes(right, "", label, "")
    right.set_ylim(axes.get_ylim())
    height = np.ptp(places) * MIN_DISTANCE
    shown = [0]
    for k in range(1, len(places)):
        if places[k] - places[shown[-1]] >= height:
            shown.append(k)
    right.set_yticks(places[shown], [f"{values[k]:.3g}" for k in shown])
    right.grid(visible=False)


def _mix_tones() -> list[str]:
    """Return the colours of the levels: more of the page's teal for higher values."""
    low, high = (np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) for colour in ("#c9cdd2", COLOURS[0]))
    return [to_hex((low + share * (high - low)) / 255) for share in np.linspace(0, 1, N_LEVELS)]


def _draw_border(axes: Axes, sides: tuple[Floats, Floats], values: Floats, bound: float) -> None:
    if values.min() < bound <= values.max():
        axes.contour(*sides, values, levels=[bound], colors=[COLOURS[1]], linewidths=[2.0])


def _list_keys(levels: Floats, tones: list[str], name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return text and look of every entry of the legend, the highest level first."""
    square: dict[str, Any] = {"marker": "s", "linestyle": "none", "markersize": 8}
    spans = [f"{low:.3g} to {high:.3g}" for low, high in pairwise(levels)]
    keys: list[tuple[str, dict[str, Any]]] = [
        (span, {**square, "color": tone}) for span, tone in zip(spans, tones, strict=True)
    ]
    measured = ("measured", {"marker": ".", "linestyle": "none", "color": TEXT, "markersize": 2})
    return [*reversed(keys), (name, {"color": COLOURS[1], "linewidth": 2.0}), measured]
