"""Tests that need another distribution of this repository: the product alone is tested, too."""

from __future__ import annotations

import pytest

from halflabel.files.registry import find_home

#: Skips where halflabel-tools is not installed; .ci/run installs it.
needs_tools = pytest.mark.skipif(
    bool(find_home("doccano")), reason="halflabel-tools is not installed: pip install ./tools"
)


def each_tool(*names: str) -> list[object]:
    """Return the names of formats as parameters; one of halflabel-tools is skipped where that is not installed."""
    return [pytest.param(name, marks=needs_tools if find_home(name) == "tools" else ()) for name in names]
