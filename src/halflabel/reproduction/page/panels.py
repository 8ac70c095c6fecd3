"""Maps of the same items side by side, as SVG of nothing but paths and texts.

What an item is shows in colour and shape, whether it was labelled in being filled or hollow. One path holds all marks
of a look: thousands of items weigh what a photograph does, and the file is the same on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree

import numpy as np

from halflabel._arrays import Floats, Ints, Mask
from halflabel._wording import clipped
from halflabel.report import scatter
from halflabel.reproduction.page.charts import COLOURS, LETTERS, PER_LETTER, TEXT, WIDTH
from halflabel.reproduction.page.svg import make_root, printable

#: Blue, vermilion, purple, green and ochre: neighbours in this circle differ for colour-blind readers as well.
HUES = (COLOURS[0], COLOURS[1], COLOURS[3], COLOURS[2], "#94790f")

#: Half the size of a mark: it shrinks with the root of the number of items, within bounds.
RADII, OF_ONE = (1.9, 3.0), 46.0

#: Corners of the marks in that unit; a circle has none. The last, a bar, is for what is none of the kinds.
SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
    ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    ((0, 1.2), (1.1, -0.8), (-1.1, -0.8)),
    ((-1.2, -0.4), (1.2, -0.4), (1.2, 0.4), (-1.2, 0.4)),
)

#: Kinds of item that can be told apart: every hue in two shapes, every shape in two hues that are neighbours.
MAX_KINDS = 2 * len(HUES)

#: Panels in a row, the space between and beside them, and what their two lines of text take above them.
COLUMNS, SPACE, MARGIN, ABOVE = 3, 11.0, 1.5, 2.5 * LETTERS
SIDE = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * SPACE) / COLUMNS

#: Height of the letters of notes and legend, and room for one of them.
NOTE = LETTERS - 1
PER_NOTE_LETTER = PER_LETTER * NOTE / LETTERS

#: Height of a line of the legend, and the longest text that leaves room for a second column.
LINE, HALF = 1.4 * NOTE, 30


@dataclass(frozen=True, eq=False)
class Panel:
    """One map.

    Attributes
    ----------
    title, note : str
        A line each, above it.
    coordinates : ndarray of shape (n_items, 2)
        In any unit: a map fills its panel, and who lies far out stands at its edge.
    kinds : ndarray of int, shape (n_items,)
        What each item is; -1 for anything else.
    filled : ndarray of bool, shape (n_items,)
    """

    title: str
    note: str
    coordinates: Floats
    kinds: Ints
    filled: Mask

    @property
    def at_edge(self) -> int:
        """How many items lie beyond what is drawn."""
        return int(self._framed[1].sum())

    @property
    def places(self) -> Floats:
        """Where the items stand in a square of :data:`SIDE`, y downwards."""
        return self._framed[0] * (SIDE / np.array([scatter.WIDTH, scatter.HEIGHT]))

    @cached_property
    def _framed(self) -> tuple[Ints, Mask]:
        return scatter.fit_to_frame(self.coordinates)


def draw_panels(maps: Sequence[Panel], kinds: Sequence[str], *, filled: str, hollow: str, other: str) -> str:
    """Draw maps in rows of three, and a legend below them.

    Parameters
    ----------
    maps : sequence of Panel
    kinds : sequence of str
        What the numbers of :attr:`Panel.kinds` mean; at most :data:`MAX_KINDS`.
    filled, hollow, other : str
        What a filled and a hollow mark means, and a grey one; the last is named only if there is one.

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
    >>> panel = Panel("PCA", "vote 0.8", places, kinds, np.array([True, False, False]))
    >>> svg = draw_panels([panel], ["cat", "dog"], filled="labelled", hollow="not labelled", other="others")
    >>> [text in svg for text in ("PCA", "vote 0.8", "dog", "others")]
    [True, True, True, True]
    """
    if not maps or len(kinds) > MAX_KINDS:
        raise ValueError(
            f"{len(maps)} maps of {len(kinds)} kinds of item cannot be drawn: it takes a map, and at most {MAX_KINDS} "
            "kinds can be told apart."
        )
    has_other = any((each.kinds < 0).any() for each in maps)
    keys = [(printable(name), *_look(kind), True) for kind, name in enumerate(kinds)]
    keys += [(other, *_look(-1), True)] * has_other + [(filled, TEXT, 0, True), (hollow, TEXT, 0, False)]
    columns = 2 if max(len(text) for text, *_ in keys) <= HALF else 1
    rows, lines = -(-len(maps) // COLUMNS), -(-len(keys) // columns)
    top = rows * (ABOVE + SIDE + SPACE)
    root = make_root(WIDTH, round(top + lines * LINE + SPACE / 2, 1))
    for number, each in enumerate(maps):
        x, y = MARGIN + (number % COLUMNS) * (SIDE + SPACE), (number // COLUMNS) * (ABOVE + SIDE + SPACE)
        root.extend(list(_panel(each, x, y)))
    for number, key in enumerate(keys):
        root.extend(list(_key(key, (number // lines) * WIDTH / columns, top + (number % lines + 0.5) * LINE, columns)))
    return ElementTree.tostring(root, encoding="unicode")


def _look(kind: int) -> tuple[str, int]:
    """Return the colour and the shape of a kind."""
    if kind < 0:
        return TEXT, len(SHAPES) - 1
    return HUES[(kind + kind // len(HUES)) % len(HUES)], kind % len(HUES)


def _panel(panel: Panel, x: float, y: float) -> Iterator[ElementTree.Element]:
    """Yield texts, frame and marks of one map: the grey ones below, the labelled ones on top."""
    yield _text(clipped(printable(panel.title), int(SIDE / PER_LETTER)), x, y + LETTERS, LETTERS)
    yield _text(clipped(printable(panel.note), int(SIDE / PER_NOTE_LETTER)), x, y + 2.1 * LETTERS, NOTE)
    r = float(np.clip(OF_ONE / np.sqrt(len(panel.kinds)), *RADII).round(1))
    place = f"translate({x:.1f} {y + ABOVE:.1f})"
    yield _path(f"M0 0h{SIDE:.1f}v{SIDE:.1f}H0z", f"fill: none; stroke: {TEXT}; stroke-opacity: 0.35", place)
    for filled in (False, True):
        for kind in range(-1, MAX_KINDS):
            rows = (panel.kinds == kind) & (panel.filled == filled)
            if rows.any():
                colour, shape = _look(kind)
                marks = (_mark(shape, left, down, r) for left, down in panel.places[rows])
                yield _path("".join(marks), _style(colour, filled), place)


def _key(key: tuple[str, str, int, bool], x: float, y: float, columns: int) -> Iterator[ElementTree.Element]:
    """Yield mark and text of a line of the legend."""
    text, colour, shape, filled = key
    yield _path(_mark(shape, x + 5, y, RADII[1]), _style(colour, filled))
    yield _text(clipped(text, int((WIDTH / columns - 14) / PER_NOTE_LETTER)), x + 14, y + 0.35 * NOTE, NOTE)


def _mark(shape: int, x: float, y: float, r: float) -> str:
    """Return the closed path of one mark; steps are relative, which keeps it short.

    Examples
    --------
    >>> _mark(1, 10, 20, 2)
    'M8.2 18.2l3.6 0 0 3.6 -3.6 0z'
    """
    corners = r * np.array(SHAPES[shape])
    if not len(corners):
        return f"M{x - r:.1f} {y:.1f}a{r:g} {r:g} 0 1 0 {2 * r:g} 0 {r:g} {r:g} 0 1 0 {-2 * r:g} 0z"
    steps = " ".join(f"{round(step, 1) + 0.0:g}" for step in np.diff(corners, axis=0).ravel())
    return f"M{x + corners[0, 0]:.1f} {y + corners[0, 1]:.1f}l{steps}z"


def _style(colour: str, filled: bool) -> str:
    return f"fill: {colour if filled else 'none'}; stroke: {colour}; stroke-width: 0.7"


def _path(d: str, style: str, transform: str = "") -> ElementTree.Element:
    placed = {"transform": transform} if transform else {}
    return ElementTree.Element("path", {"d": d, "style": style, **placed})


def _text(text: str, x: float, y: float, size: float) -> ElementTree.Element:
    looks = {"x": f"{x:.1f}", "y": f"{y:.1f}", "font-size": f"{size:g}", "fill": TEXT}
    element = ElementTree.Element("text", looks)
    element.text = text
    return element
