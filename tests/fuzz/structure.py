"""Changes of what a file is made of: of one value of its JSON, or of one member of its zip archive."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from tests.fuzz.mutator import mutate

#: Returns the content of a file after random changes.
Change = Callable[[bytes, np.random.Generator], bytes]

#: Values that stand where others are expected.
VALUES: list[Any] = [
    None, True, 0, -1, 1, 2**31, 10**30, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", "a", "\x1b]0;x\x07",
    "é" * 500, [], {}, {"list": []}, {"tuple": [1, 2]}, {"dict": []}, {"dict": [["a", 1]]}, {"npy": 0}, {"npy": 1},
    {"npy": -1}, {"npy": 99}, {"names": ["a", "a"]}, {"csr": [{"npy": 0}, {"npy": 1}, {"npy": 2}], "shape": [2, 2]},
    {"object": "Scaler", "state": {"dict": []}}, {"object": "Popen", "state": {"dict": []}},
]  # fmt: skip


def change_json(text: bytes, rng: np.random.Generator) -> bytes:
    """Change the bytes of a JSON text, or one value of it; of JSON lines, of one line."""
    if rng.random() < 0.4:
        return mutate(text, rng)
    lines = text.splitlines() if text.startswith(b"{") and text.endswith(b"}\n") else [text]
    at = int(rng.integers(len(lines)))
    return b"\n".join([*lines[:at], change_tree(lines[at], rng), *lines[at + 1 :]])


def change_member(content: bytes, rng: np.random.Generator) -> bytes:
    """Change one member of a zip archive with a right checksum, or the archive itself."""
    if rng.random() < 0.2:
        return mutate(content, rng)
    parts = unpack(content)
    name = [*parts][int(rng.integers(len(parts)))]
    return pack(parts | {name: mutate(parts[name], rng)})


def unpack(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(parts: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return stream.getvalue()


def change_tree(text: bytes, rng: np.random.Generator) -> bytes:
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


def change_scalar(text: bytes, rng: np.random.Generator) -> bytes:
    """Replace one number, text or truth value of the tree by another of its type."""
    document = json.loads(text)
    places = [(holder, key) for holder, key in _places(document) if isinstance(holder[key], str | int | float)]
    holder, key = places[int(rng.integers(len(places)))]
    old, pick = holder[key], int(rng.integers(7))
    if isinstance(old, bool):
        holder[key] = not old
    elif isinstance(old, int):
        holder[key] = [0, 1, -1, old + 1, 2**31, 2**62, 10**30][pick]
    elif isinstance(old, float):
        holder[key] = [0.0, -old, 1e-300, 1e300, old * 2, -1.0, 0.5][pick]
    else:
        texts = [other[there] for other, there in places if isinstance(other[there], str)]
        holder[key] = ["", "x", old + "x", "\n", *rng.choice(texts, 3).tolist()][pick]
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the list or dict and the index or key of every value below this one."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from _places(value[key])
