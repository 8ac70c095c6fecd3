"""The reasons for which a person should check an entry; each is a group of its own in a review and in the report."""

from __future__ import annotations

DOUBTFUL = "given entry is doubtful"
UNDECIDED = "undecided"
UNCERTAIN = "uncertain item: answer helps"
MISSING = "probably a missing positive"
NOT_ANNOTATED = "not annotated"

#: For positive-only labels, the groups of the report: reason, heading and explanation.
UNASSIGNED = (
    (
        MISSING,
        "Probable missing positives",
        "Annotated items that lack a label which is probably relevant; the most probable entries come first.",
    ),
    (
        UNDECIDED,
        "Undecided entries",
        "Entries that stay empty, because neither value is certain enough; the most uncertain ones come first.",
    ),
    (
        NOT_ANNOTATED,
        "Items that are not annotated",
        "Filled values that are wrong with a probability of at least 10 %; the most uncertain ones come first.",
    ),
)
