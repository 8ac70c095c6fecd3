"""Tables of sources: agreement, and doubtful votes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from halflabel._arrays import Floats
from halflabel.labels.votes import Votes


def measure_wrong(votes: Votes, posterior: Floats) -> Floats:
    """Return the probability that each vote is wrong, shape (n_sources, n_items, n_labels)."""
    wrong = np.where(votes.values >= 0.5, 1 - posterior, posterior)
    return np.where(votes.given, wrong, np.nan)


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
