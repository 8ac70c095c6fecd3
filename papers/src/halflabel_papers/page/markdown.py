"""A page as GitHub-flavoured Markdown, with its drawings as separate files."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from posixpath import join
from urllib.parse import quote

from halflabel.plugins import NONE
from halflabel_papers.page.model import Block, Bullets, Cell, Figure, Grid, Page, Section, Text


def render_markdown(page: Page, figures: str) -> tuple[str, dict[str, str]]:
    r"""Return the page as Markdown, and its drawings.

    A table is folded. A cell is ``measured / published · verdict``; the best of its row is bold, and a significant
    difference has an asterisk. Signs of Markdown or HTML in names are escaped.

    Parameters
    ----------
    figures : str
        The folder of the drawings, relative to the text.

    Returns
    -------
    text : str
    drawings : dict of str to str
        SVG by file name.

    Examples
    --------
    >>> from halflabel_papers.verdicts.results import Verdict
    >>> cell = Cell("0.93", "0.91", Verdict.BETTER, best=True)
    >>> section = Section("Table 1", (Grid("Accuracy", ("yeast",), (("MDDM|2", (cell,)),)),))
    >>> text, drawings = render_markdown(Page("A paper", "One cell.", (), (section,)), "figures")
    >>> print(text[text.index("<details>"):].strip())
    <details>
    <summary>Accuracy</summary>
    <BLANKLINE>
    |  | yeast |
    | --- | --- |
    | MDDM\|2 | **0.93** / 0.91 · differs, better |
    <BLANKLINE>
    </details>
    """
    parts = [f"# {_escape(page.title)}", _escape(page.lead)]
    for number, section in enumerate(page.sections):
        parts += _format_section(section, figures)
        if number == 0:
            parts += _describe_page(page)
    drawings = {
        f"{block.name}.svg": block.svg
        for section in page.sections
        for block in section.blocks
        if isinstance(block, Figure)
    }
    return "\n\n".join(parts) + "\n", drawings


def _describe_page(page: Page) -> list[str]:
    """Return the facts about the page and the list of its sections, which follow the first section."""
    chapters = [section.title for section in page.sections if section.level == 2]
    lists = [[f"- {_escape(name)}: {_escape(fact)}" for name, fact in page.facts]]
    lists += [[f"- [{_escape(title)}](#{_make_anchor(title)})" for title in chapters]] if len(chapters) > 3 else []
    return ["\n".join(lines) for lines in lists if lines]


def _make_anchor(title: str) -> str:
    """Return the anchor that Markdown readers give to a heading.

    Examples
    --------
    >>> _make_anchor("Figure 2(a): Hamming loss, against d")
    'figure-2a-hamming-loss-against-d'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _format_section(section: Section, figures: str) -> list[str]:
    return [
        f"{'#' * section.level} {_escape(section.title)}",
        *(_format_block(block, figures) for block in section.blocks),
    ]


def _format_block(block: Block, figures: str) -> str:
    match block:
        case Text(text):
            return _escape(text)
        case Bullets(items):
            return "\n".join(f"- {_escape(item)}" for item in items)
        case Figure(name, caption, alt):
            return f"![{_escape(alt)}]({quote(join(figures, name))}.svg)\n\n{_escape(caption)}"
        case Grid():
            return _format_grid(block)


def _format_grid(grid: Grid) -> str:
    reasons = grid.reasons
    lines = [
        _format_line(["", *map(_escape, grid.columns)]),
        _format_line(["---"] * (len(grid.columns) + 1)),
        *(
            _format_line([_escape(name), *(_format_cell(cell, reasons.index) for cell in cells)])
            for name, cells in grid.rows
        ),
    ]
    parts = [
        f"<details{' open' * grid.is_open}>\n<summary>{escape(grid.caption, quote=False)}</summary>",
        "\n".join(lines),
    ]
    if grid.note:
        parts.append(_escape(grid.note))
    if reasons:
        parts.append("\n".join(f"{number}. {_escape(reason)}" for number, reason in enumerate(reasons, 1)))
    parts.append("</details>")
    return "\n\n".join(parts)


def _format_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _format_cell(cell: Cell, place: Callable[[str], int]) -> str:
    measured = _escape(cell.measured) or NONE
    measured = f"[{measured}]({quote(cell.link)})" if cell.link else measured
    value = f"**{measured}**" if cell.best else measured
    value += r"\*" if cell.significant else ""
    value += f" {_escape(cell.detail)}" if cell.detail else ""
    if cell.published:
        value += f" / {_escape(cell.published)}"
    if cell.verdict:
        value += f" · {cell.verdict.value}"
    return f"{value} <sup>{place(cell.why) + 1}</sup>" if cell.why else value


def _escape(text: str) -> str:
    r"""Return text on one line, escaped so that Markdown shows it unchanged.

    Examples
    --------
    >>> _escape("a|b <c> `d` micro_f1 *e*"), [_escape(line) for line in ("# 1", "2. x", "- 3", "-3.5")]
    ('a\\|b &lt;c&gt; \\`d\\` micro_f1 \\*e\\*', ['\\# 1', '2\\. x', '\\- 3', '-3.5'])
    """
    line = escape(" ".join(text.split()), quote=False)
    line = re.sub(r"([\\`*|~$\[\]]|(?<![^\W_])_|_(?![^\W_]))", r"\\\1", line)
    return re.sub(r"^(\d+(?=[.)](?:\s|$))|(?=[-+=#](?:[\s+=#-]|$)))", r"\1\\", line)
