"""Geometry of the figures: from the summary's numbers to what SVG draws. Colours are left to the style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any

from halflabel.report.scatter import CELL, CODES, HEIGHT, WIDTH

#: What each letter of the map means, as a class of the style sheet.
KINDS = ("given relevant", "given irrelevant", "filled relevant", "filled irrelevant", "left")
CLASSES = dict(zip(CODES, KINDS, strict=True))

#: Drawn first to last, so that what is rare stands on top.
ORDER = "?irIR"

#: Side of the image of an item, which leaves a margin in its cell.
IMAGE = CELL - 8

#: Side of the square of the calibration curve, and height of the bars under it.
SIDE, BARS = 300, 48


def map_figure(summary: dict[str, Any]) -> dict[str, Any]:
    """Return one group of paths per label of the map, one path per kind of point, and the images."""
    xs, ys, marks = summary["x"], summary["y"], summary["marks"]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "layers": [{"name": label["name"], "paths": _paths(xs, ys, label["codes"])} for label in summary["labels"]],
        "images": [
            {"x": x - IMAGE // 2, "y": y - IMAGE // 2, "side": IMAGE, "href": mark}
            for x, y, mark in (zip(xs, ys, marks, strict=True) if marks else ())
        ],
    }


def _paths(xs: Sequence[int], ys: Sequence[int], codes: str) -> list[dict[str, str]]:
    points = {code: [(x, y) for x, y, own in zip(xs, ys, codes, strict=True) if own == code] for code in ORDER}
    return [{"kind": CLASSES[code], "d": path(places)} for code, places in points.items() if places]


def path(points: Iterable[tuple[int, int]]) -> str:
    """Return a path of lines without length: each draws its cap, a dot or a square, in about nine bytes.

    Examples
    --------
    >>> path([(3, 4), (10, 20)])
    'M3 4h0M10 20h0'
    """
    return "".join(f"M{x} {y}h0" for x, y in points)


def reliability_figure(bins: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the calibration curve: a dot per bin with its 95 % interval, and a bar per bin for its number of entries.

    Bars are as high as the square root of the number, so that small bins remain visible.
    """
    most = max((b["entries"] for b in bins), default=1)
    dots = []
    for b in bins:
        low, high = wilson(b["observed"], b["entries"])
        x, y, top, bottom = (round(SIDE * v, 1) for v in (b["predicted"], 1 - b["observed"], 1 - high, 1 - low))
        bar = round(BARS * sqrt(b["entries"] / most), 1)
        dots.append({"x": x, "y": y, "top": top, "bottom": bottom, "bar": bar, **b})
    return {"side": SIDE, "bars": BARS, "dots": dots}


def wilson(share: float, n: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % interval of a share of ``n`` (Wilson, 1927).

    Examples
    --------
    >>> [round(end, 3) for end in wilson(0.5, 100)]
    [0.404, 0.596]
    """
    middle, spread = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)
