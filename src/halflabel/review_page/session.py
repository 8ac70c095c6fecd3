"""A review while it runs: table, answers, fits, and everything that the page asks for."""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from halflabel._arrays import Mask
from halflabel._ledger import read_clock
from halflabel.completion.finish_state import SEED_BITS
from halflabel.completion.finish_tables import describe_reading
from halflabel.labels.names import POPULATIONS
from halflabel.review_page import audits
from halflabel.review_page.advice import advise
from halflabel.review_page.answers import AnswerBook, Record
from halflabel.review_page.config import Config, digest_table
from halflabel.review_page.describing import UPDATE_ANSWERS
from halflabel.review_page.encoding import pack_points
from halflabel.review_page.explaining import Explained
from halflabel.review_page.fits import Fit
from halflabel.review_page.implied import Implied
from halflabel.review_page.intake import Outcome, SentAnswer, check_repeated, read_answer
from halflabel.review_page.journal import describe_change, open_journal
from halflabel.review_page.leases import Leases
from halflabel.review_page.listing import ItemList
from halflabel.review_page.outputs import gather_outputs, summarize_review
from halflabel.review_page.queues import Situation
from halflabel.review_page.stored import FitStore
from halflabel.review_page.worker import Job, Worker

#: The last fit learns the answers after :data:`UPDATE_ANSWERS` new ones, or this number of seconds after the last one.
UPDATE_SECONDS = 10.0

#: A new fit is made in place of an update after this number of new answers, or of seconds after the last one.
REFIT_ANSWERS, REFIT_SECONDS = 50, 60.0

#: Maximum number of items whose map is made by the process that fits.
MAX_SHARED_MAP = 3000

#: The reason why an audit does not begin yet.
WAIT_FOR_FIT = "An audit is about the last fit: it can begin when the running fit has ended."


