"""One palette: page, report, exported map, certificate and documentation have the same colours for the same things."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

PAGE = files("halflabel.review_page") / "static" / "review.css"
REPORT = files("halflabel.report") / "templates" / "base.css"
MAP = files("halflabel.report") / "templates" / "map_page.html.j2"
DOCS = Path(__file__).parents[1] / "docs" / "_static" / "halflabel.css"

#: The names of the documentation's theme, and those of the page and the report.
OF_THEME = {"pst-color-primary": "accent", "pst-color-secondary": "warm", "pst-color-link": "accent"}


def read_colours(file, dark):
    """Return the colours that a style sheet sets, by name, for the light or the dark theme."""
    before, _, after = re.split(r"(prefers-color-scheme: dark|data-theme=.dark)", file.read_text(), maxsplit=1)
    return dict(re.findall(r"--([\w-]+): (#\w{6})", after if dark else before))


@pytest.mark.parametrize("dark", [False, True])
def test_page_report_map_and_documentation_have_one_palette(dark):
    page = read_colours(PAGE, dark)
    for file in (REPORT, MAP):
        others = read_colours(file, dark)
        shared = page.keys() & others
        assert len(shared) >= 2
        assert {name: others[name] for name in shared} == {name: page[name] for name in shared}
    docs = read_colours(DOCS, dark)
    assert {name: docs[name] for name in OF_THEME} == {name: page[own] for name, own in OF_THEME.items()}
