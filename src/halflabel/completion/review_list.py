"""The list of entries that a person should check, in the order in which the answers help most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from halflabel.table.items import choose_shown, take_shown

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence

#: The first columns of a review table. The columns that describe the item follow.
COLUMNS = ("item", "label", "given", "suggested", "probability", "reason", "answer")


def list_for_review(evidence: Evidence, max_rows: int, show: Sequence[str] | None, reason: str | None) -> pd.DataFrame:
    """Return the entries that a person should check, the most useful answers first, see :meth:`Completion.review`."""
    entries = evidence.doubts
    entries = (entries if reason is None else entries[entries["reason"] == reason]).head(max_rows)
    rows, columns = (entries[name].to_numpy(dtype=np.intp) for name in ("position", "column"))
    p = evidence.printed_probabilities[rows, columns]
    table = pd.DataFrame(
        {
            "item": evidence.opened.index[rows],
            "label": np.array(evidence.labels.names, dtype=object)[columns],
            "given": _as_values(evidence.labels.state[rows, columns]),
            "suggested": _as_values(entries["suggested"].to_numpy(dtype=np.int8)),
            "probability": p,
            "reason": entries["reason"].to_numpy(dtype=object),
            "answer": pd.array([None] * len(entries), dtype="Int8"),
        }
    )
    shown = take_shown(evidence.opened, choose_shown(evidence.opened, show), rows)
    return table.join(shown.rename(columns={name: f"{name} (column)" for name in COLUMNS}))


def _as_values(state: Any) -> Any:
    """Return 1, 0 and missing."""
    values = pd.array((state > 0).astype(np.int8), dtype="Int8")
    values[state == 0] = pd.NA
    return values
