"""Random filled values of each label, for a person who looks whether they are right."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Ints


def sample_filled(filled: NDArray[np.int8], names: Sequence[str], n: int, seed: int) -> pd.DataFrame:
    """Return ``n`` random filled entries of each label, half of them filled as relevant: position, column.

    Where one value was filled in less often, there are more entries of the other value. The sample of a label depends
    on its name and on the order of the items, and on no other label. ``filled`` is 0 where nothing was filled in.

    Examples
    --------
    >>> filled = np.array([[1], [-1], [-1], [0], [-1]], dtype=np.int8)
    >>> sorted(sample_filled(filled, ["rock"], 3, seed=0)["position"].tolist())[0]
    0
    """
    chosen = [_sample_label(filled[:, j], n, _make_generator(name, seed)) for j, name in enumerate(names)]
    columns = np.repeat(np.arange(len(names)), [len(rows) for rows in chosen])
    return pd.DataFrame({"position": np.concatenate([*chosen, np.zeros(0, dtype=np.intp)]), "column": columns})


def _make_generator(name: str, seed: int) -> np.random.Generator:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def _sample_label(filled: NDArray[np.int8], n: int, rng: np.random.Generator) -> Ints:
    """Return the rows of one label, the entries that were filled as relevant first."""
    yes, no = (rng.permutation(np.flatnonzero(filled == value)) for value in (1, -1))
    of_yes = min(len(yes), max(n - n // 2, n - len(no)))
    return np.concatenate([yes[:of_yes], no[: n - of_yes]])
