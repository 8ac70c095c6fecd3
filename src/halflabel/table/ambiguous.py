"""A table that can be read in several ways is an error that states one option for each way."""

from __future__ import annotations


class AmbiguousReading(ValueError):
    """A table can be read in several ways.

    Parameters
    ----------
    found : str
        One sentence: the ambiguous cells, and their place.
    *ways : (str, str)
        A meaning, as a clause, and the option that states it.

    Attributes
    ----------
    ways : tuple of (str, str)

    Examples
    --------
    >>> print(AmbiguousReading("A cell is blank.", ("blank means no", "no=''")))
    A cell is blank. If blank means no, state no=''.
    """

    def __init__(self, found: str, *ways: tuple[str, str]) -> None:
        super().__init__(" ".join([found, *(f"If {meaning}, state {option}." for meaning, option in ways)]))
        self.ways = ways
