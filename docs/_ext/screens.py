"""Pictures of the review page, which ``docs/draw_review.py`` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

FOLDER = Path(__file__).parents[1] / "_static" / "review"


class Screen(Directive):
    """``{screen} NAME`` with a description as its content: one picture, or one for each theme."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the images. A name without a picture is an error."""
        name, alt = self.arguments[0], " ".join(self.content)
        classes = {name: "", f"{name}-light": "only-light", f"{name}-dark": "only-dark"}
        files = [(each, kind) for each, kind in classes.items() if (FOLDER / f"{each}.png").exists()]
        if not files:
            raise self.error(f"There is no picture {name!r} in {FOLDER}.")
        return [
            nodes.image(uri=f"/_static/review/{each}.png", alt=alt, classes=["screen", *[kind] * bool(kind)])
            for each, kind in files
        ]


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("screen", Screen)
    return {"parallel_read_safe": True}
