"""The state of a finish: its journal, the proof, and the choice of the next questions. It needs arrays only."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel._ledger import read_clock
from halflabel._wording import count, plural
from halflabel.completion.finish_journal import open_journal
from halflabel.completion.finish_tables import CODES, WRITTEN, Entries
from halflabel.evidence.answer_plan import MIN_RANDOM, plan_answers
from halflabel.evidence.betting import PRIOR_ERRORS
from halflabel.evidence.certificate import Certificate, ceil_percent, make_certificate
from halflabel.evidence.proof import Proof
from halflabel.evidence.random_order import digest_unordered, encode_values
from halflabel.labels.reasons import Reason

#: Number of random bits of a seed. A program that reads JSON numbers as doubles reads it exactly.
SEED_BITS = 53

#: Uncertain entries are asked if at least one in this number of the next questions is about them.
MIN_PART = 4


class FinishState:
    """The questions, the answers and the bound of :class:`halflabel.completion.finish.Task`, on arrays.

    A new state has no values until :meth:`take_fit`. A state of a journal delivers the values that the journal froze.

    Parameters
    ----------
    ids, names : sequence of str
        The items and the labels.
    given : ndarray of int8, shape (n_items, n_labels)
        The labels before completion. They may include answers of the journal.
    max_error, confidence, seed, journal, population, labels
        As in :class:`halflabel.completion.finish.Task`.
    """

    def __init__(
        self,
        ids: Sequence[str],
        names: Sequence[str],
        given: NDArray[np.int8],
        *,
        max_error: float = 0.05,
        confidence: float = 0.95,
        seed: int | None = None,
        journal: str | os.PathLike[str] | None = None,
        population: str = "all",
        labels: Sequence[str] | None = None,
    ) -> None:
        if not 0 <= max_error < 1:
            raise ValueError(f"max_error is a share from 0 to 1, and less than 1, such as 0.05, not {max_error!r}.")
        if not 0.5 < confidence < 1:
            raise ValueError(f"the confidence lies between 0.5 and 1, not {confidence!r}.")
        self.max_error, self.confidence, self.seed = float(max_error), confidence, seed
        self.entries = Entries(ids, names)
        self.journal = open_journal(journal)
        try:
            self._open(given.copy(), population, None if labels is None else list(labels))
        except BaseException:
            self.journal.close()
            raise

    def _open(self, given: NDArray[np.int8], population: str, labels: list[str] | None) -> None:
        """Begin the journal, or repeat its records."""
        records = self.journal.records
        asked = [cell for each in records if each["op"] == "ask" for cell in each["cells"]]
        with self._naming_journal():
            given.flat[[self.entries.find(*cell) for cell in asked]] = 0
        ids, names = self.entries.ids, self.entries.names
        self.proof = Proof(ids, names, given, 1 - self.confidence, self.max_error, population, labels)
        table = digest_unordered(ids, names, given)
        stated = {"confidence": self.confidence, "population": population, "labels": labels}
        header = {"table": table, **stated, "max_error": self.max_error}
        if self.journal.header is None:
            self.journal.begin(header)
        self._check_header(header)
        with self._naming_journal():
            for record in records:
                self._repeat(record)

    @contextmanager
    def _naming_journal(self) -> Iterator[None]:
        """Name the journal in the error about a record."""
        try:
            yield
        except ValueError as error:
            raise ValueError(f"{self.journal.path}: {error}") from error

    def _check_header(self, header: dict[str, Any]) -> None:
        before = self.journal.header or {}
        if before.get("table") != header["table"]:
            raise ValueError(
                f"{self.journal.path}: the given labels of the table have changed since the journal was begun: use the "
                "table of that time, or name another journal for this one."
            )
        for name in ("confidence", "population", "labels"):
            if before.get(name) != header[name]:
                raise ValueError(
                    f"{self.journal.path}: the journal is about {name} {before.get(name)!r}, not {header[name]!r}: "
                    "give the same value, or name another journal."
                )

    def do(self, op: str, **body: Any) -> None:
        """Write a record to the journal, and apply it as it is applied when the journal is opened again."""
        self.journal.append([{"op": op, "at": read_clock(), **body}])
        self._repeat(self.journal.records[-1])

    def _repeat(self, record: dict[str, Any]) -> None:
        """Apply a record."""
        if not self.proof.has_begun and record["op"] != "begin":
            raise ValueError("its first record does not begin a sequence.")
        if record["op"] == "begin":
            self.proof.aim = record["aim"]
            self.proof.begin(self.entries.unpack(record["values"]), record["seed"])
        elif record["op"] == "ask":
            entries = [self.entries.find(*cell) for cell in record["cells"]]
            if record["why"] == Reason.RANDOM:
                self.proof.take(entries)
            self.proof.asked.update(entries)
        elif record["op"] == "answer":
            for item, label, value in record["answers"]:
                self.proof.answer(self.entries.find(item, label), CODES[value])
        elif record["op"] == "undo":
            for item, label in record["cells"]:
                self.proof.take_back(self.entries.find(item, label))

    # -- fits ------------------------------------------------------------------------------

    @property
    def is_free(self) -> bool:
        """Whether another fit can be delivered: no random question was asked."""
        return self.proof.is_free

    def take_fit(self, state: NDArray[np.int8], probabilities: Floats) -> None:
        """Take the first fit. If the journal has frozen values, these are delivered.

        ``state`` has the values of all entries, 0 for an entry that is left empty.
        """
        if not self.proof.has_begun:
            self.refit(state, probabilities)
        elif differ := int((state.ravel() != self.proof.fill)[self.proof.unanswered].sum()):
            self.journal.notes.append(
                f"{plural(differ, 'value')} of this fit {'differs' if differ == 1 else 'differ'} from the values that "
                "the journal has frozen: the frozen values are delivered."
            )

    def refit(self, state: NDArray[np.int8], probabilities: Floats) -> None:
        """Deliver another fit from now on, with a new seed. Raise after the first random question."""
        codes = encode_values(state, np.where(state > 0, 1 - probabilities, probabilities))
        seed = secrets.randbits(SEED_BITS) if self.seed is None else self.seed
        seed_from = "secrets" if self.seed is None else "caller"
        self.do("begin", seed=seed, seed_from=seed_from, values=self.entries.pack(codes), aim=self.max_error)

    # -- questions and answers -------------------------------------------------------------

    @property
    def plan(self) -> tuple[int, int]:
        """The number of chosen and of random answers that the task probably still needs."""
        if self.done:
            return 0, 0
        proof = self.proof
        allowed = self._allowed - proof.unsure
        evidence = 0.0 if proof.is_free or allowed < 0 else proof.bets.measure(allowed + 1 + proof.found)
        likely_wrong = np.minimum(proof.wrong[proof.unanswered] * self._ratio, 0.999)
        return plan_answers(likely_wrong, allowed, proof.alpha, evidence)

    @property
    def left(self) -> int:
        """An estimate of the number of answers to go."""
        return sum(self.plan)

    @property
    def _allowed(self) -> int:
        """The number of wrong entries that may be in the table."""
        return math.floor(self.max_error * self.proof.entries + 1e-9)

    @property
    def _ratio(self) -> float:
        """The number of errors that answers found, divided by the number that probabilities expected."""
        proof = self.proof
        asked = np.array([entry for entry, _ in proof.steps], dtype=np.intp)
        answered = asked[proof.answers[asked] != 0]
        found = (proof.answers[answered] != proof.fill[answered]).sum()
        return float((found + PRIOR_ERRORS) / (proof.wrong[answered].sum() + PRIOR_ERRORS))

    def choose(self, n: int) -> list[int]:
        """Return the ``n`` most uncertain entries that are not asked, or none if random questions come next."""
        chosen, _ = self.plan
        wrong, free = self.proof.wrong, self.proof.unanswered.copy()
        free[self.proof.open] = False
        is_ranked = free.any() and np.ptp(wrong[free]) > 0  # equal probabilities rank nothing
        if chosen < n / MIN_PART or not is_ranked:
            return []
        entries = np.flatnonzero(free)
        return [int(entry) for entry in entries[np.lexsort((entries, -wrong[entries]))][: min(n, chosen)]]

    def ask(self, n: int) -> None:
        """Write the next questions to the journal: the kind that probably ends the task sooner."""
        if entries := self.choose(n):
            self.do("ask", why=Reason.UNCERTAIN_ENTRY.value, cells=self.entries.name(entries))
        else:
            self.draw(n)

    def draw(self, n: int) -> None:
        """Ask ``n`` more random questions, whatever the plan is."""
        if entries := self.proof.choose_random(n):
            self.do("ask", why=Reason.RANDOM.value, cells=self.entries.name(entries))

    def answer(self, answers: Mapping[int, int], **facts: Any) -> None:
        """Write the codes of answers about entries to the journal, with facts such as who answered."""
        if answers:
            cells = self.entries.name(list(answers))
            written = [[*cell, WRITTEN[code]] for cell, code in zip(cells, answers.values(), strict=True)]
            self.do("answer", answers=written, **facts)

    def take_back(self, entry: int, **facts: Any) -> None:
        """Write to the journal that an answer was taken back. Its entry counts as wrong until the next answer."""
        self.do("undo", cells=self.entries.name([entry]), **facts)

    # -- results ---------------------------------------------------------------------------

    @property
    def answered(self) -> int:
        """The number of answers."""
        return int((self.proof.answers != 0).sum()) - len(self.proof.taken_back)

    @property
    def done(self) -> bool:
        """Whether the bound is at most the stated share."""
        return self.proof.max_errors <= self._allowed

    def certify(self, **facts: Any) -> Certificate:
        """Return the certificate of this moment. ``facts`` are added."""
        seed_from = next(each["seed_from"] for each in reversed(self.journal.records) if each["op"] == "begin")
        taken_back = sum(each["op"] == "undo" for each in self.journal.records)
        stated = {"seed_from": seed_from, "max_error": self.max_error, "journal": self.journal.chain}
        return make_certificate(self.proof, taken_back=taken_back, **stated, **facts)

    @property
    def is_stated(self) -> bool:
        """Whether the bound is printed: after enough random answers, and at the end."""
        return self.done or sum(drawn for _, drawn in self.proof.whole) >= MIN_RANDOM

    def describe(self) -> str:
        """Return the sentence about the bound, with the number of answers to go."""
        proof, n = self.proof, plural(self.answered, "answer")
        state, unsure = f"about {plural(self.left, 'answer')} to go.", proof.unsure - len(proof.taken_back)
        if unsure > self._allowed:
            lacking = f"{count(unsure - self._allowed)} of {count(unsure)}"
            state += f' "Not sure" counts as wrong: answer {lacking} with yes or no.'
        if not self.is_stated:
            return f"No bound before {MIN_RANDOM} random answers or the end: {n}, {state}"
        return (
            f"At most {ceil_percent(proof.bound)} of {plural(proof.entries, 'entry', 'entries')} are wrong (confidence "
            f"{100 * self.confidence:g} %) after {n}; {'done.' if self.done else state}"
        )
