"""The last fit and the map of a review, stored next to its journal, so that a restart asks good questions at once."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._files import atomic_write
from halflabel.review_page.fits import Fit

#: The arrays of a fit, and their kinds.
ARRAYS = {"state": "i1", "p": "f4", "given": "i1", "flipped": "f4", "thresholds": "f8"}

#: The other fields of a fit.
FACTS = ("name", "n_records", "effort", "expected", "probability_of", "seconds", "contradiction")


def name_store(journal: Path) -> Path:
    """Return the path of the store that belongs to a journal."""
    return journal.with_name(f".{journal.name.removesuffix('.jsonl')}.fit.npz")


def store(path: Path, of: str, fit: Fit, points: bytes | None) -> None:
    """Write a fit and a map. ``of`` names the table and the settings that they depend on."""
    arrays: dict[str, NDArray[Any]] = {name: getattr(fit, name) for name in ARRAYS}
    if fit.flip_rates is not None:
        arrays["flip_rates"] = fit.flip_rates
    if points is not None:
        arrays["points"] = np.frombuffer(points, dtype="<u2")
    facts = json.dumps({"of": of, **{name: getattr(fit, name) for name in FACTS}}, allow_nan=False)
    written: dict[str, Any] = {**arrays, "facts": np.frombuffer(facts.encode(), dtype=np.uint8)}
    written["digest"] = _digest(written)
    with suppress(OSError, ValueError):  # without it, a restart makes the fit again
        with atomic_write(path, "wb") as file:
            np.savez_compressed(file, **written)
        path.chmod(0o600)  # as private as the journal


def restore(path: Path, of: str, shape: tuple[int, int]) -> tuple[Fit, bytes | None] | None:
    """Return the stored fit and map, or None if there is none of this table and these settings, or it is damaged."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
        digest = found.pop("digest")
        is_whole = np.array_equal(_digest(found), digest)
        facts = json.loads(found.pop("facts").tobytes()) if is_whole else {}
    except Exception:  # whatever a damaged file raises: the fit is made again
        return None
    arrays = {name: found.get(name) for name in ARRAYS}
    points = found.get("points")
    if facts.pop("of", None) != of or not _are_whole(arrays, points, shape):
        return None
    values: dict[str, Any] = {**facts, **arrays, "flip_rates": found.get("flip_rates")}
    return Fit(**values), None if points is None else points.tobytes()


def _are_whole(arrays: dict[str, Any], points: Any, shape: tuple[int, int]) -> bool:
    """Return whether all arrays are there, with their kinds and sizes."""
    sizes = {name: shape[1:] if name == "thresholds" else shape for name in ARRAYS}
    fits = all(
        array is not None and array.dtype == np.dtype(ARRAYS[name]) and array.shape == sizes[name]
        for name, array in arrays.items()
    )
    return fits and (points is None or points.shape == (2 * shape[0],))


def _digest(arrays: dict[str, NDArray[Any]]) -> NDArray[np.uint8]:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode() + array.tobytes())
    return np.frombuffer(digest.digest(), dtype=np.uint8)
