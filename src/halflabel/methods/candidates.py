"""Parameters that take one value, or several values from which cross-validation chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

#: A number, or several numbers to choose from.
Candidates = float | Sequence[float]


def list_candidates(value: Any) -> tuple[Any, ...]:
    """Return the values that a parameter offers: one value, or all values of a sequence.

    Examples
    --------
    >>> list_candidates(0.1), list_candidates((1.0, 2.0)), list_candidates("text")
    ((0.1,), (1.0, 2.0), ('text',))
    """
    return (value,) if isinstance(value, str) or np.ndim(value) == 0 else tuple(value)
