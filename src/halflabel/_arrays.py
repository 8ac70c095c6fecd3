"""Names for the kinds of arrays in signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]

#: A float ndarray or a ``csr_array``, one row per item; the type stubs of SciPy have no name for both.
Matrix: TypeAlias = Any

#: A column of a table, and the row labels of one.
Column: TypeAlias = "pd.Series[Any]"
Index: TypeAlias = "pd.Index[Any]"

#: The kinds of features that users may give.
MatrixLike: TypeAlias = "ArrayLike | pd.DataFrame | sparse.sparray | sparse.spmatrix"


def is_sparse(X: Any) -> bool:
    """Return whether ``X`` is a SciPy sparse container."""
    return bool(sparse.issparse(X))


def stored(X: Matrix, *, as_sparse: bool) -> Matrix:
    """Return ``X`` as a ``csr_array`` or as a dense array."""
    if as_sparse:
        return sparse.csr_array(X)
    return X.toarray() if is_sparse(X) else X
