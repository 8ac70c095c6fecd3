"""A page of measured and published values: a plain model of the document, and the page as one HTML file.

Everything in the model is plain text; the template and :mod:`halflabel_papers.page.markdown` format it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import halflabel
from halflabel.report import load_templates
from halflabel_papers.page.svg import check_svg
from halflabel_papers.verdicts.results import Verdict


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
    as_tiles: bool = False  #: Whether each sentence stands in a frame of its own, for the first sentences of a page.


#: Maximum number of characters of a cell that stays on one line.
MAX_LINE = 32


@dataclass(frozen=True)
class Cell:
    """One value of a table."""

    #: ``measured``, ``published``: Rounded, as the page shows them; empty if there is none.
    measured: str
    published: str = ""
    verdict: Verdict | None = None
    #: Whether it is the best of its row; it gets a star and is bold.
    best: bool = False
    #: Whether it is a significant difference; it gets an asterisk.
    significant: bool = False
    #: Text in small letters after ``measured``: an interval, a p-value.
    detail: str = ""
    #: The reason for the verdict, or for a gap; cells with the same reason share one note below the table.
    why: str = ""
    #: Address of the records behind it, relative to the page.
    link: str = ""

    @property
    def is_sentence(self) -> bool:
        """Whether ``measured`` is too long for one line."""
        return len(self.measured) > MAX_LINE


@dataclass(frozen=True)
class Grid:
    """A table.

    Raises
    ------
    ValueError
        If a row has another number of cells than there are columns.
    """

    kind: ClassVar[str] = "grid"
    caption: str
    #: Names of the columns of cells; the column of row names has none.
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    #: Printed below.
    note: str = ""
    #: Whether it is shown from the start, not after a click.
    is_open: bool = False

    def __post_init__(self) -> None:
        for name, cells in self.rows:
            if len(cells) != len(self.columns):
                raise ValueError(
                    f"row {name!r} of table {self.caption!r} has {len(cells)} cells for {len(self.columns)} columns."
                )

    @property
    def has_sentences(self) -> bool:
        """Whether a cell or a row's name is a sentence: on small screens the cells of a row are below each other."""
        return any(len(name) > 2 * MAX_LINE or any(cell.is_sentence for cell in cells) for name, cells in self.rows)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every ``why`` once, in reading order. A cell refers to it by its number, from 1."""
        return tuple(dict.fromkeys(cell.why for _, cells in self.rows for cell in cells if cell.why))


#: Maximum number of columns of cells: a wider table is divided.
MAX_COLUMNS = 8


def divide_wide(block: Block) -> tuple[Block, ...]:
    """Return a wide table as several of at most :data:`MAX_COLUMNS` columns, and any other block unchanged.

    Examples
    --------
    >>> row = tuple(Cell(str(i)) for i in range(10))
    >>> [grid.columns for grid in divide_wide(Grid("A", tuple("abcdefghij"), (("row", row),)))]
    [('a', 'b', 'c', 'd', 'e'), ('f', 'g', 'h', 'i', 'j')]
    """
    if not isinstance(block, Grid) or len(block.columns) <= MAX_COLUMNS:
        return (block,)
    n_parts = -(-len(block.columns) // MAX_COLUMNS)
    width = -(-len(block.columns) // n_parts)
    return tuple(
        Grid(
            block.caption + ", continued" * (start > 0),
            block.columns[start : start + width],
            tuple((name, cells[start : start + width]) for name, cells in block.rows),
            block.note * (start + width >= len(block.columns)),
        )
        for start in range(0, len(block.columns), width)
    )


@dataclass(frozen=True)
class Figure:
    """A drawing.

    Raises
    ------
    ValueError
        If the name is not valid for a file, or the drawing has an element that no chart has.
    """

    kind: ClassVar[str] = "figure"
    #: Letters, digits, ``-``, ``_``; of the file, where drawings are files.
    name: str
    caption: str
    #: A description for readers who do not see it.
    alt: str
    #: From :mod:`halflabel_papers.page.charts`.
    svg: str
    #: Number of drawings in a row where there is room, among drawings that follow each other; 0 for as many as fit.
    per_row: int = 0

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", self.name):
            raise ValueError(f"a figure's name is made of letters, digits, - and _; {self.name!r} is not.")
        check_svg(self.svg)


Block = Text | Bullets | Grid | Figure


@dataclass(frozen=True)
class Section:
    """A heading of level 2 or 3, and the blocks below it, up to the next heading."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 2

    def __post_init__(self) -> None:
        if self.level not in (2, 3):
            raise ValueError(f"the level of section {self.title!r} must be 2 or 3, not {self.level}.")


@dataclass(frozen=True)
class Page:
    """A whole document.

    Raises
    ------
    ValueError
        If two figures have the same name.

    Examples
    --------
    >>> from halflabel_papers.verdicts.results import Verdict
    >>> cell = Cell("0.93", "0.91", Verdict.BETTER)
    >>> grid = Grid("Accuracy", ("yeast",), (("MDDM", (cell,)),))
    >>> page = Page("Zhang & Zhou 2008", "One cell was measured.", (("Trials", "10"),), (Section("Table 1", (grid,)),))
    >>> "Zhang &amp; Zhou" in render_html(page)
    True
    """

    #: ``title``, ``lead``: The subject and the result, in one or two sentences.
    title: str
    lead: str
    #: Tier, numbers of runs, versions, command.
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    #: In small letters above the title.
    subject: str = "halflabel: measured and published"
    #: How to read the tables.
    key: str = (
        "In tables: a cell has the value measured here; in small letters below it, the value that the paper prints, "
        "and the verdict. ★ and bold: the best of a row."
    )

    def __post_init__(self) -> None:
        names = [block.name for section in self.sections for block in section.blocks if isinstance(block, Figure)]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two figures have the name {twice!r}; give each its own.")


def render_html(page: Page) -> str:
    """Return the page as one HTML file.

    It runs no scripts, loads nothing (a content security policy forbids both), follows the reader's choice of light
    or dark, and fits screens from 360 pixels up: a wide table scrolls in its own box. A verdict is a sign, a word and
    a colour. Sections of level 2 are linked at the top if there are more than three.
    """
    templates = load_templates("halflabel_papers.page")
    return templates.get_template("page.html.j2").render(page=page, version=halflabel.__version__)
