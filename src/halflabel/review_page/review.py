"""A review while it runs: table, answers, fits, and everything that the page asks for."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._ledger import read_clock
from halflabel.evidence.random_order import digest_table
from halflabel.labels.reasons import Reason
from halflabel.review_page.advice import advise
from halflabel.review_page.answers import NONE, AnswerBook, Record
from halflabel.review_page.config import Config
from halflabel.review_page.fits import Fit
from halflabel.review_page.intake import Outcome, check_repeated, missing_entry, read_answer
from halflabel.review_page.journal import describe_change, open_journal
from halflabel.review_page.outputs import list_answers, summarize_review
from halflabel.review_page.queues import Screen, Situation, choose_screens, choose_walls, count_queues, mix
from halflabel.review_page.reviewers import choose_twice, describe_reviewers
from halflabel.review_page.session import Asked, Session
from halflabel.review_page.worker import Job

#: The last fit learns the answers after this number of new ones, or this number of seconds after the last one.
UPDATE_ANSWERS, UPDATE_SECONDS = 5, 10.0

#: A new fit is made in place of an update after this number of new answers, or of seconds after the last one.
REFIT_ANSWERS, REFIT_SECONDS = 50, 60.0


class Review(Session):
    """The state of a review. Answers that the journal has already are taken over."""

    def __init__(self, config: Config, journal_path: Path) -> None:
        labels = config.opened.labels
        super().__init__(config, digest_table(list(map(str, config.opened.index)), labels.names, labels.state))
        self.book = AnswerBook(list(self.opened.index), self.labels.names)
        header = {"table": self.table, "labels": list(self.labels.names), "by": config.by}
        self.journal = open_journal(journal_path, header, self.book.apply)
        changes = describe_change(self.journal.header or {}, header, len(self.book.unplaced))
        self.notes = [*self.journal.notes, *changes, *config.views.list_missing()]
        self.fit: Fit | None = None
        self._fitted_answers = self._learned_answers = 0
        self._last_answer = time.monotonic()

    # -- answers ---------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        """The state that the choice of questions depends on."""
        now = self.labels.state, self.book.current, self.fit, self.book.contested
        return Situation(*now, self.labels.positive_only)

    def choose_screens(self, asked: Asked) -> list[Screen]:
        """Return screens of a queue."""
        part: dict[str, Any] = {"label": asked.label, "exclude": asked.exclude}
        if asked.view == "wall":
            return choose_walls(self.situation, asked.kind, asked.n, **part)
        screens = choose_screens(self.situation, asked.kind, asked.n, **part)
        # A review with one reviewer asks nothing twice.
        twice = choose_twice(self.book, asked.by, asked.n, asked.exclude) if asked.by and asked.label is None else []
        return mix(screens[: asked.n - len(twice)], twice, self.situation)

    def answer(self, sent: Sequence[Any], by: str = "") -> list[Outcome]:
        """Write the valid answers to the journal. Return the outcome of each answer once they are on the disk."""
        outcomes: list[Outcome] = []
        bodies: dict[str, dict[str, Any]] = {}
        answered: set[int] = set()
        for each in sent:
            try:
                answer = read_answer(each, self.book.find_entry)
                check_repeated(answer, self.book.by_key.get(answer.key), bodies.get(answer.key))
            except ValueError as error:
                outcomes.append(Outcome.from_error(each, error))
            else:
                bodies[answer.key] = {**answer.body, **self.situation.predict(answer.row, answer.column)}
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
            further = (self.book.by_key.get(f"{key}.{k}") for k in itertools.count(1))
            written = [again, *itertools.takewhile(bool, further)]  # type: ignore[list-item]
        answers = [self.book.by_number[record.body["of"]].body for record in written]
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
        self._last_answer = time.monotonic()
        return records

    # -- fits and outputs ------------------------------------------------------------------

    def begin(self) -> None:
        """Make the first fit."""
        self.refit("fast")

    def take_fit(self, fit: Fit | None) -> None:
        """Show a fit, or none."""
        self.fit, self.explained = fit, None

    def refit(self, effort: str, *, is_update: bool = False) -> None:
        """Make a fit with all answers of this moment."""
        self._learned_answers = len(self.book.records)
        if not is_update:
            self._fitted_answers = self._learned_answers
        self.ask_fit(self.book.to_answers(), effort, is_update=is_update)

    def refit_if_due(self) -> bool:
        """Make a fit if the worker is idle, and there are enough new answers or there was a pause."""
        if self.worker is None or not self.worker.is_idle:
            return False
        pause, written = time.monotonic() - self._last_answer, len(self.book.records)
        new, not_fitted = written - self._learned_answers, written - self._fitted_answers
        fit_is_due = not_fitted >= REFIT_ANSWERS or (not_fitted > 0 and pause > REFIT_SECONDS)
        update_is_due = new >= UPDATE_ANSWERS or (new > 0 and pause > UPDATE_SECONDS)
        if fit_is_due or update_is_due:
            self.refit("fast", is_update=not fit_is_due)
        return fit_is_due or update_is_due

    def write_outputs(self) -> None:
        """Complete the table with all answers, and write table, answers and report."""
        if self.worker is None or self.config.targets is None:
            raise ValueError("this review has no files to write.")
        rows, reviewed = list_answers(self.book, self.opened.index), summarize_review(self.book, self.journal.chain)
        outputs = {"to": self.config.targets, "rows": rows, "reviewed": reviewed}
        self.worker.ask(Job("write", {"answers": self.book.to_answers(), "effort": self.config.effort, **outputs}))

    def explain(self, item: str, label: str) -> dict[str, Any] | None:
        """Return why an answered entry has its probability, or None until the process that fits has made it."""
        place = self.book.find_entry(item, label)
        if place is None:
            raise missing_entry(item, label)
        if self.book.current[place] == NONE:
            raise ValueError("An explanation comes after the answer: answer the question first.")
        if self.fit is None or self.worker is None:
            raise ValueError("An explanation needs a fit: wait for the first one.")
        known = self.explained
        if known is not None and (known.row, known.column) == place:
            return known.facts
        self.worker.ask(Job("explain", {"row": place[0], "column": place[1], "label": label}))
        return None

    # -- content of the page ---------------------------------------------------------------

    def look(self) -> tuple[NDArray[np.int8], NDArray[np.int8], Fit | None]:
        """Return given values, answers, and the fit."""
        return self.labels.state, self.book.current, self.fit

    def describe(self, by: str = "") -> dict[str, Any]:
        """Return names and settings, with notes about table and journal."""
        notes = [*self.notes, *self.opened.notes][:20]
        kind = Reason.UNCERTAIN if (self.labels.state == 0).any() else Reason.SUSPECTS  # a full table is checked
        return {**super().describe(by), "notes": notes, "has_walls": self.config.views.has_walls, "kind": kind.value}

    def describe_state(self, by: str) -> dict[str, Any]:
        """Return the number of answers, and whether there is a fit."""
        return {
            "answers": len(self.book),
            "undo": bool(self.book.list_undoable(by or None)),
            "has_fit": self.fit is not None,
        }

    def describe_panel(self) -> dict[str, Any]:
        """Return the numbers of the queues, the advice, and the agreement of several reviewers."""
        now, names = self.situation, self.config.reviewers
        reviewers = describe_reviewers(self.book, names) if names else None
        return {"queues": count_queues(now), "advice": advise(now, self.book), "reviewers": reviewers}
