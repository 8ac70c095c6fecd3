"""A review while it runs: table, answers, fits, and everything that the page asks for."""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._ledger import read_clock
from halflabel._wording import clipped
from halflabel.completion.finish_state import SEED_BITS
from halflabel.completion.finish_tables import describe_reading
from halflabel.review_page import audits
from halflabel.review_page.advice import advise
from halflabel.review_page.answers import NONE, AnswerBook, Record
from halflabel.review_page.config import Config, digest_table
from halflabel.review_page.fields import TableChanged
from halflabel.review_page.fits import Fit
from halflabel.review_page.implied import Implied
from halflabel.review_page.intake import Outcome, SentAnswer, check_repeated, read_answer
from halflabel.review_page.journal import describe_change, open_journal
from halflabel.review_page.outputs import gather_outputs, summarize_review
from halflabel.review_page.queues import Screen, Situation, choose_screens, choose_walls, count_queues, mix
from halflabel.review_page.reviewers import choose_twice, describe_reviewers
from halflabel.review_page.session import Asked, Session
from halflabel.review_page.worker import Job

#: The last fit learns the answers after this number of new ones, or this number of seconds after the last one.
UPDATE_ANSWERS, UPDATE_SECONDS = 5, 10.0

#: A new fit is made in place of an update after this number of new answers, or of seconds after the last one.
REFIT_ANSWERS, REFIT_SECONDS = 50, 60.0

#: Maximum length of a comment, and number of answers of the history.
MAX_COMMENT, LAST = 2000, 100

#: The reason why an audit does not begin yet.
WAIT_FOR_FIT = "An audit is about the last fit: it can begin when the running fit has ended."


