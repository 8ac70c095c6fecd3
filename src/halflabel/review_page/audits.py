"""An audit inside a review: random filled entries, frozen in the journal, and the certificate that they give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from halflabel.evidence.audit import POPULATIONS, Audit, draw_audit, is_rejected
from halflabel.review_page.answers import AnswerBook, Record
from halflabel.review_page.fits import Fit
from halflabel.review_page.queues import Question, Situation

#: Confidence level of certificates, the numbers of errors for which a plan is shown, and the precisions to choose from.
LEVEL, PLANNED_ERRORS, TARGETS = 0.95, (0, 1, 2, 3), (0.8, 0.9, 0.95, 0.98, 0.99)

#: A target is proposed if its last plan passes with this chance.
MIN_CHANCE = 0.5


@dataclass(frozen=True, eq=False)
class RunningAudit:
    """An audit that has begun and has not ended."""

    record: Record  #: The one that began it: its body holds the frozen entries.
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
        return [Question(row, column, "audit") for row, column, _ in self.places if self._find(row, column) is None]

    def describe(self) -> dict[str, Any]:
        """Return how far the audit is, without values and results, because they would bias the answers."""
        body = self.record.body
        return {
            "n": len(body["cells"]),
            "answered": len(body["cells"]) - len(self.list_open()),
            "population": body["population"],
            "entries": body["entries"],
            "level": body["level"],
        }

    def certify(self, ids: pd.Index[Any], names: Sequence[str]) -> dict[str, Any]:
        """Return the body of the record of the certificate. Raise if an answer is missing."""
        body, places = self.record.body, self.places
        rows, columns, values = (np.array(part, dtype=np.intp) for part in zip(*places, strict=True))
        filled = np.where(values == 1, 1, -1).astype(np.int8)
        audit = Audit(
            ids, tuple(names), rows, columns, filled,
            body["population"], body["entries"], body["seed"], body["table"],
        )  # fmt: skip
        given = [self._find(row, column) for row, column, _ in places]
        words = [None if record is None else _WORDS[record.body["value"]] for record in given]
        certificate = audit.certify(audit.questions.assign(answer=pd.Series(words, dtype=object)), body["level"])
        facts = {**certificate.to_dict(), "by": self.record.by, "fit": body["fit"]}
        return {"of": self.record.n, "certificate": facts, "sentence": str(certificate)}

    def _find(self, row: int, column: int) -> Record | None:
        record = self.book.find_last(row, column)
        return record if record is not None and record.body.get("audit") == self.record.n else None


_WORDS = {1: "yes", 0: "no", None: "?"}


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


def draw(
    now: Situation, fit: Fit, ids: pd.Index[Any], names: Sequence[str], *, n: int, population: str, seed: int
) -> dict[str, Any]:
    """Return the body of the record that begins an audit of the filled entries, "not sure" answers included."""
    given = np.where(np.abs(now.current) == 1, now.current, now.given).astype(np.int8)
    completed = np.where(given != 0, given, fit.state).astype(np.int8)
    audit = draw_audit(ids, tuple(names), given, completed, n=n, seed=seed, population=population)
    cells = [
        [str(ids[row]), names[column], int(value > 0)]
        for row, column, value in zip(audit.rows, audit.columns, audit.values, strict=True)
    ]
    return {
        "population": population, "seed": seed, "level": LEVEL, "entries": audit.entries, "table": audit.table,
        "fit": fit.name, "cells": cells,
    }  # fmt: skip


def plan(entries: int, error_rate: float, target: float = 0.95, level: float = LEVEL) -> list[dict[str, Any]]:
    """Return how many answers prove a precision with 0, 1, 2 or 3 errors, and the chance that these suffice.

    The chance follows from the error rate that the probabilities expect. It is a plan, not a part of the proof.

    Examples
    --------
    >>> [(line["n"], line["errors"]) for line in plan(100_000, 0.02)]
    [(59, 0), (93, 1), (124, 2), (153, 3)]
    """
    lines = []
    for errors in PLANNED_ERRORS:
        n = _find_size(entries, errors, target, level)
        if n is not None:
            lines.append({"n": n, "errors": errors, "chance": round(float(binom.cdf(errors, n, error_rate)), 3)})
    return lines


def describe_plans(now: Situation, fit: Fit, population: str, target: float | None) -> dict[str, Any]:
    """Return the plans for a precision, by default a likely one. Without a precision, they have no chance to pass."""
    entries = np.isin(now.delivered, POPULATIONS[population])
    number = int(entries.sum())
    rate = float(fit.wrong[entries].mean()) if number else 0.0
    target = propose_target(number, rate) if target is None else target
    plans = plan(number, rate, target)
    plans = plans if fit.has_precision else [{**each, "chance": None} for each in plans]
    shown = rate if fit.has_precision else None
    return {"entries": number, "error_rate": shown, "target": target, "targets": TARGETS, "plans": plans}


def propose_target(entries: int, error_rate: float) -> float:
    """Return the highest precision that an audit of moderate size is expected to prove.

    Examples
    --------
    >>> [propose_target(100_000, rate) for rate in (0.001, 0.02, 0.04, 0.5)]
    [0.99, 0.95, 0.9, 0.8]
    """
    plans = {target: plan(entries, error_rate, target) for target in TARGETS}
    likely = [target for target, lines in plans.items() if lines and lines[-1]["chance"] >= MIN_CHANCE]
    return max(likely, default=TARGETS[0])


def _find_size(entries: int, errors: int, target: float, level: float) -> int | None:
    """Return the smallest number of answers whose bound reaches the target with this number of errors."""
    low, high = errors + 1, entries
    too_many = math.floor((1 - target) * entries) + 1
    if low > high or not is_rejected(too_many, entries, high, errors, level):
        return None
    while low < high:
        middle = (low + high) // 2
        if is_rejected(too_many, entries, middle, errors, level):
            high = middle
        else:
            low = middle + 1
    return low
