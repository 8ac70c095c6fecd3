"""Checks of a completion, as sentences: the values not to trust, and the checks that were passed.

Each check has a code, which every output prints; docs/warnings.md has a section per code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from halflabel._wording import clipped, decimal, listed, percent, plural
from halflabel.labels import PartialLabels
from halflabel.labels.intervals import wilson_interval

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
    "other-rates",
    "label-frequency",
    "more-assigned",
    "look-unlabelled",
    "broken-rules",
    "source-rates",
    "reading",
]
CODES: tuple[str, ...] = get_args(Code)

#: The ways to measure a precision in any case.
SETTLE = (
    "No expected precision is printed. Answers about random entries measure it: halflabel finish, or filled.finish() "
    "in Python. 385 random entries measure it within five points at a confidence of 95 %."
)

#: Minimum number of given entries of a label's rarer value: with fewer, the standard error of its AUC is about 0.1.
MIN_OF_A_VALUE = 10

#: Minimum number of labelled items: with fewer, all measurements are on folds of at most ten items.
MIN_ITEMS = 50

#: Minimum number of groups of labelled items: with 8 recordings of frogs, 70 % of values stated with 88 % were right.
MIN_GROUPS = 10

#: AUC from which labelled and unlabelled items differ, and differ strongly. The centres of two normal distributions
#: with this AUC are 0.36 and 0.95 standard deviations apart (86 % and 63 % overlap).
MIN_DRIFT, MIN_STRONG_DRIFT = 0.60, 0.75

#: Maximum calibration error of probabilities that count as well calibrated.
MAX_CALIBRATION_ERROR = 0.05

#: Maximum number of broken rules that are named.
MAX_BROKEN = 5

#: Maximum number of notes from reading the table.
MAX_NOTES = 30

_RANK = ("warning", "caution", "note", "fine")


def collect_warnings(
    labels: PartialLabels,
    *,
    drift: float | None,
    quality: Mapping[str, float],
    notes: Sequence[str] = (),
    positive: Mapping[str, Any] | None = None,
    selected: bool = False,
    groups: int | None = None,
    correction: Sequence[Result] = (),
    others: Sequence[Result] = (),
    accepted: Sequence[str] = (),
    voted: bool = False,
    doubt: str = "",
) -> list[Result]:
    """Return the results of all checks, the most serious first.

    No result is "fine" if one contradicts probabilities, or if given entries are not like the gaps.

    Parameters
    ----------
    labels : PartialLabels
        The labels that the method was fitted on.
    drift : float or None
        AUC with which a classifier separates labelled from unlabelled items.
    quality : mapping
        From :func:`halflabel.report.quality.measure_quality`.
    notes : sequence of str
        Notes from reading the table.
    positive : mapping, optional
        For positive-only labels: ``observed_rate`` (the label frequency c), in ``above`` the number of ``entries``
        whose probability of being assigned is above c, and how many of them were ``assigned``, and in ``lacking`` the
        number of annotated items that look unlabelled.
    selected : bool, default=False
        Whether known entries differ from unknown entries, from :func:`halflabel.evidence.selection.is_selected`.
    groups : int, optional
        Number of groups that the labelled items are of, if items have groups.
    correction : sequence of dict
        From :func:`describe_correction`, if probabilities were corrected for this difference.
    others : sequence of dict
        From :func:`describe_broken` and :func:`describe_share`, if there are any.
    accepted : sequence of str
        Codes of checks whose results are notes, because a person has read and accepted them.
    voted : bool, default=False
        Whether the method learned from entries with votes of several sources.
    doubt : str, optional
        Why no error rate of a source is known, from :func:`halflabel.corrections.votes.support.explain_doubt`.

    Returns
    -------
    list of dict
        ``code``, ``level`` ("warning", "caution", "note" or "fine"), ``title`` and ``text``.
    """
    checked: dict[str, Any] = {"quality": quality, "positive": positive, "selected": selected, "groups": groups}
    contradictions = find_contradictions(**checked, voted=voted, doubt=doubt)
    learned = [*_check_examples(labels), _check_drift(drift, labels), *_check_items(labels)]
    results = [
        *correction,
        *contradictions,
        *others,
        *([_describe_assumption(positive["observed_rate"])] if positive else ()),
        *(_name_votes(learned) if voted else learned),
        *([] if contradictions else _check_calibration(quality, positive)),
    ]
    title = "Note from reading the table"
    results += [make_result("reading", "note", title, clipped(note, 500)) for note in notes[:MAX_NOTES]]
    read = [each["code"] in accepted and each["level"] != "fine" for each in results]
    results = [{**each, "level": "note"} if is_read else each for each, is_read in zip(results, read, strict=True)]
    kept = [result for result in results if not ((contradictions or correction) and result["level"] == "fine")]
    return sorted(kept, key=lambda result: _RANK.index(result["level"]))


def find_contradictions(
    *,
    quality: Mapping[str, float],
    positive: Mapping[str, Any] | None,
    selected: bool,
    groups: int | None = None,
    voted: bool = False,
    doubt: str = "",
) -> list[Result]:
    """Return the results of the checks that contradict the probabilities of gaps. For the parameters see above.

    With such a result, no percentage that depends on these probabilities is printed.
    """
    selection = _describe_selection() if selected else []
    found = [
        *((*_check_frequency(positive), *_check_lacking(positive)) if positive else ()),
        *(_name_votes(selection) if voted else selection),
        *(_describe_groups(groups) if groups is not None and groups < MIN_GROUPS else ()),
        *([make_result("source-rates", "warning", "The error rates of sources are not known", doubt)] if doubt else ()),
        *_check_calibration(quality, positive),
    ]
    return [{**each, "text": f"{each['text']} {SETTLE}"} for each in found if each["level"] == "warning"]


def describe_correction(text: str) -> Result:
    """Return the result for probabilities of gaps that were shifted."""
    title = "Given entries were chosen because of their value"
    return make_result("known-by-value", "warning", title, text)


def describe_broken(broken: Mapping[str, int]) -> list[Result]:
    """Return the result for given entries that break rules between labels: each rule, with its number of items."""
    if not broken:
        return []
    items = [f"{plural(n, 'item breaks', 'items break')} {rule!r}" for rule, n in list(broken.items())[:MAX_BROKEN]]
    more = [f"and {plural(len(broken) - MAX_BROKEN, 'more rule')}"] if len(broken) > MAX_BROKEN else []
    text = f"{', '.join((*items, *more))}. These entries stay as they are, and are suspects: one is wrong at least."
    return [make_result("broken-rules", "caution", "Given entries break rules between labels", text)]


def make_result(code: Code, level: str, title: str, text: str) -> Result:
    """Return the result of a check as a record."""
    return {"code": code, "level": level, "title": title, "text": text}


def _name_votes(results: Sequence[Result]) -> list[Result]:
    """Return results about the entries that the method learned from, where these are entries with votes.

    Examples
    --------
    >>> _name_votes([make_result("drift", "note", "Given entries", "Every item has a given entry.")])[0]["text"]
    'Every item has an entry with votes.'
    """
    words = (("given entries", "entries with votes"), ("Given entries", "Entries with votes"),
             ("a given entry", "an entry with votes"))  # fmt: skip
    for old, new in words:
        results = [{key: text.replace(old, new) for key, text in each.items()} for each in results]
    return list(results)


def is_exceeded(entries: int, assigned: int, observed_rate: float) -> bool:
    """Return whether the assigned share, among entries with P(assigned) above the label frequency, exceeds it."""
    return entries > 0 and wilson_interval(assigned / entries, entries)[0] > observed_rate


def _describe_assumption(c: float | None) -> Result:
    """Return the question that positive-only labels leave open."""
    start = (
        "An absent label can be irrelevant or a missing positive, so no entry is known to be irrelevant, and the "
        "precision of the filled values cannot be observed."
    )
    if c is None:
        text = (
            f"{start} The model predicts the probability that a label is assigned. It gives the order of the "
            "candidates and decides which entries are filled in. The probability of being relevant is higher, by the "
            "factor 1/c. The label frequency c is the share of the relevant entries that were assigned; it cannot be "
            "estimated from the data. If you know it, set it (--observed-rate, observed_rate)."
        )
        title = "Probabilities are of being assigned, not of being relevant"
        return make_result("label-frequency", "warning", title, text)
    text = (
        f"{start} All probabilities of being relevant are right only if {percent(c)} of the relevant entries were "
        "assigned, with the same chance for all items and labels. The table of label frequencies shows the "
        "results for other shares."
    )
    return make_result("label-frequency", "caution", "Probabilities depend on an assumption", text)


def describe_share(names: Sequence[str], c: float) -> Result:
    """Return the assumption about positive-only labels that are filled in together with other labels."""
    text = (
        f"An absent entry of {listed(names, 12)} can be irrelevant or a missing positive, so no entry of it is known "
        "to be irrelevant, and the precision of the filled values cannot be observed. They are right only if "
        f"{percent(c)} of the relevant entries were assigned, with the same chance for all items."
    )
    return make_result("label-frequency", "caution", "Probabilities depend on an assumption", text)


def _check_frequency(positive: Mapping[str, Any]) -> list[Result]:
    """Return whether more entries were assigned than the assumed label frequency allows."""
    c, entries, hits = positive["observed_rate"], positive["above"]["entries"], positive["above"]["assigned"]
    if c is None or not is_exceeded(entries, hits, c):
        return []
    text = (
        f"Of {plural(entries, 'entry', 'entries')} with a probability of being assigned above {percent(c)}, "
        f"{percent(hits / entries)} were assigned. Either more than {percent(c)} of the relevant entries were "
        "assigned, or typical entries were assigned more often than others. In both cases the probabilities of "
        "being relevant are too high."
    )
    return [make_result("more-assigned", "warning", f"More was assigned than {percent(c)}", text)]


def _check_lacking(positive: Mapping[str, Any]) -> list[Result]:
    """Return whether annotated items look unlabelled, because all of their labels were missed."""
    number = positive.get("lacking", 0)
    if not number:
        return []
    text = (
        f"If {percent(positive['observed_rate'])} of the relevant entries were assigned, about "
        f"{plural(number, 'item')} more than are given must have been annotated without any label. These items look "
        "unlabelled, and items with a label are not a random sample: the probabilities of being relevant are too high. "
        "State which items were annotated: by an empty list of tags, by their ids (--set annotated=FILE, annotated=), "
        'or, if all items were, by --set empty=none (empty="none").'
    )
    return [make_result("look-unlabelled", "warning", "Annotated items without a label look unlabelled", text)]


def _describe_selection() -> list[Result]:
    text = (
        "The model expects another share of relevant entries among the gaps than among the given entries, and the "
        "difference is larger than by chance. Entries were probably given because of their value: for example, only "
        "labels that an item has were noted. Then probabilities that hold for given entries do not hold for the gaps."
    )
    return [make_result("unlike-gaps", "warning", "Given entries differ from the gaps", text)]


def _describe_groups(groups: int) -> list[Result]:
    text = (
        f"The labelled items are of {plural(groups, 'group')}. Items of one group resemble each other, so that "
        f"fewer than {MIN_GROUPS} groups cannot show how right the values of other groups are."
    )
    return [make_result("few-groups", "warning", "Very few labelled groups", text)]


def _check_examples(labels: PartialLabels) -> list[Result]:
    relevant, observed = labels.relevant.sum(axis=0), labels.observed.sum(axis=0)
    rarer = np.minimum(relevant, observed - relevant)
    rare = rarer < MIN_OF_A_VALUE
    names = [labels.names[j] for j in np.argsort(rarer, kind="stable") if rare[j]]
    if not names:
        return []
    text = (
        f"{listed(names, 12)}: fewer than {MIN_OF_A_VALUE} given entries of the rarer value. A measured AUC can be "
        "wrong by 0.1 or more there."
    )
    title = f"{plural(len(names), 'label has', 'labels have')} very few examples"
    return [make_result("few-examples", "caution", title, text)]


def _check_calibration(quality: Mapping[str, float], positive: Mapping[str, Any] | None) -> list[Result]:
    error, by_chance = quality["ece"], quality["ece_by_chance"]
    if np.isnan(error):
        return []
    subject = "Probabilities" if positive is None else "Probabilities of being assigned"
    has_precision = positive is None or positive["observed_rate"] is not None
    start = (
        f"On given entries, {subject[0].lower() + subject[1:]} differ from the observed shares by {percent(error)} on "
        f"average; {percent(by_chance)} would be expected by chance alone."
    )
    if error <= MAX_CALIBRATION_ERROR:
        text = f"{start} A difference of at most {percent(MAX_CALIBRATION_ERROR)} is small."
        if has_precision:
            text += " An expected precision is an average over many entries like these; single values can be wrong."
        return [make_result("calibration", "fine", f"{subject} are well calibrated", text)]
    if error <= 2 * by_chance:
        text = f"{start} There are too few given entries to find the reason: use the probabilities as rough values."
        return [make_result("calibration", "caution", f"{subject} cannot be checked well", text)]
    text = f"{start} Use the order of the probabilities, not their values."
    return [make_result("calibration", "warning", f"{subject} are poorly calibrated", text)]


def _check_items(labels: PartialLabels) -> list[Result]:
    labelled = int((~labels.unlabelled).sum())
    if labelled >= MIN_ITEMS:
        return []
    text = f"Only {plural(labelled, 'item has', 'items have')} a given entry: all numbers are rough."
    return [make_result("few-items", "warning", "Very few labelled items", text)]


def _check_drift(auc: float | None, labels: PartialLabels) -> Result:
    labelled, unlabelled = int((~labels.unlabelled).sum()), int(labels.unlabelled.sum())
    if auc is None:
        text = _explain_unknown_drift(labelled, unlabelled)
        return make_result("drift", "note", "Labelled and unlabelled items cannot be compared", text)
    # By chance: two standard deviations of the AUC of equal distributions (Mann and Whitney, 1947).
    by_chance = 0.5 + 2 * np.sqrt((labelled + unlabelled + 1) / (12 * labelled * unlabelled))
    start = (
        f"A classifier separates labelled from unlabelled items by their features with an AUC of {decimal(auc)}; at "
        "0.50 or below, it cannot separate them."
    )
    if auc >= max(MIN_STRONG_DRIFT, by_chance):
        text = (
            f"{start} The quality on given entries may not hold for the gaps: label a few dozen unlabelled items that "
            "you choose at random, and run this again."
        )
        return make_result("drift", "warning", "Unlabelled items clearly differ from labelled ones", text)
    if auc >= max(MIN_DRIFT, by_chance):
        text = f"{start} Expect a lower quality in the gaps than on given entries, and check a random sample."
        return make_result("drift", "caution", "Unlabelled items differ somewhat from labelled ones", text)
    text = f"{start} The quality on given entries should hold for the gaps."
    return make_result("drift", "fine", "Unlabelled items are similar to labelled ones", text)


def _explain_unknown_drift(labelled: int, unlabelled: int) -> str:
    if unlabelled == 0:
        return (
            "Every item has a given entry. If entries are missing for a reason (for example, because they are "
            "difficult), the quality in the gaps is lower than on given entries."
        )
    return (
        f"There are {plural(labelled, 'labelled item')} and {plural(unlabelled, 'unlabelled one')}: not enough. The "
        "quality on given entries holds for gaps that are similar to them."
    )
