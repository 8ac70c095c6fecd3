"""The prevalence of labels as a table: of all items, or of groups of items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from halflabel._arrays import Floats, Mask
from halflabel._wording import closest, option, plural, quoted
from halflabel.evidence.label_frequency import Share
from halflabel.evidence.prevalence import (
    MIN_ITEMS,
    MIN_KNOWN,
    Correction,
    Prevalence,
    count_questions,
    estimate_shifted,
)

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence

#: The columns of the table.
COLUMNS = [
    "label",
    "group",
    "n_items",
    "n_labelled",
    "share",
    "low",
    "high",
    "count",
    "count_low",
    "count_high",
    "gain",
]

#: The groups of items: their name, or None for all items, and the items.
Groups = list[tuple[Any, Mask]]


def tabulate_prevalence(evidence: Evidence, by: str | None = None, confidence: float = 0.90) -> pd.DataFrame:
    """Return the table of :meth:`halflabel.completion.Completion.prevalence`."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} is not between 0 and 1.")
    _check_known_by_chance(evidence)
    groups = _find_groups(evidence, by)
    rows = (row for j in range(len(evidence.labels.names)) for row in _measure(evidence, j, groups, confidence))
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.drop(columns="group") if by is None else table


def _check_known_by_chance(evidence: Evidence) -> None:
    """Raise where a check contradicts that known entries represent the gaps, or c is not known.

    Poorly calibrated probabilities do no harm here: known entries correct their mean.
    """
    if (against := evidence.not_by_chance) is not None:
        raise ValueError(
            f"a check contradicts that known entries represent the gaps. {against['title']} [{against['code']}]. Label "
            f"{plural(count_questions(), 'random item')}: their answers alone give an interval of 5 points."
        )
    if evidence.labels.positive_only and evidence.observed_rate is None:
        raise ValueError(
            "the table has assigned tags only, and the share of the relevant tags that were assigned is not known. "
            f"State it: {option('observed_rate', 0.7)}."
        )


def _find_groups(evidence: Evidence, by: str | None) -> Groups:
    """Return the groups of a column that are large enough. An item without a value is in none."""
    if by is None:
        return [(None, np.ones(len(evidence.labels), dtype=bool))]
    frame = evidence.opened.frame
    names = () if frame is None else tuple(map(str, frame.columns))
    if frame is None or by not in names:
        raise ValueError(f"the table has no column {by!r}: {closest(by, names)}")
    codes, values = pd.factorize(frame[by], sort=True)
    groups = [(value, codes == k) for k, value in enumerate(values) if (codes == k).sum() >= MIN_ITEMS]
    if not groups:
        raise ValueError(f"no value of the column {by!r} has {MIN_ITEMS} items or more.")
    return groups


def describe_left_out(evidence: Evidence, table: pd.DataFrame, by: str | None = None) -> list[str]:
    """Return a sentence about the labels without a share, and one about the groups without one."""
    counted = set(table["label"])
    left_out = [
        (name, _is_positive_only(evidence, j)) for j, name in enumerate(evidence.labels.names) if name not in counted
    ]
    unstated = [name for name, positive_only in left_out if positive_only and evidence.observed_rate is None]
    few = [name for name, _ in left_out if name not in unstated]
    notes = [
        f"No share of {quoted(unstated)}: these labels have assigned entries only, and the share of the relevant "
        f"entries that were assigned is not known. State it: {option('observed_rate', 0.7)}."
    ] * bool(unstated)
    notes += [f"No share of {quoted(few)}: fewer than {MIN_KNOWN} entries are known."] * bool(few)
    frame = evidence.opened.frame
    if by is not None and frame is not None:
        values = set(pd.unique(frame[by].dropna())) - set(table["group"])
        small = [name_group(value) for value in sorted(values, key=str)]
        enough = f"a group needs {MIN_ITEMS} items, and a label {MIN_KNOWN} known entries in it."
        notes += [f"No share of {quoted(small)} in column {by!r}: {enough}"] * bool(small)
    return notes


def name_group(value: Any) -> str:
    """Return the text of a group's value. A column with gaps holds its whole numbers as floats."""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def _measure(evidence: Evidence, j: int, groups: Groups, confidence: float) -> Iterator[dict[str, Any]]:
    """Yield the row of each group of a label. A label with few known entries in a group has no row there."""
    relevant, known, p = _take_entries(evidence, j)
    if known.sum() < MIN_KNOWN:
        return
    estimate, gain = _choose_estimate(evidence, j, relevant, known, p, confidence)
    for name, items in groups:
        if known[items].sum() >= MIN_KNOWN:
            found = estimate(items)
            shares = {"share": found.share, "low": found.low, "high": found.high}
            counts = {f"count{end and '_'}{end}": shares[end or "share"] * found.n_items for end in ("", "low", "high")}
            sizes = {"n_items": found.n_items, "n_labelled": found.n_known}
            yield {"label": evidence.labels.names[j], "group": name, **sizes, **shares, **counts, "gain": gain}


def _choose_estimate(
    evidence: Evidence, j: int, relevant: Mask, known: Mask, p: Floats, confidence: float
) -> tuple[Callable[[Mask], Prevalence], float]:
    """Return the estimate for a group of items, and the gain, or NaN if it is not measured."""
    if evidence.fit.estimates_gaps:
        true, sure = evidence.calibrated_on.relevant[:, j], evidence.calibrated_on.observed[:, j]
        mean, deviation = evidence.probabilities[:, j], evidence.fit.deviation[:, j]
        return lambda at: estimate_shifted(true[at], sure[at], mean[at], deviation[at], confidence), np.nan
    correction, rate = Correction.fit(relevant[known], p[known]), evidence.observed_rate
    gain = np.nan if known.all() else correction.gain
    if rate is None or not _is_positive_only(evidence, j):
        return lambda at: correction.estimate(relevant[at], p[at], known[at], confidence), gain
    c, chance = _find_rate(evidence, rate, confidence)
    return lambda at: correction.estimate(relevant[at], p[at], known[at], confidence).divide(c, chance), gain


def _is_positive_only(evidence: Evidence, j: int) -> bool:
    """Return whether a label has assigned entries only."""
    return bool(np.broadcast_to(evidence.labels.positives, len(evidence.labels.names))[j])


def _find_rate(evidence: Evidence, rate: float, confidence: float) -> tuple[Share, float]:
    """Return c with its interval, and the quantile for the chance by which a number of entries was assigned.

    A frequency that was asked for is about the entries of this table.
    """
    quantile = float(ndtri((1 + confidence) / 2))
    if evidence.asked_frequency is None or (asked := evidence.asked_frequency.share) is None:
        return Share(rate, rate, rate), quantile
    power = quantile / ndtri(0.95)  # the interval of c is one of 90 %
    return Share(rate, *(min(rate * float((each / rate) ** power), 1.0) for each in asked[1:])), 0.0


def _take_entries(evidence: Evidence, j: int) -> tuple[Mask, Mask, Floats]:
    """Return which entries of a label are relevant, which are known by chance, and their probabilities."""
    if evidence.labels.is_mixed and _is_positive_only(evidence, j) and evidence.observed_rate is not None:
        assigned = evidence.labels.relevant[:, j]  # known of each item: it was assigned, or not
        return assigned, np.ones(len(assigned), dtype=bool), assigned.astype(float)
    known = evidence.calibrated_on
    return known.relevant[:, j], known.observed[:, j], evidence.learned_probabilities[:, j]
