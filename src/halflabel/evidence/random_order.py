"""The random order of the entries of a table, which anyone can repeat from a seed, its digest, and arrays as text."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats, Ints

#: The codes of an entry of a table as it is frozen: 0 for an entry that is left empty, else 1 + 2 * level + value.
#: The level is a step of the root of the probability that the value is wrong, which is exact where it is small.
Codes = NDArray[np.uint8]
STEPS, SMALLEST = 126, 1e-5


def encode_values(state: NDArray[np.int8], wrong: Floats) -> Codes:
    """Return the codes of values (+1, -1, 0) that are wrong with some probabilities."""
    level = np.rint(np.sqrt(np.clip(wrong, 0, 1)) * STEPS)
    return np.where(state == 0, 0, 1 + 2 * level + (state > 0)).astype(np.uint8)


def decode_values(codes: Codes) -> tuple[NDArray[np.int8], Floats]:
    """Return the values and the probabilities of codes."""
    level, relevant = np.divmod(np.maximum(codes, 1) - 1, 2)
    wrong = np.clip((level / STEPS) ** 2, SMALLEST, 1 - SMALLEST)
    return np.where(codes == 0, 0, 2 * relevant.astype(np.int8) - 1).astype(np.int8), wrong


def pack(codes: NDArray[np.uint8]) -> str:
    """Return numbers below 256 as text: compressed, in base 64."""
    return base64.b64encode(zlib.compress(codes.tobytes(), 9)).decode()


def unpack(text: str, size: int) -> NDArray[np.uint8]:
    """Return the numbers that :func:`pack` wrote. Raise a ValueError if the text is none of this size."""
    try:
        reader = zlib.decompressobj()
        raw = reader.decompress(base64.b64decode(text, validate=True), size + 1)
    except (zlib.error, ValueError) as error:
        raise ValueError("its values are damaged.") from error
    if len(raw) != size:
        raise ValueError("its values are not of the size of the table.")
    return np.frombuffer(raw, dtype=np.uint8)


def order_entries(ids: Sequence[str], names: Sequence[str], weights: Floats, seed: int) -> Ints:
    """Return the entries of a table with a weight in a random order, as row x number of labels + column.

    ``ids`` and ``names`` are the distinct ids of the items and the labels. Shape of ``weights``: (n_items, n_labels).
    Each next entry is one of the entries that are left, with a chance in proportion to its weight, also if others are
    left out in between.

    Notes
    -----
    An entry has the place of -log(u) / weight (Efraimidis and Spirakis 2006), where u is made of the SHA-256 of seed,
    id and label, so that the order does not depend on that of the table. Each of the three is preceded by its length in
    bytes and a colon. Cost: one digest for each entry.
    """
    rows, columns = np.nonzero(weights)
    begun = digest_parts(seed)
    ends = [_as_part(name) for name in names]
    starts = {}
    for row in np.unique(rows).tolist():
        starts[row] = begun.copy()
        starts[row].update(_as_part(ids[row]))
    numbers = np.empty(len(rows))
    for place, (row, column) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        each = starts[row].copy()
        each.update(ends[column])
        numbers[place] = int.from_bytes(each.digest()[:8], "big")
    order = np.argsort(-np.log((numbers + 0.5) / 2.0**64) / weights[rows, columns], kind="stable")
    flat: Ints = (rows * weights.shape[1] + columns)[order]
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
