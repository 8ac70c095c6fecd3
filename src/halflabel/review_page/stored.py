"""The last fit and the map of a review, stored next to its journal, so that a restart asks good questions at once."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._files import atomic_write
from halflabel._version import __version__
from halflabel.review_page.fits import Fit

#: The arrays of a fit, and their kinds.
ARRAYS = {"state": "i1", "p": "f4", "given": "i1", "flipped": "f4", "thresholds": "f8"}

#: The other fields of a fit.
FACTS = ("name", "n_records", "effort", "expected", "probability_of", "seconds", "contradiction")


#: Minimum number of seconds between two times at which a fit is stored, but at the end of the review.
STORE_SECONDS = 30.0


class FitStore:
    """The file with the last fit and the map of a review.

    Parameters
    ----------
    journal : Path
        The file lies next to it.
    table : str
        The digest of the table.
    settings : dict
        The arguments of the fits. A fit depends on them, on the table, and on this version.
    """

    def __init__(self, journal: Path, table: str, settings: dict[str, Any]) -> None:
        self.path = journal.with_name(f".{journal.name.removesuffix('.jsonl')}.fit.npz")
        self._of = f"{table} {__version__} {sorted((k, str(v)) for k, v in settings.items())}"
        self._kept = -STORE_SECONDS

    @property
    def is_due(self) -> bool:
        """Whether the last fit was stored long ago."""
        return time.monotonic() - self._kept > STORE_SECONDS

    def keep(self, fit: Fit, points: bytes | None) -> None:
        """Write a fit and a map."""
        self._kept = time.monotonic()
        arrays: dict[str, NDArray[Any]] = {name: getattr(fit, name) for name in ARRAYS}
        if fit.flip_rates is not None:
            arrays["flip_rates"] = fit.flip_rates
        if points is not None:
            arrays["points"] = np.frombuffer(points, dtype="<u2")
        facts = json.dumps({"of": self._of, **{name: getattr(fit, name) for name in FACTS}}, allow_nan=False)
        written: dict[str, Any] = {**arrays, "facts": np.frombuffer(facts.encode(), dtype=np.uint8)}
        written["digest"] = _digest(written)
        with suppress(OSError, ValueError):  # without it, a restart makes the fit again
            with atomic_write(self.path, "wb") as file:
                np.savez_compressed(file, **written)
            self.path.chmod(0o600)  # as private as the journal

    def restore(self, shape: tuple[int, int]) -> tuple[Fit, bytes | None] | None:
        """Return the stored fit and map, or None if there is none of this table and settings, or it is damaged."""
        try:
            with self.path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
            digest = found.pop("digest")
            is_whole = np.array_equal(_digest(found), digest)
            facts = json.loads(found.pop("facts").tobytes()) if is_whole else {}
        except Exception:  # whatever a damaged file raises: the fit is made again
            return None
        arrays = {name: found.get(name) for name in ARRAYS}
        points = found.get("points")
        if facts.pop("of", None) != self._of or not _are_whole(arrays, points, shape):
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
