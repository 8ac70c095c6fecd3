"""A summary -> one self-contained page: no scripts, no requests, everything escaped."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from halflabel import _wording
from halflabel._digests import sign_page
from halflabel.report.figures import draw_calibration, draw_map

#: Functions of the wording module that templates use.
_FILTERS = ("clipped", "count", "decimal", "listed", "percent", "plural")


def render_html(summary: dict[str, Any]) -> str:
    """Return the report as one HTML file.

    It runs no scripts and loads nothing (a content security policy forbids both), follows the reader's choice of light
    or dark, and fits screens from 360 pixels up.

    Parameters
    ----------
    summary : dict
        From :func:`halflabel.report.summarize`, also after a trip through JSON.
    """
    page = (
        load_templates()
        .get_template("report.html.j2")
        .render(
            **summary,
            map_figure=draw_map(summary["map"]) if "reason" not in summary["map"] else None,
            curve=draw_calibration(summary["quality"]["curve"]) if summary["quality"]["curve"] else None,
        )
    )
    return sign_page(f"{page}\n")


class _CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates, kept where Python keeps compiled modules: without them, each start compiles all templates.

    They hold a checksum of their template. Where Python writes no compiled modules, there are none.
    """

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a compiled template, if it is possible."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


@cache
def load_templates(package: str = "halflabel.report") -> Environment:
    """Return the templates of a package, then the templates of the report, and their filters. All is escaped."""
    result = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("halflabel.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        bytecode_cache=_CompiledTemplates(str(Path(cache_from_source(__file__)).parent), "%s.jinja"),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    result.filters.update({name: getattr(_wording, name) for name in _FILTERS})
    result.filters["breakable"] = _allow_breaks
    return result


def _allow_breaks(text: object) -> Markup:
    """Escape a string, allow a line break after each underscore and comma, and isolate its writing direction.

    Examples
    --------
    >>> _allow_breaks("power_of_<2>")
    Markup('<bdi>power_<wbr>of_<wbr>&lt;2&gt;</bdi>')
    """
    broken = escape(text).replace("_", Markup("_<wbr>")).replace(",", Markup(",<wbr>"))
    return Markup("<bdi>{}</bdi>").format(broken)
