"""The data of the map: which items it shows, their places, and their values for each label."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints, Mask
from halflabel._wording import clipped
from halflabel.completion.mapping.item_map import MAX_OF_REPORT
from halflabel.completion.mapping.regions import Region, name_once
from halflabel.labels import PartialLabels
from halflabel.report.region_names import HEIGHT, LETTER, MARGIN, WIDTH, fit_texts
from halflabel.table.items import describe_cells, take_shown, write_titles
from halflabel.table.pictures import encode_png

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion
    from halflabel.completion.mapping.item_map import ItemMap

#: The values of an entry: given relevant, given irrelevant, filled relevant, filled irrelevant, left unknown; filled
#: relevant and filled irrelevant without certainty.
CODES = "RIri?pq"

#: The values in the order of drawing: rare ones come last and are on top.
ORDER = "?qiprIR"

#: The same values in words, in the order of :data:`CODES`.
WORDS = ("yes, given", "no, given", "yes, filled", "no, filled", "empty", "yes, uncertain", "no, uncertain")

#: Filled values with a lower probability are drawn pale.
MIN_CERTAINTY = 0.75

#: Maximum numbers of items and labels on the map, at any size of the data.
MAX_POINTS, MAX_LABELS = 1000, 15

#: Side of the square cell of an item's image, in the units of the map.
CELL = 31

#: Sizes of the names of regions, in the units of the map: the smallest and the largest region.
SMALL, LARGE = 14, 20

#: Maximum number of pixels of all images together.
MAX_PIXELS = 2_000_000


def choose_points(
    coordinates: Floats,
    labels: PartialLabels,
    state: NDArray[np.int8],
    p: Floats,
    ink: NDArray[np.uint8] | None,
    rng: np.random.Generator,
    first: int | None = None,
    max_points: int = MAX_POINTS,
) -> dict[str, Any]:
    """Return the points of the map with one letter of :data:`CODES` per point and label.

    The map shows the labels with the most relevant entries, and a sample of the items in which rare values of a label
    are more frequent than in the table. With images, it shows at most one item per cell of a grid, labelled items
    first.

    Parameters
    ----------
    coordinates : ndarray of shape (n_items, 2)
    state : ndarray of shape (n_items, n_labels)
        After filling.
    p : ndarray of shape (n_items, n_labels)
        Probabilities of being relevant, which distinguish uncertain values from others.
    ink : ndarray of uint8, shape (n_items, height, width), or None
        A small image per item, from :func:`halflabel.table.pictures.read_images`.
    rng : Generator
        Decides the sample.
    first : int, optional
        A label that is shown first; by default the one with the most relevant entries.
    max_points : int, default=1000
        Maximum number of items.
    """
    order = np.argsort(-labels.relevant.sum(axis=0), kind="stable")
    shown = order[:MAX_LABELS] if first is None else np.array([first, *order[order != first][: MAX_LABELS - 1]])
    codes = encode_entries(labels, state, p)[:, shown]
    rows = sample_balanced(codes, max_points, rng)
    places, at_edge = fit_to_frame(coordinates)
    xy = np.rint(places).astype(np.intp)
    if ink is not None:
        rows = thin_to_grid(xy, rng.permutation(len(xy)), ~labels.unlabelled, MAX_PIXELS // ink[0].size)
        xy = (xy // CELL) * CELL + CELL // 2
    letters = np.array(list(CODES))
    return {
        "n_items": len(labels),
        "n_labels": len(labels.names),
        "at_edge": int(at_edge[rows].sum()),
        "rows": rows.tolist(),
        "x": xy[rows, 0].tolist(),
        "y": xy[rows, 1].tolist(),
        "labels": [
            {"name": clipped(labels.names[j]), "codes": "".join(letters[codes[rows, k]])} for k, j in enumerate(shown)
        ],
        "marks": None if ink is None else [encode_png(image) for image in ink[rows]],
    }


def encode_entries(labels: PartialLabels, state: NDArray[np.int8], p: Floats) -> Ints:
    """Return for each entry the position of its letter in :data:`CODES`."""
    codes = np.select([labels.state > 0, labels.state < 0, state > 0, state < 0], range(4), 4)
    certainty = np.where(codes == 2, p, 1 - p)
    return np.where((codes == 2) | (codes == 3), codes + 3 * (certainty < MIN_CERTAINTY), codes)


def sample_balanced(codes: Ints, max_rows: int, rng: np.random.Generator) -> Ints:
    """Return rows: of every value of every column an equal number, if there are enough, and others at random."""
    if len(codes) <= max_rows:
        return np.arange(len(codes))
    chosen = np.zeros(len(codes), dtype=bool)
    share = max_rows // (codes.shape[1] * len(CODES))
    for column in codes.T:
        for code in range(len(CODES)):
            chosen[rng.permutation(np.flatnonzero(column == code))[:share]] = True
    others = rng.permutation(np.flatnonzero(~chosen))
    chosen[others[: max_rows - int(chosen.sum())]] = True
    return np.flatnonzero(chosen)


def fit_to_frame(coordinates: Floats) -> tuple[Floats, Mask]:
    """Return coordinates inside the map, and which items are far outside and therefore moved to its edge."""
    low, high = np.quantile(coordinates, [0.005, 0.995], axis=0)
    span = np.where(high > low, high - low, 1.0)
    share = 0.04 + 0.92 * np.where(high > low, (coordinates - low) / span, 0.5)
    inside = np.clip(share, 0.01, 0.99)
    pixels = np.column_stack([inside[:, 0] * WIDTH, (1 - inside[:, 1]) * HEIGHT])
    return pixels, np.asarray((share != inside).any(axis=1))


def thin_to_grid(xy: Ints, order: Ints, first: Mask, max_rows: int) -> Ints:
    """Return one item per cell of the grid: items of ``first`` before other items, in ``order``."""
    order = order[np.argsort(~first[order], kind="stable")]
    cells = (xy[order, 1] // CELL) * WIDTH + xy[order, 0] // CELL
    _, earliest = np.unique(cells, return_index=True)
    return np.sort(order[np.sort(earliest)[:max_rows]])


def summarize_map(
    completion: Completion,
    drawn: ItemMap,
    shown: Sequence[str] = (),
    ink: NDArray[np.uint8] | None = None,
    random_state: int = 0,
    first: int | None = None,
    max_points: int = MAX_POINTS,
) -> dict[str, Any]:
    """Return the points of the map with a title for each: the id of its item, its shown text and its labels.

    Parameters
    ----------
    shown : sequence of str
        From :func:`halflabel.table.items.choose_shown`.
    ink : ndarray of uint8, shape (n_items, height, width), optional
        A small image per item.
    random_state : int, default=0
        Decides which items are on the map if there are too many for all of them.
    first : int, optional
        The label that is shown first.
    max_points : int, default=1000
        Maximum number of items.
    """
    labels, state = completion.labels, completion.state
    coordinates, p = drawn.places, completion.evidence.printed_probabilities
    rng = np.random.default_rng(random_state)
    points = choose_points(coordinates, labels, state, p, ink, rng, first, max_points)
    margin = MARGIN if ink is None else CELL / 2
    regions = _name_regions(drawn, np.column_stack([points["x"], points["y"]]), margin)
    rows = np.array(points["rows"], dtype=np.intp)
    cells = describe_cells(take_shown(completion.opened, shown, rows))
    titles = write_titles(completion.index[rows], cells, labels, state, rows)
    return {**points, "titles": titles, "regions": regions, "sentences": list(drawn.notes)}


def _name_regions(drawn: ItemMap, points: Ints, margin: float) -> list[dict[str, Any]]:
    """Return the names of regions with their places and sizes."""
    places = fit_to_frame(drawn.places)[0][np.array([each.centre for each in drawn.regions], dtype=np.intp)]
    texts = name_once(drawn.regions)
    sizes = size_names(drawn.regions)
    some = points[:: len(points) // MAX_POINTS + 1]
    return [
        {
            "x": round(x),
            "y": round(y),
            "name": name,
            "text": drawn.regions[r].describe(),
            "size": round(sizes[r]),
            "line": _draw_line(places[r], x, y, len(name) * LETTER / 32 * sizes[r], sizes[r]),
            "centre": np.rint(places[r]).astype(int).tolist(),
        }
        for r, name, x, y in fit_texts(places, texts, some, LETTER * LARGE / 16, 1.25 * LARGE, margin)
    ]


def size_names(regions: Sequence[Region]) -> list[float]:
    """Return the sizes of the names of regions: between :data:`SMALL` and :data:`LARGE`, larger for more items."""
    largest = max((each.n_items for each in regions), default=1)
    return [SMALL + (LARGE - SMALL) * sqrt(each.n_items / largest) for each in regions]


def _draw_line(centre: Floats, x: float, y: float, half: float, size: float) -> str:
    """Return the path from a region to the nearest point of its name, or an empty text if the name is at the region."""
    end = np.clip(centre, [x - half, y - 0.9 * size], [x + half, y + 0.3 * size])
    if np.hypot(*(end - centre)) < size:
        return ""
    return "M{} {}L{} {}".format(*(round(each) for each in (*centre, *end)))


def try_map(
    completion: Completion, shown: Sequence[str], ink: NDArray[np.uint8] | None, random_state: int
) -> dict[str, Any]:
    """Return the points of the map of a report, or the reason why there is none."""
    try:
        drawn = completion.map(max_landmarks=MAX_OF_REPORT)
    except ValueError as reason:  # too few features or items for two dimensions
        return {"reason": str(reason)}
    return summarize_map(completion, drawn, shown, ink, random_state)
