"""finish(): questions until the table, as it is delivered, has at most a stated share of errors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import pandas as pd

from halflabel.completion.finish_journal import tabulate_answers
from halflabel.completion.finish_state import FinishState
from halflabel.completion.finish_tables import describe_reading, read_answers, tabulate_questions
from halflabel.corrections.fit import leave_unlearned_targets
from halflabel.evidence.certificate import Certificate
from halflabel.evidence.proof import Proof
from halflabel.evidence.random_order import read_ids
from halflabel.table.native import as_pandas

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence
    from halflabel.table import OpenTable

__all__ = ["Task"]


class Filled(Protocol):
    """A completion, as far as a task needs it."""

    @property
    def evidence(self) -> Evidence:
        """Its values and the table that they are about."""


#: The kind of completion that a task is about.
Made = TypeVar("Made", bound=Filled)


class Task(Generic[Made]):
    """Questions about a completed table, and an upper bound of its errors that holds after every answer.

    The table is delivered with answered entries as answered, given entries as given, and all other entries as filled.
    The bound is about all filled and answered entries together. Two kinds of question are asked: *uncertain* entries,
    whose answers remove errors, and *random* ones, which prove how many remain. The next kind is the one that probably
    ends the task sooner, see :func:`halflabel.evidence.answer_plan.plan_answers`.

    Parameters
    ----------
    filled : Completion
    max_error : float, default=0.05
        The largest share of wrong entries in the delivered table.
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

    The bound is about one fit, see :mod:`halflabel.evidence.betting` for the theorem. Between two random answers any
    other entries may be answered. That is why no threshold on the uncertainty has to be chosen in advance, as PAC
    labels do (Candes, Ilyas and Zrnic, arXiv 2506.10908). :meth:`improve` delivers another fit until the first random
    question.
    """

    def __init__(
        self,
        filled: Made,
        *,
        max_error: float = 0.05,
        confidence: float = 0.95,
        seed: int | None = None,
        journal: str | os.PathLike[str] | None = None,
        population: str = "all",
        labels: Sequence[str] | None = None,
    ) -> None:
        self.filled, self.max_error, self.confidence = filled, max_error, confidence
        found = filled.evidence
        self._state = FinishState(
            read_ids(found.opened.index), found.labels.names, found.labels.state, max_error=max_error,
            confidence=confidence, seed=seed, journal=journal, population=population, labels=labels,
        )  # fmt: skip
        try:
            self._state.take_fit(found.state, found.probabilities)
        except BaseException:
            self.close()
            raise

    def improve(self, filled: Made) -> None:
        """Deliver another fit, such as ``complete(..., answers=task.answers)``, until the first random question.

        A fit without a label, of which the answers have left one value only, is not delivered.
        """
        entries, before, found = self._state.entries, self._state.proof.given, filled.evidence
        if not self._state.is_free or set(found.labels.names) < set(entries.names):
            return
        same = found.labels.names == entries.names and list(map(str, found.opened.index)) == entries.ids
        if not same or ((found.labels.state.ravel() != before) & (before != 0)).any():
            raise ValueError("the new fit is about another table than the task: fit the same table with the answers.")
        self._state.refit(found.state, found.probabilities)
        self.filled = filled

    # -- questions and answers -------------------------------------------------------------

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
        missing = n - len(self._state.proof.open)
        if missing > 0:
            self._state.ask(missing)
        return self.questions[:n]

    @property
    def questions(self) -> pd.DataFrame:
        """The questions that were asked and have no answer."""
        proof = self._state.proof
        return tabulate_questions(self.filled.evidence.opened, proof, proof.open)

    def draw(self, n: int) -> None:
        """Ask ``n`` more random questions, whatever the plan is."""
        self._state.draw(n)

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
        self._state.answer(read_answers(as_pandas(answers), self._state.entries, self._state.proof))

    # -- results ---------------------------------------------------------------------------

    @property
    def bound(self) -> float:
        """The upper bound of the share of wrong entries in the table as it would be delivered now."""
        return self._state.proof.bound

    @property
    def answered(self) -> int:
        """The number of answers."""
        return self._state.answered

    @property
    def left(self) -> int:
        """An estimate of the number of answers to go. It follows from probabilities, the bound does not."""
        return self._state.left

    @property
    def done(self) -> bool:
        """Whether the bound is at most the stated share."""
        return self._state.done

    @property
    def answers(self) -> pd.DataFrame | None:
        """The answers as a review table for ``complete(answers=...)``, or None without any."""
        return tabulate_answers(self._state.journal.records)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the journal."""
        return tuple(self._state.journal.notes)

    @property
    def completion(self) -> Made:
        """The completed table as it would be delivered now, with all evidence of the fit."""
        evidence = replace(self.filled.evidence, delivered=self._state.proof.delivered)
        return replace(self.filled, evidence=evidence)  # type: ignore[type-var]

    @property
    def table(self) -> Any:
        """The table as it would be delivered now, of the kind that was given."""
        evidence = self.completion.evidence
        return evidence.opened.restore(evidence.frame)

    @property
    def certificate(self) -> Certificate:
        """The certificate of this moment, see :class:`halflabel.evidence.certificate.Certificate`."""
        return self._state.certify(columns=describe_reading(self.filled.evidence.opened))

    @property
    def proof(self) -> Proof:
        """The questions and answers of this moment, from which the bounds follow."""
        return self._state.proof

    def certify(self) -> Certificate:
        """Note the certificate of this moment in the journal, and return it."""
        certificate = self.certificate
        self._state.do("certificate", sentence=str(certificate))
        return certificate

    def close(self) -> None:
        """Close the journal."""
        self._state.journal.close()

    def __repr__(self) -> str:
        return self._state.describe()


def keep_answers(opened: OpenTable, answers: pd.DataFrame, journal: str | os.PathLike[str], **limits: Any) -> None:
    """Write the answers of a table of questions to a journal, without a fit.

    A wrong answer is an error, as in :meth:`Task.answer`, before a fit could take it for a given entry.
    """
    labels = leave_unlearned_targets(opened).labels
    state = FinishState(read_ids(opened.index), labels.names, labels.state, journal=journal, **limits)
    with closing(state.journal):
        state.answer(read_answers(answers, state.entries, state.proof))
