"""The evidence for entries: the kind of the largest part of their log odds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from halflabel._arrays import Floats
from halflabel.labels import PartialLabels
from halflabel.methods.contributions import OTHER_LABELS, PRIOR
from halflabel.numerics.graph.weights import components, supported

#: The kinds of evidence: nearby items, features, the item's other labels, the user's prior, or the label's rate alone.
KINDS = ("graph", "features", OTHER_LABELS, PRIOR, "rate")

#: Number of items whose log odds are divided into parts at a time.
BLOCK = 4096


def classify_entries(model: Any, labels: PartialLabels) -> NDArray[np.int8]:
    """Return the kind of evidence for each entry of a fitted table, as its position in :data:`KINDS`.

    Of an ensemble that has the parts of its log odds, this is the kind with the largest part. Other methods have one
    part: see :func:`classify_by_reach`.
    """
    sources = getattr(model, "evidence_of_members", None)
    if sources is None:
        return classify_by_reach(labels, getattr(model, "weights_", None))
    blocks = np.split(np.arange(len(labels)), range(BLOCK, len(labels), BLOCK))
    return np.concatenate([classify_by_parts(model.decompose(rows, labels), sources) for rows in blocks])


def classify_by_parts(parts: Mapping[str, Floats], sources: Mapping[str, str]) -> NDArray[np.int8]:
    """Return the kind with the largest sum of parts, in either direction, or "rate" without any parts.

    ``parts`` are from :mod:`halflabel.methods.contributions`, and ``sources`` has the kind of each member's part.
    """
    kinds = {**sources, PRIOR: PRIOR, OTHER_LABELS: OTHER_LABELS}
    size = np.zeros((len(KINDS), *next(iter(parts.values())).shape))
    for name, part in parts.items():
        if name in kinds:
            size[KINDS.index(kinds[name])] += part
    size = np.abs(size)
    return np.where(size.max(axis=0) > 0, size.argmax(axis=0), KINDS.index("rate")).astype(np.int8)


def classify_by_reach(labels: PartialLabels, weights: sparse.csr_array | None) -> NDArray[np.int8]:
    """Return the kind of evidence for the entries of a method with one score.

    "graph": the method propagates labels along these weights, and an observed entry of the label can be reached from
    the item; "features": it cannot; "rate": the label was not observed with both values.
    """
    reached = supported(components(weights), labels.observed) if weights is not None else np.zeros(labels.shape, bool)
    kinds = np.where(reached, KINDS.index("graph"), KINDS.index("features"))
    return np.where(labels.learnable, kinds, KINDS.index("rate")).astype(np.int8)
