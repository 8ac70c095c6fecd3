"""The list of items, which is the map for keyboard and screen reader: filtered, ordered, and page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Ints, Mask
from halflabel._wording import clipped, quoted
from halflabel.review_page.encoding import pack_rows
from halflabel.review_page.searching import Searcher

#: Number of items of a page.
PAGE = 50

#: Orders of the items. The last two need probabilities.
ORDERS = ("table", "highest", "lowest")


@dataclass(frozen=True)
class Filter:
    """The choice of the listed items, and their order."""

    text: str = ""  #: A search, see :class:`halflabel.review_page.searching.Searcher`.
    states: Sequence[int] = ()  #: Codes of :mod:`halflabel.review_page.encoding`. An empty sequence means all states.
    order: str = "table"  #: One of :data:`ORDERS`.
    column: str = ""  #: A column whose order is used in place of this, if the table has it.
    descending: bool = False  #: Whether its largest values come first.
    marked: Mask | None = None  #: The items that can be listed, such as flagged items. None means all.

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ValueError(f"a list is in the order {quoted(ORDERS)}, not {self.order!r}.")

    def select(self, searcher: Searcher, states: NDArray[np.uint8], p: NDArray[Any] | None) -> Ints:
        """Return the rows of the items.

        ``states`` and p are the states and the probabilities of the entries of one label.

        Examples
        --------
        >>> p = np.array([0.2, 0.9, 0.5])
        >>> searcher = Searcher(pd.Index(["s1", "s2", "t"]), pd.DataFrame(index=range(3)))
        >>> Filter(text="S", order="highest").select(searcher, np.zeros(3), p).tolist()
        [1, 0]
        """
        kept = searcher.find(self.text) if self.marked is None else searcher.find(self.text) & self.marked
        if len(self.states):
            kept &= np.isin(states, self.states)
        if self.column.casefold() in searcher.columns:
            ordered = searcher.sort(self.column, descending=self.descending)
            return ordered[kept[ordered]]
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
    frame : DataFrame
        The columns that can be searched.
    """

    def __init__(self, ids: pd.Index[Any], frame: pd.DataFrame) -> None:
        self.ids, self.searcher = ids, Searcher(ids, frame)

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
        rows = chosen.select(self.searcher, states, p)
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
