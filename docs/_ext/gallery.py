"""The gallery of examples: a tile per page with its first picture, which the build of that page has made."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

#: The page with the gallery; it is read last, when the pictures of all examples exist.
GALLERY = "examples/index"


class Gallery(Directive):
    """``{gallery}`` with lines ``PAGE: description``. ``PAGE 2`` takes the second picture, a path takes that file."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return one tile per line."""
        environment = self.state.document.settings.env
        gallery = nodes.container(classes=["gallery"])
        for line in self.content:
            page, picture, description = split_line(line)
            folder = Path(environment.srcdir) / "examples"
            title = read_title((folder / f"{page}.md").read_text(encoding="utf-8"))
            tile = nodes.container(classes=["tile"])
            shown = image_lines(Path(environment.srcdir), page, picture, title)
            text = [*shown, f"[{title}]({page}.md)", "", description]
            self.state.nested_parse(StringList(text, source=str(folder / "index.md")), 0, tile)
            gallery += tile
        return [gallery]


def split_line(line: str) -> tuple[str, str, str]:
    """Return the page, its picture (a number or a path) and the description."""
    match = re.fullmatch(r"(\w+)(?: (\S+))?: (.+)", line)
    if match is None:
        raise ValueError(f"a tile is 'PAGE: description', not {line!r}.")
    return match[1], match[2] or "1", match[3]


def read_title(text: str) -> str:
    """Return the first heading of a page."""
    match = re.search(r"^# (.+)$", text, re.M)
    if match is None:
        raise ValueError("the page has no heading.")
    return match[1]


def image_lines(source: Path, page: str, picture: str, title: str) -> list[str]:
    """Return the lines of the picture of a tile, or no lines if the pages are built without outputs."""
    path = f"_generated/examples/{page}/picture-{picture}.png" if picture.isdecimal() else picture
    return [f"[![{title}](/{path})]({page}.md)", ""] if (source / path).is_file() else []


def read_gallery_last(app: Any, environment: Any, pages: list[str]) -> None:
    """Move the gallery to the end of the pages to read."""
    if any(page.startswith("examples/") for page in pages):
        pages[:] = [*(page for page in pages if page != GALLERY), GALLERY]


def setup(app: Any) -> dict[str, bool]:
    """Register the directive and the order."""
    app.add_directive("gallery", Gallery)
    app.connect("env-before-read-docs", read_gallery_last)
    return {"parallel_read_safe": False}
