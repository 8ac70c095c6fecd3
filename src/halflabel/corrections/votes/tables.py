"""Tables of sources: agreement, errors on known entries, and doubtful votes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import ndtri

from halflabel._arrays import Floats, Mask
from halflabel.evidence.expected_errors import ALL
from halflabel.labels.intervals import wilson_interval
from halflabel.labels.votes import Votes


def measure_wrong(votes: Votes, posterior: Floats) -> Floats:
    """Return the probability that each vote is wrong, shape (n_sources, n_items, n_labels)."""
    wrong = np.where(votes.values >= 0.5, 1 - posterior, posterior)
    return np.where(votes.given, wrong, np.nan)


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


def rank_doubtful_votes(votes: Votes, posterior: Floats, labels: tuple[str, ...]) -> pd.DataFrame:
    """Return all votes, the most probably wrong one first: position, label, source, given, probability, wrong."""
    wrong = measure_wrong(votes, posterior)
    at = np.nonzero(votes.given)
    order = np.argsort(-wrong[at], kind="stable")
    sources, rows, columns = (each[order] for each in at)
    return pd.DataFrame({
        "position": rows,
        "label": np.array(labels, dtype=object)[columns],
        "source": np.array(votes.names, dtype=object)[sources],
        "given": votes.values[at][order],
        "probability": posterior[rows, columns],
        "wrong": wrong[at][order],
    })  # fmt: skip


def measure_agreement(votes: Votes) -> Floats:
    r"""Return Krippendorff's alpha of each label.

    It is NaN where no entry has two votes, and where all votes are equal.

    :math:`\alpha = 1 - D_o / D_e` with the squared difference of two values, which for 0 and 1 is the nominal
    difference: :math:`D_o` is its mean over pairs of votes on the same entry, each vote counting once, and :math:`D_e`
    over all pairs of votes that have a partner (Krippendorff, Content Analysis, 2004).

    Examples
    --------
    >>> votes = Votes(("a", "b"), np.array([[[1.0], [0], [1], [0]], [[1.0], [0], [1], [1]]]))
    >>> measure_agreement(votes).round(3).tolist()
    [0.533]
    """
    number = votes.given.sum(axis=0)
    paired = np.where((number > 1) & votes.given, votes.values, np.nan)
    total, squares = np.nansum(paired, axis=0), np.nansum(paired**2, axis=0)
    partners = np.maximum(number - 1, 1)
    within = (2 * (number * squares - total**2) / partners).sum(axis=0)
    n = np.where(number > 1, number, 0).sum(axis=0)
    between = 2 * (n * squares.sum(axis=0) - total.sum(axis=0) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = 1 - (within / n) / (between / (n * (n - 1)))
    return np.where((n > 1) & (between > 1e-12), alpha, np.nan)
