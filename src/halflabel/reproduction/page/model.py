"""A page of measured beside published: a plain model of the document, and the page as one HTML file.

Everything in the model is plain text; what it looks like is decided here and in
:mod:`halflabel.reproduction.page.markdown`.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import ClassVar

from halflabel._version import __version__
from halflabel.report.render import environment
from halflabel.reproduction.page.svg import refuse_foreign


class Verdict(enum.Enum):
    """How a measured value stands to the published one; the value is the word a reader sees."""

    AGREES = "agrees"
    BETTER = "better"
    WORSE = "worse"
    NOT_COMPARABLE = "not comparable"
    NOT_MEASURED = "not measured"

    @property
    def mark(self) -> str:
        """A sign for the eye, beside the word."""
        return {"agrees": "=", "better": "▲", "worse": "▼", "not comparable": "≁", "not measured": "○"}[self.value]


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    kind: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    kind: ClassVar[str] = "bullets"
    items: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """One value of a table.

    Attributes
    ----------
    measured, published : str
        As they are to be read, rounded; empty where there is none.
    verdict : Verdict, optional
    best : bool
        Whether it is the best of those it stands beside.
    why : str
        The reason for the verdict, or for a gap; printed once below the table however many cells share it.
    """

    measured: str
    published: str = ""
    verdict: Verdict | None = None
    best: bool = False
    why: str = ""


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes
    ----------
    caption : str
    columns : tuple of str
        Names of the columns of cells; the one of row names has none.
    rows : tuple of (row name, cells)
    note : str
        Printed below.

    Raises
    ------
    ValueError
        If a row has another number of cells than there are columns.
    """

    kind: ClassVar[str] = "grid"
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for name, cells in self.rows:
            if len(cells) != len(self.columns):
                raise ValueError(
                    f"row {name!r} of table {self.caption!r} has {len(cells)} cells for {len(self.columns)} columns."
                )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every ``why`` once, in reading order; a cell refers to it by its number, from 1."""
        return tuple(dict.fromkeys(cell.why for _, cells in self.rows for cell in cells if cell.why))


@dataclass(frozen=True)
class Figure:
    """A drawing.

    Attributes
    ----------
    name : str
        Letters, digits, ``-``, ``_``; of the file, where drawings are files.
    caption : str
    alt : str
        What it shows, for those who do not see it.
    svg : str
        From :mod:`halflabel.reproduction.page.charts`.

    Raises
    ------
    ValueError
        If the name cannot be that of a file, or the drawing holds what no chart holds.
    """

    kind: ClassVar[str] = "figure"
    name: str
    caption: str
    alt: str
    svg: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", self.name):
            raise ValueError(f"a figure's name is made of letters, digits, - and _; {self.name!r} is not.")
        refuse_foreign(self.svg)


Block = Text | Bullets | Grid | Figure


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it, up to the next; level 2, or 3 for a part of the one before."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 2

    def __post_init__(self) -> None:
        if self.level not in (2, 3):
            raise ValueError(f"the level of section {self.title!r} must be 2 or 3, not {self.level}.")


@dataclass(frozen=True)
class Page:
    """A whole document.

    Attributes
    ----------
    title, lead : str
        What it is, and what was found, in a sentence or two.
    facts : tuple of (name, value)
        When, how often, with which versions.
    sections : tuple of Section

    Raises
    ------
    ValueError
        If two figures have the same name.

    Examples
    --------
    >>> cell = Cell("0.93", "0.91", Verdict.BETTER)
    >>> grid = Grid("Accuracy", ("yeast",), (("MDDM", (cell,)),))
    >>> page = Page("Zhang & Zhou 2008", "One cell was measured.", (("Trials", "10"),), (Section("Table 1", (grid,)),))
    >>> "Zhang &amp; Zhou" in render_html(page)
    True
    """

    title: str
    lead: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]

    def __post_init__(self) -> None:
        names = [block.name for section in self.sections for block in section.blocks if isinstance(block, Figure)]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two figures have the name {twice!r}; give each its own.")


def render_html(page: Page) -> str:
    """Return the page as one HTML file.

    It runs no scripts, loads nothing (a content security policy forbids both), follows the reader's choice of light
    or dark, and fits screens from 360 pixels up: a wide table scrolls in its own box. A verdict is a sign and a word,
    coloured besides. Sections of level 2 are linked at the top where there are more than three.
    """
    return (
        environment("halflabel.reproduction.page").get_template("page.html.j2").render(page=page, version=__version__)
    )
