"""The errors of each source on known entries."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import ndtri

from halflabel._arrays import Mask
from halflabel.evidence.expected_errors import ALL
from halflabel.labels.intervals import wilson_interval
from halflabel.labels.votes import Votes

#: Minimum number of known entries with a vote: with fewer, no error of a source is stated.
MIN_CHECKED = 20


def tabulate_rates(votes: Votes, relevant: Mask, known: Mask, labels: tuple[str, ...]) -> pd.DataFrame:
    """Return the errors of each source on the known entries of each label, and of all labels together.

    Columns: source, label, votes, checked (votes on known entries), error (the share of these that is wrong; a
    probability counts as the value that it makes more probable), low, high (an interval of 90 %), false_relevant (the
    share of the irrelevant entries on which the source votes 1) and false_irrelevant (the share of the relevant entries
    on which it votes 0).
    """
    rows = []
    for name, values, given in zip(votes.names, votes.values, votes.given, strict=True):
        wrong = (values >= 0.5) != relevant
        for label, at in [*((label, [j]) for j, label in enumerate(labels)), (ALL, list(range(len(labels))))]:
            each = (wrong[:, at], relevant[:, at], (given & known)[:, at])
            rows.append({"source": name, "label": label, "votes": int(given[:, at].sum()), **_measure_rate(*each)})
    return pd.DataFrame(rows)


def _measure_rate(wrong: Mask, relevant: Mask, checked: Mask) -> dict[str, float]:
    """Return the share of wrong votes among the checked ones, and its interval. Votes on one item depend on another."""
    n = int(checked.sum())
    rate = _share(wrong, checked)
    low = high = np.nan
    if n:
        of_items = ((wrong - rate) * checked).sum(axis=1)
        between, within = float(of_items @ of_items), n * rate * (1 - rate)
        low, high = wilson_interval(rate, n * min(1.0, within / between) if between else n, float(ndtri(0.95)))
    one_sided = _share(wrong, checked & ~relevant), _share(wrong, checked & relevant)
    return {"checked": n, "error": rate, "low": low, "high": high,
            "false_relevant": one_sided[0], "false_irrelevant": one_sided[1]}  # fmt: skip


def _share(wrong: Mask, at: Mask) -> float:
    return float(wrong[at].mean()) if at.any() else np.nan
