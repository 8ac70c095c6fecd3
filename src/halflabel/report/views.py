"""The functions that display a completion and an explanation: ``halflabel`` hands this file to them on request."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.report.display import describe_explanation, render_explanation, show_completion
    from halflabel.report.pictures import draw_picture
    from halflabel.report.plotting import Plots
    from halflabel.report.render import render_html
    from halflabel.report.summary import summarize
else:
    __getattr__, __dir__ = import_on_use(
        __name__,
        {
            "halflabel.report.display": ["describe_explanation", "render_explanation", "show_completion"],
            "halflabel.report.pictures": ["draw_picture"],
            "halflabel.report.plotting": ["Plots"],
            "halflabel.report.render": ["render_html"],
            "halflabel.report.summary": ["summarize"],
        },
    )

__all__ = [
    "Plots",
    "describe_explanation",
    "draw_picture",
    "render_explanation",
    "render_html",
    "show_completion",
    "summarize",
]
