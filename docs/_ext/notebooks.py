"""Every example as a Jupyter notebook without outputs: its text, its snippets and its commands as cells.

The format is plain JSON (nbformat 4.5), so that no further library is needed.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from snippets import Block, blocks

FOLDER = "examples"

#: Parts that a notebook cannot show or link to: directives, links to other pages, roles.
DIRECTIVE = re.compile(r"^(`{3,}|:{3,})\{\w+\}.*?^\1$\n?", re.M | re.S)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)[^)]+\)")
HTML_LINK = re.compile(r"<a href=\"(?!https?:)[^\"]*\">(.*?)</a>", re.S)
ROLE = re.compile(r"\{\w+\}`~?(?:[\w.]*\.)?(\w+)`")
COMMENT = re.compile(r"^%.*\n?", re.M)

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def make_notebook(page: str) -> dict[str, Any]:
    """Return the notebook of a page."""
    cells, done = [make_cell("code", "%matplotlib inline")], 0
    for block in blocks(page):
        cells += [make_cell("markdown", clean_text(page[done : block.start])), *code_cells(block)]
        done = block.end
    cells.append(make_cell("markdown", clean_text(page[done:])))
    cells = [cell for cell in cells if cell["source"]]
    for number, cell in enumerate(cells):  # two equal cells have two ids
        cell["id"] = hashlib.sha256(f"{number}{cell['source']}".encode()).hexdigest()[:12]
    cells[0], cells[1] = cells[1], cells[0]  # the heading comes first
    return {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def code_cells(block: Block) -> list[dict[str, Any]]:
    """Return the cell of a block. Hidden checks have none, and commands that are not run are text."""
    if block.mark == "check":
        return []
    if (block.mark or "").startswith("not run"):
        return [make_cell("markdown", f"```\n{block.code}```")]
    if block.language == "console":
        commands = re.split(r"^\$ ", block.code, flags=re.M)[1:]
        return [make_cell("code", "".join(f"!{command}" for command in commands))]
    if block.language == "text" and block.name:
        return [make_cell("code", f"%%writefile {block.name}\n{block.code}")]
    if block.language == "python":
        return [make_cell("code", block.code)]
    return [make_cell("markdown", f"```{block.language}\n{block.code}```")]


def make_cell(kind: str, source: str) -> dict[str, Any]:
    """Return a cell without outputs."""
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source.strip("\n")}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def clean_text(text: str) -> str:
    """Return Markdown that a notebook can show: without directives, comments and links to other pages."""
    text = COMMENT.sub("", DIRECTIVE.sub("", text))
    for pattern in (LINK, HTML_LINK):
        text = pattern.sub(r"\1", text)
    return ROLE.sub(r"`\1`", text).strip()


def write_notebook(app: Any, page: str, content: list[str]) -> None:
    """Write the notebook of an example, and offer it below the heading of the page."""
    if page.startswith(f"{FOLDER}/") and blocks(content[0]):
        name = f"{page.removeprefix(f'{FOLDER}/')}.ipynb"
        path = Path(app.srcdir) / "_generated" / "notebooks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(make_notebook(content[0]), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        link = f"{{download}}`Download as a notebook </_generated/notebooks/{name}>`"
        content[0] = re.sub(r"^# .+$", rf"\g<0>\n\n{link}", content[0], count=1, flags=re.M)


def setup(app: Any) -> dict[str, bool]:
    """Write the notebooks while pages are read, before their snippets are run."""
    app.connect("source-read", write_notebook, priority=400)
    return {"parallel_read_safe": True}
