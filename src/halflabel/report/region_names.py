"""The places of the names of regions on a map: each name once, next to its cloud, on no item, and never cut."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from halflabel._arrays import Floats, Ints

#: Coordinates: whole numbers where a drawing has them.
Places = Floats | Ints

#: Size of a map in its own units.
WIDTH, HEIGHT = 1000, 620

#: Height of a line of text on the map, and mean width of a letter of 16 units in a wide bold font.
LINE, LETTER = 20, 10.5

#: Distances from the centre of a region at which a name is tried, and the number of directions.
DISTANCES, DIRECTIONS = range(0, 181, 20), 16

#: Room around an item that a name leaves free: half of the largest mark.
MARGIN = 5


def fit_texts(
    places: Floats,
    texts: Sequence[Sequence[str]],
    points: Places,
    letter: float = LETTER,
    line: float = LINE,
    margin: float = MARGIN,
) -> list[tuple[int, str, float, float]]:
    """Return the names that have room on a map: the number of the region, the text, and its middle.

    A name is at the nearest place to its region where it covers no item. It is inside the map, does not overlap earlier
    names, and no text is there twice. A name without such a place is left out.

    Parameters
    ----------
    places : ndarray of shape (n_places, 2)
        The centres of the regions.
    texts : sequence of sequences of str
        The alternatives of each place, the preferred one first.
    points : ndarray of shape (n_points, 2)
        The items on the map.
    letter, line : float
        Width of a letter and height of a line, in the units of the places.
    margin : float
        Half of the side of an item on the map.

    Examples
    --------
    >>> cloud = np.array([[x, y] for x in range(480, 521, 5) for y in range(290, 311, 5)])
    >>> fit_texts(np.array([[500.0, 300.0], [700.0, 300.0]]), [["loud", "a"], ["loud"]], cloud)
    [(0, 'loud', 500.0, 260.0)]
    """
    taken: list[tuple[float, float, float]] = []  # middle and half of the width
    fitted: list[tuple[int, str, float, float]] = []
    for number, ((x, y), alternatives) in enumerate(zip(places.tolist(), texts, strict=True)):
        unused = [text for text in alternatives if text not in {text for _, text, _, _ in fitted}]
        for text in unused:
            half = (len(text) + 1) * letter / 2
            tried = _list_places(x, y, half, line)
            free = ((u, v) for u, v in tried if all(abs(v - b) >= line or abs(u - a) >= half + w for a, b, w in taken))
            place = next((each for each in free if not _covers(each, half, line, points, margin)), None)
            if place is not None:
                u, v = place
                taken.append((u, v, half))
                fitted.append((number, text, u, v))
                break
    return fitted


def _list_places(x: float, y: float, half: float, line: float) -> list[tuple[float, float]]:
    """Return places around a centre whose text is inside the map, the nearest first."""
    turns = [2 * math.pi * k / DIRECTIONS - math.pi / 2 for k in range(DIRECTIONS)]
    around = [
        (x + d * math.cos(turn), y + d * math.sin(turn)) for d in DISTANCES for turn in (turns if d else turns[:1])
    ]
    if 2 * half >= WIDTH:
        return []
    moved = [(round(min(max(u, half), WIDTH - half), 1), round(v, 1)) for u, v in around]
    return [(u, v) for u, v in moved if line <= v <= HEIGHT - line / 2]


def _covers(place: tuple[float, float], half: float, line: float, points: Places, margin: float) -> bool:
    """Return whether a text covers an item."""
    apart: Floats = np.abs(points - np.array(place) - np.array([0, -0.3 * line]))
    return bool(((apart[:, 0] < half + margin) & (apart[:, 1] < 0.6 * line + margin)).any())
