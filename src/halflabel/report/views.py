"""The functions that display a completion and an explanation: ``halflabel`` hands this file to them on request."""

from halflabel.report.display import (
    describe_explanation,
    render_explanation,
    show_completion,
)
from halflabel.report.pictures import draw_picture
from halflabel.report.plotting import Plots
from halflabel.report.render import render_html
from halflabel.report.summary import summarize

__all__ = [
    "Plots",
    "describe_explanation",
    "draw_picture",
    "render_explanation",
    "render_html",
    "show_completion",
    "summarize",
]
