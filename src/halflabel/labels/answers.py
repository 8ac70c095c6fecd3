"""The words of an answer about one entry: every place that reads answers of people uses this vocabulary."""

from __future__ import annotations

from enum import Enum
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd


class Answer(Enum):
    """The possible answers of a person to "does this item have this label?"."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"
    NONE = ""

    @property
    def value_of_entry(self) -> float | None:
        """1 for yes and 0 for no. None for any other answer, because it does not decide the entry."""
        return {Answer.YES: 1.0, Answer.NO: 0.0}.get(self)


#: Every word of each answer, as :func:`fold_word` returns it.
WORDS: dict[Answer, tuple[str, ...]] = {
    Answer.YES: ("1", "yes", "y", "true", "t"),
    Answer.NO: ("0", "no", "n", "false", "f"),
    Answer.UNSURE: ("?", "unsure", "not sure", "unknown", "undecided"),
    Answer.NONE: ("",),
}

_MEANINGS = {word: answer for answer, words in WORDS.items() for word in words}


def read_answer(cell: Any) -> Answer | None:
    """Return the answer in a cell, or None if the cell does not hold one.

    A cell is a word, a number or a truth value. A missing value or an empty string is :attr:`Answer.NONE`.

    Examples
    --------
    >>> [read_answer(cell) for cell in ("Yes ", 0.0, True, "1.0")] == [Answer.YES, Answer.NO, Answer.YES, Answer.YES]
    True
    >>> read_answer(float("nan")), read_answer("maybe")
    (<Answer.NONE: ''>, None)
    """
    if isinstance(cell, str):
        return _MEANINGS.get(fold_word(cell))
    if not pd.api.types.is_scalar(cell):
        return None
    if pd.isna(cell):
        return Answer.NONE
    if isinstance(cell, Number | np.bool_):
        return Answer.YES if cell == 1 else Answer.NO if cell == 0 else None
    return None


def fold_word(word: str) -> str:
    """Return a word as it is compared: without case, and whole numbers without a decimal point.

    Examples
    --------
    >>> fold_word(" Yes "), fold_word("1.00"), fold_word("1.5")
    ('yes', '1', '1.5')
    """
    text = str(word).strip().casefold()
    whole, point, zeros = text.partition(".")
    return whole if point and zeros.strip("0") == "" and whole.lstrip("+-").isdigit() else text
