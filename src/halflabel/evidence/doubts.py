"""The entries that a person should check, in the order in which the answers help most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel.evidence.suspects import accuse, measure_flips
from halflabel.labels import PartialLabels
from halflabel.labels.reasons import Reason

#: Minimum probability that a filled value is wrong, for the value to be listed.
MIN_WRONG = 0.1


def rank_doubts(
    labels: PartialLabels, state: Any, p: Floats, assigned: Floats, broken: Sequence[Mask] = ()
) -> pd.DataFrame:
    """Return the entries to check, the most useful answers first.

    Parameters
    ----------
    labels : PartialLabels
        The labels as they were given.
    state : ndarray of int8, shape (n_items, n_labels)
        The labels after completion: +1, -1, and 0 for an undecided entry.
    p : ndarray of shape (n_items, n_labels)
        Probabilities of being relevant; of given entries out of fold.
    assigned : ndarray of shape (n_items, n_labels)
        For positive-only labels, probabilities of being assigned.
    broken : sequence of ndarray of bool, shape (n_items, n_labels)
        As in :func:`halflabel.evidence.suspects.measure_flips`.

    Returns
    -------
    DataFrame
        Columns: position, column, suggested (+1 or -1), reason, gain (the probability that the answer changes the
        entry).
    """
    if labels.positive_only:
        parts = [_rank_unassigned(labels, state, p, assigned)]
    else:
        parts = [_rank_given(labels, p, broken), _rank_gaps(labels, state, p)]
    entries = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return entries.sort_values("gain", ascending=False, kind="stable").reset_index(drop=True)


def measure_wrong(state: Any, p: NDArray[Any]) -> NDArray[Any]:
    """Return the probability that each value is wrong. Of an entry without a value, the more probable one counts."""
    return np.select([state > 0, state < 0], [1 - p, p], np.minimum(p, 1 - p))


def _rank_given(labels: PartialLabels, p: Floats, broken: Sequence[Mask]) -> pd.DataFrame:
    """Return the given entries that are more probably wrong than right."""
    wrong = measure_flips(labels, p, broken)
    reason = np.full(p.shape, Reason.DOUBTFUL_ENTRY.words)
    return _list_entries(accuse(labels, wrong), -labels.state, p, reason, wrong)


def _rank_gaps(labels: PartialLabels, state: Any, p: Floats) -> pd.DataFrame:
    """Return the undecided entries, and the filled values that are wrong with a notable probability."""
    wrong = measure_wrong(state, p)
    listed = ~labels.observed & ((state == 0) | (wrong >= MIN_WRONG))
    reason = np.where(state == 0, Reason.UNDECIDED_ENTRY.words, Reason.UNCERTAIN_ITEM.words)
    return _list_entries(listed, state, p, reason, wrong)


def _rank_unassigned(labels: PartialLabels, state: Any, p: Floats, assigned: Floats) -> pd.DataFrame:
    """Return, for positive-only labels, probable missing positives, undecided entries, and items not annotated."""
    annotated = np.broadcast_to(labels.annotated[:, None], p.shape)
    missing = annotated & (state > 0)
    words = (Reason.UNDECIDED_ENTRY.words, Reason.MISSING_POSITIVE.words, Reason.NOT_ANNOTATED.words)
    reason = np.select([state == 0, missing], words[:2], words[2])
    gain = np.where(missing, p, np.minimum(p, 1 - p))
    listed = ~labels.observed & ((state == 0) | missing | (~annotated & (gain >= MIN_WRONG)))
    # Probabilities near 1 are equal after clipping, but the probabilities of being assigned still differ.
    order = np.argsort(-assigned[listed], kind="stable")
    return _list_entries(listed, state, p, reason, gain).iloc[order]


def _list_entries(listed: Mask, state: Any, p: Floats, reason: Any, gain: Floats) -> pd.DataFrame:
    """Return the listed entries as rows. For an entry that was not filled, the more probable value is suggested."""
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
