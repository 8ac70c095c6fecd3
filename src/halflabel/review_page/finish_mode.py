"""The page in finish mode: one question after the other, until the bound on its errors is low enough."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel._files import atomic_write, together
from halflabel._wording import plural
from halflabel.completion.answers import read_answers as read_review
from halflabel.completion.finish_journal import tabulate_answers
from halflabel.completion.finish_state import FinishState
from halflabel.completion.finish_tables import CODES, describe_reading, read_answers
from halflabel.completion.stated_completion import state_completion
from halflabel.evidence.answer_plan import propose_sizes
from halflabel.evidence.drawing import read_ids
from halflabel.report.certificate_page import render_certificate
from halflabel.review_page.config import Config, is_whole
from halflabel.review_page.encoding import find_states
from halflabel.review_page.fields import is_text, read_key
from halflabel.review_page.intake import Outcome
from halflabel.review_page.leases import Leases
from halflabel.review_page.worker import Job, Worker

#: Number of questions that are asked at once. Before the first random one, a fit learns as many answers.
BATCH = 20

_NO_ANSWERS = pd.DataFrame({"item": [], "label": [], "answer": []})


@dataclass(frozen=True)
class FinishTargets:
    """The paths of the outputs: the delivered table, and its certificate as data and as a page."""

    table: Path
    certificate: Path
    page: Path


class FinishSession:
    """The state of a finish. One thread calls its methods, and fits arrive through :meth:`receive`.

    Parameters
    ----------
    config : Config
    state : FinishState
        The questions, the answers and the bound, which `halflabel finish` by file continues.
    targets : FinishTargets
    """

    def __init__(self, config: Config, state: FinishState, targets: FinishTargets) -> None:
        self.config, self.opened, self.labels = config, config.opened, config.opened.labels
        self.state, self.targets = state, targets
        self.table: str = (state.journal.header or {})["table"]
        self.leases = Leases()
        self.announce: Callable[[str, Any], None] = lambda kind, content: None
        self.worker: Worker | None = None
        self.failure = ""
        self._keys = {each["key"] for each in state.journal.records if "key" in each}
        self._arrived: Any = None
        self._is_ready = False  # the questions are chosen by the probabilities of a fit
        self._learned = 0
        self._has_precision = True  # no check of the fit contradicts its probabilities

    # -- fits ------------------------------------------------------------------------------

    def start(self) -> None:
        """Make the first fit."""
        self.worker = Worker(self.opened, self.config.settings, self.receive)
        self._refit()

    def take_values(self, state: NDArray[np.int8], probabilities: Floats) -> None:
        """Deliver other values. After the first random question, the first fit of a session only plans."""
        if self.state.is_free and not (self.state.proof.has_begun and self.state.done):
            self.state.refit(state, probabilities)
        elif not self._is_ready:
            self.state.take_fit(state, probabilities)
        self._is_ready = True

    def receive(self, kind: str, content: Any) -> None:
        """Take a message of the worker. Any thread may call it, and the thread of the session takes a fit later."""
        if kind == "fit":
            self._arrived = content
            return
        if kind == "failed":
            self.failure = content
        self.announce(kind, content)

    def refit_if_due(self) -> bool:
        """Take the fit that has arrived, and return whether another one begins."""
        if (fit := self._arrived) is not None:
            self._arrived, self._has_precision = None, fit.has_precision
            self.take_values(fit.state, fit.p.astype(np.float64))
            self.announce("fit", None)
        if self.worker is None or not self.worker.is_idle or not (self._is_late or self._waits):
            return False
        self._refit()
        return True

    def _refit(self) -> None:
        if self.worker is not None:
            answers = tabulate_answers(self.state.journal.records)
            self._learned, self.failure = self._changes, ""
            read = read_review(_NO_ANSWERS if answers is None else answers, self.opened)
            self.worker.ask(Job("fit", {"answers": read, "n_records": self._learned, "effort": self.config.effort}))

    @property
    def _changes(self) -> int:
        """The number of answers that were given or taken back."""
        return sum(each["op"] in ("answer", "undo") for each in self.state.journal.records)

    @property
    def _is_late(self) -> bool:
        return self._is_ready and self.state.is_free and self._changes - self._learned >= BATCH

    @property
    def _waits(self) -> bool:
        """Whether the next question is the first random one, and a fit has not learned all answers before it."""
        state = self.state
        if self.worker is None or not self._is_ready or not state.is_free or state.proof.open or state.done:
            return False
        is_fitting = not self.worker.is_idle or self._arrived is not None
        return (is_fitting or self._changes > self._learned) and not state.choose(BATCH)

    # -- questions and answers -------------------------------------------------------------

    def list_questions(self) -> list[dict[str, Any]]:
        """Return the open questions in the order in which they are asked, after new ones if there were none."""
        state = self.state
        if not self._is_ready or state.done:
            return []
        if not state.proof.open and not self._waits:
            state.ask(BATCH)
        drawn = {entry: place for place, (entry, is_drawn) in enumerate(state.proof.steps) if is_drawn}
        n_labels = len(state.entries.names)

        def rank(entry: int) -> tuple[bool, int, int, int]:
            row, column = divmod(entry, n_labels)
            return entry not in state.proof.taken_back, drawn.get(entry, -1), column, row

        places = [(entry, *divmod(entry, n_labels)) for entry in sorted(state.proof.open, key=rank)]
        return [
            {"row": row, "column": column, "item": state.entries.ids[row], "label": state.entries.names[column],
             "random": entry in drawn}
            for entry, row, column in places[:BATCH]
        ]  # fmt: skip

    def answer(self, sent: Sequence[Any]) -> list[Outcome]:
        """Write answers, each judged by itself. A key that was written before is not written again."""
        outcomes = []
        for each in sent:
            try:
                outcomes.append(Outcome(self._answer_one(each)))
            except ValueError as error:
                outcomes.append(Outcome.from_error(each, error))
        return outcomes

    def _answer_one(self, sent: Any) -> str:
        if not isinstance(sent, dict) or not is_text(sent.get("item")) or not is_text(sent.get("label")):
            raise ValueError("An answer is an object that names its entry: the texts 'item' and 'label'.")
        key, value = read_key(sent), sent.get("value", "missing")
        if not (value is None or is_whole(value)) or value not in CODES:
            raise ValueError("The value of an answer is 1, 0 or null.")
        if not self._is_ready:
            raise ValueError("There is no question yet: wait for the first fit.")
        if key not in self._keys:
            row = pd.DataFrame({"item": [sent["item"]], "label": [sent["label"]], "answer": [value]}, dtype=object)
            new = read_answers(row, self.state.entries, self.state.proof)
            self.state.answer(new, by=self.config.by, key=key)
            self._keys.add(key)
        return key

    def undo(self, key: str) -> None:
        """Take the last answer back: its question is asked again. A key that was written before changes nothing."""
        if key not in self._keys and (entry := self._find_last()) is not None:
            self.state.take_back(entry, by=self.config.by, key=key)
            self._keys.add(key)

    def _find_last(self) -> int | None:
        """Return the entry that was answered last and whose answer stands."""
        records = (each for each in reversed(self.state.journal.records) if each["op"] == "answer")
        entries = (self.state.entries.find(*cell) for each in records for *cell, _ in reversed(each["answers"]))
        return next((entry for entry in entries if entry not in self.state.proof.taken_back), None)

    # -- content of the page --------------------------------------------------------------

    def describe_item(self, row: int) -> dict[str, Any]:
        """Return an item with its given and answered labels. Filled values would bias the answer."""
        proof, shape = self.state.proof, self.labels.shape
        given, answers = proof.given.reshape(shape)[row], proof.answers.reshape(shape)[row]
        return {**self.config.views.describe(row), "states": find_states(given, answers, None).tolist()}

    def describe(self) -> dict[str, Any]:
        """Return the facts that stay: names and limits."""
        notes = [*self.state.journal.notes, *self.config.views.list_missing(), *self.opened.notes]
        limits = {"max_error": self.state.max_error, "confidence": self.state.confidence}
        return {
            "title": self.config.title, "labels": list(self.labels.names), "notes": notes[:20], **limits,
            "proposals": self.propose(), **self.describe_progress(),
        }  # fmt: skip

    def describe_progress(self) -> dict[str, Any]:
        """Return the state that changes with answers and fits: the bound, the answers to go, the open questions."""
        at, state = time.monotonic(), self.state  # in this order: responses can arrive in another one
        facts = {"at": at, "table": self.table, "failure": self.failure, "is_ready": self._is_ready}
        if not self._is_ready:
            return {**facts, "questions": [], "answers": state.answered, "undo": False}
        questions, proof, left = self.list_questions(), state.proof, sum(state.plan)
        return {
            **facts, "questions": questions, "waits": not questions and self._waits, "is_free": state.is_free,
            "undo": self._find_last() is not None, "answers": state.answered, "left": left, "done": state.done,
            "max_errors": proof.max_errors, "entries": proof.entries, "bound": proof.bound,
            "is_stated": state.is_stated,
            "sentence": state.describe(left),
        }  # fmt: skip

    @property
    def sentence(self) -> str:
        """The sentence about the bound, or about the number of answers before there is a fit."""
        state = self.state
        return state.describe(sum(state.plan)) if self._is_ready else f"{plural(state.answered, 'answer')} so far."

    def propose(self) -> list[dict[str, float]]:
        """Return numbers of random answers, and the share of right entries that each will most likely prove."""
        if not self._is_ready or not self.state.is_free or not self._has_precision:
            return []
        wrong = self.state.likely_wrong
        return propose_sizes(len(wrong), float(wrong.mean()), 1 - self.state.proof.alpha) if len(wrong) else []

    # -- outputs ---------------------------------------------------------------------------

    def write_outputs(self) -> list[str]:
        """Write the table as it is delivered now, with its certificate, and return the paths and the losses."""
        if not self._is_ready:
            raise ValueError("there is nothing to write yet: wait for the first fit.")
        state, to = self.state, self.targets
        certificate = state.certify(columns=describe_reading(self.opened))
        state.do("certificate", sentence=str(certificate))
        texts = {to.certificate: json.dumps(certificate, indent=1) + "\n", to.page: render_certificate(certificate)}
        with together():
            lost = state_completion(self.opened, state.proof.delivered).write(to.table)
            for path, text in texts.items():
                with atomic_write(path, "w") as file:
                    file.write(text)
        return [*map(str, (to.table, *texts)), *lost]

    def close(self) -> None:
        """End the process that fits, and close the journal."""
        if self.worker is not None:
            self.worker.close()
        self.state.journal.close()


def open_finish(config: Config, journal: Path, targets: FinishTargets, **limits: Any) -> FinishSession:
    """Return the session of a table. ``limits`` are arguments of :class:`FinishState`."""
    labels = config.opened.labels
    state = FinishState(read_ids(config.opened.index), labels.names, labels.state, journal=journal, **limits)
    try:
        return FinishSession(config, state, targets)
    except BaseException:
        state.journal.close()
        raise
