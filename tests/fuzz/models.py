"""Changes of model files: of their JSON tree, of their arrays, of the zip around them, and plain damage."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np
from tests.fuzz.mutator import mutate

#: Values that stand where others are expected.
VALUES: list[Any] = [
    None, True, 0, -1, 1, 2**31, 10**30, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", "a", "\x1b]0;x\x07",
    "é" * 500, [], {}, {"list": []}, {"tuple": [1, 2]}, {"dict": []}, {"dict": [["a", 1]]}, {"npy": 0}, {"npy": 1},
    {"npy": -1}, {"npy": 99}, {"names": ["a", "a"]}, {"csr": [{"npy": 0}, {"npy": 1}, {"npy": 2}], "shape": [2, 2]},
    {"object": "Scaler", "state": {"dict": []}}, {"object": "Popen", "state": {"dict": []}},
]  # fmt: skip


def change_model(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a model with one to three changes; most of them are inside, with right checksums."""
    parts = _unpack(content)
    for _ in range(int(rng.integers(1, 4))):
        kind = rng.random()
        names = [name for name in parts if name.endswith(".npy")]
        if kind < 0.55 or not names:
            parts["model.json"] = _change_tree(parts["model.json"], rng)
        elif kind < 0.9:
            name = names[int(rng.integers(len(names)))]
            parts[name] = _change_array(parts[name], rng)
        else:
            name = [*parts][int(rng.integers(len(parts)))]
            parts[name] = mutate(parts[name], rng)
    packed = _pack(parts)
    return mutate(packed, rng) if rng.random() < 0.1 else packed


def damage(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a file after a change that disks and transfers make: a bit, a block, a gap, or a lost end."""
    kind, at = int(rng.integers(4)), int(rng.integers(len(content)))
    size = int(rng.integers(1, 600))
    if kind == 0:
        return content[:at] + bytes([content[at] ^ 1 << int(rng.integers(8))]) + content[at + 1 :]
    if kind == 1:
        return content[:at] + rng.bytes(len(content[at : at + size])) + content[at + size :]
    return content[:at] + content[at + size :] if kind == 2 else content[:at]


def _unpack(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _pack(parts: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return stream.getvalue()


def _change_tree(text: bytes, rng: np.random.Generator) -> bytes:
    """Replace one value of the tree by another, by one of another place, or remove or repeat it."""
    try:
        document = json.loads(text)
    except ValueError:  # an earlier change broke it
        return mutate(text, rng)
    places = list(_places(document))
    holder, key = places[int(rng.integers(len(places)))]
    kind = int(rng.integers(5))
    if kind == 0:
        other, there = places[int(rng.integers(len(places)))]
        holder[key] = json.loads(json.dumps(other[there]))
    elif kind == 1 and isinstance(holder[key], int | float):
        holder[key] = [-holder[key], holder[key] + 1, holder[key] * 1e9, float(holder[key])][int(rng.integers(4))]
    elif kind == 2:
        del holder[key]
    elif kind == 3 and isinstance(holder, list):
        holder.insert(key, holder[key])
    else:
        holder[key] = VALUES[int(rng.integers(len(VALUES)))]
    return json.dumps(document).encode()


def _places(value: Any) -> Any:
    """Yield the list or dict and the index or key of every value below this one."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from _places(value[key])


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
