"""Names for what a screen reader meets: an empty header is a cell, a source is part of a list, arrows have a name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

#: What the theme and docutils write, and what is read.
CHANGES = (
    (re.compile(r"<th([^>]*)><p></p></th>"), r"<td\1></td>"),
    (re.compile(r'role="doc-biblioentry"'), 'role="listitem"'),
    (re.compile(r'<summary>(?=<span class="toctree-toggle")'), '<summary aria-label="its pages">'),
)


def name_parts(app: Any, error: Exception | None) -> None:
    """Change the written pages."""
    if error is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            before = after = path.read_text(encoding="utf-8")
            for pattern, replacement in CHANGES:
                after = pattern.sub(replacement, after)
            if after != before:
                path.write_text(after, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Change pages after the build."""
    app.connect("build-finished", name_parts)
    return {"parallel_read_safe": True}
