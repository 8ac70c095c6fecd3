"""The fixed part of a review: the table, the reviewer, and how items are shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from halflabel.labels.names import Effort
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
    effort: Effort = "default"  #: The effort of the completion that is written. The fits before it are fast ones.
    targets: Targets | None = None  #: Where outputs are written.
