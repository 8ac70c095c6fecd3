"""The prevalence of labels as a table: of all items, of groups of items, and of several labels together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
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
    subtract,
)

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence

#: A label, or labels that an item has together.
Labels = str | tuple[str, ...]

#: The groups of items: their name, or None for all items, and the items.
Groups = list[tuple[Any, Mask]]


def tabulate_prevalence(
    evidence: Evidence,
    by: str | None = None,
    confidence: float = 0.90,
    labels: Sequence[Labels] | None = None,
    versus: Hashable | None = None,
) -> pd.DataFrame:
    """Return the table of :meth:`halflabel.completion.Completion.prevalence`."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} is not between 0 and 1.")
    _check_known_by_chance(evidence)
    groups = _find_groups(evidence, by)
    versus = None if versus is None else _find_group(groups, versus)
    chosen = evidence.labels.names if labels is None else tuple(labels)
    rows = [row for label in chosen for row in _measure(evidence, label, groups, confidence, versus)]
    table = pd.DataFrame(rows)
    return table.drop(columns="group") if by is None and len(table) else table


def _check_known_by_chance(evidence: Evidence) -> None:
    """Raise where a check contradicts that known entries represent the gaps, or c is not known.

    Poorly calibrated probabilities do no harm here: known entries correct their mean.
    """
    against = next((each for each in evidence.contradictions if each["code"] != "calibration"), None)
    if against is not None:
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
    n = len(evidence.labels)
    if by is None:
        return [(None, np.ones(n, dtype=bool))]
    frame = evidence.opened.frame
    names = () if frame is None else tuple(map(str, frame.columns))
    if frame is None or by not in names:
        raise ValueError(f"the table has no column {by!r}: {closest(by, names)}")
    codes, values = pd.factorize(frame[by], sort=True)
    groups = [(value, codes == k) for k, value in enumerate(values)]
    large = [(value, items) for value, items in groups if items.sum() >= MIN_ITEMS]
    if not large:
        raise ValueError(f"no value of the column {by!r} has {MIN_ITEMS} items or more.")
    return large


def describe_left_out(evidence: Evidence, table: pd.DataFrame, by: str | None = None) -> list[str]:
    """Return a sentence about the labels without a share, and one about the groups without one."""
    counted = set(table["label"]) if len(table) else set()
    labels = [name for name in evidence.labels.names if name not in counted]
    unstated = [name for name in labels if evidence.observed_rate is None and _are_positive_only(evidence, name).all()]
    few = [name for name in labels if name not in unstated]
    notes = [
        f"No share of {quoted(unstated)}: these labels have assigned entries only, and the share of the relevant "
        f"entries that were assigned is not known. State it: {option('observed_rate', 0.7)}."
    ] * bool(unstated)
    notes += [f"No share of {quoted(few)}: fewer than {MIN_KNOWN} entries are known."] * bool(few)
    frame = evidence.opened.frame
    if by is not None and frame is not None:
        values = set(pd.unique(frame[by].dropna())) - (set(table["group"]) if len(table) else set())
        small = [name_group(value) for value in sorted(values, key=str)]
        enough = f"a group needs {MIN_ITEMS} items, and a label {MIN_KNOWN} known entries in it."
        notes += [f"No share of {quoted(small)} in column {by!r}: {enough}"] * bool(small)
    return notes


def _find_group(groups: Groups, versus: Any) -> Any:
    """Return the group that a value or its text names."""
    values = [value for value, _ in groups if value is not None]
    if not values:
        raise ValueError(f"{option('versus')} names a group, so that a column is needed: state it with {option('by')}")
    for value in values:
        if value == versus or name_group(value) == str(versus):
            return value
    raise ValueError(f"{option('versus', versus)} is none of the groups: {', '.join(map(name_group, values))}.")


def name_group(value: Any) -> str:
    """Return the text of a group's value. A column with gaps holds its whole numbers as floats."""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def _measure(
    evidence: Evidence, label: Labels, groups: Groups, confidence: float, versus: Any
) -> Iterator[dict[str, Any]]:
    """Yield the row of each group of a label. A label with few known entries in a group has no row there."""
    _, known, _ = _take_entries(evidence, label)
    if known.sum() < MIN_KNOWN:
        return
    estimate, gain = _choose_estimate(evidence, label, confidence)
    found = {name: estimate(items) for name, items in groups if known[items].sum() >= MIN_KNOWN}
    for name, prevalence in found.items():
        row = {"label": label if isinstance(label, str) else " & ".join(label), "group": name}
        yield {**row, **_describe(prevalence, gain), **_compare(prevalence, found.get(versus), versus)}


