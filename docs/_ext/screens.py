"""Pictures of the review page: drawn by the build where Chromium is installed, left out elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

sys.path.insert(0, str(Path(__file__).parents[1]))

import draw_review


class Screen(Directive):
    """``{screen} NAME`` with a description as its content: the picture, if there is one."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the image, in light and dark where both exist."""
        name, alt = self.arguments[0], " ".join(self.content)
        themed = [(f"{name}-{theme}", f"only-{theme}") for theme in ("light", "dark")]
        files = [(each, kind) for each, kind in [*themed, (name, "")] if (draw_review.FOLDER / f"{each}.png").exists()]
        return [
            nodes.image(uri=f"_static/review/{each}.png", alt=alt, classes=[kind] * bool(kind)) for each, kind in files
        ]


def draw_screens(app: Any) -> None:
    """Draw the pictures before the pages are read, unless snippets are not run either."""
    program = draw_review.find_chromium()
    is_done = all((draw_review.FOLDER / f"{name}.png").exists() for name in draw_review.NAMES)
    if app.config.run_snippets and program is not None and not is_done:
        draw_review.draw(program)


def setup(app: Any) -> dict[str, Any]:
    """Register the directive and the hook."""
    app.add_directive("screen", Screen)
    app.connect("builder-inited", draw_screens)
    return {"parallel_read_safe": True}
