"""The changes by a fit, compared with the fit before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from halflabel._wording import clipped, count, plural
from halflabel.review_page.queues import Situation

#: Maximum number of changed entries that are listed.
MAX_LISTED = 30


def describe_changes(now: Situation, ids: pd.Index[Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the filled entries that the last fit changed: number, number per label, and the largest changes.

    Keys: changed, per_label (label, to_yes, to_no), listed (item, label, before, after as probabilities), sentence.
    """
    if now.fit is None or now.previous is None:
        return {"changed": 0, "per_label": [], "listed": [], "sentence": ""}
    flipped = now.open_entries & (now.fit.state != now.previous.state)
    to_yes, to_no = (flipped & (now.fit.state > 0)).sum(axis=0), (flipped & (now.fit.state < 0)).sum(axis=0)
    per_label = [
        {"label": clipped(names[j]), "to_yes": int(to_yes[j]), "to_no": int(to_no[j])}
        for j in np.argsort(-(to_yes + to_no), kind="stable")
        if to_yes[j] + to_no[j]
    ]
    rows, columns = np.nonzero(flipped)
    shown = 0 if now.fit.contradiction or now.previous.contradiction else MAX_LISTED
    size = np.abs(now.fit.p[rows, columns] - now.previous.p[rows, columns])
    largest = np.argsort(-size, kind="stable")[:shown]
    listed = [
        {
            "row": int(i),
            "column": int(j),
            "item": clipped(ids[i], 60),
            "label": clipped(names[j], 60),
            "before": round(float(now.previous.p[i, j]), 2),
            "after": round(float(now.fit.p[i, j]), 2),
        }
        for i, j in zip(rows[largest], columns[largest], strict=True)
    ]
    return {"changed": len(rows), "per_label": per_label, "listed": listed, "sentence": _write_sentence(to_yes, to_no)}


def _write_sentence(to_yes: Any, to_no: Any) -> str:
    yes, no = int(to_yes.sum()), int(to_no.sum())
    if not yes + no:
        return "The last fit changed no filled entry."
    changed = plural(yes + no, "filled entry", "filled entries")
    return f"The last fit changed {changed}: {count(yes)} to yes, {count(no)} to no."
