"""The report: a completion becomes a plain summary, and the summary becomes a page."""

from halflabel.report.render import render_html
from halflabel.report.summary import summarize

__all__ = ["render_html", "summarize"]
