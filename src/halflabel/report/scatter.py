"""The map: which items are drawn, where, and what each label says about them."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints, Mask
from halflabel._wording import clipped
from halflabel.labels import PartialLabels

#: What a point can be: given relevant, given irrelevant, filled relevant, filled irrelevant, left unknown.
CODES = "RIri?"

#: Items and labels drawn at most, whatever the size of the data.
MOST_POINTS, MOST_LABELS = 2000, 16

#: Size of the map in its own units, and of the square that an image of an item takes.
WIDTH, HEIGHT, CELL = 1000, 620, 31

#: Pixels of all images drawn together.
MOST_PIXELS = 2_000_000


def scatter(
    coordinates: Floats,
    labels: PartialLabels,
    state: NDArray[np.int8],
    ink: NDArray[np.uint8] | None,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return the points of the map with one letter of :data:`CODES` per point and label.

    Drawn are the labels with the most relevant entries, and a sample of the items in which every label's values have
    their share. With images, at most one item per cell of a grid is drawn, labelled ones first.

    Parameters
    ----------
    coordinates : ndarray of shape (n_items, 2)
    labels : PartialLabels
    state : ndarray of shape (n_items, n_labels)
        After filling.
    ink : ndarray of uint8, shape (n_items, height, width), or None
        A small image per item, from :func:`as_ink`.
    rng : Generator
        Decides the sample.
    """
    shown = np.sort(np.argsort(-labels.relevant.sum(axis=0), kind="stable")[:MOST_LABELS])
    given, filled = labels.state[:, shown], state[:, shown]
    codes = np.select([given > 0, given < 0, filled > 0, filled < 0], range(4), 4)
    rows = balanced_sample(codes, MOST_POINTS, rng)
    xy, at_edge = framed(coordinates)
    if ink is not None:
        rows = thinned(xy, rng.permutation(len(xy)), ~labels.unlabelled, MOST_PIXELS // ink[0].size)
        xy = (xy // CELL) * CELL + CELL // 2
    letters = np.array(list(CODES))
    return {
        "n_items": len(labels),
        "n_labels": len(labels.names),
        "at_edge": int(at_edge[rows].sum()),
        "x": xy[rows, 0].tolist(),
        "y": xy[rows, 1].tolist(),
        "labels": [
            {"name": clipped(labels.names[j]), "codes": "".join(letters[codes[rows, k]])} for k, j in enumerate(shown)
        ],
        "marks": None if ink is None else [png(image) for image in ink[rows]],
    }


def balanced_sample(codes: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Return at most ``most`` rows: an equal share of every value of every column, as far as it goes, and others."""
    if len(codes) <= most:
        return np.arange(len(codes))
    chosen = np.zeros(len(codes), dtype=bool)
    share = most // (codes.shape[1] * len(CODES))
    for column in codes.T:
        for code in range(len(CODES)):
            chosen[rng.permutation(np.flatnonzero(column == code))[:share]] = True
    others = rng.permutation(np.flatnonzero(~chosen))
    chosen[others[: most - int(chosen.sum())]] = True
    return np.flatnonzero(chosen)


def framed(coordinates: Floats) -> tuple[Ints, Mask]:
    """Return whole coordinates inside the map, and which items were so far out that they stand at its edge."""
    low, high = np.quantile(coordinates, [0.005, 0.995], axis=0)
    span = np.where(high > low, high - low, 1.0)
    share = 0.04 + 0.92 * np.where(high > low, (coordinates - low) / span, 0.5)
    inside = np.clip(share, 0.01, 0.99)
    pixels = np.column_stack([inside[:, 0] * WIDTH, (1 - inside[:, 1]) * HEIGHT])
    return np.rint(pixels).astype(np.intp), np.asarray((share != inside).any(axis=1))


def thinned(xy: Ints, order: Ints, first: Mask, most: int) -> Ints:
    """Return one item per cell of the grid, in ``order`` but those of ``first`` before others; at most ``most``."""
    order = order[np.argsort(~first[order], kind="stable")]
    cells = (xy[order, 1] // CELL) * WIDTH + xy[order, 0] // CELL
    _, earliest = np.unique(cells, return_index=True)
    return np.sort(order[np.sort(earliest)[:most]])


def png(ink: NDArray[np.uint8]) -> str:
    """Return an image of black ink on nothing as a data URI.

    PNG of 8-bit grey and alpha: a signature and three checksummed chunks, too little to import an image library for.

    Parameters
    ----------
    ink : ndarray of uint8, shape (height, width)
        0 is transparent, 255 black.
    """
    height, width = ink.shape
    rows = np.zeros((height, 1 + 2 * width), dtype=np.uint8)
    rows[:, 2::2] = ink
    header = struct.pack(">2I5B", width, height, 8, 4, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    file = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    return "data:image/png;base64," + base64.b64encode(file).decode()


def as_ink(marks: NDArray[Any]) -> NDArray[np.uint8]:
    """Return grey images as ink, from the least (0) to the largest value (255) of all images."""
    low, high = float(np.min(marks)), float(np.max(marks))
    return np.rint((marks - low) * (255 / ((high - low) or 1.0))).astype(np.uint8)
