"""How a completion shows itself: the one place that calls a report or a task about it, and only on request."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.report import render_html, summarize
    from halflabel.report.display import (
        describe_completion,
        describe_explanation,
        render_explanation,
        show_completion,
    )
    from halflabel.report.pictures import draw_picture
    from halflabel.report.plotting import Plots
else:
    __getattr__, __dir__ = import_on_use(
        __name__,
        {
            "halflabel.report": ["render_html", "summarize"],
            "halflabel.report.display": [
                "describe_completion",
                "describe_explanation",
                "show_completion",
                "render_explanation",
            ],
            "halflabel.report.pictures": ["draw_picture"],
            "halflabel.report.plotting": ["Plots"],
        },
    )

__all__ = [
    "Plots",
    "describe_completion",
    "describe_explanation",
    "draw_picture",
    "render_explanation",
    "render_html",
    "show_completion",
    "summarize",
]
