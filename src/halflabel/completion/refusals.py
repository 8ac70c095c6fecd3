"""What is refused before the work starts, in sentences."""

from __future__ import annotations

import os

import numpy as np

from halflabel.arrays import Matrix, is_sparse
from halflabel.base import PartialLabelEstimator
from halflabel.labels import PartialLabels
from halflabel.table import OpenTable
from halflabel.vvmr.positive import LearnsFromPositives, require_observed_rate

__all__ = [
    "EXACT",
    "refuse_beyond_memory",
    "refuse_blind_method",
    "refuse_empty_labels",
    "refuse_unfit_rate",
]

#: Up to so many items the kernel of the method for positive-only labels is exact.
EXACT = 1000


def refuse_unfit_rate(labels: PartialLabels, observed_rate: float | None) -> None:
    """Refuse an observed rate that is no share, or that is given where nothing was forgotten."""
    require_observed_rate(observed_rate)
    if observed_rate is not None and not labels.positive_only:
        raise ValueError(
            "observed_rate (--observed-rate) is the share of the relevant entries that somebody assigned, where an "
            "absent tag may have been forgotten (absent='unknown', --absent unknown); these labels say what is "
            "irrelevant: leave it out."
        )


def refuse_blind_method(model: PartialLabelEstimator, precision: float | None) -> None:
    """Refuse for positive-only labels what could not learn from them, and a precision that nobody could know."""
    if not isinstance(model, LearnsFromPositives):
        raise ValueError(
            f"{type(model).__name__} needs irrelevant entries, but these labels are positive-only (an absent tag is "
            "unknown): leave method= out, or give LowRankVVMR()."
        )
    if precision is not None and model.observed_rate is None:
        raise ValueError(
            "an expected precision needs to know how many relevant entries were never assigned: give their assigned "
            "share, observed_rate= (--observed-rate), or leave the precision out."
        )


def refuse_empty_labels(labels: PartialLabels) -> None:
    """Refuse labels without any given entry."""
    empty = [labels.names[j] for j in np.flatnonzero(~labels.observed.any(axis=0))]
    if empty:
        shown = ", ".join(map(repr, empty[:5])) + (f" and {len(empty) - 5} more" if len(empty) > 5 else "")
        raise ValueError(
            f"no item has a value for {shown}: nothing can be learned about a label that is empty in all "
            f"{len(labels)} rows. Fill in a few entries of it, or leave it out of the labels."
        )


def refuse_beyond_memory(opened: OpenTable) -> None:
    """Refuse before the work starts what would end in a crash hours later."""
    n, n_labels = opened.labels.shape
    X: Matrix = opened.X
    features = X.data.nbytes * 3 if is_sparse(X) else X.nbytes * 3
    kernel = 3 * n * min(n, EXACT) * 8 if opened.labels.positive_only else n * 15 * 12 * 4
    settings = 9 * n * n_labels * 8 if opened.labels.positive_only else 0
    needed = features + kernel + settings + n * n_labels * 8 * 20 + 2**29
    try:
        installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system tells
        return
    if needed > installed:
        raise ValueError(
            f"{n} items with {X.shape[1]} features and {n_labels} labels need about {needed / 2**30:.0f} GiB, but this "
            f"machine has {installed / 2**30:.0f}: complete fewer items, labels or features at a time."
        )
