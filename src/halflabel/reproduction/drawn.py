"""A map as a run's record keeps it: where a sample of the items lies, which labels each has, and which were known."""

from __future__ import annotations

from typing import Any

import numpy as np

from halflabel._arrays import Floats, Ints
from halflabel.labels import PartialLabels

#: Items kept at most; a map of more is a blot, and a record of more is long.
MOST_ITEMS = 600

#: Sets of labels told apart at most; as many as :mod:`halflabel.reproduction.page.panels` has looks for.
MOST_SETS = 10


def drawn(coordinates: Floats, truth: PartialLabels, known: PartialLabels, rng: np.random.Generator) -> dict[str, Any]:
    """Return a map of two dimensions in what JSON can hold.

    Parameters
    ----------
    coordinates : ndarray of shape (n_items, 2)
        In any unit.
    truth, known : PartialLabels
        With and without the hidden entries.
    rng : Generator
        Decides the sample, so that methods with the same generator show the same items.

    Returns
    -------
    dict
        ``n_items``, of which ``x`` and ``y`` hold a sample, the median at 0, to 4 significant digits; ``labelled``, a
        letter per item of the sample, "1" if any of its labels was known; ``sets``, the names of the labels of the most
        frequent label sets; ``set``, which of these each item has, -1 where it is another one, or not all is known.
    """
    rows = np.sort(rng.permutation(len(truth))[:MOST_ITEMS])
    sets, member = _frequent_sets(truth)
    x, y = (coordinates - np.median(coordinates, axis=0))[rows].T
    return {
        "n_items": len(truth),
        "x": _short(x),
        "y": _short(y),
        "labelled": "".join(np.where(known.unlabelled[rows], "0", "1")),
        "sets": sets,
        "set": member[rows].tolist(),
    }


def _frequent_sets(truth: PartialLabels) -> tuple[list[list[str]], Ints]:
    """Return the most frequent label sets as names of labels, and which of them each item has, -1 for none of them."""
    whole = truth.observed.all(axis=1)
    relevant, member, counts = np.unique(truth.relevant[whole], axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_SETS]
    place = np.full(len(counts), -1, dtype=np.intp)
    place[order] = np.arange(len(order))
    found = np.full(len(truth), -1, dtype=np.intp)
    found[whole] = place[member.ravel()]
    return [[name for name, has in zip(truth.names, relevant[s], strict=True) if has] for s in order], found


def _short(values: Floats) -> list[float]:
    return [float(f"{value:.4g}") for value in values]
