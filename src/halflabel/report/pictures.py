"""The map as a file: a drawing with titles, an image, or a page on which the label is chosen."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from halflabel._arrays import Floats
from halflabel._version import __version__
from halflabel._wording import clipped, quoted
from halflabel.report.axes import plot_map
from halflabel.report.figures import CLASSES, draw_map
from halflabel.report.render import environment
from halflabel.report.scatter import CODES, WORDS, encode_entries
from halflabel.report.summary import summarize_map

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion

#: Suffixes of the pictures that can be drawn.
PICTURES = (".html", ".svg", ".png")

#: Size of an image in inches, and its pixels per inch.
SIZE, DOTS = (9.0, 5.6), 150


def find_label(completion: Completion, label: str | None = None) -> int:
    """Return the position of a label; of None, that of the label with the most relevant entries.

    Raises
    ------
    ValueError
        If there is no such label.
    """
    names = completion.labels.names
    if label is None:
        return int(completion.labels.relevant.sum(axis=0).argmax())
    if label not in names:
        raise ValueError(f"there is no label {label!r}; the labels are {quoted(names)}.")
    return names.index(label)


def draw_picture(
    completion: Completion,
    coordinates: Floats,
    suffix: str,
    *,
    label: str | None = None,
    show: Sequence[str] = (),
    title: str = "",
) -> bytes:
    """Return the map as the content of a file.

    Parameters
    ----------
    completion : Completion
    coordinates : ndarray of shape (n_items, 2)
    suffix : {".html", ".svg", ".png"}
        A page and a drawing have a title on each mark; on a page, the label is chosen.
    label : str, optional
        The label that decides the colours; by default the one with the most relevant entries.
    show : sequence of str
        The columns in the titles, from :func:`halflabel.report.items.choose_shown`.
    title : str, optional
        The name of the data.

    Raises
    ------
    ValueError
        If the suffix or the label does not exist.
    """
    if suffix not in PICTURES:
        raise ValueError(f"a map is not drawn as {suffix!r}; use {', '.join(PICTURES)}.")
    j = find_label(completion, label)
    if suffix == ".png":
        return _draw_image(completion, coordinates, j)
    first = None if label is None else j
    points = summarize_map(completion, coordinates, show, first=first)
    draw = _draw_page if suffix == ".html" else _draw_svg
    return draw(completion, points, title).encode()


def _draw_image(completion: Completion, coordinates: Floats, j: int) -> bytes:
    from matplotlib.figure import Figure

    figure, file = Figure(SIZE, layout="constrained"), io.BytesIO()
    codes = encode_entries(completion.labels, completion.state)[:, j]
    plot_map(figure.subplots(), coordinates, codes, clipped(completion.labels.names[j]))
    figure.savefig(file, dpi=DOTS, format="png")
    return file.getvalue()


def _draw_page(completion: Completion, points: dict[str, Any], title: str) -> str:
    return (
        environment()
        .get_template("map_page.html.j2")
        .render(
            title=clipped(title),
            map=points,
            map_figure=draw_map(points),
            positive=completion.labels.positive_only,
            unknown=bool((completion.state == 0).any()),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            versions={"halflabel": __version__},
        )
    )


def _draw_svg(completion: Completion, points: dict[str, Any], title: str) -> str:
    figure = draw_map(points)
    used = set(points["labels"][0]["codes"])
    legend = [{"name": CLASSES[code], "words": words} for code, words in zip(CODES, WORDS, strict=True) if code in used]
    page = environment().get_template("map.svg.j2")
    return page.render(map=points, figure=figure, layer=figure["layers"][0], kinds=legend, title=clipped(title))
