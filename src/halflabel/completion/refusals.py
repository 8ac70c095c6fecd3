"""What is refused before the work starts, in sentences."""

from __future__ import annotations

import numpy as np

from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import LearnsFromPositives, require_observed_rate
from halflabel.methods.base import PartialLabelEstimator


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
            "unknown): leave method= out, or give AutoLabeler() or LowRankVVMR()."
        )
    if precision is not None and model.observed_rate is None:
        raise ValueError(
            "an expected precision needs to know how many relevant entries were never assigned: give their assigned "
            "share, observed_rate= (--observed-rate), or leave the precision out."
        )


def refuse_deaf_method(model: PartialLabelEstimator) -> None:
    """Refuse a prior that would not be heard."""
    if "prior" not in model.auxiliary:
        raise ValueError(f"{type(model).__name__} cannot take a prior: leave method= out, or prior=.")


def refuse_empty_labels(labels: PartialLabels) -> None:
    """Refuse labels without any given entry."""
    empty = [labels.names[j] for j in np.flatnonzero(~labels.observed.any(axis=0))]
    if empty:
        shown = ", ".join(map(repr, empty[:5])) + (f" and {len(empty) - 5} more" if len(empty) > 5 else "")
        raise ValueError(
            f"no item has a value for {shown}: nothing can be learned about a label that is empty in all "
            f"{len(labels)} rows. Fill in a few entries of it, or leave it out of the labels."
        )
