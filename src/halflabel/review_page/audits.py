"""An audit inside a review: random filled entries, frozen in the journal, and the certificate that they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from halflabel._wording import plural
from halflabel.evidence.answer_plan import propose_sizes
from halflabel.evidence.certificate import Certificate, make_certificate, pack_mask, unpack_mask
from halflabel.evidence.confidence_sequence import Draws, keep_alpha
from halflabel.evidence.drawing import digest_table
from halflabel.evidence.proof import Proof, Round
from halflabel.labels.names import POPULATIONS
from halflabel.review_page.answers import NONE, AnswerBook, Record
from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import Question, Situation

#: Confidence level of all certificates of a journal together.
LEVEL = 0.95


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
        known = {name: body[name] for name in ("population", "entries", "level")}
        n, answered = len(body["cells"]), len(body["cells"]) - len(self.list_open())
        try:
            precision = 1 - self.proof.bound if answered else None
        except ValueError:  # another table: the audit can only be cancelled
            precision = None
        return {"n": n, "answered": answered, "precision": precision, **known}

    def certify(self, **facts: Any) -> Certificate:
        """Return the certificate of this moment. Raise if no answer counts, or the table is another one."""
        proof, body = self.proof, self.record.body
        if not len(proof.draws.wrong):
            raise ValueError("a certificate needs an answer to the first question of the audit.")
        attempts = [each.describe_attempt() for each in list_audits(self.book, self.record)]
        attempts = [each for each in attempts if each["audited"]]
        own = {"by": self.record.by, "fit": body["fit"], "attempts": attempts, "max_error": None}
        return make_certificate(proof, seed_from="secrets", **own, **facts)

    @property
    def proof(self) -> Proof:
        """The answers, and the values that the journal has frozen."""
        body, ids, names = self.record.body, list(self.book.row_of), list(self.book.column_of)
        size = len(ids) * len(names)
        try:
            filled, relevant, part = (unpack_mask(body[name], size) for name in ("filled", "relevant", "part"))
        except ValueError:
            raise ValueError(_CHANGED) from None
        fill = np.where(filled, np.where(relevant, 1, -1), 0).astype(np.int8)
        if digest_table(ids, names, fill.reshape(len(ids), len(names))) != body["table"]:
            raise ValueError(_CHANGED)
        given = np.where(part, 0, fill).astype(np.int8).reshape(len(ids), len(names))
        proof = Proof(ids, names, given, 1 - body["level"], body["population"])
        places = [(row * len(names) + column, self._find(row, column)) for row, column, _ in self.places]
        steps = [(entry, True) for entry, _ in places]
        proof.rounds = [Round(fill, part, body["seed"], body["alpha"], int(part.sum()), body["expected"], steps)]
        for entry, answer in places:
            proof.answers[entry] = answer
        return proof

    @property
    def draws(self) -> Draws:
        """The answers that count, for the certificates that follow. The table may have changed since then."""
        body, wrong = self.record.body, []
        for item, label, value in body["cells"]:
            place = self.book.find_entry(item, label)
            answer = NONE if place is None else self._find(*place)
            if answer == NONE:
                break
            wrong.append(answer != (1 if value else -1))
        return Draws.count(body["entries"], len(wrong), sum(wrong), body["expected"])

    def keep_alpha(self) -> float:
        """Return the alpha that is left. A question that was skipped may have either answer: the worst case counts."""
        body, wrong, places = self.record.body, [], []
        for item, label, value in body["cells"]:
            place = self.book.find_entry(item, label)
            answer = NONE if place is None else self._find(*place)
            places.append(answer != NONE)
            wrong.append(answer not in (NONE, 1 if value else -1))
        n = max((i + 1 for i, answered in enumerate(places) if answered), default=0)
        errors, skipped = sum(wrong), n - sum(places)
        cases = [Draws.count(body["entries"], n, errors + c, body["expected"]) for c in range(skipped + 1)]
        return min(keep_alpha(draws, body["alpha"]) for draws in cases)

    def describe_attempt(self) -> dict[str, Any]:
        """Return the facts of the audit for the certificates that follow."""
        body, wrong = self.record.body, self.draws.wrong
        return {"seed": body["seed"], "alpha": body["alpha"], "audited": len(wrong), "errors": int(wrong.sum())}

    def _find(self, row: int, column: int) -> int:
        """Return the code of the answer of this audit about an entry."""
        return self.book.find_in_audit(row, column, self.record.n)


def list_audits(book: AnswerBook, before: Record | None = None) -> list[RunningAudit]:
    """Return the audits of a journal, or the audits before one of them."""
    records = [record for record in book.records if record.op == "audit"]
    return [RunningAudit(record, book) for record in records if before is None or record.n < before.n]


def find_alpha(book: AnswerBook) -> float:
    """Return the probability of a false bound that the next audit may use."""
    audits = list_audits(book)
    if not audits:
        return 1 - LEVEL
    return audits[-1].keep_alpha()


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


def draw(now: Situation, fit: Fit, book: AnswerBook, *, n: int, population: str, seed: int) -> dict[str, Any]:
    """Return the body of the record that begins an audit of the filled entries, "not sure" answers included."""
    ids, names = list(book.row_of), list(book.column_of)
    given = np.where(np.abs(now.current) == 1, now.current, now.given).astype(np.int8)
    proof = Proof(ids, names, given, find_alpha(book), population)
    fill = np.where(given != 0, given, fit.state).astype(np.int8)
    part = proof.begin(fill, seed).part
    entries = int(part.sum())
    if not 1 <= n <= entries:
        filled = plural(entries, "filled entry", "filled entries")
        raise ValueError(f"an audit of {filled} has between 1 and {max(entries, 1)} of them, not {n}.")
    cells = [[ids[entry // len(names)], names[entry % len(names)], int(proof.now.fill[entry] > 0)]
             for entry in proof.choose_random(n)]  # fmt: skip
    return {
        "population": population, "seed": seed, "level": LEVEL, "alpha": proof.alpha, "entries": entries,
        "expected": float(fit.wrong.ravel()[part].mean()), "table": digest_table(ids, names, fill), "fit": fit.name,
        "cells": cells, "filled": pack_mask(fill != 0), "relevant": pack_mask(fill > 0), "part": pack_mask(part),
    }  # fmt: skip


def describe_plans(now: Situation, fit: Fit, book: AnswerBook, population: str) -> dict[str, Any]:
    """Return numbers of answers, and the precision that each of them will most likely prove."""
    entries = np.isin(now.delivered, POPULATIONS[population])
    number = int(entries.sum())
    rate = float(fit.wrong[entries].mean()) if number else 0.0
    plans = propose_sizes(number, rate, 1 - find_alpha(book))
    if not fit.has_precision:
        return {"entries": number, "error_rate": None, "plans": [{**each, "precision": None} for each in plans]}
    return {"entries": number, "error_rate": rate, "plans": plans}
