"""The groups of entries to check in the report, by the reason that a review table has for each of them."""

from __future__ import annotations

from halflabel.labels.reasons import Reason

#: For positive-only labels, the groups of the report: reason, heading and explanation.
UNASSIGNED = (
    (
        Reason.MISSING_POSITIVE.words,
        "Probable missing positives",
        "Annotated items that lack a label which is probably relevant; the most probable entries come first.",
    ),
    (
        Reason.UNDECIDED_ENTRY.words,
        "Undecided entries",
        "Entries that stay empty, because neither value is certain enough; the most uncertain ones come first.",
    ),
    (
        Reason.NOT_ANNOTATED.words,
        "Items that are not annotated",
        "Filled values that are wrong with a probability of at least 10 %; the most uncertain ones come first.",
    ),
)
