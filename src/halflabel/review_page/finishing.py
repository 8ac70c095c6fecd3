"""The page in finish mode: questions until the bound on the errors of the delivered table is low enough."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
from halflabel.completion.finish_tables import describe_reading, read_answers
from halflabel.completion.stated_completion import state_completion
from halflabel.evidence.random_order import read_ids
from halflabel.labels.reasons import Reason
from halflabel.report.audit_page import render_audit
from halflabel.review_page.config import Config
from halflabel.review_page.fits import Fit
from halflabel.review_page.intake import Outcome, read_answer
from halflabel.review_page.queues import Question, Screen
from halflabel.review_page.session import Asked, Session

#: Number of questions that are asked at once. Before the first random one, a fit learns as many answers.
BATCH = 20

#: The paths of the delivered table, and of its certificate as data and as a page.
Targets = tuple[Path, Path, Path]

_NO_ANSWERS = pd.DataFrame({"item": [], "label": [], "answer": []})


class Finish(Session):
    """The state of a finish. ``state`` has questions, answers and bound, which `halflabel finish` by file continues."""

    #: A choice writes random questions to the journal. No fit may freeze other values between the two.
    chooses_aside = False

    def __init__(self, config: Config, state: FinishState, targets: Targets) -> None:
        super().__init__(config, (state.journal.header or {})["table"])
        self.state, self.targets, self.journal = state, targets, state.journal
        self._keys = {each["key"]: each for each in state.journal.records if "key" in each}
        self._arrived: Fit | None = None
        self._is_ready = False  # the questions are chosen by the probabilities of a fit
        self._learned = 0

    # -- fits ------------------------------------------------------------------------------

    def begin(self) -> None:
        """Make a fit with all answers."""
        answers = tabulate_answers(self.journal.records)
        self._learned = self._changes
        read = read_review(_NO_ANSWERS if answers is None else answers, self.opened)
        self.ask_fit(read, self.config.effort)

    def take_values(self, state: NDArray[np.int8], probabilities: Floats) -> None:
        """Deliver other values. After the first random question, the first fit of a session only plans."""
        if self.state.is_free and not (self.state.proof.has_begun and self.state.done):
            self.state.refit(state, probabilities)
        elif not self._is_ready:
            self.state.take_fit(state, probabilities)
        self._is_ready = True

    def take_fit(self, fit: Fit | None) -> None:
        """Keep a fit, which the thread of the session takes later."""
        self._arrived = fit

    def refit_if_due(self) -> bool:
        """Take the fit that has arrived, and return whether another one begins."""
        if (fit := self._arrived) is not None:
            self._arrived = None
            self.take_values(fit.state, fit.p.astype(np.float64))
            self.announce("fit", None)
        if self.worker is None or not self.worker.is_idle or not (self._is_late or self._waits):
            return False
        self.begin()
        return True

    @property
    def _changes(self) -> int:
        """The number of answers that were given or taken back."""
        return sum(each["op"] in ("answer", "undo") for each in self.journal.records)

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

    def choose_screens(self, asked: Asked) -> list[Screen]:
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

        left = set(state.proof.open) - set(asked.exclude.tolist())
        why = {True: Reason.RANDOM.value, False: Reason.UNCERTAIN_ENTRY.value}
        return [
            [Question(*divmod(entry, n_labels), why[entry in drawn])] for entry in sorted(left, key=rank)[: asked.n]
        ]

    def answer(self, sent: Sequence[Any], by: str = "") -> list[Outcome]:
        """Write answers, each judged by itself. A key that was written before is not written again."""
        outcomes = []
        for each in sent:
            try:
                outcomes.append(Outcome(self._answer_one(each, by)))
            except ValueError as error:
                outcomes.append(Outcome.from_error(each, error))
        return outcomes

    def _answer_one(self, sent: Any, by: str) -> str:
        answer = read_answer(sent, self._find_entry)
        if not self._is_ready:
            raise ValueError("There is no question yet: wait for the first fit.")
        if answer.key not in self._keys:
            cells = {
                name: [answer.body[field]] for name, field in zip(_NO_ANSWERS, ("item", "label", "value"), strict=True)
            }
            new = read_answers(pd.DataFrame(cells, dtype=object), self.state.entries, self.state.proof)
            self.state.answer(new, by=by or self.config.by, key=answer.key)
            self._keys[answer.key] = self.journal.records[-1]
        return answer.key

    def _find_entry(self, item: str, label: str) -> tuple[int, int] | None:
        """Return the place of an entry, or None if the table does not have it."""
        try:
            return divmod(self.state.entries.find(item, label), len(self.state.entries.names))
        except ValueError:
            return None

    def undo(self, key: str, by: str = "") -> list[dict[str, Any]]:
        """Take the last answer back: its question is asked again. A key that was written before changes nothing."""
        if key not in self._keys:
            entry = self._find_last()
            if entry is None:
                return []
            self.state.take_back(entry, by=by or self.config.by, key=key)
            self._keys[key] = self.journal.records[-1]
        places = (
            divmod(self.state.entries.find(*cell), len(self.state.entries.names))
            for cell in self._keys[key].get("cells", ())
        )
        return [
            {"row": row, "column": column, "why": Reason.UNCERTAIN_ENTRY.value, "screen": ""} for row, column in places
        ]

    def _find_last(self) -> int | None:
        """Return the entry that was answered last and whose answer stands."""
        records = (each for each in reversed(self.journal.records) if each["op"] == "answer")
        entries = (self.state.entries.find(*cell) for each in records for *cell, _ in reversed(each["answers"]))
        return next((entry for entry in entries if entry not in self.state.proof.taken_back), None)

    # -- content of the page ---------------------------------------------------------------

    def look(self) -> tuple[NDArray[np.int8], NDArray[np.int8], Fit | None]:
        """Return given values and answers. Filled values would bias the answer."""
        proof, shape = self.state.proof, self.labels.shape
        return proof.given.reshape(shape), proof.answers.reshape(shape), None

    def describe(self, by: str = "") -> dict[str, Any]:
        """Return names, notes and limits."""
        notes = [*self.journal.notes, *self.config.views.list_missing(), *self.opened.notes]
        return {**super().describe(by), "notes": notes[:20], "confidence": self.state.confidence}

    def describe_state(self, by: str) -> dict[str, Any]:
        """Return the bound, the stated share and the answers to go."""
        state, proof = self.state, self.state.proof
        if not self._is_ready:
            return {"answers": state.answered, "undo": False, "has_fit": False, "bound": None, "done": False}
        return {
            "answers": state.answered, "undo": self._find_last() is not None, "has_fit": True, "done": state.done,
            "waits": self._waits, "left": state.left, "values": proof.entries, "max_errors": proof.max_errors,
            "bound": proof.bound if state.is_stated else None, "max_error": state.max_error,
            "sentence": self.sentence,
        }  # fmt: skip

    @property
    def sentence(self) -> str:
        """The sentence about the bound, or about the number of answers before there is a fit."""
        state = self.state
        return state.describe() if self._is_ready else f"{plural(state.answered, 'answer')} so far."

    # -- outputs ---------------------------------------------------------------------------

    def write_outputs(self) -> None:
        """Write the table as it is delivered now, with its certificate."""
        if not self._is_ready:
            raise ValueError("there is nothing to write yet: wait for the first fit.")
        state, (table, data, page) = self.state, self.targets
        certificate = state.certify(columns=describe_reading(self.opened))
        state.do("certificate", sentence=str(certificate))
        audit = render_audit(certificate, state.proof, self.opened.votes, self.config.title)
        texts = {data: json.dumps(certificate, indent=1) + "\n", page: audit}
        with together():
            lost = state_completion(self.opened, state.proof.delivered).write(table)
            for path, text in texts.items():
                with atomic_write(path, "w") as file:
                    file.write(text)
        self.receive("written", [*map(str, (table, *texts)), *lost])


def open_finish(config: Config, journal: Path, targets: Targets, **limits: Any) -> Finish:
    """Return the session of a table. ``limits`` are arguments of :class:`FinishState`."""
    labels = config.opened.labels
    state = FinishState(read_ids(config.opened.index), labels.names, labels.state, journal=journal, **limits)
    try:
        return Finish(config, state, targets)
    except BaseException:
        state.journal.close()
        raise
