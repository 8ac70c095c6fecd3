"""The search in a table: words in ids and texts, and conditions on columns."""

from __future__ import annotations

import operator
import re
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Ints, Mask

#: A part of a search: an optional column with ``:``, ``=``, ``<`` or ``>``, and a word or words in quotes.
_PART = re.compile(r'(?:(?P<column>[^\s:=<>"]+|"[^"]+")(?P<sign>[:=<>]))?(?P<word>"[^"]*"|\S+)')

_COMPARE = {"<": operator.lt, ">": operator.gt}


class Searcher:
    """Finds items by a text that a person writes.

    Parameters
    ----------
    ids : Index
        The ids of all items.
    frame : DataFrame
        The columns that can be searched.

    Notes
    -----
    Each word must be part of the id or of a text of the item, in any case of the letters. ``author:ana`` is about one
    column, ``author=ana`` about its whole cell, and ``tempo>120`` about numbers. Words in quotes stay together.

    Examples
    --------
    >>> frame = pd.DataFrame({"author": ["Ana", "Ben", "Ana"], "tempo": [90, 140, 150]})
    >>> searcher = Searcher(pd.Index(["s1", "s2", "t3"]), frame)
    >>> [np.flatnonzero(searcher.find(text)).tolist() for text in ("s", "ana", "ana tempo>100", "author=an", "x:y")]
    [[0, 1], [0, 2], [2], [], []]
    """

    def __init__(self, ids: pd.Index[Any], frame: pd.DataFrame) -> None:
        self.ids, self.frame = ids, frame
        self.columns = {str(name).casefold(): j for j, name in enumerate(frame.columns)}

    @cached_property
    def texts(self) -> list[str]:
        """The id and all texts of each item."""
        columns = [pd.Series(self.ids).astype(str)]
        columns += [_fold(self.frame.iloc[:, j]) for j in range(self.frame.shape[1]) if _is_text(self.frame.iloc[:, j])]
        return ["\n".join(cells).casefold() for cells in zip(*columns, strict=True)]

    def find(self, text: str) -> Mask:
        """Return the items that have every part of a search."""
        found = np.ones(len(self.ids), dtype=bool)
        for part in _PART.finditer(text.strip()):
            found &= self._find_part(part)
        return found

    def sort(self, name: str, *, descending: bool) -> Ints:
        """Return all rows in the order of a column, those without a value last."""
        cells = self.frame.iloc[:, self.columns[name.casefold()]]
        numbers = pd.to_numeric(cells, errors="coerce")
        key = numbers if numbers.notna().sum() == cells.notna().sum() else _fold(cells).where(cells.notna())
        order = key.reset_index(drop=True).sort_values(ascending=not descending, kind="stable", na_position="last")
        return order.index.to_numpy(dtype=np.intp)

    def _find_part(self, part: re.Match[str]) -> Mask:
        word, sign = part["word"].strip('"').casefold(), part["sign"]
        column = self.columns.get((part["column"] or "").strip('"').casefold())
        if column is None:
            whole = part[0].strip('"').casefold()
            return np.fromiter((whole in text for text in self.texts), dtype=bool, count=len(self.ids))
        cells = self.frame.iloc[:, column]
        if sign in _COMPARE:
            numbers = pd.to_numeric(cells, errors="coerce").to_numpy(np.float64, na_value=np.nan)
            limit = pd.to_numeric(word, errors="coerce")
            return np.asarray(_COMPARE[sign](numbers, limit), dtype=bool)
        folded = _fold(cells)
        return np.asarray(folded == word if sign == "=" else folded.str.contains(word, regex=False), dtype=bool)


def _fold(cells: pd.Series[Any]) -> pd.Series[str]:
    """Return the cells as text in lower case, with missing cells as empty text."""
    return cells.astype(object).where(cells.notna(), "").astype(str).str.casefold()


def _is_text(cells: pd.Series[Any]) -> bool:
    return not (pd.api.types.is_numeric_dtype(cells) or pd.api.types.is_bool_dtype(cells))
