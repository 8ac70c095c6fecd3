"""An order of the columns of a table that follows from their content, not from their positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Ints


def order_columns(table: NDArray[np.generic]) -> Ints:
    """Return the positions of a table's labels in their canonical order, for rows in canonical order.

    Columns of equal content keep their order.

    Examples
    --------
    >>> order_columns(np.array([[1, 0, 2], [0, 1, 1]], dtype=np.int8)).tolist()
    [1, 0, 2]
    """
    columns = np.ascontiguousarray(table.T)
    return np.array(sorted(range(len(columns)), key=lambda label: columns[label].tobytes()), dtype=np.intp)
