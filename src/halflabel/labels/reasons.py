"""The reasons for which a person is asked about an entry, and whether the answer may calibrate probabilities."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """The reason why an entry is asked: a key that files keep, its words, and whether its answers calibrate.

    A new reason states both facts. An answer to a question that depends on the *value* of the entry (of the table, of
    another reviewer) does not calibrate: such entries are not a fair sample.

    Attributes
    ----------
    value : str
        The key, as journals write it in "why".
    calibrates : bool
        Whether the question does not depend on the value of the entry.
    words : str
        The text in the column "reason" of a review table.
    """

    calibrates: bool
    words: str

    # Queues and other questions of a review in the browser.
    UNCERTAIN = "uncertain", True
    SUSPECTS = "suspects", False
    UNCERTAIN_ENTRY = (
        "most uncertain",
        False,
    )  # of all entries: probabilities that learn from them expect too many errors
    FREQUENCY = "label frequency", False
    RANDOM = "random", True
    RANDOM_OF_PART = "random of a part", True  # of one label: no sample of all filled entries
    TWICE = "twice", True  # a random answered entry, asked by a second reviewer
    WALL = "wall", False  # items of one label with the same filled value
    ANSWER = "answer", False  # a record has no reason if the person selected the entry
    # Groups of the review table of a completion.
    DOUBTFUL_ENTRY = "doubtful entry", False, "given value is doubtful"
    UNDECIDED_ENTRY = "undecided entry", True, "undecided"
    UNCERTAIN_ITEM = "uncertain item", True, "uncertain value: answer helps"
    MISSING_POSITIVE = "missing positive", False, "probably a missing positive"
    NOT_ANNOTATED = "not annotated", False, "not annotated"

    def __new__(cls, key: str, calibrates: bool, words: str = "") -> Reason:
        """Return a member whose value is the key."""
        reason = str.__new__(cls, key)
        reason._value_ = key
        reason.calibrates = calibrates
        reason.words = words or key
        return reason

    @classmethod
    def read(cls, text: object) -> Reason | None:
        """Return the reason that a file holds as a key or in words, or None for any other text.

        Examples
        --------
        >>> Reason.read("undecided"), Reason.read("random"), Reason.read("of my own")
        (<Reason.UNDECIDED_ENTRY: 'undecided entry'>, <Reason.RANDOM: 'random'>, None)
        """
        return next((reason for reason in cls if text in (reason.value, reason.words)), None)


def is_calibrating(text: object) -> bool:
    """Return whether an answer to a question of this reason calibrates. An unknown reason does not."""
    reason = Reason.read(text)
    return reason is not None and reason.calibrates
