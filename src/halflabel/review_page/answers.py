"""The answers of a reviewer: the effect of each record, and the current answer of every entry."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Mask
from halflabel.completion.answers import Answers
from halflabel.labels.reasons import Reason, is_calibrating

#: Codes of the current answer of an entry.
NO, NONE, YES, UNDECIDED = -1, 0, 1, 2

#: Codes of the state of an entry, as the page draws them.
STATES = UNKNOWN, FILLED_NO, FILLED_YES, GIVEN_NO, GIVEN_YES, ANSWERED_NO, ANSWERED_YES, LEFT_OPEN = range(8)

#: The values of an answer in a record, and their codes. ``None`` is "not sure".
CODES: dict[Any, int] = {1: YES, 0: NO, None: UNDECIDED}

#: The operations of a record.
OPERATIONS = ("answer", "undo")

#: The sentence about a key of two records.
KEY_USED = "The key was used for another record: send each record with a key of its own."

#: The fields of every record.
_OWN = ("n", "op", "by", "at", "key")


@dataclass(frozen=True)
class Record:
    """One line of a journal."""

    n: int  #: Its number, from 1.
    op: str  #: One of :data:`OPERATIONS`.
    by: str  #: The reviewer.
    at: str  #: Time in ISO 8601.
    key: str  #: A string that the sender chose, so that a record that is sent twice is written once.
    #: The fields of the operation: ``item, label, value, why`` of an answer, ``of`` (a number) of undo, and any further
    #: facts.
    body: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values on one level."""
        return {"n": self.n, "at": self.at, "by": self.by, "op": self.op, "key": self.key, **self.body}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Record:
        """Return the record written by :meth:`to_dict`. Raise a ValueError if the values do not make a record."""
        n, op, by, at, key = (values.get(name) for name in _OWN)
        if type(n) is not int or op not in OPERATIONS or not type(by) is type(at) is type(key) is str:
            raise ValueError("it is not a record of a review.")
        record = cls(n, str(op), by, at, key, {name: value for name, value in values.items() if name not in _OWN})
        _check_body(record)
        return record


