"""The search in a table: words in ids and texts."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Mask


class Searcher:
    """Finds items by words that a person writes.

    Parameters
    ----------
    ids : Index
        The ids of all items.
    frame : DataFrame
        The columns that can be searched.

    Examples
    --------
    >>> searcher = Searcher(pd.Index(["s1", "s2"]), pd.DataFrame({"author": ["Ana", "Ben"], "tempo": [90, 140]}))
    >>> searcher.find("S ben").tolist()
    [False, True]
    """

    def __init__(self, ids: pd.Index[Any], frame: pd.DataFrame) -> None:
        self.ids, self.frame = ids, frame

    @cached_property
    def texts(self) -> list[str]:
        """The id and all texts of each item, in lower case."""
        cells = [self.frame.iloc[:, j].astype(object) for j in range(self.frame.shape[1])]
        texts = [each.where(each.map(lambda cell: isinstance(cell, str)), "") for each in cells]
        return ["\n".join(map(str, row)).casefold() for row in zip(self.ids, *texts, strict=True)]

    def find(self, text: str) -> Mask:
        """Return the items that have each word in their id or in a text."""
        words = text.casefold().split()
        return np.fromiter(
            (all(word in each for word in words) for each in self.texts), dtype=bool, count=len(self.ids)
        )
