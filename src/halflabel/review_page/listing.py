"""The list of items, which is the map for keyboard and screen reader: filtered, ordered, and page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Ints
from halflabel._wording import clipped, quoted
from halflabel.review_page.encoding import pack_rows

#: Number of items of a page.
PAGE = 50

#: Orders of the items. The last two need probabilities.
ORDERS = ("table", "highest", "lowest")


@dataclass(frozen=True)
class Filter:
    """The choice of the listed items, and their order."""

    text: str = ""  #: A part of the id, in any case of the letters.
    states: Sequence[int] = ()  #: Codes of :mod:`halflabel.review_page.encoding`. An empty sequence means all states.
    order: str = "table"  #: One of :data:`ORDERS`.

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ValueError(f"a list is in the order {quoted(ORDERS)}, not {self.order!r}.")

    def select(self, names: Sequence[str], states: NDArray[np.uint8], p: NDArray[Any] | None) -> Ints:
        """Return the rows of the items.

        Parameters
        ----------
        names : sequence of str
            The ids of all items in lower case.
        states : ndarray of shape (n_items,)
            The state of each entry of one label.
        p : ndarray of shape (n_items,) or None
            Its probability.

        Examples
        --------
        >>> p = np.array([0.2, 0.9, 0.5])
        >>> Filter(text="S", order="highest").select(["s1", "s2", "t"], np.zeros(3), p).tolist()
        [1, 0]
        """
        kept = np.ones(len(names), dtype=bool)
        if len(self.states):
            kept &= np.isin(states, self.states)
        if wanted := self.text.strip().casefold():
            kept &= np.fromiter((wanted in name for name in names), dtype=bool, count=len(names))
        rows = np.flatnonzero(kept)
        if self.order == "table" or p is None:
            return rows
        sign = -1 if self.order == "highest" else 1
        return rows[np.argsort(sign * p[rows], kind="stable")]


class ItemList:
    """The items of a table as a list.

    Parameters
    ----------
    ids : Index
        The ids of all items.
    """

    def __init__(self, ids: pd.Index[Any]) -> None:
        self.ids = ids

    @cached_property
    def names(self) -> list[str]:
        """The ids as they are compared with a search."""
        return [str(item).casefold() for item in self.ids]

    def describe(
        self,
        chosen: Filter,
        states: NDArray[np.uint8],
        p: NDArray[Any] | None,
        start: int,
        *,
        with_bits: bool,
        show_p: bool = True,
    ) -> dict[str, Any]:
        """Return the number of the chosen items, and one page of them, or all of them as bits."""
        rows = chosen.select(self.names, states, p)
        if with_bits:
            return {"total": len(rows), "bits": pack_rows(rows, len(states))}
        shown = [
            {
                "row": row,
                "item": clipped(self.ids[row], 80),
                "state": int(states[row]),
                "p": None if p is None or not show_p else round(float(p[row]), 2),
            }
            for row in rows[start : start + PAGE].tolist()
        ]
        return {"total": len(rows), "rows": shown}
