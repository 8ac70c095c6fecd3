"""A summary -> one self-contained page: no scripts, nothing fetched, everything escaped."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from halflabel import _wording
from halflabel.report.figures import map_figure, reliability_figure


def render_html(summary: dict[str, Any]) -> str:
    """Return the report as one HTML file.

    It runs no scripts, loads nothing (a content security policy forbids both), follows the reader's choice of light
    or dark, and fits screens from 360 pixels up.

    Parameters
    ----------
    summary : dict
        From :func:`halflabel.report.summarize`, also after a trip through JSON.
    """
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            **summary,
            map_figure=map_figure(summary["map"]) if "reason" not in summary["map"] else None,
            reliability=reliability_figure(summary["calibration"]) if summary["calibration"] else None,
        )
    )


@cache
def environment(package: str = "halflabel.report") -> Environment:
    """Return the templates with the words they use, escaping everything."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("halflabel.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update({name: getattr(_wording, name) for name in ("count", "decimal", "listed", "percent", "plural")})
    return made