class Review(Session):
    """The state of a review.

    Parameters
    ----------
    config : Config
    journal_path : path
        Answers that are there already are taken over.
    """

    def __init__(self, config: Config, journal_path: Path) -> None:
        super().__init__(config, digest_table(config.opened))
        self.book = AnswerBook(list(self.opened.index), self.labels.names)
        header = {"table": self.table, "labels": list(self.labels.names), "by": config.by}
        self.journal = open_journal(journal_path, header, self.book.apply)
        changes = describe_change(self.journal.header or {}, header, len(self.book.unplaced))
        self.notes = [*self.journal.notes, *changes, *config.views.list_missing()]
        self.implied = Implied(self.opened)
        self.implied.update(self.book.current)
        self._showing = threading.RLock()
        self.fit = None
        self._fitted_answers = self._learned_answers = 0
        self._last_answer = time.monotonic()

    @property
    def fit(self) -> Fit | None:
        """The last fit, with the entries that follow from answers."""
        return self._shown

    @fit.setter
    def fit(self, made: Fit | None) -> None:
        with self._showing:
            self._fit, self._shown = made, None if made is None else self.implied.complete(made)

    # -- answers ---------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        """The state that the choice of questions depends on."""
        now = self.labels.state, self.book.current, self.fit, self.book.contested
        return Situation(*now, self.labels.positive_only, self.implied.states)

    def choose_screens(self, asked: Asked) -> list[Screen]:
        """Return screens of a queue. During an audit, these are its entries."""
        if (audit := self.audit) is not None:
            left = set(asked.exclude.tolist())
            return [[each] for each in audit.list_open() if self.number(each) not in left][: asked.n]
        part: dict[str, Any] = {"label": asked.label, "exclude": asked.exclude}
        if asked.view == "wall":
            return choose_walls(self.situation, asked.kind, asked.n, **part)
        screens = choose_screens(self.situation, asked.kind, asked.n, **part)
        # A review with one reviewer asks nothing twice.
        twice = choose_twice(self.book, asked.by, asked.n, asked.exclude) if asked.by and asked.label is None else []
        return mix(screens[: asked.n - len(twice)], twice)

    def answer(self, sent: Sequence[Any], by: str = "") -> list[Outcome]:
        """Write the valid answers to the journal. Return the outcome of each answer once they are on the disk."""
        outcomes: list[Outcome] = []
        bodies: dict[str, dict[str, Any]] = {}
        answered: set[int] = set()
        for each in sent:
            try:
                answer = read_answer(each, self.book.find_entry)
                check_repeated(answer, self.book.find_key(answer.key), bodies.get(answer.key))
            except ValueError as error:
                outcomes.append(Outcome.from_error(each, error))
            else:
                bodies[answer.key] = {**answer.body, **self._describe_circumstances(answer)}
                answered.add(answer.row * self.labels.shape[1] + answer.column)
                outcomes.append(Outcome(answer.key))
        self.write([("answer", key, body) for key, body in bodies.items()], by)
        self.release(answered)
        return outcomes

    def undo(self, key: str, by: str = "") -> list[dict[str, Any]]:
        """Take the last answer or screen back. Return its entries, none if there is no answer."""
        again = self.book.find_repeated("undo", key)
        if again is None:
            numbers = self.book.list_undoable(by or None)
            keys = (key, *(f"{key}.{k}" for k in range(1, len(numbers))))
            written = self.write([("undo", each, {"of": n}) for each, n in zip(keys, numbers, strict=False)], by)
        else:
            further = (self.book.find_key(f"{key}.{k}") for k in itertools.count(1))
            written = [again, *itertools.takewhile(bool, further)]  # type: ignore[list-item]
        answers = [self.book.get_record(record.body["of"]).body for record in written]
        places = [(self.book.find_entry(body["item"], body["label"]), body) for body in answers]
        return [
            {"row": place[0], "column": place[1], **{name: body.get(name, "") for name in ("value", "why", "screen")}}
            for place, body in places
            if place is not None
        ]

    def write(self, operations: Sequence[tuple[str, str, dict[str, Any]]], by: str = "") -> list[Record]:
        """Write records of (operation, key, body) in one step. A key that was written before is not written again."""
        records, made = self.book.prepare(operations, by=by or self.config.by, at=read_clock())
        if made:
            self.journal.append(record.to_dict() for record in made)
        for record in made:
            self.book.apply(record)
        if made and self.audit is None:  # the values that an audit checks stay as they are
            with self._showing:  # a fit may arrive at the same time
                self.implied.update(self.book.current)
                self.fit = self._fit
        self._last_answer = time.monotonic()
        return records

    def comment(self, item: str, text: str, key: str, by: str = "") -> None:
        """Write a comment on an item. An empty one removes the reviewer's comment."""
        if item not in self.book.row_of:
            raise TableChanged(f"The table has no item {clipped(item)!r}.")
        if len(text) > MAX_COMMENT:
            raise ValueError(f"A comment has at most {MAX_COMMENT} characters.")
        self.write([("comment", key, {"item": item, "text": text.strip()})], by)

    def _describe_circumstances(self, answer: SentAnswer) -> dict[str, Any]:
        """Return the prediction of the fit at the time of an answer, and the audit that the answer belongs to."""
        audit = self.audit if answer.body["why"] == "audit" else None
        of = {} if audit is None else {"audit": audit.record.n}
        return {**self.situation.predict(answer.row, answer.column), **of}

    # -- audits ----------------------------------------------------------------------------

    @property
    def audit(self) -> audits.RunningAudit | None:
        """The audit that runs."""
        return audits.find_running(self.book)

    def plan_audit(self) -> dict[str, Any]:
        """Return numbers of answers for an audit, and the precision that each of them will most likely prove."""
        return audits.describe_plans(self.situation, self._require_fit(), self.book)

    def begin_audit(self, n: int, key: str, by: str = "") -> None:
        """Freeze random filled entries of the last fit in the journal."""
        if self.audit is not None:
            raise ValueError("an audit is running: finish or cancel it.")
        seed = secrets.randbits(SEED_BITS)  # secret: a reviewer cannot wait for a seed with easy entries
        body = audits.draw(self.situation, self._require_fit(), self.book, n=n, seed=seed)
        self.write([("audit", key, body)], by)
        self._held.clear()  # an idle page would hold a part of the audit

    def end_audit(self, key: str, *, cancel: bool, by: str = "") -> None:
        """Write the certificate of the audit that runs, or cancel the audit. Its answers stay in both cases."""
        audit = self.audit
        if audit is None:
            raise ValueError("no audit is running.")
        if cancel:
            self.write([("cancel", key, {"of": audit.record.n})], by)
            return
        proved = audit.certify(columns=describe_reading(self.opened))
        body = {"of": audit.record.n, "certificate": dict(proved), "sentence": str(proved)}
        self.write([("certificate", key, body)], by)
        # No fit follows by itself, because it would outdate this one.
        self._fitted_answers = self._learned_answers = len(self.book.records)
        if self.worker is not None and self.config.targets is not None and self.fit is not None:
            self.write_outputs()  # a restart fits again: the table of the certificate must be on the disk

    def describe_certificate(self) -> dict[str, Any] | None:
        """Return the last certificate, its sentence, and whether the values have changed since then."""
        return audits.describe_certificate(self.book, self.fit)

    @property
    def waits_for_fit(self) -> bool:
        """Whether another fit will soon replace the last one: an audit would be about a table that is not written."""
        return self.fit is None or (self.worker is not None and self.worker.is_fitting)

    def _require_fit(self) -> Fit:
        if self.fit is None or self.waits_for_fit:
            raise ValueError(WAIT_FOR_FIT)
        return self.fit

    # -- fits and outputs ------------------------------------------------------------------

    def begin(self) -> None:
        """Make the first fit."""
        self.refit("fast")

    def take_fit(self, fit: Fit) -> None:
        """Show a fit."""
        self.fit, self.explained = fit, None

    def refit(self, effort: str, *, is_update: bool = False) -> None:
        """Make a fit with all answers of this moment."""
        if self.audit is not None:
            raise ValueError("An audit is about the values of the last fit: finish or cancel it before the next one.")
        self._learned_answers = len(self.book.records)
        if not is_update:
            self._fitted_answers = self._learned_answers
        self.ask_fit(self.book.to_answers(), effort, is_update=is_update)

    def refit_if_due(self) -> bool:
        """Make a fit if the worker is idle, and there are enough new answers or there was a pause."""
        if self.worker is None or not self.worker.is_idle or self.audit is not None:
            return False
        pause, written = time.monotonic() - self._last_answer, len(self.book.records)
        new, not_fitted = written - self._learned_answers, written - self._fitted_answers
        fit_is_due = not_fitted >= REFIT_ANSWERS or (not_fitted > 0 and pause > REFIT_SECONDS)
        update_is_due = new >= UPDATE_ANSWERS or (new > 0 and pause > UPDATE_SECONDS)
        if fit_is_due or update_is_due:
            self.refit("fast", is_update=not fit_is_due)
        return fit_is_due or update_is_due

    def write_outputs(self) -> None:
        """Write the last fit with all answers: table, answers, report, certificate."""
        if self.worker is None or self.config.targets is None or self.fit is None:
            raise ValueError("there is nothing to write yet: wait for the first fit.")
        advice = advise(self.situation, self.book)
        reviewed = summarize_review(self.book, advice, self.describe_certificate(), self.journal.chain)
        outputs = gather_outputs(self.config.targets, self.book, self.opened.index, reviewed)
        self.worker.ask(Job("write", {"answers": self.book.to_answers(), "outputs": outputs}))

    def explain(self, item: str, label: str) -> dict[str, Any] | None:
        """Return why an answered entry has its probability, or None until the process that fits has made it."""
        if self.audit is not None:
            raise ValueError("an audit is running: finish or cancel it.")
        place = self.book.find_entry(item, label)
        if place is None:
            raise TableChanged(
                f"The table has no entry of the item {clipped(item)!r} and the label {clipped(label)!r}."
            )
        if self.book.current[place] == NONE:
            raise ValueError("An explanation comes after the answer: answer the question first.")
        if self.fit is None or self.worker is None:
            raise ValueError("An explanation needs a fit: wait for the first one.")
        known = self.explained
        if known is not None and (known.row, known.column) == place:
            return known.facts
        self.worker.ask(Job("explain", {"row": place[0], "column": place[1], "label": label}))
        return None

    def close(self) -> None:
        """End the process that fits, and close the journal."""
        self._end_worker()
        self.journal.close()

    # -- content of the page ---------------------------------------------------------------

    def look(self) -> tuple[NDArray[np.int8], NDArray[np.int8], Fit | None]:
        """Return given values, answers, and the fit, but during an audit."""
        return self.labels.state, self.book.current, None if self.audit is not None else self.fit

    def describe(self, by: str = "") -> dict[str, Any]:
        """Return names and settings, with notes about table and journal."""
        notes = [*self.notes, f"Threshold rule: {self.config.rule}.", *self.opened.notes][:20]
        return {**super().describe(by), "notes": notes, "has_walls": self.config.views.has_walls}

    def describe_state(self, by: str) -> dict[str, Any]:
        """Return the numbers of answers and open entries, the fit, the audit and the certificate."""
        return {
            "answers": len(self.book),
            "undo": bool(self.book.list_undoable(by or None)),
            "has_fit": self.fit is not None,
            "audit": None if self.audit is None else self.audit.describe(),
            "certificate": self.describe_certificate(),
        }

    def describe_panel(self) -> dict[str, Any]:
        """Return the numbers of the queues, the advice, and the agreement of several reviewers."""
        now, names = self.situation, self.config.reviewers
        reviewers = describe_reviewers(self.book, names) if names else None
        return {"queues": count_queues(now), "advice": advise(now, self.book), "reviewers": reviewers}

    def describe_item(self, row: int) -> dict[str, Any]:
        """Return an item with the comments of the reviewers."""
        comments = self.book.comments.get(str(self.opened.index[row]), {})
        return {**super().describe_item(row), "comments": [{"by": by, "text": text} for by, text in comments.items()]}

    def list_history(self) -> list[dict[str, Any]]:
        """Return the last answers, the newest first."""
        active = {record.n: (row, record) for row, _, record in self.book.list_active()}
        return [
            {"row": row, "item": clipped(self.opened.index[row], 80), "label": record.body["label"],
             "value": record.body["value"], "by": record.by, "at": record.at}
            for row, record in (active[n] for n in sorted(active, reverse=True)[:LAST])
        ]  # fmt: skip
