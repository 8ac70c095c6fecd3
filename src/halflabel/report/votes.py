"""The sources of votes in a report: the largest shares of wrong votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halflabel._wording import clipped
from halflabel.corrections.votes.sources import Sources

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion

#: Maximum number of sources and labels in the table of wrong votes.
MAX_SOURCES = 60


def summarize_votes(completion: Completion) -> dict[str, Any] | None:
    """Return the largest shares of wrong votes by source and label, or None without sources."""
    sources = completion.corrections.get("votes")
    if not isinstance(sources, Sources):
        return None
    against = completion.evidence.not_by_chance
    doubt = sources.doubt or ("" if against is None else f"{against['title']}.")
    rates = sources.rates.dropna(subset="error").sort_values("error", ascending=False, kind="stable")
    rows = [] if doubt else rates.head(MAX_SOURCES).to_dict("records")
    named = [{**row, **{key: clipped(row[key]) for key in ("source", "label")}} for row in rows]
    return {"doubt": doubt, "rows": named}
