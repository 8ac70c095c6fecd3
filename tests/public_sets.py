"""Public benchmark sets, which halflabel-papers reads: a test that needs one is skipped without that distribution."""

from __future__ import annotations

from typing import Any

import pytest


def load_benchmark(*arguments: Any, **options: Any) -> Any:
    """Return a set, see :func:`halflabel_papers.sets.load_benchmark`."""
    sets = pytest.importorskip("halflabel_papers.sets", reason="halflabel-papers is not installed")
    return sets.load_benchmark(*arguments, **options)
