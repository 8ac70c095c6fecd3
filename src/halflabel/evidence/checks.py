"""Checks of a completion: a list of functions that take its facts and yield results.

Each check has a code, which every output prints; docs/warnings.md has a section per code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel._wording import clipped, decimal, listed, percent, plural
from halflabel.evidence.calibration_error import measure_calibration
from halflabel.evidence.why_known import Why
from halflabel.labels import PartialLabels
from halflabel.labels.intervals import wilson_interval

#: A result: ``code``, ``level`` ("warning", "caution", "note" or "fine"), ``title`` and ``text``.
Result = dict[str, str]

#: The code of each check, in the order of docs/warnings.md.
Code = Literal[
    "few-items",
    "few-groups",
    "few-examples",
    "drift",
    "calibration",
    "known-by-value",
    "unlike-gaps",
    "label-frequency",
    "more-assigned",
    "look-unlabelled",
    "broken-rules",
    "source-rates",
    "reading",
]
CODES: tuple[str, ...] = get_args(Code)

#: Every other warning contradicts the probabilities of gaps. With few items they are rough, a correction by value has
#: changed them, and without a label frequency they are of another event.
STATED = ("few-items", "known-by-value", "label-frequency")

#: The way to measure a precision in any case.
SETTLE = "No percentage is printed: halflabel finish (filled.finish() in Python) measures it on random entries."

#: Minimum number of given entries of a label's rarer value: with fewer, the standard error of its AUC is about 0.1.
MIN_OF_A_VALUE = 10

#: Minimum number of labelled items: with fewer, all measurements are on folds of at most ten items.
MIN_ITEMS = 50

#: Minimum number of groups of labelled items: with 8 recordings of frogs, 68 % of values stated with 88 % were right.
MIN_GROUPS = 10

#: AUC from which labelled and unlabelled items differ, and differ so much that nothing is stated about the gaps. The
#: centres of two normal distributions with this AUC are 0.36 and 1.19 standard deviations apart.
MIN_DRIFT, MIN_STRONG_DRIFT = 0.60, 0.80

#: Maximum calibration error of probabilities that count as well calibrated.
MAX_CALIBRATION_ERROR = 0.05

#: Maximum number of broken rules, and of notes from reading the table that are named.
MAX_BROKEN, MAX_NOTES = 5, 30

_RANK = ("warning", "caution", "note", "fine")


class Facts(NamedTuple):
    """The facts about a completion that checks read."""

    #: The known labels, the entries that show how right probabilities are, and the ones that show the calibration.
    labels: PartialLabels
    measured_on: PartialLabels
    calibrated_on: PartialLabels
    learned_probabilities: Floats  #: Probabilities in ``measured_on``.
    observed_rate: float | None  #: The label frequency c of positive-only labels, if any.
    why: Why  #: Why entries are known.
    drift: float | None  #: AUC with which a classifier separates labelled from unlabelled items.
    n_groups: int | None  #: The number of groups of the labelled items, if items have groups.
    lacking: int  #: The number of annotated items that look unlabelled.
    broken_rules: Sequence[tuple[str, Mask]]  #: The rules that given entries break.
    notes: Sequence[str]  #: Notes from reading the table.
    estimates_gaps: bool  #: Whether the rates among the gaps are estimated.
    sentences: Sequence[str]  #: Facts that corrections found, assumed and changed.
    doubt: str  #: Why no number of wrong values can be stated.


def check(facts: Facts) -> list[Result]:
    """Return the results of all checks. A contradiction has the way on."""
    found = [result for each in CHECKS for result in each(facts)]
    return [{**each, "text": f"{each['text']} {SETTLE}"} if contradicts(each) else each for each in found]


def contradicts(result: Result) -> bool:
    """Return whether a result contradicts the probabilities of gaps: the one place that decides it for every output.

    Then no percentage, no expected number and no band that depends on them is stated.
    """
    return result["level"] == "warning" and result["code"] not in STATED


def rank_results(results: Sequence[Result], accepted: Sequence[str] = ()) -> list[Result]:
    """Return results for a reader, the most serious first. Results that a person has accepted are notes.

    None is "fine" if one contradicts probabilities, or if given entries are not like the gaps.
    """
    hides_fine = any(contradicts(each) or each["code"] == "known-by-value" for each in results)
    read = [{**each, "level": "note"} if each["code"] in accepted and each["level"] != "fine" else each
            for each in results]  # fmt: skip
    return sorted(
        (each for each in read if not (hides_fine and each["level"] == "fine")),
        key=lambda each: _RANK.index(each["level"]),
    )


def make_result(code: Code, level: str, title: str, text: str) -> Result:
    """Return the result of a check as a record."""
    return {"code": code, "level": level, "title": title, "text": text}


def is_exceeded(entries: int, assigned: int, observed_rate: float) -> bool:
    """Return whether the assigned share, among entries with P(assigned) above the label frequency, exceeds it."""
    return entries > 0 and wilson_interval(assigned / entries, entries)[0] > observed_rate


def count_above(facts: Facts, rate: float) -> dict[str, int]:
    """Return the number of annotated entries with a probability of being assigned above c, and of assigned ones."""
    above = facts.measured_on.observed & (facts.learned_probabilities > rate)
    return {"entries": int(above.sum()), "assigned": int((above & facts.labels.relevant).sum())}


def _known_by_value(facts: Facts) -> Iterator[Result]:
    for text in facts.sentences:
        yield make_result("known-by-value", "warning", "Known values were chosen by their value", text)


def _more_assigned(facts: Facts) -> Iterator[Result]:
    c = facts.observed_rate
    if c is None or not facts.labels.positive_only:
        return
    above = count_above(facts, c)
    if is_exceeded(**above, observed_rate=c):
        text = (
            f"Of {plural(above['entries'], 'entry', 'entries')} with a probability of being assigned above "
            f"{percent(c)}, {percent(above['assigned'] / above['entries'])} were assigned. Either more than "
            f"{percent(c)} of the relevant entries were assigned, or typical entries were assigned more often than "
            "others. In both cases the probabilities of being relevant are too high."
        )
        yield make_result("more-assigned", "warning", f"More was assigned than {percent(c)}", text)


def _look_unlabelled(facts: Facts) -> Iterator[Result]:
    if facts.labels.positive_only and facts.lacking:
        text = (
            f"If {percent(facts.observed_rate)} of the relevant entries were assigned, about "
            f"{plural(facts.lacking, 'item')} more than are given must have been annotated without any label. These "
            "items look unlabelled, so that the probabilities of being relevant are too high. State which items were "
            "annotated: by an empty list of tags, by a column that only they have filled (--set annotated=COLUMN, "
            'annotated="COLUMN"), or, if all items were, by --set empty=none (empty="none").'
        )
        title = "Annotated items without a label look unlabelled"
        yield make_result("look-unlabelled", "warning", title, text)


def _unlike_gaps(facts: Facts) -> Iterator[Result]:
    why = facts.why
    if facts.estimates_gaps or why.reason not in ("value", "unclear"):
        return
    text = (
        "Entries were probably given because of their value: for example, only labels that an item has were noted. "
        "Then probabilities of given entries do not hold for the gaps."
    )
    if why.reason == "unclear":
        text = (
            "Given entries were probably chosen by their value, or whole items by their labels. Chance or the kind of "
            "item explain it less well, and imply another number of relevant gaps: about "
            f"{plural(why.answers, 'answer')} about random gaps would decide."
        )
    yield make_result("unlike-gaps", "warning", "Known values differ from the gaps", text)


def _few_groups(facts: Facts) -> Iterator[Result]:
    groups = facts.n_groups
    if groups is not None and groups < MIN_GROUPS:
        text = (
            f"The labelled items are of {plural(groups, 'group')}. Items of one group resemble each other, so that "
            f"fewer than {MIN_GROUPS} groups cannot show how right the values of other groups are."
        )
        yield make_result("few-groups", "warning", "Very few labelled groups", text)


def _source_rates(facts: Facts) -> Iterator[Result]:
    if facts.doubt:
        yield make_result("source-rates", "warning", "The error rates of sources are not known", facts.doubt)


def _broken_rules(facts: Facts) -> Iterator[Result]:
    broken = [(rule, int(at.any(axis=1).sum())) for rule, at in facts.broken_rules]
    if broken:
        items = [f"{plural(n, 'item breaks', 'items break')} {rule!r}" for rule, n in broken[:MAX_BROKEN]]
        more = [f"and {plural(len(broken) - MAX_BROKEN, 'more rule')}"] if len(broken) > MAX_BROKEN else []
        text = f"{', '.join((*items, *more))}. These entries stay as they are, and are suspects: one is wrong at least."
        yield make_result("broken-rules", "caution", "Given entries break rules between labels", text)


def _label_frequency(facts: Facts) -> Iterator[Result]:
    """Yield the question that positive-only labels leave open, also if they are together with other labels."""
    labels, c = facts.labels, facts.observed_rate
    if not labels.positive_only and not (labels.is_mixed and c is not None):
        return
    names = (
        "" if labels.positive_only else f" of {listed([labels.names[j] for j in np.flatnonzero(labels.positives)], 12)}"
    )
    start = (
        f"An absent label{names} can be irrelevant or a missing positive, so that the precision of the filled values "
        "cannot be observed."
    )
    if c is None:
        text = (
            f"{start} The model predicts the probability that a label is assigned, which gives the order of the "
            "candidates. The label frequency c, the share of the relevant entries that were assigned, cannot be "
            "estimated from the data. If you know it, set it (--set observed_rate=, observed_rate=)."
        )
        title = "Probabilities are of being assigned, not of yes"
        yield make_result("label-frequency", "warning", title, text)
    else:
        text = (
            f"{start} All probabilities of being relevant are right only if {percent(c)} of the relevant entries were "
            "assigned, with the same chance for all items."
        )
        yield make_result("label-frequency", "caution", "Probabilities depend on an assumption", text)


def _few_examples(facts: Facts) -> Iterator[Result]:
    labels = facts.measured_on
    relevant, observed = labels.relevant.sum(axis=0), labels.observed.sum(axis=0)
    rarer = np.minimum(relevant, observed - relevant)
    names = [labels.names[j] for j in np.argsort(rarer, kind="stable") if rarer[j] < MIN_OF_A_VALUE]
    if names:
        text = (
            f"{listed(names, 12)}: fewer than {MIN_OF_A_VALUE} given entries of the rarer value. A "
            "measured AUC can be wrong by 0.1 or more there."
        )
        title = f"{plural(len(names), 'label has', 'labels have')} very few examples"
        yield make_result("few-examples", "caution", title, text)


def _calibration(facts: Facts) -> Iterator[Result]:
    quality = measure_calibration(facts.calibrated_on, facts.learned_probabilities)
    error, by_chance = quality["ece"], quality["ece_by_chance"]
    if np.isnan(error):
        return
    subject = "Probabilities of being assigned" if facts.labels.positive_only else "Probabilities"
    start = (
        f"On given entries, {subject[0].lower() + subject[1:]} differ from the observed shares by {percent(error)} on "
        f"average; {percent(by_chance)} would be expected by chance alone."
    )
    if error <= MAX_CALIBRATION_ERROR:
        yield make_result("calibration", "fine", f"{subject} are well calibrated", start)
    elif error <= 2 * by_chance:
        text = f"{start} There are too few given entries to find the reason: use the probabilities as rough values."
        yield make_result("calibration", "caution", f"{subject} cannot be checked well", text)
    else:
        text = f"{start} Use the order of the probabilities, not their values."
        yield make_result("calibration", "warning", f"{subject} are poorly calibrated", text)


def _few_items(facts: Facts) -> Iterator[Result]:
    labelled = int((~facts.measured_on.unlabelled).sum())
    if labelled < MIN_ITEMS:
        text = f"Only {plural(labelled, 'item has', 'items have')} a given entry: all numbers are rough."
        yield make_result("few-items", "warning", "Very few labelled items", text)


def _drift(facts: Facts) -> Iterator[Result]:
    auc, unlabelled = facts.drift, facts.measured_on.unlabelled
    if auc is None:
        return
    a, b = int((~unlabelled).sum()), int(unlabelled.sum())
    # By chance: two standard deviations of the AUC of equal distributions (Mann and Whitney, 1947).
    by_chance = 0.5 + 2 * np.sqrt((a + b + 1) / (12 * a * b))
    start = (
        f"A classifier separates labelled from unlabelled items by their features with an AUC of {decimal(auc)}; at "
        "0.50 or below, it cannot separate them."
    )
    if auc >= max(MIN_STRONG_DRIFT, by_chance):
        text = f"{start} The quality on given entries may not hold for the gaps: label some random unlabelled items."
        yield make_result("drift", "warning", "Unlabelled items clearly differ from labelled ones", text)
    elif auc >= max(MIN_DRIFT, by_chance):
        text = f"{start} Expect a lower quality in the gaps than on given entries, and check a random sample."
        yield make_result("drift", "caution", "Unlabelled items differ somewhat from labelled ones", text)
    else:
        text = f"{start} The quality on given entries should hold for the gaps."
        yield make_result("drift", "fine", "Unlabelled items are similar to labelled ones", text)


def _reading(facts: Facts) -> Iterator[Result]:
    for note in facts.notes[:MAX_NOTES]:
        yield make_result("reading", "note", "Note from reading the table", clipped(note, 500))


#: In the order in which results of one level are printed.
CHECKS: tuple[Callable[[Facts], Iterator[Result]], ...] = (
    _known_by_value, _more_assigned, _look_unlabelled, _unlike_gaps, _few_groups, _source_rates,
    _calibration, _broken_rules, _label_frequency, _few_examples, _drift, _few_items, _reading,
)  # fmt: skip
