"""Formulas as MathML, which every current browser draws by itself: no script, nothing to load."""

from __future__ import annotations

import re
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

#: ``\frac12`` without braces, of which docutils would make the fraction of 12 and whatever comes next.
BARE = re.compile(r"\\(t?frac)\s*(\\[A-Za-z]+|\w)\s*(\\[A-Za-z]+|\w)")


def setup(app: Any) -> dict[str, bool]:
    """Make this the renderer of formulas."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True}


def _inline(translator: Any, node: Any) -> None:
    translator.body.append(_mathml(node))
    raise SkipNode


def _display(translator: Any, node: Any) -> None:
    translator.body.append(f'<div class="math" tabindex="0">{_mathml(node, as_block=True)}</div>\n')
    raise SkipNode


def _mathml(node: Any, **options: bool) -> str:
    return tex2mathml(BARE.sub(r"\\\1{\2}{\3}", node.astext()), **options)
