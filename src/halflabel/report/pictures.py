"""The map as a file: a drawing with titles, an image, or a page on which the label is chosen."""

from __future__ import annotations

import io
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from halflabel._wording import clipped
from halflabel.completion.explanation import find_label
from halflabel.completion.mapping.regions import name_once
from halflabel.report.axes import NAME_SIZE, Name, plot_map
from halflabel.report.figures import CLASSES, draw_map
from halflabel.report.map_page import draw_map_page
from halflabel.report.region_names import HEIGHT, WIDTH, fit_texts
from halflabel.report.render import load_templates
from halflabel.report.scatter import (
    CODES,
    LARGE,
    WORDS,
    encode_entries,
    fit_to_frame,
    size_names,
    summarize_map,
)

if TYPE_CHECKING:  # completion is above report
    from matplotlib.axes import Axes

    from halflabel.completion import Completion
    from halflabel.completion.mapping.item_map import ItemMap

#: Suffixes of the pictures that can be drawn.
PICTURES = (".html", ".svg", ".png")

#: Size of an image in inches, and its pixels per inch.
SIZE, DOTS = (9.0, 5.6), 150

#: Maximum lengths of the lines under an image and under a drawing, in characters.
LINE, SVG_LINE = 100, 150


def draw_picture(
    completion: Completion,
    drawn: ItemMap,
    suffix: str,
    *,
    label: str | None = None,
    show: Sequence[str] = (),
    title: str = "",
) -> bytes:
    """Return the map as the content of a file.

    Parameters
    ----------
    drawn : ItemMap
        From :meth:`halflabel.Completion.map`, of two dimensions.
    suffix : {".html", ".svg", ".png"}
        A drawing has a title on each mark. A page can be zoomed, searched and selected from.
    label : str, optional
        The label that decides the colours; by default the one with the most relevant entries.
    show : sequence of str
        The columns in the titles, from :func:`halflabel.table.items.choose_shown`.
    title : str, optional
        The name of the data.

    Raises
    ------
    ValueError
        If the suffix or the label does not exist, or the map has other than two dimensions.
    """
    if suffix not in PICTURES:
        raise ValueError(f"a map is not drawn as {suffix!r}; use {', '.join(PICTURES)}.")
    if drawn.places.shape[1] != 2:
        raise ValueError(f"a picture has 2 dimensions, not {drawn.places.shape[1]}: draw a map with map(2).")
    j = find_label(completion.labels, label)
    if suffix == ".png":
        return _draw_image(completion, drawn, j)
    if suffix == ".html":
        return draw_map_page(completion, drawn, show, title, j).encode()
    return _draw_svg(summarize_map(completion, drawn, show, first=j), title).encode()


def draw_on_axes(completion: Completion, drawn: ItemMap, j: int, ax: Axes) -> Axes:
    """Draw a map on axes, with the colours of label ``j``, the names of its regions and its notes."""
    coordinates = drawn.places
    codes = encode_entries(completion.labels, completion.state, completion.evidence.printed_probabilities)[:, j]
    centres = np.array([region.centre for region in drawn.regions], dtype=np.intp)
    points = fit_to_frame(coordinates)[0]
    places, sizes = points[centres], size_names(drawn.regions)
    box = ax.get_window_extent().width, ax.get_window_extent().height
    across, up = (72 / ax.figure.dpi * length / size for length, size in zip(box, (WIDTH, HEIGHT), strict=True))
    texts = fit_texts(places, name_once(drawn.regions), points, 0.68 * NAME_SIZE / across, 1.4 * NAME_SIZE / up)
    regions = [
        Name(
            text,
            coordinates[centres[r]],
            ((x - places[r, 0]) * across, (places[r, 1] - y) * up),
            NAME_SIZE * sizes[r] / LARGE,
        )
        for r, text, x, y in texts
    ]
    note = "\n".join(line for sentence in drawn.notes for line in wrap(sentence, LINE))
    return plot_map(ax, coordinates, codes, clipped(completion.labels.names[j]), regions=regions, note=note)


def _draw_image(completion: Completion, drawn: ItemMap, j: int) -> bytes:
    from matplotlib.figure import Figure

    figure, file = Figure(SIZE, layout="constrained"), io.BytesIO()
    draw_on_axes(completion, drawn, j, figure.subplots())
    figure.savefig(file, dpi=DOTS, format="png")
    return file.getvalue()


def _draw_svg(points: dict[str, Any], title: str) -> str:
    figure = draw_map(points)
    used = set(points["labels"][0]["codes"])
    legend = [{"name": CLASSES[code], "words": words} for code, words in zip(CODES, WORDS, strict=True) if code in used]
    page = load_templates().get_template("map.svg.j2")
    lines = [line for sentence in points["sentences"] for line in wrap(sentence, SVG_LINE)]
    return page.render(
        map=points, figure=figure, layer=figure["layers"][0], kinds=legend, lines=lines, title=clipped(title)
    )
