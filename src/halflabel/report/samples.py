"""Random filled values of each label, with their items."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halflabel._wording import clipped
from halflabel.table.images import encode_png
from halflabel.table.items import describe_cells, take_shown

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion

#: Number of values of each label, maximum number of labels, and of labels whose items have pictures.
VALUES, MAX_LABELS, MAX_WITH_PICTURES = 10, 60, 20


def summarize_samples(
    completion: Completion,
    shown: Sequence[str],
    folder: str | os.PathLike[str],
    ink: NDArray[np.uint8] | None,
    random_state: int,
) -> dict[str, Any]:
    """Return ten random filled values of each label: the labels with most values filled in as relevant come first.

    Parameters
    ----------
    shown : sequence of str
        From :func:`halflabel.table.items.choose_shown`.
    folder : path
        The folder that the paths of image files start from.
    ink : ndarray of uint8, shape (n_items, height, width), or None
        A small image per item.

    Returns
    -------
    dict
        ``seed``, ``labels`` (name, filled, relevant and ``rows``: item, shown, image, value, probability) and
        ``more_labels``.
    """
    labels, p, state = completion.labels, completion.evidence.printed_probabilities, completion.state
    filled = np.where(labels.observed, 0, state)
    numbers, relevant = (filled != 0).sum(axis=0), (filled > 0).sum(axis=0)
    order = [j for j in np.argsort(-relevant, kind="stable") if numbers[j]]
    chosen = completion.evidence.sample_filled(VALUES, random_state)

    def describe(j: int, has_pictures: bool) -> list[dict[str, Any]]:
        rows = chosen["position"].to_numpy(dtype=np.intp)[chosen["column"] == j]
        cells = describe_cells(take_shown(completion.opened, shown, rows), folder if has_pictures else None)
        return [
            {
                "item": clipped(completion.index[i]),
                "shown": own,
                "image": encode_png(ink[i]) if has_pictures and ink is not None else None,
                "value": int(state[i, j] > 0),
                "probability": float(p[i, j]),
            }
            for i, own in zip(rows, cells, strict=True)
        ]

    return {
        "seed": random_state,
        "labels": [
            {
                "name": clipped(labels.names[j]),
                "filled": int(numbers[j]),
                "relevant": int(relevant[j]),
                "rows": describe(j, place < MAX_WITH_PICTURES),
            }
            for place, j in enumerate(order[:MAX_LABELS])
        ],
        "more_labels": max(len(order) - MAX_LABELS, 0),
    }
