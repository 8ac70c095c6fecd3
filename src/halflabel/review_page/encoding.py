"""Arrays as bytes: coordinates of the map, and the state and probability of every item for one label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel.review_page.answers import NO, UNDECIDED, YES

#: Codes of the state of an entry, as the page draws them.
STATES = UNKNOWN, FILLED_NO, FILLED_YES, GIVEN_NO, GIVEN_YES, ANSWERED_NO, ANSWERED_YES, LEFT_OPEN = range(8)

#: The largest coordinate.
LARGEST = 65_535


def pack_points(coordinates: Floats) -> bytes:
    """Return x and y of each item as unsigned 16-bit numbers, at the same scale for both axes."""
    finite = np.nan_to_num(np.asarray(coordinates, dtype=np.float64))
    low, high = finite.min(axis=0), finite.max(axis=0)
    scale = LARGEST / (float((high - low).max()) or 1.0)
    centred = (finite - (low + high) / 2) * scale + LARGEST / 2
    packed: bytes = np.clip(np.rint(centred), 0, LARGEST).astype("<u2").tobytes()
    return packed


def find_states(
    given: NDArray[np.int8], current: NDArray[np.int8], filled: NDArray[np.int8] | None
) -> NDArray[np.uint8]:
    """Return the code of the state of each entry. An answer precedes a given value, which precedes a fill."""
    filled = np.zeros_like(given) if filled is None else filled
    conditions = [current == YES, current == NO, current == UNDECIDED, given > 0, given < 0, filled > 0, filled < 0]
    codes = [ANSWERED_YES, ANSWERED_NO, LEFT_OPEN, GIVEN_YES, GIVEN_NO, FILLED_YES, FILLED_NO]
    return np.select(conditions, codes, UNKNOWN).astype(np.uint8)
