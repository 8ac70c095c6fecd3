"""finish(): questions until the table, as it is delivered, has at most a stated share of errors."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel._wording import count, plural
from halflabel.completion.finish_journal import FinishJournal, tabulate_answers
from halflabel.completion.finish_tables import (
    CODES,
    WRITTEN,
    Entries,
    describe_reading,
    read_answers,
    tabulate_questions,
)
from halflabel.evidence.answer_plan import plan_answers
from halflabel.evidence.certificate import Certificate, make_certificate
from halflabel.evidence.drawing import digest_unordered, read_ids
from halflabel.evidence.proof import Proof
from halflabel.labels.reasons import Reason
from halflabel.table.native import as_pandas

if TYPE_CHECKING:
    from halflabel.completion.result import Completion

__all__ = ["Task"]

#: Number of random bits of a seed. A program that reads JSON numbers as doubles reads it exactly.
SEED_BITS = 53

#: As many errors were found and expected before the first answer, for the ratio of both.
PRIOR_ERRORS = 2.0

#: Uncertain entries are asked if at least one in this number of the next questions is about them.
MIN_PART = 4


class Task:
    """Questions about a completed table, and an upper bound of its errors that holds after every answer.

    The table is delivered with answered entries as answered, given entries as given, and all other entries as filled.
    The bound is about all filled and answered entries together, or about a part of them. Two kinds of question are
    asked: *uncertain* entries, whose answers remove errors, and *random* ones, which prove how many remain. The next
    kind is the one that probably ends the task sooner, see :func:`halflabel.evidence.answer_plan.plan_answers`.

    Parameters
    ----------
    filled : Completion
    max_error : float, default=0.05
        The largest share of wrong entries in the delivered part.
    confidence : float in (0.5, 1), default=0.95
        The probability that no bound of this task is ever below the truth, for any moment at which a person stops.
    seed : int, optional
        Decides the random questions. By default it is drawn from :mod:`secrets`; it is in the journal before the first
        question.
    journal : path, optional
        A file that keeps the task. If it exists, the task goes on where it ended, with the frozen values.
    population : {"all", "relevant", "irrelevant"}, default="all"
        The values of the entries that the bound is about.
    labels : sequence of str, optional
        The labels that the bound is about; by default all of them.

    Notes
    -----
    *Not sure* counts as an error of the filled value, which stays in the table. If the answers come from a reviewer
    who errs, or from a model, the bound is about the agreement with this reference.

    A sequence of bounds is about one fit, see :mod:`halflabel.evidence.confidence_sequence` for the theorem. Between
    two random answers any other entries may be answered. That is why no threshold on the uncertainty has to be chosen
    in advance, as PAC labels do (Candes, Ilyas and Zrnic, arXiv 2506.10908). :meth:`refit` begins a new sequence: it is
    free before the first random question, and costs a part of the confidence after it.
    """

    def __init__(
        self,
        filled: Completion,
        *,
        max_error: float = 0.05,
        confidence: float = 0.95,
        seed: int | None = None,
        journal: str | os.PathLike[str] | None = None,
        population: str = "all",
        labels: Sequence[str] | None = None,
    ) -> None:
        _check_shares(max_error, confidence)
        self.max_error, self.confidence, self.seed = max_error, confidence, seed
        self.filled, self.ids = filled, read_ids(filled.index)
        self.names = filled.labels.names
        self.journal = FinishJournal(journal)
        try:
            self._open(population, None if labels is None else list(labels))
        except BaseException:
            self.journal.close()
            raise

    def _open(self, population: str, labels: list[str] | None) -> None:
        """Begin the task, or repeat the records of its journal."""
        given, entries = self.filled.labels.state.copy(), Entries(self.ids, self.names)
        asked = [cell for each in self.journal.records if each["op"] == "ask" for cell in each["cells"]]
        given.flat[[entries.find(*cell) for cell in asked]] = 0  # the fit may include answers of the journal
        self._entries = entries
        self._proof = Proof(self.ids, self.names, given, 1 - self.confidence, population, labels)
        stated = {"confidence": self.confidence, "population": population, "labels": labels}
        header = {"table": digest_unordered(self.ids, self.names, given), **stated, "max_error": self.max_error}
        if self.journal.header is None:
            self.journal.begin(header)
            self._begin()
            return
        self._check_header(header)
        for record in self.journal.records:
            self._repeat(record)
        if differ := int((self._fill != self._proof.now.fill)[self._proof.unanswered].sum()):
            self.journal.notes.append(
                f"{plural(differ, 'value')} of this fit {'differs' if differ == 1 else 'differ'} from the values that "
                "the journal has frozen: the frozen values are delivered, until refit() begins with the new ones."
            )

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

    def _do(self, op: str, **body: Any) -> None:
        """Write a record to the journal, and apply it as it is applied when the journal is opened again."""
        self.journal.append(op, **body)
        self._repeat(self.journal.records[-1])

    def _repeat(self, record: dict[str, Any]) -> None:
        """Apply a record."""
        if record["op"] == "begin":
            filled, relevant = (self._entries.unpack(record[name]) for name in ("filled", "relevant"))
            self._proof.begin(np.where(filled, np.where(relevant, 1, -1), 0).astype(np.int8), record["seed"])
        elif record["op"] == "ask":
            entries = [self._entries.find(*cell) for cell in record["cells"]]
            if record["why"] == Reason.RANDOM:
                self._proof.take(entries, record["expected"])
            self._proof.asked.update(entries)
        elif record["op"] == "answer":
            for item, label, value in record["answers"]:
                self._proof.answer(self._entries.find(item, label), CODES[value])

    # -- the fit ---------------------------------------------------------------------------

    @property
    def _fill(self) -> NDArray[np.int8]:
        """The values of the fit, also of entries that were given or answered."""
        return self.filled.state.ravel()

    @property
    def _wrong(self) -> Floats:
        """The probability that the frozen value of each entry is wrong."""
        p = self.filled.evidence.probabilities.ravel()
        return np.where(self._proof.now.fill > 0, 1 - p, p)

    def _begin(self) -> None:
        seed = secrets.randbits(SEED_BITS) if self.seed is None else self.seed + len(self._proof.rounds)
        masks = {"filled": self._entries.pack(self._fill != 0), "relevant": self._entries.pack(self._fill > 0)}
        self._do("begin", seed=seed, seed_from="secrets" if self.seed is None else "caller", **masks)

    def refit(self, filled: Completion) -> None:
        """Deliver another fit from now on, such as ``complete(..., review=task.answers)``.

        A new sequence begins with a new seed. Its bound is also at most the one before plus the number of values that
        changed. Without random answers in the old sequence, the new one has the same confidence.
        """
        same = filled.labels.names == self.names and list(map(str, filled.index)) == self.ids
        before = self._proof.given.reshape(-1, len(self.names))
        if not same or ((filled.labels.state != before) & (before != 0)).any():
            raise ValueError("the new fit is about another table than the task: fit the same table with the answers.")
        self._proof.check_skipped()
        self.filled = filled
        self._begin()

    def improve(self, filled: Completion) -> None:
        """Deliver another fit if that is free: before the first random question of the sequence."""
        if not any(drawn for _, drawn in self._proof.now.steps):
            self.refit(filled)

    # -- questions and answers -------------------------------------------------------------

    @property
    def plan(self) -> tuple[int, int]:
        """The number of chosen and of random answers that the task probably still needs."""
        if self.done:
            return 0, 0
        proof = self._proof
        wrong = self._wrong[proof.unanswered] * self._ratio
        draws, found = proof.draws, proof.found
        evidence = draws.log_mixture - draws.log_likelihood(self._allowed + 1 + found) if len(draws.wrong) else 0.0
        return plan_answers(np.minimum(wrong, 0.999), self._allowed, proof.now.alpha, evidence)

    @property
    def _allowed(self) -> int:
        """The number of wrong entries that may remain without an answer."""
        return math.floor(self.max_error * self._proof.entries + 1e-9) - self._proof.unsure

    @property
    def _ratio(self) -> float:
        """The number of errors that answers found, divided by the number that probabilities expected."""
        steps = self._proof.now.steps
        random = [entry for entry, drawn in steps if drawn]
        asked = np.array(random or [entry for entry, _ in steps], dtype=np.intp)
        answered = asked[self._proof.answers[asked] != 0]
        found = (self._proof.answers[answered] != self._proof.now.fill[answered]).sum()
        return float((found + PRIOR_ERRORS) / (self._wrong[answered].sum() + PRIOR_ERRORS))

    def next(self, n: int = 20) -> pd.DataFrame:
        """Return ``n`` questions: open ones first, then the next ones.

        Returns
        -------
        DataFrame
            Columns: item, label, suggested and probability (empty for a random question, because they would bias the
            answer), why ("most uncertain" or "random"), answer (empty, for 1 or 0), and the shown columns.
        """
        if n < 1:
            raise ValueError(f"the number of questions is at least 1, not {n}.")
        missing = n - len(self._proof.open)
        if missing > 0:
            self._ask(missing)
        return self._tabulate(self._proof.open[:n])

    @property
    def questions(self) -> pd.DataFrame:
        """The questions that were asked and have no answer."""
        return self._tabulate(self._proof.open)

    def _ask(self, n: int) -> None:
        """Write the next questions to the journal: the kind that probably ends the task sooner."""
        proof, (chosen, _) = self._proof, self.plan
        wrong, free = self._wrong, proof.unanswered.copy()
        free[proof.open] = False
        is_ranked = free.any() and np.ptp(wrong[free]) > 1e-9  # equal probabilities rank nothing
        if chosen >= n / MIN_PART and is_ranked:
            entries = np.flatnonzero(free)
            entries = entries[np.lexsort((entries, -wrong[entries]))][: min(n, chosen)].tolist()
            self._do("ask", why=Reason.UNCERTAIN_ENTRY.value, cells=self._entries.name(entries), expected=0.0)
            return
        self.draw(n)

    def draw(self, n: int) -> None:
        """Ask ``n`` more random questions, whatever the plan is."""
        entries = self._proof.choose_random(n)
        rate = self._wrong[self._proof.unanswered] * self._ratio
        expected = float(np.minimum(rate, 1).mean()) if len(rate) else 0.0
        if entries:
            self._do("ask", why=Reason.RANDOM.value, cells=self._entries.name(entries), expected=expected)

    def _tabulate(self, entries: Sequence[int]) -> pd.DataFrame:
        return tabulate_questions(self.filled, self._proof, self._wrong, entries)

    def answer(self, answers: pd.DataFrame) -> None:
        """Take the answers of a table of questions, all or none of them.

        Parameters
        ----------
        answers : DataFrame
            Columns: item, label, answer (1 or yes, 0 or no; empty or "?" for "not sure"). "Not sure" can be
            answered later; a question that the table leaves out stays open.

        Raises
        ------
        ValueError
            In one sentence, for an entry that was not asked or does not exist, an answer of another kind, or two
            different answers about one entry. Nothing is written then.
        """
        changed = read_answers(as_pandas(answers), self._entries, self._proof)
        if changed:
            cells = self._entries.name(list(changed))
            self._do("answer", answers=[[*c, WRITTEN[v]] for c, v in zip(cells, changed.values(), strict=True)])

    # -- results ---------------------------------------------------------------------------

    @property
    def bound(self) -> float:
        """The upper bound of the share of wrong entries in the table as it would be delivered now."""
        return self._proof.bound

    @property
    def answered(self) -> int:
        """The number of answers."""
        return int((self._proof.answers != 0).sum())

    @property
    def left(self) -> int:
        """An estimate of the number of answers to go. It follows from probabilities, the bound does not."""
        return sum(self.plan)

    @property
    def done(self) -> bool:
        """Whether the bound is at most the stated share."""
        return self._proof.max_errors <= math.floor(self.max_error * self._proof.entries + 1e-9)

    @property
    def answers(self) -> pd.DataFrame | None:
        """The answers as a review table for ``complete(review=...)``, or None without any."""
        return tabulate_answers(self.journal.records)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the journal."""
        return tuple(self.journal.notes)

    @property
    def completion(self) -> Completion:
        """The completed table as it would be delivered now, with all evidence of the fit."""
        return replace(self.filled, evidence=replace(self.filled.evidence, delivered=self._proof.delivered))

    @property
    def table(self) -> Any:
        """The table as it would be delivered now, of the kind that was given."""
        return self.completion.table

    @property
    def certificate(self) -> Certificate:
        """The certificate of this moment, see :class:`halflabel.evidence.certificate.Certificate`."""
        seed_from = next(each["seed_from"] for each in reversed(self.journal.records) if each["op"] == "begin")
        read = describe_reading(self.filled.opened)
        return make_certificate(self._proof, seed_from=seed_from, max_error=self.max_error, columns=read)

    def certify(self) -> Certificate:
        """Note the certificate of this moment in the journal, and return it."""
        certificate = self.certificate
        self._do("certificate", sentence=str(certificate))
        return certificate

    def close(self) -> None:
        """Close the journal."""
        self.journal.close()

    def __repr__(self) -> str:
        state = "done" if self.done else f"about {plural(self.left, 'answer')} to go"
        return (
            f"At most {100 * self.bound:.1f} % of {count(self._proof.entries)} entries are wrong (confidence "
            f"{100 * self.confidence:g} %) after {plural(self.answered, 'answer')}; {state}."
        )


def _check_shares(max_error: float, confidence: float) -> None:
    if not 0 <= max_error < 1:
        raise ValueError(f"max_error is a share from 0 to 1, such as 0.05, not {max_error!r}.")
    if not 0.5 < confidence < 1:
        raise ValueError(f"the confidence lies between 0.5 and 1, not {confidence!r}.")
