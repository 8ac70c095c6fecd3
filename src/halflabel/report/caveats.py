"""What not to trust, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._wording import clipped, count, decimal, listed, percent, plural
from halflabel.labels import PartialLabels
from halflabel.report.figures import wilson

Caveat = dict[str, str]

#: With fewer of its rarer value, the standard error of a label's AUC is about 0.1: its quality is an anecdote.
FEW_OF_A_VALUE = 10

#: With fewer labelled items every figure of the report rests on folds of ten items or less.
FEW_ITEMS = 50

#: Two normal clouds told apart with these AUC are 0.36 and 0.95 standard deviations apart (86 % and 63 % overlap).
SOME_DRIFT, STRONG_DRIFT = 0.60, 0.75

#: A mean error of the probabilities that a user would notice, if it is also twice what chance brings.
WEAK_CALIBRATION = 0.05

#: Notes from the door that fit on a page.
MOST_NOTES = 30

_RANK = ("warning", "caution", "note", "fine")


def caveats(
    labels: PartialLabels,
    *,
    kinds: Mapping[str, int],
    drift: float | None,
    quality: Mapping[str, float],
    notes: Sequence[str] = (),
    positive: Mapping[str, Any] | None = None,
) -> list[Caveat]:
    """Return what the reader should know before trusting an answer, the gravest first.

    Parameters
    ----------
    labels : PartialLabels
        As the method saw them.
    kinds : mapping
        Gaps by what their answer rests on, from :func:`evidence_counts`.
    drift : float or None
        How well labelled and unlabelled items can be told apart.
    quality : mapping
        From :func:`halflabel.report.quality.overall`.
    notes : sequence of str
        What was said at the door.
    positive : mapping, optional
        For positive-only labels: ``observed_rate``, and in ``above`` how many ``entries`` are likelier to be assigned
        than that allows, and how many of them were ``assigned``.

    Returns
    -------
    list of dict
        ``level`` ("warning", "caution", "note" or "fine"), ``title`` and ``text``.
    """
    assumed = [] if positive is None else [*_assumed(positive["observed_rate"]), *_contradicted(positive)]
    what = "Probabilities" if positive is None else "Probabilities of being assigned"
    found = [*assumed, *_unlearned(labels), *_thin(labels), _drift(drift, labels), *_calibration(quality, what)]
    found += [*([] if positive else _evidence(kinds)), *_few_items(labels)]
    found += [_caveat("note", "Said when the table was read", clipped(note, 500)) for note in notes[:MOST_NOTES]]
    return sorted(found, key=lambda caveat: _RANK.index(caveat["level"]))


def evidence_counts(labels: PartialLabels, kinds: NDArray[np.str_]) -> dict[str, int]:
    """Count the gaps by what their answer rests on."""
    return {kind: int(((kinds == kind) & ~labels.observed).sum()) for kind in ("graph", "features", "prior")}


def _caveat(level: str, title: str, text: str) -> Caveat:
    return {"level": level, "title": title, "text": text}


def _assumed(observed_rate: float | None) -> list[Caveat]:
    """Say what no data can: how many relevant entries were never assigned, and so how precise the answers are."""
    start = (
        "A label that an item does not have may just have been forgotten, so that no entry is known to be irrelevant, "
        "and the precision of what was filled in cannot be observed."
    )
    if observed_rate is None:
        text = (
            f"{start} What can be learned is how likely a label is to be assigned. That puts candidates in the right "
            "order and chooses what to fill in, but a relevant entry is likelier than that by a factor that no data "
            "can tell: the share of relevant entries that was assigned. If you know it, say it (observed_rate)."
        )
        return [_caveat("warning", "Probabilities are of being assigned, not of being relevant", text)]
    text = (
        f"{start} All probabilities of being relevant hold if {percent(observed_rate)} of the relevant entries were "
        "assigned, each with the same chance whatever the item and the label. The table above shows what another share "
        "would change."
    )
    return [_caveat("caution", "Probabilities rest on an assumption", text)]


def _contradicted(positive: Mapping[str, Any]) -> list[Caveat]:
    """Say where more was assigned than the assumption allows."""
    c, entries, hits = positive["observed_rate"], positive["above"]["entries"], positive["above"]["assigned"]
    if c is None or not entries or wilson(hits / entries, entries)[0] <= c:
        return []
    text = (
        f"Of {plural(entries, 'entry', 'entries')} that are likeliest to be assigned, {percent(hits / entries)} were, "
        f"although no more than {percent(c)} of the relevant entries should be. Either more was assigned than that, "
        "or what is typical is assigned more often than what is not; probabilities are too high then."
    )
    return [_caveat("warning", f"More was assigned than {percent(c)}", text)]


def _unlearned(labels: PartialLabels) -> list[Caveat]:
    poor = [name for name, good in zip(labels.names, labels.learnable, strict=True) if not good]
    if not poor:
        return []
    text = (
        f"{listed(poor, 20)}: both values are needed, and among the given entries at most one occurs. The gaps get the "
        "observed rate, which is a guess and not an answer; a few entries of the other value would make the difference."
    )
    return [_caveat("warning", f"{plural(len(poor), 'label')} could not be learned", text)]


def _thin(labels: PartialLabels) -> list[Caveat]:
    relevant, observed = labels.relevant.sum(axis=0), labels.observed.sum(axis=0)
    rarer = np.minimum(relevant, observed - relevant)
    few = labels.learnable & (rarer < FEW_OF_A_VALUE)
    thin = [labels.names[j] for j in np.argsort(rarer, kind="stable") if few[j]]
    if not thin:
        return []
    text = (
        f"{listed(thin, 12)}: fewer than {FEW_OF_A_VALUE} given entries of the rarer value. The quality shown for "
        f"{'it' if len(thin) == 1 else 'them'} may be off by 0.1 AUC or more either way."
    )
    return [_caveat("caution", f"{plural(len(thin), 'label rests', 'labels rest')} on very few examples", text)]


def _evidence(kinds: Mapping[str, int]) -> list[Caveat]:
    gaps = sum(kinds.values())
    found = []
    if kinds["features"]:
        text = (
            f"{count(kinds['features'])} gaps ({percent(kinds['features'] / gaps)}) belong to items that no chain of "
            "similar items ties to a given entry of the label. Their answers come from the feature model alone."
        )
        found.append(_caveat("caution", "Some answers have no neighbour to lean on", text))
    if gaps and not kinds["features"] and not kinds["prior"]:
        text = "Every gap is tied to given entries of its label through similar items."
        found.append(_caveat("fine", "All answers have evidence", text))
    return found


def _calibration(quality: Mapping[str, float], what: str) -> list[Caveat]:
    error, by_chance = quality["ece"], quality["ece_by_chance"]
    if np.isnan(error):
        return []
    found = (
        f"On given entries {what[0].lower() + what[1:]} are off by {percent(error)} on average, where chance alone "
        f"would bring {percent(by_chance)}."
    )
    if error <= WEAK_CALIBRATION:
        text = (
            f"{found} Still, an expected precision is an average over many entries like the given ones, and no promise "
            "for any of them."
        )
        return [_caveat("fine", f"{what} can be taken at their word", text)]
    if error <= 2 * by_chance:
        text = f"{found} There are too few given entries to tell whether they are right: take them as rough."
        return [_caveat("caution", f"{what} cannot be checked well", text)]
    text = f"{found} Read them as an order, and the expected precisions above as rough."
    return [_caveat("warning", f"{what} are poorly calibrated", text)]


def _few_items(labels: PartialLabels) -> list[Caveat]:
    labelled = int((~labels.unlabelled).sum())
    if labelled >= FEW_ITEMS:
        return []
    text = f"Only {plural(labelled, 'item')} with a given entry: every number in this report is rough."
    return [_caveat("warning", "Very few labelled items", text)]


def _drift(auc: float | None, labels: PartialLabels) -> Caveat:
    labelled, unlabelled = int((~labels.unlabelled).sum()), int(labels.unlabelled.sum())
    if auc is None:
        return _caveat("note", "Are the gaps like the given entries?", _cannot_tell(labelled, unlabelled))
    # What chance brings: two standard deviations of the AUC of equal clouds (Mann and Whitney, 1947).
    by_chance = 0.5 + 2 * np.sqrt((labelled + unlabelled + 1) / (12 * labelled * unlabelled))
    found = f"An item's features tell whether it is labelled with an AUC of {decimal(auc)}, where 0.50 is a coin toss"
    if auc >= max(STRONG_DRIFT, by_chance):
        text = (
            f"{found}. What was measured on given entries need not hold for the gaps: label a few dozen unlabelled "
            "items picked at random, and run this again."
        )
        return _caveat("warning", "Unlabelled items clearly differ from labelled ones", text)
    if auc >= max(SOME_DRIFT, by_chance):
        text = f"{found}. Expect the gaps to be filled less well than the figures above say, and check a sample."
        return _caveat("caution", "Unlabelled items differ somewhat from labelled ones", text)
    text = f"{found}: what was measured on given entries should hold for the gaps."
    return _caveat("fine", "Unlabelled items look like labelled ones", text)


def _cannot_tell(labelled: int, unlabelled: int) -> str:
    if unlabelled == 0:
        return (
            "Every item has a given entry, so that labelled and unlabelled items cannot be compared. If entries are "
            "missing for a reason (hard ones, say), the figures above are too good."
        )
    return (
        f"With {plural(labelled, 'labelled item')} and {plural(unlabelled, 'unlabelled one')} there are too few to "
        "tell whether they differ. The figures above hold for gaps like the given entries."
    )