def _choose_estimate(
    evidence: Evidence, label: Labels, confidence: float
) -> tuple[Callable[[Mask], Prevalence], float]:
    """Return the estimate for a group of items, and the gain, or NaN if it is not measured."""
    relevant, known, p = _take_entries(evidence, label)
    if evidence.fit.moves_gaps:
        chosen = [evidence.labels.names.index(name) for name in ((label,) if isinstance(label, str) else label)]
        checked = (evidence.checked_on.relevant, evidence.checked_on.observed)
        true, sure = (np.asarray(each[:, chosen].all(axis=1)) for each in checked)
        middle, reach = evidence.probabilities, evidence.fit.deviation
        low, mean, high = (_multiply(middle + z * reach, evidence, label) for z in (-1.0, 0.0, 1.0))
        deviation = (high - low) / 2
        return lambda at: estimate_shifted(true[at], sure[at], mean[at], deviation[at], confidence), np.nan
    correction, rate = Correction.fit(relevant[known], p[known]), evidence.observed_rate
    gain = np.nan if known.all() else correction.gain
    if rate is None or not _are_positive_only(evidence, label).all():
        return lambda at: correction.estimate(relevant[at], p[at], known[at], confidence), gain
    c, chance = _find_rate(evidence, rate, confidence)
    return lambda at: correction.estimate(relevant[at], p[at], known[at], confidence).divide(c, chance), gain


def _are_positive_only(evidence: Evidence, label: Labels) -> Mask:
    """Return which of the labels have assigned entries only."""
    names = evidence.labels.names
    positives = np.broadcast_to(evidence.labels.positives, len(names))
    return positives[[names.index(name) for name in ((label,) if isinstance(label, str) else label)]]


def _find_rate(evidence: Evidence, rate: float, confidence: float) -> tuple[Share, float]:
    """Return c with its interval, and the quantile for the chance by which a number of entries was assigned.

    A frequency that was asked for is about the entries of this table.
    """
    quantile = float(ndtri((1 + confidence) / 2))
    if evidence.asked_frequency is None or (asked := evidence.asked_frequency.share) is None:
        return Share(rate, rate, rate), quantile
    power = quantile / ndtri(0.95)  # the interval of c is one of 90 %
    return Share(rate, *(min(rate * float((each / rate) ** power), 1.0) for each in asked[1:])), 0.0


def _multiply(p: Floats, evidence: Evidence, label: Labels) -> Floats:
    """Return the product of the probabilities of the labels."""
    at = [evidence.labels.names.index(name) for name in ((label,) if isinstance(label, str) else label)]
    return np.asarray(p[:, at].prod(axis=1))


def _take_entries(evidence: Evidence, label: Labels) -> tuple[Mask, Mask, Floats]:
    """Return which entries are relevant, which are known by chance, and their probabilities.

    Labels that an item has together have the product of their probabilities. That labels depend on each other makes
    the interval wider, not wrong.
    """
    known, names = evidence.calibrated_on, evidence.labels.names
    together = (label,) if isinstance(label, str) else tuple(label)
    if missing := [name for name in together if name not in names]:
        raise ValueError(
            f"{missing[0]!r} is not a label with known entries of both values: {closest(missing[0], names)}"
        )
    are_positive_only = _are_positive_only(evidence, label)
    if len(together) > 1 and are_positive_only.any():
        raise ValueError("labels together cannot be counted where one of them has assigned tags only: c is per label.")
    at = [names.index(name) for name in together]
    if evidence.labels.is_mixed and are_positive_only.all() and evidence.observed_rate is not None:
        assigned = evidence.labels.relevant[:, at[0]]  # known of each item: it was assigned, or not
        return assigned, np.ones(len(assigned), dtype=bool), assigned.astype(float)
    p = _multiply(evidence.learned_probabilities, evidence, label)
    relevant = np.asarray(known.relevant[:, at].all(axis=1))
    observed = np.asarray(known.observed[:, at].all(axis=1))
    return relevant, observed, p


def _describe(found: Prevalence, gain: float) -> dict[str, Any]:
    """Return the shares and counts of a group."""
    shares = {"share": found.share, "low": found.low, "high": found.high}
    counts = {f"count{end and '_'}{end}": shares[end or "share"] * found.n_items for end in ("", "low", "high")}
    return {"n_items": found.n_items, "n_labelled": found.n_known, **shares, **counts, "gain": gain}


def _compare(found: Prevalence, other: Prevalence | None, versus: Any) -> dict[str, float]:
    """Return the difference from the group ``versus``, if one was named. Its difference from itself is missing."""
    if versus is None:
        return {}
    compared = (np.nan,) * 3 if other is None or other is found else subtract(found, other)
    return dict(zip(("difference", "difference_low", "difference_high"), compared, strict=True))
