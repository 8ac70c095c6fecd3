"""Draw the pictures of the README and of the first page: a map of scanned digits, as given and filled in, and a film.

    python docs/draw_digits.py

It takes two minutes and writes ``digits-light.png``, ``digits-light.webp`` and both for the dark theme into
``docs/_static``.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image
from threadpoolctl import threadpool_limits

import halflabel as hl
from halflabel.datasets import load_digits_tags
from halflabel.labels.masking import hide_items

FOLDER = Path(__file__).parent / "_static"

#: The tag that colours the map, and how many digits it shows at most.
TAG, MAX_SHOWN = "closed_loop", 420

#: Relevant, irrelevant, doubtful, unknown, and the title of a panel: the colours of the report, with its meanings.
COLOURS = {
    "light": ("#0b6477", "#8f897b", "#9a4a12", "#dedbd2", "#5a5e66"),
    "dark": ("#62c3d3", "#757b85", "#eba873", "#343840", "#a7abb2"),
}

#: Minimum probability of a filled value that is not doubtful.
MIN_CERTAINTY = 0.75

#: The meaning of the first three colours.
LEGEND = ("has it", "does not have it", "unsure")

#: The film: numbers of labelled digits, and how long each picture stays, in milliseconds.
STEPS, STAY = (0, 10, 20, 30, 45, 60, 90), (1400, 1100, 1100, 1100, 1100, 1100, 3600)


def main() -> None:
    """Fill in the tags of the digits and write the pictures once for each theme."""
    with threadpool_limits(1):
        digits = load_digits_tags()
        half = hide_items(digits.Y, 0.95, np.random.default_rng(0))
        filled = hl.complete(digits.X, half)
        place = filled.map(2).coordinates.to_numpy()
        film = [_label_some(digits, half, number) for number in STEPS]
    label = digits.label_names.index(TAG)
    given = half.values()[:, label]
    after = np.where(np.isnan(given), filled.probabilities.to_numpy()[:, label], given)
    shown = _choose_shown(place, given)
    scans = np.asarray(digits.X)[shown]
    for theme, colours in COLOURS.items():
        figure = Figure(figsize=(11, 5), layout="constrained")
        for axes, title, p in zip(figure.subplots(1, 2), ("as given", "filled in"), (given, after), strict=True):
            _draw_panel(axes, title, place[shown], scans, p[shown], colours)
        _write_small(figure, FOLDER / f"digits-{theme}.png")
        pictures = []
        for title, p in film:
            figure = Figure(figsize=(8.4, 5), layout="constrained")
            figure.get_layout_engine().set(rect=(0, 0.06, 1, 0.94))  # room for the legend
            _draw_panel(figure.subplots(), title, place[shown], scans, p[shown], colours)
            for x, meaning, colour in zip((0.01, 0.12, 0.35), LEGEND, colours[:3], strict=True):
                figure.text(x, 0.01, meaning, color=colour, fontsize=14)
            pictures.append(_to_image(figure))
        _write_film(pictures, FOLDER / f"digits-{theme}.webp")


def _label_some(digits: Any, half: Any, number: int) -> tuple[str, NDArray[Any]]:
    """Return the title and the values of the tag, if the first ``number`` labelled digits have their tags."""
    label = digits.label_names.index(TAG)
    values = half.values()
    rows = np.flatnonzero(half.observed.any(axis=1))
    values[rows[number:]] = np.nan
    if number == 0:
        return f"{len(values):,} scanned digits: which have a closed loop?", values[:, label]
    p = hl.complete(digits.X, values).probabilities.to_numpy()[:, label]
    gaps = np.isnan(values[:, label])
    right = ((p >= 0.5) == (digits.Y.values()[:, label] == 1))[gaps].mean()
    return f"{number} labelled: {100 * right:.0f} % of the other {gaps.sum():,} right", np.where(
        gaps, p, values[:, label]
    )


def _write_small(figure: Figure, path: Path) -> None:
    """Write a figure as a PNG with 64 colours, a sixth of its size with all of them."""
    _to_image(figure).quantize(64, method=Image.Quantize.FASTOCTREE).save(path, optimize=True)


def _to_image(figure: Figure) -> Image.Image:
    file = io.BytesIO()
    figure.savefig(file, dpi=120, transparent=True)
    return Image.open(file)


def _write_film(pictures: list[Image.Image], path: Path) -> None:
    first, *rest = pictures
    first.save(path, save_all=True, append_images=rest, duration=STAY, loop=2, quality=60, method=4)


def _choose_shown(place: NDArray[Any], given: NDArray[Any]) -> NDArray[Any]:
    """Choose digits that do not overlap, digits with a given tag first."""
    order = np.argsort(np.isnan(given), kind="stable")
    size = np.ptp(place, axis=0) / 34
    chosen: list[int] = []
    for item in order:
        if all((np.abs(place[item] - place[other]) > size).any() for other in chosen):
            chosen.append(int(item))
    return np.array(chosen[:MAX_SHOWN])


def _draw_panel(
    axes: Axes, title: str, place: NDArray[Any], scans: NDArray[Any], p: NDArray[Any], colours: tuple[str, ...]
) -> None:
    """Draw each digit at its place, in the colour of its value."""
    relevant, irrelevant, doubtful, unknown, ink = (matplotlib.colors.to_rgb(colour) for colour in colours)
    half = np.ptp(place, axis=0) / 62
    for (x, y), scan, value in zip(place, scans.reshape(-1, 8, 8) / 16, p, strict=True):
        if np.isnan(value):
            colour = unknown
        elif max(value, 1 - value) < MIN_CERTAINTY:
            colour = doubtful
        else:
            colour = relevant if value >= 0.5 else irrelevant
        image = np.dstack([np.broadcast_to(colour, (8, 8, 3)), scan])
        box = (x - half[0], x + half[0], y - half[1], y + half[1])
        axes.imshow(image, extent=box, interpolation="bilinear", aspect="auto")
    axes.set(xlim=_limits(place[:, 0]), ylim=_limits(place[:, 1]))
    axes.set_title(title, color=ink, fontsize=17, loc="left")
    axes.set_axis_off()


def _limits(values: NDArray[Any]) -> tuple[float, float]:
    margin = np.ptp(values) / 40
    return float(values.min() - margin), float(values.max() + margin)


if __name__ == "__main__":
    main()
