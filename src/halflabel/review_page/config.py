"""The fixed part of a review: the table, the reviewer, and how items are shown."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from halflabel.completion import build_default_method
from halflabel.labels.rules import Rule, read_rule
from halflabel.review_page.items import ItemViews
from halflabel.review_page.outputs import Targets
from halflabel.table import OpenTable


@dataclass(frozen=True, eq=False)
class Config:
    """The fixed part of a review."""

    opened: OpenTable
    views: ItemViews
    title: str = ""  #: The name of the data.
    by: str = ""  #: The reviewer, or the first one.
    reviewers: tuple[str, ...] = ()  #: The names of several reviewers, who work at the same time.
    settings: dict[str, Any] = field(default_factory=dict)  #: Arguments of :func:`halflabel.complete`.
    effort: str = "default"  #: The effort of the fits on request. A fit after some answers is a fast one.
    targets: Targets | None = None  #: Where outputs are written.

    @property
    def rule(self) -> Rule:
        """The threshold rule of the fits."""
        return read_rule(self.settings.get("rule") or build_default_method().resolve_rule())


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value from JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def digest_table(opened: OpenTable) -> str:
    """Return a digest of ids, labels and given values, by which a changed table is noticed."""
    digest = hashlib.sha256()
    for text in (*map(str, opened.index), *opened.labels.names):
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(raw) + raw)
    digest.update(np.ascontiguousarray(opened.labels.state).tobytes())
    return digest.hexdigest()
