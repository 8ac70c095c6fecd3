"""The list of entries that a person should check, in the order in which the answers help most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Mask
from halflabel.evidence.suspects import rank_suspects
from halflabel.labels.reasons import Reason
from halflabel.table.items import choose_shown, take_shown

if TYPE_CHECKING:
    from halflabel.completion.result import Completion

#: The columns of a review table; the columns that stand for the item follow.
COLUMNS = ("item", "label", "given", "suggested", "probability", "reason", "answer")

#: Minimum probability that a filled value is wrong, for the value to be listed.
MIN_WRONG = 0.1


def rank_for_review(completion: Completion) -> pd.DataFrame:
    """Return the entries to check as (position, column, suggested, reason, gain), the most useful answers first."""
    positive_only = completion.labels.positive_only
    parts = [_rank_unassigned(completion)] if positive_only else [_rank_given(completion), _rank_gaps(completion)]
    entries = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return entries.sort_values("gain", ascending=False, kind="stable").reset_index(drop=True)


def list_for_review(
    completion: Completion, max_rows: int, show: Sequence[str] | None, reason: str | None
) -> pd.DataFrame:
    """Return the entries that a person should check, the most useful answers first; see :meth:`Completion.review`."""
    entries = completion.ranked_for_review
    entries = (entries if reason is None else entries[entries["reason"] == reason]).head(max_rows)
    rows, columns = (entries[name].to_numpy(dtype=np.intp) for name in ("position", "column"))
    p = completion.printed_probabilities[rows, columns]
    table = pd.DataFrame(
        {
            "item": completion.index[rows],
            "label": np.array(completion.labels.names, dtype=object)[columns],
            "given": _as_values(completion.labels.state[rows, columns]),
            "suggested": _as_values(entries["suggested"].to_numpy(dtype=np.int8)),
            "probability": p,
            "reason": entries["reason"].to_numpy(dtype=object),
            "answer": pd.array([None] * len(entries), dtype="Int8"),
        }
    )
    shown = take_shown(completion.opened, choose_shown(completion.opened, show), rows)
    return table.join(shown.rename(columns={name: f"{name} (column)" for name in COLUMNS}))


def _rank_given(completion: Completion) -> pd.DataFrame:
    """Return the given entries of which the opposite value is more probable, in the order of the suspects."""
    frame = rank_suspects(completion.labels, completion.probabilities.to_numpy())
    p, relevant = frame["probability"].to_numpy(dtype=np.float64), frame["given"].to_numpy() == 1
    column = {name: j for j, name in enumerate(completion.labels.names)}
    ranked = frame[["position"]].assign(
        column=frame["label"].map(column),
        suggested=np.where(relevant, -1, 1),
        reason=Reason.DOUBTFUL_ENTRY.words,
        gain=frame["wrong"],
    )
    return ranked[np.where(relevant, p, 1 - p) < 0.5]


def _rank_gaps(completion: Completion) -> pd.DataFrame:
    """Return the undecided entries, and the filled values that are wrong with a notable probability."""
    p, state = completion.probabilities.to_numpy(), completion.state
    wrong = np.select([state > 0, state < 0], [1 - p, p], np.minimum(p, 1 - p))
    listed = ~completion.labels.observed & ((state == 0) | (wrong >= MIN_WRONG))
    reason = np.where(state == 0, Reason.UNDECIDED_ENTRY.words, Reason.UNCERTAIN_ITEM.words)
    return _list_entries(listed, state, p, reason, wrong)


def _rank_unassigned(completion: Completion) -> pd.DataFrame:
    """Return, for positive-only labels, probable missing positives, undecided entries, and items not annotated."""
    p, state = completion.probabilities.to_numpy(), completion.state
    annotated = np.broadcast_to(completion.labels.annotated[:, None], p.shape)
    missing = annotated & (state > 0)
    words = (Reason.UNDECIDED_ENTRY.words, Reason.MISSING_POSITIVE.words, Reason.NOT_ANNOTATED.words)
    reason = np.select([state == 0, missing], words[:2], words[2])
    gain = np.where(missing, p, np.minimum(p, 1 - p))
    listed = ~completion.labels.observed & ((state == 0) | missing | (~annotated & (gain >= MIN_WRONG)))
    # Probabilities near 1 are equal after clipping; those of being assigned still differ.
    order = np.argsort(-completion.learned_probabilities[listed], kind="stable")
    return _list_entries(listed, state, p, reason, gain).iloc[order]


def _list_entries(listed: Mask, state: Any, p: Floats, reason: Any, gain: Floats) -> pd.DataFrame:
    """Return the listed entries as rows; where nothing was filled, the more probable value is the suggested one."""
    rows, columns = np.nonzero(listed)
    suggested = np.where(state == 0, np.where(p >= 0.5, 1, -1), state)
    return pd.DataFrame(
        {
            "position": rows,
            "column": columns,
            "suggested": suggested[listed],
            "reason": reason[listed],
            "gain": gain[listed],
        }
    )


def _as_values(state: Any) -> Any:
    """Return 1, 0 and missing."""
    values = pd.array((state > 0).astype(np.int8), dtype="Int8")
    values[state == 0] = pd.NA
    return values
