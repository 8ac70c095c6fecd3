"""The report: a completion becomes a plain summary, and the summary becomes a page."""

from halflabel.report.render import load_templates, render_html
from halflabel.report.summary import summarize

__all__ = ["load_templates", "render_html", "summarize"]
