"""Geometry of the two figures: from the numbers of the summary to the shapes in ``figures.html.j2``.

Numbers become shapes here, shapes become SVG in that template, and the style sheet colours them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from halflabel.labels.intervals import wilson_interval
from halflabel.report.region_names import HEIGHT, WIDTH
from halflabel.report.scatter import CELL, CODES, ORDER

#: The classes of the style sheet for the letters of :data:`halflabel.report.scatter.CODES`.
CLASSES = dict(
    zip(
        CODES,
        (
            "given relevant",
            "given irrelevant",
            "filled relevant",
            "filled irrelevant",
            "left",
            "filled relevant pale",
            "filled irrelevant pale",
        ),
        strict=True,
    )
)

#: Side of the image of an item, which leaves a margin in its cell.
IMAGE = CELL - 8

#: Side of the square of the calibration curve, height of the bars below it, and the ticks of both axes, in percent.
SIDE, BARS, TICKS = 300, 48, (0, 25, 50, 75, 100)


def draw_map(points: dict[str, Any]) -> dict[str, Any]:
    """Return one layer of paths per label of the map, one path per value of an entry, and the images.

    ``points`` are from :func:`halflabel.report.scatter.choose_points`.
    """
    xs, ys, marks = points["x"], points["y"], points["marks"]
    places, titles = list(zip(xs, ys, strict=True)), points.get("titles") or ()
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "layers": [{"name": label["name"], "paths": _draw_layer(xs, ys, label["codes"])} for label in points["labels"]],
        "titles": [{"x": x, "y": y, "text": text} for (x, y), text in zip(places, titles, strict=False)],
        "regions": points.get("regions") or (),
        "images": [
            {"x": x - IMAGE // 2, "y": y - IMAGE // 2, "side": IMAGE, "href": mark}
            for x, y, mark in (zip(xs, ys, marks, strict=True) if marks else ())
        ],
    }


def _draw_layer(xs: Sequence[int], ys: Sequence[int], codes: str) -> list[dict[str, str]]:
    """Return a path for each value. Its lines have no length: only their caps are visible, a dot or a square.

    Examples
    --------
    >>> _draw_layer([3, 10], [4, 20], "RR")
    [{'kind': 'given relevant', 'd': 'M3 4h0M10 20h0'}]
    """
    points = {code: [f"M{x} {y}h0" for x, y, own in zip(xs, ys, codes, strict=True) if own == code] for code in ORDER}
    return [{"kind": CLASSES[code], "d": "".join(dots)} for code, dots in points.items() if dots]


def draw_calibration(bins: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the calibration curve: per bin a dot with its 95 % interval, and a bar for its number of entries.

    The height of a bar is proportional to the square root of the number, so that small bins remain visible.
    """
    largest = max((b["entries"] for b in bins), default=1)
    dots = []
    for b in bins:
        low, high = wilson_interval(b["observed"], b["entries"])
        x, y, top, bottom = (round(SIDE * v, 1) for v in (b["predicted"], 1 - b["observed"], 1 - high, 1 - low))
        bar = round(BARS * sqrt(b["entries"] / largest), 1)
        dots.append({"x": x, "y": y, "top": top, "bottom": bottom, "bar": bar, **b})
    ticks = [{"percent": percent, "x": SIDE * percent / 100, "y": SIDE - SIDE * percent / 100} for percent in TICKS]
    return {"side": SIDE, "bars": BARS, "ticks": ticks, "dots": dots}
