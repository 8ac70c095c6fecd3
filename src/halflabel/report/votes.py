"""Who is right how often, for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halflabel._wording import clipped
from halflabel.corrections.votes.sources import Sources
from halflabel.evidence.expected_errors import ALL

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion

#: Maximum number of sources in the table.
MAX_SOURCES = 30


def summarize_votes(completion: Completion) -> dict[str, Any] | None:
    """Return the sources with the largest shares of wrong votes, or None without sources."""
    sources = completion.corrections.get("votes")
    if not isinstance(sources, Sources):
        return None
    if sources.doubt:
        return {"doubt": sources.doubt, "rows": []}
    rates = sources.rates.dropna(subset="error")
    whole = rates[rates["label"] == ALL].sort_values("error", ascending=False, kind="stable")
    rows = [{**row, "source": clipped(row["source"])} for row in whole.head(MAX_SOURCES).to_dict("records")]
    return {"doubt": "", "rows": rows}
