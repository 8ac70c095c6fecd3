"""Answers as a page sends them. Each answer is checked by itself, so that a wrong one costs no other answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from halflabel._wording import clipped
from halflabel.review_page.answers import CODES, KEY_USED, Record
from halflabel.review_page.fields import is_text, is_whole, read_key

#: The longest time of an answer that is stored, a day in milliseconds.
MAX_MS = 86_400_000

#: A function that returns the place of an item and a label in the open table, or None.
FindEntry = Callable[[str, str], tuple[int, int] | None]


@dataclass(frozen=True)
class Outcome:
    """The outcome of an answer."""

    key: str  #: The key that was sent, or a new one for an answer without a key.
    error: str = ""  #: The reason why the answer is not kept. Empty if the answer is on the disk.

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"key": self.key, "saved": not self.error, **({"error": self.error} if self.error else {})}

    @classmethod
    def from_error(cls, sent: Any, error: ValueError) -> Outcome:
        """Return the outcome of an answer that is not kept."""
        key = sent.get("key") if isinstance(sent, dict) else None
        return cls(key if isinstance(key, str) and is_text(key) else "", str(error))


@dataclass(frozen=True)
class SentAnswer:
    """An answer that names an entry of the table."""

    key: str
    #: The place of the entry.
    row: int
    column: int
    body: dict[str, Any]  #: The content for the journal: item, label, value, and facts of the page.


def read_answer(sent: Any, find_entry: FindEntry) -> SentAnswer:
    """Return an answer. Raise a ValueError if it is incomplete, or names no entry of the table."""
    if not isinstance(sent, dict):
        raise ValueError("An answer is an object.")
    key = read_key(sent)
    row, column = _find_place(sent, find_entry)
    value = sent.get("value", "missing")
    if not (value is None or is_whole(value)) or value not in CODES:
        raise ValueError("The value of an answer is 1, 0 or null.")
    body = {"item": sent["item"], "label": sent["label"], "value": value, **_read_facts(sent)}
    return SentAnswer(key, row, column, body)


def check_repeated(answer: SentAnswer, written: Record | None, earlier: dict[str, Any] | None) -> None:
    """Raise if another record, or an earlier answer of the same request, has the key of an answer."""
    bodies = [body for body in (None if written is None else written.body, earlier) if body is not None]
    if any(body.get(name) != answer.body[name] for body in bodies for name in ("item", "label", "value")):
        raise ValueError(KEY_USED)


def _find_place(sent: dict[str, Any], find_entry: FindEntry) -> tuple[int, int]:
    """Return row and column of the entry that an answer names."""
    item, label = sent.get("item"), sent.get("label")
    if not isinstance(item, str) or not isinstance(label, str):
        raise ValueError("An answer names its entry: the texts 'item' and 'label'.")
    place = find_entry(item, label)
    if place is None:
        raise missing_entry(item, label)
    return place


def missing_entry(item: str, label: str) -> ValueError:
    """Return the error about an entry that the table does not have."""
    return ValueError(f"The table has no entry of the item {clipped(item, 60)!r} and the label {clipped(label, 60)!r}.")


def _read_facts(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of the page about an answer, without fields of a wrong kind."""
    facts: dict[str, Any] = {"why": clipped(sent["why"], 20) if is_text(sent.get("why")) else ""}
    if is_text(screen := sent.get("screen")) and screen:  # several entries that were answered at once
        facts["screen"] = clipped(screen, 40)
    if isinstance(sent.get("shown"), bool):
        facts["shown"] = sent["shown"]
    if is_whole(ms := sent.get("ms")) and 0 <= ms <= MAX_MS:
        facts["ms"] = ms
    return facts
