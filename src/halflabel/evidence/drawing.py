"""The random order of the entries of a table, which anyone can repeat from a seed, and the digest of a table."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Ints, Mask


def order_entries(ids: Sequence[str], names: Sequence[str], part: Mask, seed: int) -> Ints:
    """Return the entries of a part of a table in a random order, as row x number of labels + column.

    ``ids`` and ``names`` are the distinct ids of the items and the labels, and ``part`` is the mask of the entries.

    Notes
    -----
    An entry has the place of the SHA-256 of seed, id and label, so that the order does not depend on that of the table.
    Each of the three is preceded by its length in bytes and a colon. Cost: one digest for each entry.
    """
    rows, columns = np.nonzero(part)
    begun = digest_parts(seed)
    ends = [_as_part(name) for name in names]
    starts = {}
    for row in np.unique(rows).tolist():
        starts[row] = begun.copy()
        starts[row].update(_as_part(ids[row]))
    digests = []
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        each = starts[row].copy()
        each.update(ends[column])
        digests.append(each.digest())
    places = sorted(range(len(digests)), key=digests.__getitem__)
    flat: Ints = (rows * part.shape[1] + columns)[np.array(places, dtype=np.intp)]
    return flat


def digest_table(ids: Sequence[str], names: Sequence[str], state: NDArray[np.int8]) -> str:
    """Return the SHA-256 of the labels of a table."""
    digest = hashlib.sha256(digest_parts(*names).digest())
    for item, row in zip(ids, state, strict=True):
        digest.update(digest_parts(item).digest() + row.astype(np.int8).tobytes())
    return digest.hexdigest()


def digest_unordered(ids: Sequence[str], names: Sequence[str], state: NDArray[np.int8]) -> str:
    """Return :func:`digest_table` of the same labels whatever the order of the items is."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return digest_table([ids[row] for row in order], names, state[order])


def digest_parts(*parts: object) -> Any:
    """Return the running SHA-256 of strings, each preceded by its length."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(_as_part(part))
    return digest


def _as_part(part: object) -> bytes:
    text = str(part).encode("utf-8", "surrogatepass")
    return b"%d:" % len(text) + text


def read_ids(items: pd.Index[Any]) -> list[str]:
    """Return the ids of items as text. Raise if two items have the same id."""
    ids = [str(item) for item in items]
    if len(set(ids)) < len(ids):
        raise ValueError("questions about items need distinct item ids: name a column of distinct ids (id=).")
    return ids
