"""Random filled values, for a person who looks whether they are right."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def sample_filled(filled: NDArray[np.int8], n: int, seed: int) -> pd.DataFrame:
    """Return ``n`` random filled entries, half of them filled as relevant: position, column.

    Where one value was filled in less often, there are more entries of the other value. Relevant entries come first.
    ``filled`` is 0 where nothing was filled in.

    Examples
    --------
    >>> filled = np.array([[1, 0], [-1, -1], [0, -1]], dtype=np.int8)
    >>> sample_filled(filled, 2, seed=0)["position"].tolist()[0]
    0
    """
    rng = np.random.default_rng(seed)
    yes, no = (np.flatnonzero(filled == value) for value in (1, -1))
    of_yes = min(len(yes), max(n - n // 2, n - len(no)))
    of_no = min(len(no), n - of_yes)
    chosen = [rng.choice(values, number, replace=False) for values, number in ((yes, of_yes), (no, of_no))]
    rows, columns = np.unravel_index(np.concatenate(chosen), filled.shape)
    return pd.DataFrame({"position": rows, "column": columns})
