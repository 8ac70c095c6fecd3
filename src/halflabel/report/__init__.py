"""What a person reads: a completion becomes a plain summary, and the summary a page."""

from halflabel.report.render import render_html
from halflabel.report.summary import summarize

__all__ = ["render_html", "summarize"]
