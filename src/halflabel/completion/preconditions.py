"""Checks before the work starts, of the labels, the label frequency, the method and the memory."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from halflabel._arrays import Matrix, is_sparse
from halflabel._memory import free_memory
from halflabel._wording import closest, option, plural
from halflabel.evidence.checks import CODES
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import LearnsFromPositives, require_observed_rate
from halflabel.methods.auto import EFFORTS, AutoLabeler, MixedLabeler
from halflabel.methods.auto.budget import estimate_memory
from halflabel.methods.base import PartialLabelEstimator
from halflabel.table import OpenTable

#: Approximate number of kernel columns in memory, for positive-only methods.
LANDMARKS = 1000


def check_observed_rate(labels: PartialLabels, observed_rate: float | None) -> None:
    """Raise for a label frequency that is not a share, or that is given for labels with irrelevant entries."""
    require_observed_rate(observed_rate)
    if observed_rate is not None and not labels.has_positive_only:
        raise ValueError(
            f"{option('observed_rate')} is the share of the relevant entries that were assigned, where an absent tag "
            f"may be a missing positive ({option('absent', 'unknown')}); these labels have irrelevant entries: leave "
            "it out."
        )


def check_accepted(codes: Sequence[str]) -> None:
    """Raise for a code that no warning has."""
    for code in codes:
        if code not in CODES:
            raise ValueError(f"no warning has the code {code!r} ({option('accept')}): {closest(code, CODES)}")


def check_prior_support(model: PartialLabelEstimator) -> None:
    """Raise if the method does not accept a prior."""
    if "prior" not in model.auxiliary:
        raise ValueError(f"{type(model).__name__} does not accept a prior: leave out the method, or {option('prior')}.")


def check_calibrate_on(labels: PartialLabels, model: PartialLabelEstimator) -> None:
    """Raise if the method cannot leave entries out of its calibration."""
    name = option("calibrate_on")
    if labels.positive_only:
        raise ValueError(f"{name} needs irrelevant entries, but these labels are positive-only: leave it out.")
    if "calibrate_on" not in model.auxiliary:
        raise ValueError(f"{type(model).__name__} does not accept {name}: leave out the method, or {name}.")


def check_positive_only_support(model: PartialLabelEstimator, labels: PartialLabels, precision: float | None) -> None:
    """Raise if the method does not support positive-only labels, or a precision is asked for that c must decide."""
    if isinstance(model, MixedLabeler) != labels.is_mixed:
        name, kind = type(model).__name__, "only some labels are" if labels.is_mixed else "every label or none is"
        raise ValueError(f"{name} does not support a table where {kind} positive-only: leave out the method.")
    if labels.is_mixed:
        return  # a positive-only label without a label frequency is not filled in at all
    if not isinstance(model, LearnsFromPositives):
        raise ValueError(
            f"{type(model).__name__} needs irrelevant entries, but these labels are positive-only (an absent tag is "
            "unknown): leave out the method, or give AutoLabeler() or LowRankVVMR()."
        )
    if precision is not None and model.observed_rate is None:
        raise ValueError(
            "an expected precision depends on how many relevant entries were never assigned: give the assigned share "
            f"({option('observed_rate')}), or leave the precision out."
        )


def check_memory(opened: OpenTable, model: PartialLabelEstimator) -> None:
    """Warn if a fit may need more memory than is free, and raise if no effort has room.

    The method is never changed: a result depends on the arguments, not on the machine.

    Warns
    -----
    UserWarning
        If a cheaper effort of the default method would have room; the sentence names it.

    Raises
    ------
    ValueError
        If no effort fits into the free memory.
    """
    free = free_memory()
    needed = estimate_per_effort(opened, model)
    asked = model.effort if isinstance(model, AutoLabeler | MixedLabeler) else ""
    if needed[asked] <= free:
        return
    if min(needed.values()) <= free:
        cheaper = max((effort for effort in needed if needed[effort] <= free), key=lambda effort: needed[effort])
        warnings.warn(
            f"{option('effort', asked)} needs about {_write_size(needed[asked])} of memory, but "
            f"{_write_size(free)} are free: the fit may be slow, or ended by the system. "
            f"{option('effort', cheaper)} needs about {_write_size(needed[cheaper])}.",
            UserWarning,
            stacklevel=4,
        )
        return
    cheapest = min(needed, key=lambda effort: needed[effort])
    even = f" even with {option('effort', cheapest)}" if cheapest else ""
    n, n_labels = opened.labels.shape
    raise ValueError(
        f"{plural(n, 'item')} with {plural(opened.X.shape[1], 'feature')} and {plural(n_labels, 'label')} need about "
        f"{_write_size(needed[cheapest])} of memory{even}, but {_write_size(free)} are free: complete a random part "
        "of the items and label the other items with the saved model (halflabel predict), take fewer features, or "
        "install halflabel-scale (in a clone: pip install ./scale), whose `complete-folder` and `rank` need less."
    )


def estimate_per_effort(opened: OpenTable, model: PartialLabelEstimator) -> dict[str, float]:
    """Return the bytes that a fit needs, by effort. AutoLabeler has its own effort and each cheaper effort."""
    if not isinstance(model, AutoLabeler | MixedLabeler):
        return {"": _estimate_any(opened)}
    efforts = list(EFFORTS)[: list(EFFORTS).index(model.effort) + 1]
    grouped = opened.groups is not None
    return {effort: estimate_memory(opened.X, opened.labels, effort, grouped=grouped) for effort in efforts}


def _estimate_any(opened: OpenTable) -> float:
    """Return a rough bound for a method of any kind."""
    n, n_labels = opened.labels.shape
    X: Matrix = opened.X
    features = 3 * (X.data.nbytes if is_sparse(X) else X.nbytes)
    kernel = 3 * n * min(n, LANDMARKS) * 8 if opened.labels.positive_only else n * 15 * 12 * 4
    tables = (29 if opened.labels.positive_only else 20) * n * n_labels * 8
    return float(features + kernel + tables)


def _write_size(size: float) -> str:
    return f"{size / 2**30:.1f} GiB"