class Session:
    """The state of a review. One thread calls its methods, and fits arrive through :meth:`receive`.

    Parameters
    ----------
    config : Config
    journal_path : path
        Answers that are there already are taken over.
    announce : callable
        Called with a kind and a content whenever the page should learn something.
    """

    def __init__(self, config: Config, journal_path: Path, announce: Callable[[str, Any], None] | None = None) -> None:
        self.config, self.opened, self.labels = config, config.opened, config.opened.labels
        self.book = AnswerBook(list(self.opened.index), self.labels.names)
        self.table = digest_table(self.opened)
        header = {"table": self.table, "labels": list(self.labels.names), "by": config.by}
        self.journal = open_journal(journal_path, header, self.book.apply)
        changes = describe_change(self.journal.header or {}, header, len(self.book.unplaced))
        self.notes = [*self.journal.notes, *changes, *config.views.list_missing()]
        columns = config.views.frame.drop(columns=list(self.labels.names), errors="ignore")
        self.list = ItemList(self.opened.index, columns)
        self.announce = announce or (lambda kind, content: None)
        self.implied = Implied(self.opened)
        self.implied.update(self.book.current)
        self._showing = threading.RLock()
        self.fit = None
        self.previous: Fit | None = None
        self.points: bytes | None = None if config.coordinates is None else pack_points(config.coordinates)
        self.failure = self.map_note = ""
        self.written: list[str] = []
        self.explained: Explained | None = None
        self.worker: Worker | None = None
        self.mapper: Worker | None = None
        self.store, self.is_restored = FitStore(journal_path, self.table, config.settings), False
        self.leases, self.choosing = Leases(), threading.Lock()
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
        return Situation(
            self.labels.state, self.book.current, self.fit, self.previous, self._list_contested(),
            self.labels.positive_only, self.implied.states,
        )  # fmt: skip

    def _list_contested(self) -> Mask | None:
        """Return the entries about which reviewers of this review, or of other journals, have different answers."""
        if not self.config.reviewers:
            return self.config.contested
        contested = self.book.contested
        return contested if self.config.contested is None else contested | self.config.contested

    def answer(self, sent: Sequence[Any], by: str = "") -> list[Outcome]:
        """Write the valid answers to the journal. Return the outcome of each answer once they are on the disk."""
        outcomes: list[Outcome] = []
        bodies: dict[str, dict[str, Any]] = {}
        answered: list[int] = []
        for each in sent:
            try:
                answer = read_answer(each, self.book)
                check_repeated(answer, self.book.find_key(answer.key), bodies.get(answer.key))
            except ValueError as error:
                outcomes.append(Outcome.from_error(each, error))
            else:
                bodies[answer.key] = {**answer.body, **self._describe_circumstances(answer)}
                answered.append(answer.row * self.labels.shape[1] + answer.column)
                outcomes.append(Outcome(answer.key))
        self.write([("answer", key, body) for key, body in bodies.items()], by)
        self.leases.release(answered)
        return outcomes

    def reverse(self, op: str, key: str, by: str = "") -> list[Record]:
        """Undo the last answer or screen, or repeat it. Return the reversed records, none if impossible."""
        again = self.book.find_repeated(op, key)
        if again is None:
            numbers = (self.book.list_undoable if op == "undo" else self.book.list_redoable)(by or None)
            keys = (key, *(f"{key}.{k}" for k in range(1, len(numbers))))
            written = self.write([(op, each, {"of": n}) for each, n in zip(keys, numbers, strict=False)], by)
        else:
            further = (self.book.find_key(f"{key}.{k}") for k in itertools.count(1))
            written = [again, *itertools.takewhile(bool, further)]  # type: ignore[list-item]
        return [self.book.get_record(record.body["of"]) for record in written]

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

    def _describe_circumstances(self, answer: SentAnswer) -> dict[str, Any]:
        """Return the prediction of the fit at the time of an answer, and the audit that the answer belongs to."""
        is_audit = self.audit is not None and answer.body["why"] == "audit"
        of = {"audit": self.audit.record.n} if self.audit is not None and is_audit else {}
        return {**self.situation.predict(answer.row, answer.column), **of}

    # -- audits ----------------------------------------------------------------------------

    @property
    def audit(self) -> audits.RunningAudit | None:
        """The audit that runs."""
        return audits.find_running(self.book)

    def plan_audit(self, population: str) -> dict[str, Any]:
        """Return numbers of answers for an audit, and the precision that each of them will most likely prove."""
        if population not in POPULATIONS:
            raise ValueError("an audit needs a population.")
        if self.fit is None:
            raise ValueError(WAIT_FOR_FIT)
        return audits.describe_plans(self.situation, self.fit, self.book, population)

    def begin_audit(self, n: int, population: str, key: str, by: str = "") -> None:
        """Freeze random filled entries of the last fit in the journal."""
        self.require_no_audit()
        seed = secrets.randbits(SEED_BITS)  # secret: a reviewer cannot wait for a seed with easy entries
        body = audits.draw(self.situation, self._require_last_fit(), self.book, n=n, population=population, seed=seed)
        self.write([("audit", key, body)], by)
        self.leases.clear()  # an idle page would hold a part of the audit

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
        return self.fit is None or self.is_restored or (self.worker is not None and self.worker.is_fitting)

    def _require_last_fit(self) -> Fit:
        if self.fit is None or self.waits_for_fit:
            raise ValueError(WAIT_FOR_FIT)
        return self.fit

    def require_no_audit(self) -> None:
        """Raise while an audit runs."""
        if self.audit is not None:
            raise ValueError("an audit is running: finish or cancel it.")

    # -- fits ------------------------------------------------------------------------------

    def start(self) -> None:
        """Make the first fit and the map. A map of many items has a process of its own, so that no fit waits for it."""
        self._restore()
        self.worker = Worker(self.opened, self.config.settings, self.receive)
        self.refit("fast")
        if self.config.coordinates is not None:
            return
        if len(self.labels) <= MAX_SHARED_MAP:
            self.worker.ask(Job("map"))
        else:
            self.mapper = Worker(self.opened, self.config.settings, self._receive_map)
            self.mapper.ask(Job("map"))

    def _restore(self) -> None:
        """Take the fit and the map of the last run until the first fit arrives. An audit needs a new fit."""
        found = self.store.restore(self.labels.shape)
        if found is not None and found[0].n_records < self.book.next_number:
            self.fit, self.is_restored = found[0], True
            self.points = found[1] if self.points is None else self.points

    def _keep_fit(self) -> None:
        """Store the last fit and the map for the next start."""
        if self._fit is not None and self.worker is not None and not self.is_restored:
            self.store.keep(self._fit, self.points)

    def refit(self, effort: str, *, is_update: bool = False) -> None:
        """Make a fit with all answers of this moment: a new fit, or an update of the last one."""
        if self.worker is not None:
            answers = self.book.to_answers()
            self._learned_answers = len(self.book.records)
            if not is_update:
                self._fitted_answers = self._learned_answers
            self.failure = ""
            given = {"answers": answers, "n_records": self.book.next_number - 1, "effort": effort}
            self.worker.ask(Job("fit", {**given, "is_update": is_update}))

    def write_outputs(self) -> None:
        """Write the last fit with all answers: table, answers, report, certificate."""
        if self.worker is None or self.config.targets is None or self.fit is None:
            raise ValueError("there is nothing to write yet: wait for the first fit.")
        reviewed = summarize_review(
            self.book, advise(self.situation, self.book), self.describe_certificate(), self.journal.chain
        )
        outputs = gather_outputs(self.config.targets, self.book, self.opened.index, reviewed)
        self.worker.ask(Job("write", {"answers": self.book.to_answers(), "outputs": outputs}))

    def refit_if_due(self) -> bool:
        """Make a fit if the worker is idle, and there are enough new answers or there was a pause."""
        pause, new = time.monotonic() - self._last_answer, self.count_new_answers()
        not_fitted = len(self.book.records) - self._fitted_answers
        fit_is_due = not_fitted >= REFIT_ANSWERS or (not_fitted > 0 and pause > REFIT_SECONDS)
        update_is_due = new >= UPDATE_ANSWERS or (new > 0 and pause > UPDATE_SECONDS)
        if self.worker is None or not self.worker.is_idle or self.audit is not None:
            return False
        if fit_is_due or update_is_due:
            self.refit("fast", is_update=not fit_is_due)
        return fit_is_due or update_is_due

    def count_new_answers(self) -> int:
        """Return the number of records that no fit and no update has learned."""
        return len(self.book.records) - self._learned_answers

    def receive(self, kind: str, content: Any) -> None:
        """Take a message of the worker. Any thread may call it."""
        if kind == "fit":
            self.previous, self.fit, self.explained = None if self.is_restored else self.fit, content, None
            self.is_restored = False
            if self.store.is_due:
                self._keep_fit()
        elif kind == "map":
            self.points = pack_points(content)
        elif kind == "no map":
            self.map_note = content
        elif kind == "explained":
            self.explained = content
        elif kind == "failed":
            self.failure = content
        elif kind == "written":
            self.written = content
        self.announce(kind, content)

    def _receive_map(self, kind: str, content: Any) -> None:
        if kind in ("map", "no map", "failed") and self.mapper is not None:
            self.receive(kind, content)
            self.mapper.close()

    @property
    def is_writing(self) -> bool:
        """Whether outputs were asked for that are not written yet."""
        return self.worker is not None and self.worker.is_writing

    def finish_writing(self) -> None:
        """Wait until all outputs that were asked for are written."""
        if self.worker is not None:
            self.worker.finish_writing()

    def close(self) -> None:
        """End the processes, close the journal, and store the last fit for the next start."""
        self._keep_fit()
        for worker in (self.worker, self.mapper):
            if worker is not None:
                worker.close()
        self.journal.close()
