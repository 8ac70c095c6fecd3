"""Changes of model files: of their JSON tree, of their arrays, of the zip around them, and plain damage."""

from __future__ import annotations

import io

import numpy as np
from tests.fuzz.mutator import mutate
from tests.fuzz.structure import change_scalar, change_tree, pack, unpack


def change_model(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a model with one to three changes; most of them are inside, with right checksums."""
    parts = unpack(content)
    for _ in range(int(rng.integers(1, 4))):
        kind = rng.random()
        names = [name for name in parts if name.endswith(".npy")]
        if kind < 0.55 or not names:
            parts["model.json"] = change_tree(parts["model.json"], rng)
        elif kind < 0.9:
            name = names[int(rng.integers(len(names)))]
            parts[name] = _change_array(parts[name], rng)
        else:
            name = [*parts][int(rng.integers(len(parts)))]
            parts[name] = mutate(parts[name], rng)
    packed = pack(parts)
    return mutate(packed, rng) if rng.random() < 0.1 else packed


def change_gently(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a model with one value changed inside, which keeps its type, or one array, which keeps its shape."""
    parts = unpack(content)
    names = [name for name in parts if name.endswith(".npy")]
    if names and rng.random() < 0.4:
        name = names[int(rng.integers(len(names)))]
        array = np.load(io.BytesIO(parts[name]), allow_pickle=False)
        array = rng.permuted(array) if rng.random() < 0.3 or not array.size else _set_values(array, rng)
        stream = io.BytesIO()
        np.lib.format.write_array(stream, array, version=(1, 0))
        parts[name] = stream.getvalue()
    else:
        parts["model.json"] = change_scalar(parts["model.json"], rng)
    return pack(parts)


def damage(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a file after a change that disks and transfers make: a bit, a block, a gap, or a lost end."""
    kind, at = int(rng.integers(4)), int(rng.integers(len(content)))
    size = int(rng.integers(1, 600))
    if kind == 0:
        return content[:at] + bytes([content[at] ^ 1 << int(rng.integers(8))]) + content[at + 1 :]
    if kind == 1:
        return content[:at] + rng.bytes(len(content[at : at + size])) + content[at + size :]
    return content[:at] + content[at + size :] if kind == 2 else content[:at]


def _change_array(content: bytes, rng: np.random.Generator) -> bytes:
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception:  # an earlier change broke it
        return mutate(content, rng)
    kind = int(rng.integers(7))
    if kind == 0:
        return mutate(content, rng)
    if kind == 1:
        array = array[: int(rng.integers(len(array) + 1))] if array.ndim else array
    elif kind == 2:
        array = array.reshape(-1) if rng.random() < 0.5 else array[None]
    elif kind == 3:
        with np.errstate(all="ignore"):
            array = array.astype(["f4", "f8", "i4", "i8", "u1", "?", "c16", "U3"][int(rng.integers(8))])
    elif kind == 4:
        array = rng.permuted(array)
    elif array.size:
        array = _set_values(array, rng)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0))
    return stream.getvalue()


def _set_values(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Set one value, or all, to one that does not fit."""
    array = array.copy()
    odd = {"f": [np.nan, np.inf, -np.inf, 0, 1e300, -1], "i": [0, -1, 1, 2**31 - 1], "u": [0, 255], "b": [False, True]}
    values = odd.get(array.dtype.kind, [0])
    value = values[int(rng.integers(len(values)))]
    at = slice(None) if rng.random() < 0.3 else int(rng.integers(array.size))
    with np.errstate(all="ignore"):
        array.reshape(-1)[at] = np.array(value).astype(array.dtype)
    return array
