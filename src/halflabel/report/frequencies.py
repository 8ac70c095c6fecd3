"""How frequent each label is, for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halflabel._wording import clipped
from halflabel.completion.prevalence_table import tabulate_prevalence
from halflabel.evidence.prevalence import MIN_KNOWN

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion

#: Maximum number of labels in the table of prevalences.
MAX_FREQUENT = 20


def summarize_prevalence(completion: Completion) -> dict[str, Any]:
    """Return the most frequent labels with their intervals, or the reason why nothing can be counted."""
    try:
        table = tabulate_prevalence(completion.evidence.of_filled)
    except ValueError as error:
        return {"reason": str(error), "rows": [], "labels": 0}
    if table.empty:
        return {"reason": f"no label has {MIN_KNOWN} known entries.", "rows": [], "labels": 0}
    first = table.sort_values("share", ascending=False, kind="stable").head(MAX_FREQUENT)
    rows = [{**row, "label": clipped(row["label"])} for row in first.to_dict("records")]
    return {"reason": None, "rows": rows, "labels": len(table)}
