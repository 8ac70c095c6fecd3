"""How a result shows itself: what ``report`` does for it, although that folder is above this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from halflabel._lazy import HOOKS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from halflabel.completion.mapping.item_map import ItemMap


class Figures(Protocol):
    """Figures of a completion on the axes of matplotlib."""

    def map(self, label: str | None = None, *, item_map: ItemMap | None = None, ax: Axes | None = None) -> Axes:
        """Draw the items in two dimensions: squares are given entries of a label, dots are filled in."""

    def calibration(self, *, ax: Axes | None = None) -> Axes:
        """Draw the observed share of relevant entries against the predicted probability, for given entries."""

    def coverage(self, *, ax: Axes | None = None) -> Axes:
        """Draw the share of the gaps that can be filled against the expected precision of the filled values."""

    def prevalence(self, by: str | None = None, *, ax: Axes | None = None, **asked: Any) -> Axes:
        """Draw how frequent each label is, with an interval."""

    def learning_curve(
        self, curve: pd.DataFrame | None = None, *, repeats: int = ..., random_state: int = 0, ax: Axes | None = None
    ) -> Axes:
        """Draw the quality on hidden entries against the number of labelled items."""


class Views(Protocol):
    """What :mod:`halflabel.report.views` has. There, the type of ``Any`` is a completion: here it would be a circle."""

    def show_completion(self, completion: Any, /) -> str:
        """Return its page for notebooks."""

    def describe_explanation(self, explanation: Any, /) -> str:
        """Return its sentences."""

    def render_explanation(self, explanation: Any, /) -> str:
        """Return its page for notebooks."""

    def summarize(self, *completion: Any, **options: Any) -> dict[str, Any]:
        """Return the content of its report."""

    def render_html(self, summary: dict[str, Any], /) -> str:
        """Return a report as a page."""

    def draw_picture(self, *drawn: Any, **options: Any) -> bytes:
        """Return a map as the content of a file."""

    def Plots(self, completion: Any, /) -> Figures:
        """Return its figures."""


def find_views() -> Views:
    """Return the functions of ``report``, which ``halflabel`` itself enters: it is above every folder."""
    views: Views = HOOKS["views"]()
    return views
