"""Who is right how often, for the report: error rates of several sources, doubtful votes, and whom to ask next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from halflabel._wording import clipped
from halflabel.corrections.votes.sources import Sources
from halflabel.evidence.expected_errors import ALL

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion

#: Maximum number of sources, labels, and votes in the tables.
MAX_SOURCES, MAX_AGREEMENTS, MAX_VOTES = 30, 30, 12

#: The share of wrong votes for which checks are planned.
MAX_ERROR = 0.05


def summarize_votes(completion: Completion) -> dict[str, Any] | None:
    """Return the tables of the sources, ordered by decreasing share of wrong votes, or None without sources."""
    sources = completion.corrections.get("votes")
    if not isinstance(sources, Sources):
        return None
    agreement = sources.agreement.dropna().sort_values("alpha", kind="stable")
    agreed = {"agreement": _clip(agreement.head(MAX_AGREEMENTS)), "agreements": len(agreement)}
    if sources.doubt:
        return {**agreed, "doubt": sources.doubt, "rows": [], "suspects": [], "next": []}
    rates = sources.rates
    whole = rates[(rates["label"] == ALL) & (rates["votes"] > 0)]
    whole = whole.sort_values("error", ascending=False, kind="stable")
    rows = [{**row, "source": clipped(row["source"])} | _describe_source(sources, row["source"], rates)
            for row in whole.head(MAX_SOURCES).to_dict("records")]  # fmt: skip
    suspects = sources.suspects
    return {
        "rows": rows,
        "sources": len(whole),
        "max_error": MAX_ERROR,
        **agreed,
        "doubt": "",
        "suspects": _clip(suspects[suspects["wrong"] > 0.5].head(MAX_VOTES)),
        "doubted": int((suspects["wrong"] > 0.5).sum()),
        "votes": len(suspects),
        "next": _clip(sources.next_to_ask(MAX_VOTES)),
    }


def _describe_source(sources: Sources, name: str, rates: pd.DataFrame) -> dict[str, Any]:
    """Return the label on which a source is wrong most often, how many votes to check, and whether it has a weight."""
    of_label = rates[(rates["source"] == name) & (rates["label"] != ALL) & (rates["votes"] > 0)]
    worst = of_label.sort_values("error", kind="stable").iloc[-1]
    plan = sources.plan_checks(name, MAX_ERROR)
    position = sources.names.index(name)
    return {
        "worst": clipped(worst["label"]),
        "worst_error": worst["error"],
        "checks": plan["doubtful"] + plan["random"],
        "is_chance": bool(sources.fit.is_chance[position]),
    }


def _clip(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a small table with short texts."""
    rows = frame.to_dict("records")
    return [{str(k): clipped(v) if k in ("item", "label", "source") else v for k, v in row.items()} for row in rows]
