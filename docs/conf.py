"""Sphinx configuration: the pages are built offline, and every snippet is run while its page is read."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE)]

import halflabel  # noqa: E402

project = "halflabel"
author = copyright = "The halflabel developers"
version = release = halflabel.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "mathml",
    "snippets",
    "screens",
    "play",
    "accessible",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}  # autosummary writes the latter
exclude_patterns = ["_build", "_generated", "reproduction/README.md"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autosummary_context = {"public": halflabel.__all__}  # each has one page, and the page of a module lists its other names
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
html_math_renderer = "mathml"

html_theme = "pydata_sphinx_theme"
html_title = "halflabel"
html_static_path = ["_static"]
html_css_files = ["halflabel.css"]
#: Pages without pages below them, whose menu at the left would be empty.
ROOMY = [page.stem for page in HERE.glob("*.md") if page.stem != "python"]
html_sidebars = {page: [] for page in (*ROOMY, "papers/*", "examples/*")}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "halflabel"},
    "navigation_with_keys": False,
    "header_links_before_dropdown": 5,
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
}

#: A word such as ``components_`` without backquotes in a docstring; reStructuredText would read it as a link.
TRAILING_UNDERSCORE = re.compile(r"(``.*?``)|(?<![\\`\w])(\w+)_(?=[\s,.;:)]|$)")


def shorten_and_escape(app, what, name, obj, options, lines):
    """Escape the names of fitted attributes, and keep only the first paragraph of docstrings of scikit-learn."""
    if (getattr(obj, "__module__", None) or "").startswith("sklearn") and "" in lines:
        del lines[lines.index("") :]
    lines[:] = [TRAILING_UNDERSCORE.sub(lambda match: match[1] or rf"{match[2]}\_", line) for line in lines]


def setup(app):
    """Register the hook. Its priority puts it after numpydoc."""
    app.connect("autodoc-process-docstring", shorten_and_escape, priority=900)
