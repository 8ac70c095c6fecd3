"""The picture of the first page, drawn from a run while the pages are built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import halflabel as hl
from halflabel.datasets import load_digits_tags
from halflabel.labels.masking import hide_items

TAG, DRAWN = "closed_loop", 420

#: Relevant, irrelevant, unknown, and the words above a panel.
COLOURS = {"light": ("#0b6477", "#b4561a", "#b9b4aa", "#5a5e66"), "dark": ("#62c3d3", "#eba873", "#5b616b", "#a7abb2")}


def setup(app: Any) -> dict[str, bool]:
    """Draw before anything is read."""
    app.connect("builder-inited", lambda app: draw(Path(app.srcdir) / "_generated"))
    return {"parallel_read_safe": True}


def draw(folder: Path) -> None:
    """Write the map of the digits before and after, once for each theme."""
    folder.mkdir(exist_ok=True)
    with threadpool_limits(1):
        digits = load_digits_tags()
        half = hide_items(digits.Y, 0.95, np.random.default_rng(0))
        filled = hl.complete(digits.X, half)
        place = filled.embedding(2).to_numpy()
    label = digits.label_names.index(TAG)
    given = half.values()[:, label]
    after = np.where(np.isnan(given), filled.probabilities.to_numpy()[:, label], given)
    chosen = _spread(place, given)
    for theme, colours in COLOURS.items():
        figure = Figure(figsize=(11, 5), layout="constrained")
        for axes, title, p in zip(figure.subplots(1, 2), ("as given", "filled in"), (given, after), strict=True):
            _panel(axes, f"{title}", place[chosen], np.asarray(digits.X)[chosen], p[chosen], colours)
        with matplotlib.rc_context({"svg.hashsalt": "halflabel"}):
            figure.savefig(folder / f"digits-{theme}.png", dpi=150, transparent=True, metadata={"Software": None})


def _spread(place: NDArray[Any], given: NDArray[Any]) -> NDArray[Any]:
    """Choose digits that do not overlap, those with a given tag first."""
    order = np.argsort(np.isnan(given), kind="stable")
    size = np.ptp(place, axis=0) / 34
    chosen: list[int] = []
    for item in order:
        if all((np.abs(place[item] - place[other]) > size).any() for other in chosen):
            chosen.append(int(item))
    return np.array(chosen[:DRAWN])


def _panel(
    axes: Axes, title: str, place: NDArray[Any], scans: NDArray[Any], p: NDArray[Any], colours: tuple[str, ...]
) -> None:
    """Draw each digit where it belongs, in the colour of what is known, the surer the stronger."""
    relevant, irrelevant, unknown, ink = (matplotlib.colors.to_rgb(colour) for colour in colours)
    half = np.ptp(place, axis=0) / 62
    for (x, y), scan, value in zip(place, scans.reshape(-1, 8, 8) / 16, p, strict=True):
        colour = unknown if np.isnan(value) else relevant if value >= 0.5 else irrelevant
        sure = 0.75 if np.isnan(value) else 0.25 + 1.5 * abs(value - 0.5)
        image = np.dstack([np.broadcast_to(colour, (8, 8, 3)), scan * sure])
        box = (x - half[0], x + half[0], y - half[1], y + half[1])
        axes.imshow(image, extent=box, interpolation="bilinear", aspect="auto")
    axes.set(xlim=_limits(place[:, 0]), ylim=_limits(place[:, 1]))
    axes.set_title(title, color=ink, fontsize=17, loc="left")
    axes.set_axis_off()


def _limits(values: NDArray[Any]) -> tuple[float, float]:
    margin = np.ptp(values) / 40
    return float(values.min() - margin), float(values.max() + margin)
