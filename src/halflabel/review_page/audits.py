"""An audit inside a review: random filled entries, frozen in the journal, and the certificate that they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from halflabel._wording import plural
from halflabel.evidence.answer_plan import propose_sizes
from halflabel.evidence.certificate import Certificate, make_certificate
from halflabel.evidence.proof import Proof
from halflabel.evidence.random_order import decode_values, digest_table, encode_values, pack, unpack
from halflabel.review_page.answers import NONE, AnswerBook, Record
from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import Question, Situation

#: Confidence level of all certificates of a journal together.
LEVEL = 0.95

#: The part of the probability of a false bound that is left which each audit may use.
FIRST_PART = 0.8


_CHANGED = "the table has changed since the audit began: cancel it."


@dataclass(frozen=True, eq=False)
class RunningAudit:
    """An audit that has begun."""

    record: Record  #: The one that began it: its body holds the frozen entries and values.
    book: AnswerBook

    @property
    def places(self) -> list[tuple[int, int, int]]:
        """Row, column and filled value (1 or 0) of every entry, in the order in which they are asked."""
        places = []
        for item, label, value in self.record.body["cells"]:
            place = self.book.find_entry(item, label)
            if place is None:
                raise ValueError("the audit is about items or labels that the table no longer has: cancel it.")
            places.append((*place, value))
        return places

    def list_open(self) -> list[Question]:
        """Return the entries that have no answer of this audit."""
        return [Question(row, column, "audit") for row, column, _ in self.places if self._find(row, column) == NONE]

    def describe(self) -> dict[str, Any]:
        """Return how many answers there are, and the precision that they prove."""
        body = self.record.body
        known = {name: body[name] for name in ("entries", "level")}
        n, answered = len(body["cells"]), len(body["cells"]) - len(self.list_open())
        try:
            precision = 1 - self.proof.bound if answered else None
        except ValueError:  # another table: the audit can only be cancelled
            precision = None
        return {"n": n, "answered": answered, "precision": precision, **known}

    def certify(self, **facts: Any) -> Certificate:
        """Return the certificate of this moment. Raise if no answer counts, or the table is another one."""
        proof, body = self.proof, self.record.body
        if not proof.whole:
            raise ValueError("a certificate needs an answer to the first question of the audit.")
        own = {"by": self.record.by, "fit": body["fit"], "attempts": body["attempts"], "max_error": None}
        return make_certificate(proof, seed_from="secrets", level=body["level"], **own, **facts)

    @property
    def proof(self) -> Proof:
        """The answers, and the values that the journal has frozen."""
        body, ids, names = self.record.body, list(self.book.row_of), list(self.book.column_of)
        try:
            codes, part = (unpack(body[name], len(ids) * len(names)) for name in ("values", "part"))
        except ValueError:
            raise ValueError(_CHANGED) from None
        fill = decode_values(codes)[0].reshape(len(ids), len(names))
        if digest_table(ids, names, fill) != body["table"]:
            raise ValueError(_CHANGED)
        proof = Proof(ids, names, np.where(part.reshape(fill.shape), 0, fill), body["alpha"])
        proof.begin(codes, body["seed"])
        places = [(row * len(names) + column, self._find(row, column)) for row, column, _ in self.places]
        proof.take(entry for entry, _ in places)
        for entry, answer in places:
            if answer != NONE:
                proof.answer(entry, answer)
        return proof

    def _find(self, row: int, column: int) -> int:
        """Return the code of the answer of this audit about an entry."""
        return self.book.find_in_audit(row, column, self.record.n)


def count_audits(book: AnswerBook) -> int:
    """Return the number of audits that were begun."""
    return sum(record.op == "audit" for record in book.records)


def find_alpha(book: AnswerBook) -> float:
    """Return the probability of a false bound that the next audit may use: of all audits together, 1 - LEVEL."""
    return (1 - LEVEL) * FIRST_PART * (1 - FIRST_PART) ** count_audits(book)


def find_running(book: AnswerBook) -> RunningAudit | None:
    """Return the audit that has begun and is neither cancelled nor certified."""
    for record in reversed(book.records):
        if record.op in ("cancel", "certificate"):
            return None
        if record.op == "audit":
            return RunningAudit(record, book)
    return None


def describe_certificate(book: AnswerBook, fit: Fit | None) -> dict[str, Any] | None:
    """Return the last certificate, its sentence, and whether the values have changed since then."""
    record = next((record for record in reversed(book.records) if record.op == "certificate"), None)
    if record is None:
        return None
    facts = record.body["certificate"]
    return {**facts, "sentence": record.body["sentence"], "is_current": fit is not None and facts["fit"] == fit.name}


def draw(now: Situation, fit: Fit, book: AnswerBook, *, n: int, seed: int) -> dict[str, Any]:
    """Return the body of the record that begins an audit of the filled entries, "not sure" answers included."""
    ids, names = list(book.row_of), list(book.column_of)
    given = np.where(np.abs(now.current) == 1, now.current, now.given).astype(np.int8)
    fill = np.where(given != 0, given, fit.state).astype(np.int8)
    proof = Proof(ids, names, given, find_alpha(book))
    codes = encode_values(fill, fit.wrong.astype(np.float64)).ravel()
    proof.begin(codes, seed)
    entries = proof.entries
    if not 1 <= n <= entries:
        filled = plural(entries, "filled entry", "filled entries")
        raise ValueError(f"an audit of {filled} has between 1 and {max(entries, 1)} of them, not {n}.")
    cells = [[ids[entry // len(names)], names[entry % len(names)], int(proof.fill[entry] > 0)]
             for entry in proof.choose_random(n)]  # fmt: skip
    return {
        "seed": seed, "level": LEVEL, "alpha": proof.alpha, "entries": entries,
        "attempts": count_audits(book), "table": digest_table(ids, names, fill), "fit": fit.name, "cells": cells,
        "values": pack(codes), "part": pack(proof.part.astype(np.uint8)),
    }  # fmt: skip


def describe_plans(now: Situation, fit: Fit, book: AnswerBook) -> dict[str, Any]:
    """Return numbers of answers, and the precision that each of them will most likely prove."""
    entries = now.delivered != 0
    number = int(entries.sum())
    rate = float(fit.wrong[entries].mean()) if number else 0.0
    plans = propose_sizes(number, rate, 1 - find_alpha(book))
    if not fit.has_precision:
        return {"entries": number, "error_rate": None, "plans": [{**each, "precision": None} for each in plans]}
    return {"entries": number, "error_rate": rate, "plans": plans}
