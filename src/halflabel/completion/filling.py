"""complete(): a method fitted to a table, once nothing speaks against it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from halflabel.completion.memory import affordable_effort, refuse_beyond_memory
from halflabel.completion.refusals import (
    refuse_blind_method,
    refuse_deaf_method,
    refuse_empty_labels,
    refuse_unfit_rate,
)
from halflabel.completion.result import Completion
from halflabel.labels.calibration import require_precision
from halflabel.methods.auto import EFFORTS, AutoLabeler
from halflabel.methods.base import PartialLabelEstimator, fit_beside
from halflabel.table import OpenTable, open_table

#: Expected precision that ``unsure="leave"`` asks for.
LEAVE_BELOW = 0.95


def complete(
    items: Any,
    Y: Any = None,
    *,
    method: PartialLabelEstimator | None = None,
    effort: str = "default",
    unsure: Literal["fill", "leave"] = "fill",
    min_precision: float | None = None,
    cost: tuple[float, float] | None = None,
    observed_rate: float | None = None,
    random_state: int | None = 0,
    **columns: Any,
) -> Completion:
    """Fill every gap in the labels of a table, with a calibrated probability and the evidence.

    Parameters
    ----------
    items : DataFrame, array, sparse matrix or OpenTable
        One row per item; with ``Y`` features only, without it a table that holds the labels too. A table that
        :func:`halflabel.table.open_table` has opened is taken as it is.
    Y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels), optional
        1 has it, 0 does not have it, missing unknown.
    method : estimator, default=AutoLabeler()
        Any method of this library; a copy of it is fitted. From labels that are positive-only, only
        :class:`halflabel.AutoLabeler` and :class:`halflabel.LowRankVVMR` can learn.
    effort : {"fast", "default", "best"}, default="default"
        How much work the default method may be, see :class:`halflabel.AutoLabeler`. Where memory does not do for it,
        the next cheaper one is taken, and a note says so.
    unsure : {"fill", "leave"}
        "leave" is short for ``min_precision=0.95``.
    min_precision : float in (0.5, 1), optional
        Fill only the entries that reach this expected precision, label by label; leave the others empty.
    cost : pair of float, optional
        Cost of a false positive and of a false negative: entries are filled so that the expected cost is least.
    observed_rate : float in (0, 1], optional
        For labels that are positive-only: c, the share of the relevant entries that were assigned. It is an assumption
        that no data can confirm, see Notes.
    random_state : int or None, default=0
        Decides everything random in the default method.
    **columns
        Which column plays which role, as in :func:`halflabel.table.open_table`: ``labels``, ``tags``, ``absent``,
        ``empty``, ``sep``, ``id``, ``group``, ``features``, ``vectors``, ``text``, ``ignore``, ``max_categories``;
        and ``prior``, a table of probabilities from another source (a language model, last year's model), which is
        calibrated on what is observed and added (:meth:`halflabel.AutoLabeler.fit`).

    Returns
    -------
    Completion

    Raises
    ------
    ValueError
        If nothing is observed, a label is empty in every row, a column does not fit its role, memory would not do, or
        a precision is asked for where labels are positive-only and ``observed_rate`` is not given.

    Notes
    -----
    With ``absent="unknown"`` (a tag that is absent may just have been forgotten) what can be learned is the probability
    that a tag is *assigned*. If every relevant entry was assigned with the same probability c, it is c times that of
    being relevant. Which of two items is likelier to have a label does not depend on c, if both or neither was looked
    at; how sure an answer is, and so how many forgotten labels are filled in, does. Given ``observed_rate``,
    probabilities are of being relevant, and lower where an annotated item lacks the tag. Without, they are of being
    assigned, the plug-in threshold on them fills the table, and :attr:`Completion.assumptions` shows what several
    values of c would change.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> songs = pd.DataFrame({"tempo": [60.1, 62.3, 64.7, 61.2, 120.4, 122.8, 125.1, 121.7]})
    >>> songs["dance"] = [0, 0, np.nan, np.nan, 1, 1, np.nan, np.nan]
    >>> complete(songs, labels=["dance"]).table["dance"].tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    if unsure not in ("fill", "leave"):
        raise ValueError(f"unsure must be 'fill' or 'leave', not {unsure!r}.")
    precision = min_precision if min_precision is not None or unsure == "fill" else LEAVE_BELOW
    if precision is not None:
        require_precision(precision)
    opened = items if isinstance(items, OpenTable) else open_table(items, Y, **columns)
    refuse_empty_labels(opened.labels)
    refuse_unfit_rate(opened.labels, observed_rate)
    if method is not None and observed_rate is not None:
        raise ValueError(
            "a method was given, and observed_rate beside it: say it there, AutoLabeler(observed_rate=...)."
        )
    if effort not in EFFORTS:
        raise ValueError(f"effort must be one of {', '.join(map(repr, EFFORTS))}, not {effort!r}.")
    model = default_method(observed_rate, random_state, effort) if method is None else clone(method)
    if cost is not None:
        model.set_params(decision="cost", cost_ratio=_ratio(cost, precision))
    if opened.labels.positive_only:
        refuse_blind_method(model, precision)
    if opened.prior is not None:
        refuse_deaf_method(model)
    opened = _within_memory(opened, model, given=method is not None)
    fitted = fit_beside(model, opened.X, opened.labels, groups=opened.groups, prior=opened.prior)
    return Completion(opened, fitted, precision)


def _within_memory(opened: OpenTable, model: PartialLabelEstimator, *, given: bool) -> OpenTable:
    """Refuse what has no room; the default method takes a cheaper effort instead, with a note, if that has."""
    if given or not isinstance(model, AutoLabeler):
        refuse_beyond_memory(opened)
        return opened
    effort, notes = affordable_effort(opened, model.effort)
    model.set_params(effort=effort)
    return replace(opened, notes=(*opened.notes, *notes))


def _ratio(cost: tuple[float, float], precision: float | None) -> float:
    """Return what a false positive costs in units of a false negative."""
    given = np.asarray(cost, dtype=np.float64)
    if given.shape != (2,) or not ((given > 1e-100) & (given < 1e100)).all():
        raise ValueError(f"cost must be two positive numbers (a wrong yes, a wrong no), not {cost}.")
    if precision is not None:
        raise ValueError("cost and a precision cannot both decide which entries are filled: give one of them.")
    return float(given[0] / given[1])


def default_method(
    observed_rate: float | None = None, random_state: int | None = 0, effort: str = "default"
) -> PartialLabelEstimator:
    """Return the method behind :func:`complete`, not fitted; ``observed_rate`` is for positive-only labels."""
    return AutoLabeler(effort, observed_rate=observed_rate, random_state=random_state)
