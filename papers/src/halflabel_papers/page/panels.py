"""Maps of the same items, one panel per method, as SVG of paths and texts only.

Colour and shape of a mark show the kind of an item; it is filled if the item was labelled, and hollow if not. All
marks of one look are one path, written here and not by matplotlib: thousands of its marks would make a page of
megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree

import numpy as np

from halflabel.plugins import Floats, Ints, Mask
from halflabel_papers.page.charts import COLOURS, LETTERS, TEXT, WIDTH, fit_text, measure_text
from halflabel_papers.page.svg import make_path, make_root, make_text, printable

#: Teal, orange, violet, plum and moss: neighbours in this circle differ for colour-blind readers as well.
HUES = (*COLOURS[:4], COLOURS[5])

#: Smallest and largest half size of a mark, and that of a single item; it shrinks with the root of their number.
RADII, RADIUS_OF_ONE = (1.9, 3.0), 46.0

#: Corners of the marks in that unit; a circle has none. The last one, a bar, is for all other kinds.
SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
    ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    ((0, 1.2), (1.1, -0.8), (-1.1, -0.8)),
    ((-1.2, -0.4), (1.2, -0.4), (1.2, 0.4), (-1.2, 0.4)),
)

#: Maximum number of distinct kinds: every hue in two shapes, every shape in two hues that are neighbours.
MAX_KINDS = 2 * len(HUES)

#: Panels in a row, the space between them, the margin, and the height of the two lines of text above them.
COLUMNS, SPACE, MARGIN, ABOVE = 3, 11.0, 1.5, 2.5 * LETTERS
SIDE = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * SPACE) / COLUMNS

#: Width and height of the grid of whole numbers to which places are rounded: the same places on every machine.
FRAME = (1000, 620)

#: Height of the letters of notes and legend, of a line of the legend, and the indent of its texts.
NOTE = LETTERS - 1
LINE, INDENT = 1.4 * NOTE, 14.0


@dataclass(frozen=True, eq=False)
class Panel:
    """One map."""

    #: ``title``, ``note``: A line each, above it.
    title: str
    note: str
    #: Shape (n_items, 2). In any unit: a map fills its panel, and items far outside are drawn at its edge.
    coordinates: Floats
    #: Shape (n_items,). The kind of each item; -1 for any other kind.
    kinds: Ints
    #: Shape (n_items,).
    filled: Mask

    @property
    def at_edge(self) -> int:
        """Number of items outside the drawn area."""
        return int(self._framed[1].sum())

    @property
    def places(self) -> Floats:
        """Coordinates of the items in a square of :data:`SIDE`, y downwards."""
        return self._framed[0] * (SIDE / np.array(FRAME))

    @cached_property
    def _framed(self) -> tuple[Ints, Mask]:
        return fit_to_frame(self.coordinates)


def fit_to_frame(coordinates: Floats) -> tuple[Ints, Mask]:
    """Return whole coordinates in :data:`FRAME`, y downwards, and which items are far outside and moved to its edge."""
    low, high = np.quantile(coordinates, [0.005, 0.995], axis=0)
    span = np.where(high > low, high - low, 1.0)
    share = 0.04 + 0.92 * np.where(high > low, (coordinates - low) / span, 0.5)
    inside = np.clip(share, 0.01, 0.99)
    places = np.column_stack([inside[:, 0], 1 - inside[:, 1]]) * FRAME
    return np.rint(places).astype(np.intp), np.asarray((share != inside).any(axis=1))


def draw_panels(maps: Sequence[Panel], kinds: Sequence[str], *, filled: str, hollow: str, other: str) -> str:
    """Draw maps in rows of three, and a legend below them.

    Parameters
    ----------
    kinds : sequence of str
        Names of the numbers in :attr:`Panel.kinds`; at most :data:`MAX_KINDS`.
    filled, hollow, other : str
        Meaning of a filled, a hollow and a grey mark; the legend has the last one only if there is a grey mark.

    Returns
    -------
    str
        SVG, 400 units wide.

    Raises
    ------
    ValueError
        If there is no map, or more kinds than looks.

    Examples
    --------
    >>> places, kinds = np.array([[0.0, 0], [1, 1], [2, 0]]), np.array([0, 1, -1])
    >>> panel = Panel("PCA", "micro-F1 0.8", places, kinds, np.array([True, False, False]))
    >>> svg = draw_panels([panel], ["cat", "dog"], filled="labelled", hollow="not labelled", other="others")
    >>> [text in svg for text in ("PCA", "micro-F1 0.8", "dog", "others")]
    [True, True, True, True]
    """
    if not maps or len(kinds) > MAX_KINDS:
        raise ValueError(
            f"{len(maps)} maps of {len(kinds)} kinds of item cannot be drawn: there must be at least one map, and at "
            f"most {MAX_KINDS} kinds."
        )
    has_other = any((each.kinds < 0).any() for each in maps)
    keys = [(printable(name), *_look(kind), True) for kind, name in enumerate(kinds)]
    keys += [(other, *_look(-1), True)] * has_other + [(filled, TEXT, 0, True), (hollow, TEXT, 0, False)]
    columns = 2 if max(measure_text(text, NOTE) for text, *_ in keys) <= WIDTH / 2 - INDENT else 1
    rows, lines = -(-len(maps) // COLUMNS), -(-len(keys) // columns)
    top = rows * (ABOVE + SIDE + SPACE)
    root = make_root(WIDTH, round(top + lines * LINE + SPACE / 2, 1))
    for number, each in enumerate(maps):
        x, y = MARGIN + (number % COLUMNS) * (SIDE + SPACE), (number // COLUMNS) * (ABOVE + SIDE + SPACE)
        root.extend(list(_draw_panel(each, x, y)))
    for number, key in enumerate(keys):
        root.extend(
            list(_draw_key(key, (number // lines) * WIDTH / columns, top + (number % lines + 0.5) * LINE, columns))
        )
    return ElementTree.tostring(root, encoding="unicode")


def _look(kind: int) -> tuple[str, int]:
    """Return the colour and the shape of a kind."""
    if kind < 0:
        return TEXT, len(SHAPES) - 1
    return HUES[(kind + kind // len(HUES)) % len(HUES)], kind % len(HUES)


def _draw_panel(panel: Panel, x: float, y: float) -> Iterator[ElementTree.Element]:
    """Yield texts, frame and marks of one map: the grey ones below, the labelled ones on top."""
    yield _place_text(fit_text(printable(panel.title), LETTERS, SIDE), x, y + LETTERS, LETTERS)
    yield _place_text(fit_text(printable(panel.note), NOTE, SIDE), x, y + 2.1 * LETTERS, NOTE)
    r = float(np.clip(RADIUS_OF_ONE / np.sqrt(len(panel.kinds)), *RADII).round(1))
    place = f"translate({x:.1f} {y + ABOVE:.1f})"
    yield make_path(f"M0 0h{SIDE:.1f}v{SIDE:.1f}H0z", f"fill: none; stroke: {TEXT}; stroke-opacity: 0.35", place)
    for filled in (False, True):
        for kind in range(-1, MAX_KINDS):
            rows = (panel.kinds == kind) & (panel.filled == filled)
            if rows.any():
                colour, shape = _look(kind)
                marks = (_draw_mark(shape, left, down, r) for left, down in panel.places[rows])
                yield make_path("".join(marks), _style(colour, filled), place)


def _draw_key(key: tuple[str, str, int, bool], x: float, y: float, columns: int) -> Iterator[ElementTree.Element]:
    """Yield the mark and the text of a line of the legend."""
    text, colour, shape, filled = key
    yield make_path(_draw_mark(shape, x + 5, y, RADII[1]), _style(colour, filled))
    yield _place_text(fit_text(text, NOTE, WIDTH / columns - INDENT), x + INDENT, y + 0.35 * NOTE, NOTE)


def _draw_mark(shape: int, x: float, y: float, r: float) -> str:
    """Return the closed path of one mark. Relative steps keep it short.

    Examples
    --------
    >>> _draw_mark(1, 10, 20, 2)
    'M8.2 18.2l3.6 0 0 3.6 -3.6 0z'
    """
    corners = r * np.array(SHAPES[shape])
    if not len(corners):
        return f"M{x - r:.1f} {y:.1f}a{r:g} {r:g} 0 1 0 {2 * r:g} 0 {r:g} {r:g} 0 1 0 {-2 * r:g} 0z"
    steps = " ".join(f"{round(step, 1) + 0.0:g}" for step in np.diff(corners, axis=0).ravel())
    return f"M{x + corners[0, 0]:.1f} {y + corners[0, 1]:.1f}l{steps}z"


def _style(colour: str, filled: bool) -> str:
    return f"fill: {colour if filled else 'none'}; stroke: {colour}; stroke-width: 0.7"


def _place_text(text: str, x: float, y: float, size: float) -> ElementTree.Element:
    return make_text(text, {"x": f"{x:.1f}", "y": f"{y:.1f}", "font-size": f"{size:g}", "fill": TEXT})
