"""The tables of a finish: the questions that a person sees, and the answers that come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from halflabel.evidence.proof import UNSURE, Proof
from halflabel.evidence.random_order import Codes, pack, unpack
from halflabel.labels.answers import Answer, read_answer
from halflabel.labels.reasons import Reason
from halflabel.table.items import choose_shown, take_shown

if TYPE_CHECKING:
    from halflabel.table import OpenTable

#: The first columns of a table of questions. The columns that describe the item follow.
COLUMNS = ("item", "label", "suggested", "probability", "why", "answer")

#: The code of an answer in a proof -> its value in a journal, and back. An empty answer is "not sure".
WRITTEN = {1: 1, -1: 0, UNSURE: None}
CODES = {value: code for code, value in WRITTEN.items()}

_READ = {Answer.YES: 1, Answer.NO: -1, Answer.UNSURE: UNSURE, Answer.NONE: UNSURE}


class Entries:
    """The entries of a table by name. A proof numbers them row x number of labels + column.

    Parameters
    ----------
    ids, names : sequence of str
        The items and the labels.
    """

    def __init__(self, ids: Sequence[str], names: Sequence[str]) -> None:
        self.ids, self.names = ids, names
        self._rows = {item: row for row, item in enumerate(ids)}
        self._columns = {name: column for column, name in enumerate(names)}
        self._order = sorted(range(len(ids)), key=ids.__getitem__)

    def find(self, item: Any, label: Any) -> int:
        """Return the number of an entry. Raise if the table does not have it."""
        row, column = self._rows.get(str(item)), self._columns.get(str(label))
        if row is None or column is None:
            raise ValueError(
                f"the table has no entry of the item {str(item)!r:.80} and the label {str(label)!r:.80} any more: use "
                "the table that the questions are about."
            )
        return row * len(self.names) + column

    def name(self, entries: Sequence[int]) -> list[list[str]]:
        """Return item and label of each entry."""
        return [[self.ids[entry // len(self.names)], self.names[entry % len(self.names)]] for entry in entries]

    def pack(self, codes: Codes) -> str:
        """Return the codes of all entries as text, whatever the order of the items is."""
        return pack(codes.reshape(len(self.ids), -1)[self._order])

    def unpack(self, text: str) -> Codes:
        """Return the codes that :meth:`pack` wrote, for the present order of the items."""
        codes = np.empty((len(self.ids), len(self.names)), dtype=np.uint8)
        codes[self._order] = unpack(text, codes.size).reshape(codes.shape)
        return codes.ravel()


def tabulate_questions(opened: OpenTable, proof: Proof, entries: Sequence[int]) -> pd.DataFrame:
    """Return the questions about some entries. Random ones have no suggested value."""
    flat = np.array(entries, dtype=np.intp)
    rows, columns = np.divmod(flat, len(proof.names))
    drawn = {entry for entry, drawn in proof.steps if drawn}
    random = np.array([entry in drawn for entry in entries], dtype=bool)
    relevant, wrong = proof.fill[flat] > 0, proof.wrong[flat]
    suggested = pd.array(relevant.astype(np.int8), dtype="Int8")
    suggested[random] = pd.NA
    table = pd.DataFrame(
        {
            "item": opened.index[rows],
            "label": np.array(proof.names, dtype=object)[columns],
            "suggested": suggested,
            "probability": np.where(random, np.nan, np.where(relevant, 1 - wrong, wrong)),
            "why": np.where(random, Reason.RANDOM.value, Reason.UNCERTAIN_ENTRY.value),
            "answer": pd.array([None] * len(flat), dtype="Int8"),
        }
    )
    shown = take_shown(opened, choose_shown(opened), rows)
    return opened.as_given(table.join(shown.rename(columns={name: f"{name} (column)" for name in COLUMNS})))


def read_answers(answers: pd.DataFrame, entries: Entries, proof: Proof) -> dict[int, int]:
    """Return the code of each new answer. Raise, in one sentence, for an answer that cannot be taken."""
    if missing := [name for name in ("item", "label", "answer") if name not in answers]:
        raise ValueError(f"the answers have no column {missing[0]!r}: the columns are item, label and answer.")
    new: dict[int, int] = {}
    for item, label, cell in answers[["item", "label", "answer"]].itertuples(index=False):
        entry, answer = entries.find(item, label), read_answer(cell)
        if entry not in proof.asked:
            raise ValueError(f"item {item!r} and label {label!r} were not asked: remove the row, or ask further ones.")
        if answer is None:
            raise ValueError(
                f"the answer about item {item!r} and label {label!r} is {cell!r}: write 1 or yes, 0 or no, or leave "
                "the cell empty (not sure)."
            )
        if new.setdefault(entry, _READ[answer]) != _READ[answer]:
            raise ValueError(f"item {item!r} and label {label!r} have two different answers: keep one of the rows.")
        before = int(proof.answers[entry])
        if abs(before) == 1 and abs(new[entry]) == 1 and before != new[entry]:
            word = "yes" if before > 0 else "no"
            raise ValueError(f"item {item!r} and label {label!r} were answered with {word} before: that answer stands.")
    return {entry: value for entry, value in new.items() if _is_news(entry, value, proof)}


def _is_news(entry: int, value: int, proof: Proof) -> bool:
    before = proof.answers[entry]
    return bool(before == 0 or (before == UNSURE and (value != UNSURE or entry in proof.taken_back)))


def describe_reading(opened: OpenTable) -> dict[str, Any]:
    """Return the arguments with which the delivered table is read, for a certificate."""
    roles, stated = opened.roles, opened.description
    words = {name: list(getattr(stated, name)) for name in ("yes", "no", "unknown")}
    if roles.tags is None:
        return {"id": roles.id, "labels": list(opened.labels.names), **words}
    return {"id": roles.id, "tags": roles.tags, "absent": "irrelevant", "empty": "none", "sep": stated.sep}