class AnswerBook:
    """The current answers of a table, kept up to date record by record.

    ``current`` has the code of the answer of each entry, ``records`` all records in their order, ``by_key`` and
    ``by_number`` the record of a key and of a number, and ``unplaced`` the answers about items or labels that the table
    does not have. Ids are compared as strings and must be distinct.
    """

    def __init__(self, ids: Sequence[Hashable], names: Sequence[str]) -> None:
        self.row_of = {str(item): row for row, item in enumerate(ids)}
        if len(self.row_of) < len(ids):
            raise ValueError("a review needs distinct item ids: name a column of distinct ids (id=).")
        self.column_of = {name: column for column, name in enumerate(names)}
        self.current: NDArray[np.int8] = np.zeros((len(ids), len(names)), dtype=np.int8)
        self.records: list[Record] = []
        self.unplaced: list[Record] = []
        self._stacks: dict[tuple[int, int], list[Record]] = {}
        self.by_key: dict[str, Record] = {}
        self.by_number: dict[int, Record] = {}
        self._contested: set[tuple[int, int]] = set()
        self._done: list[int] = []

    def __len__(self) -> int:
        return int((self.current != NONE).sum())

    def find_repeated(self, op: str, key: str) -> Record | None:
        """Return the record that was written with this key. Raise if it is of another kind."""
        record = self.by_key.get(key)
        if record is not None and record.op != op:
            raise ValueError(KEY_USED)
        return record

    def prepare(
        self, operations: Sequence[tuple[str, str, dict[str, Any]]], *, by: str, at: str
    ) -> tuple[list[Record], list[Record]]:
        """Return a record for each (operation, key, body), and the records that were not written before."""
        made: dict[str, Record] = {}
        records = []
        for op, key, body in operations:
            record = self.find_repeated(op, key) or made.get(key)
            if record is None:
                own = {"n": self.next_number + len(made), "op": op, "by": by, "at": at, "key": key}
                record = made[key] = Record.from_dict({**own, **body})
            records.append(record)
        return records, list(made.values())

    @property
    def next_number(self) -> int:
        """The number of the next record."""
        return self.records[-1].n + 1 if self.records else 1

    def list_undoable(self, by: str | None = None) -> list[int]:
        """Return the numbers of the last records that are not undone: one record, or all answers of one screen.

        With several reviewers, each one undoes the own answers (``by``).
        """
        own = (self.by_number[n] for n in reversed(self._done))
        screen: list[Record] = []
        for record in (record for record in own if by is None or record.by == by):
            key = record.body.get("screen")
            if screen and (not key or key != screen[0].body.get("screen")):
                break
            screen.append(record)
        return [record.n for record in screen]

    def apply(self, record: Record) -> None:
        """Apply one record. Raise a ValueError for an undo that is not the next one, of all or of this reviewer."""
        answer = record
        if record.op == "undo":
            of = record.body["of"]
            if of not in {*self._done[-1:], *self.list_undoable(record.by)[:1]}:
                raise ValueError(f"record {of} is not the next one to undo.")
            self._done.remove(of)
            answer = self.by_number[of]
        else:
            self._done.append(record.n)
        entry = self.find_entry(answer.body["item"], answer.body["label"])
        if entry is not None:
            stack = self._stacks.setdefault(entry, [])
            stack.remove(answer) if answer is not record else stack.append(answer)
            self._update(entry, stack)
        elif answer is record:
            self.unplaced.append(record)
        self.records.append(record)
        self.by_number[record.n] = self.by_key[record.key] = record

    def find_entry(self, item: str, label: str) -> tuple[int, int] | None:
        """Return the place of an entry, or None if the table does not have it."""
        row, column = self.row_of.get(item), self.column_of.get(label)
        return None if row is None or column is None else (row, column)

    def to_answers(self) -> Answers:
        """Return the entries that were answered with yes or no."""
        rows, columns = np.nonzero(np.abs(self.current) == 1)
        why = [self.find_reason(row, column) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
        independent = np.array([is_calibrating(text) for text in why], dtype=bool)
        return Answers(rows, columns, self.current[rows, columns] == YES, independent)

    def find_reason(self, row: int, column: int) -> str:
        """Return why an entry was asked. Of several reasons, the first one that depends on the value counts."""
        given = [str(record.body.get("why", record.op)) for record in self._stacks[row, column]]
        return next((why for why in given if not is_calibrating(why)), given[-1])

    @property
    def contested(self) -> Mask:
        """The entries about which two reviewers have different answers. They are undecided."""
        mask = np.zeros(self.current.shape, dtype=bool)
        for entry in self._contested.copy():
            mask[entry] = True
        return mask

    def list_single_answers(self, by: str) -> Mask:
        """Return the decided entries that exactly one other reviewer has answered."""
        mask = np.zeros(self.current.shape, dtype=bool)
        for entry, stack in list(self._stacks.items()):
            names = {record.by for record in stack}
            mask[entry] = len(names) == 1 and by not in names and abs(self.current[entry]) == 1
        return mask

    def list_last_of_each(self) -> Iterable[tuple[str, dict[str, int | None]]]:
        """Yield the label, and the last value of each reviewer, of every entry that was answered."""
        names = list(self.column_of)
        for (_, column), stack in list(self._stacks.items()):
            yield names[column], {record.by: record.body["value"] for record in stack}

    def list_active(self) -> Iterable[tuple[int, int, Record]]:
        """Yield (row, column, record) for every current answer."""
        for (row, column), stack in list(self._stacks.items()):  # answers may come while another thread reads
            if last := stack[-1:]:
                yield row, column, last[0]

    def _update(self, entry: tuple[int, int], stack: Sequence[Record]) -> None:
        self._contested.discard(entry)
        if is_contested(stack):
            self._contested.add(entry)
        last = CODES[stack[-1].body["value"]] if stack else NONE
        self.current[entry] = UNDECIDED if entry in self._contested else last


def is_contested(stack: Sequence[Record]) -> bool:
    """Return whether a second reviewer, asked on purpose, gave another answer, which is the newest one."""
    if not stack or stack[-1].body.get("why") != Reason.TWICE:
        return False
    others = [record for record in stack if record.by != stack[-1].by]
    return bool(others) and others[-1].body["value"] != stack[-1].body["value"]


def _check_body(record: Record) -> None:
    """Raise if a record lacks a field that its operation needs."""
    body = record.body
    if record.op == "answer":
        value, label = body.get("value", "missing"), body.get("label")
        if type(value) not in (int, type(None)) or value not in CODES or not isinstance(label, str):
            raise ValueError("an answer has a label, and a value that is 1, 0 or null.")
        if not isinstance(body.get("item"), str):
            raise ValueError("an answer names its item.")
    if record.op == "undo" and not isinstance(body.get("of"), int):
        raise ValueError("an undo names another record by number.")


def find_states(
    given: NDArray[np.int8], current: NDArray[np.int8], filled: NDArray[np.int8] | None
) -> NDArray[np.uint8]:
    """Return the code of the state of each entry. An answer precedes a given value, which precedes a fill."""
    filled = np.zeros_like(given) if filled is None else filled
    conditions = [current == YES, current == NO, current == UNDECIDED, given > 0, given < 0, filled > 0, filled < 0]
    codes = [ANSWERED_YES, ANSWERED_NO, LEFT_OPEN, GIVEN_YES, GIVEN_NO, FILLED_YES, FILLED_NO]
    return np.select(conditions, codes, UNKNOWN).astype(np.uint8)
