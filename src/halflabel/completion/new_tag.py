"""new_tag(): a tag that was made today is taken back through an old archive, by a few answers."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logit

from halflabel._arrays import Floats, Ints, Mask
from halflabel._wording import count, plural
from halflabel.completion.finish_journal import tabulate_answers
from halflabel.completion.finish_state import FinishState
from halflabel.completion.finish_tables import describe_reading, read_answers
from halflabel.completion.result import Completion
from halflabel.evidence.certificate import Certificate, ceil_percent
from halflabel.evidence.drawing import read_ids
from halflabel.evidence.label_frequency import MissingPositives, Share, choose_sizes, draw_by_size
from halflabel.labels.reasons import Reason
from halflabel.table import OpenTable
from halflabel.table.items import choose_shown, take_shown
from halflabel.table.native import as_pandas

__all__ = ["NewTag"]

#: Number of answers before any item gets the tag by the fit.
MIN_ANSWERS = 20

#: The quantile of the posterior of wrong items that the items with the tag may reach, and maximum number of them.
LEVEL, MAX_ITEMS = 0.8, 5000


class NewTag:
    """The candidates of a new tag, the questions about them, and the items that get the tag.

    The first questions are drawn with probabilities that increase with the probability of the tag. By their answers the
    scores become probabilities of being relevant, and the surest items get the tag: the maximum number of them whose
    share of wrong ones is probably at most ``max_error``. Further questions are random and
    prove it, as the questions of :class:`halflabel.completion.finish.Task` do. No other entry of the table changes.

    Parameters
    ----------
    opened : OpenTable
        The archive, whose label ``tag`` is positive-only (``positive_only=[tag]``).
    tag : str
    max_error, confidence, seed, journal
        As in :class:`halflabel.completion.finish.Task`.
    """

    def __init__(
        self,
        opened: OpenTable,
        tag: str,
        *,
        max_error: float = 0.05,
        confidence: float = 0.95,
        seed: int | None = None,
        journal: str | os.PathLike[str] | None = None,
    ) -> None:
        if tag not in np.array(opened.labels.names, dtype=object)[np.asarray(opened.labels.positives)]:
            raise ValueError(f"the tag {tag!r} is not a positive-only label of the table: state positive_only={tag!r}.")
        self.opened, self.tag = opened, tag
        self._given = opened.labels.state[:, opened.labels.names.index(tag)]
        if not (self._given > 0).any() or (self._given > 0).all():
            number = "no item has" if (self._given <= 0).any() else "every item has"
            raise ValueError(f"{number} the tag {tag!r}, so that nothing can be learned: set it on a few items.")
        self._state = FinishState(
            read_ids(opened.index), (tag,), self._given[:, None].copy(), max_error=max_error, confidence=confidence,
            seed=seed, journal=journal, population="relevant",
        )  # fmt: skip

    def answer(self, answers: pd.DataFrame) -> None:
        """Take the answers of a table of questions, see :meth:`halflabel.completion.finish.Task.answer`."""
        self._state.answer(read_answers(as_pandas(answers), self._state.entries, self._state.proof))

    @property
    def answers(self) -> pd.DataFrame | None:
        """The answers as a review table for ``complete(answers=...)``, or None without any."""
        return tabulate_answers(self._state.journal.records)

    def take_fit(self, filled: Completion) -> None:
        """Rank the candidates by a fit to the table and all answers. Values that were proven in part stay frozen."""
        column = filled.labels.names.index(self.tag)
        self.filled = filled
        self._log_odds = logit(filled.evidence.learned_probabilities[:, column])
        self.__dict__.pop("missing", None)
        chosen = np.zeros(len(self._given), dtype=np.int8)
        chosen[self._choose_items()] = 1
        state, p = chosen[:, None], self.probabilities[:, None]
        if self._state.is_free:
            self._state.refit(state, p)
        else:
            self._state.take_fit(state, p)

    # -- the posterior ---------------------------------------------------------------------

    @property
    def _absent(self) -> Ints:
        """The positions of the items whose tag is not given."""
        return np.flatnonzero(self._given == 0)

    @property
    def _answers(self) -> NDArray[np.int8]:
        return self._state.proof.answers

    @cached_property
    def missing(self) -> MissingPositives | None:
        """The posterior of the items that lack the tag, or None before there are enough answers."""
        absent, answers = self._absent, self._answers[self._absent]
        asked = np.flatnonzero(np.abs(answers) == 1)
        if len(asked) < MIN_ANSWERS:
            return None
        return MissingPositives(self._log_odds[absent], asked, answers[asked] > 0)

    @property
    def probabilities(self) -> Floats:
        """The probability of each item that it should have the tag.

        Before there are enough answers, it is P(assigned).
        """
        p = 1 / (1 + np.exp(-self._log_odds))
        if self.missing is not None:
            p[self._absent] = self.missing.probabilities
        return np.asarray(np.where(self._given > 0, 1.0, p))

    def _choose_items(self) -> Ints:
        """Return the surest items without an answer: the maximum number whose share of wrong ones is probably small."""
        if self.missing is None:
            return np.empty(0, dtype=np.intp)
        free = np.flatnonzero(self._answers[self._absent] == 0)
        ranked = free[np.argsort(-self._log_odds[self._absent][free], kind="stable")][:MAX_ITEMS]
        confirmed = int((self._answers > 0).sum())
        wrong = self.missing.count_wrong(ranked, LEVEL)
        fits = np.flatnonzero(wrong <= self._state.max_error * (confirmed + 1 + np.arange(len(ranked))))
        return self._absent[ranked[: fits[-1] + 1 if len(fits) else 0]]

    @property
    def frequency(self) -> Share | None:
        """The share of the relevant items that had the tag, with an interval of 90 %, or None before 20 answers."""
        if self.missing is None:
            return None
        return self.missing.estimate(int((self._given > 0).sum()), np.random.default_rng(0))

    # -- questions -------------------------------------------------------------------------

    def next(self, n: int = 20) -> pd.DataFrame:
        """Return ``n`` questions: open ones first. Columns: item, label, why, answer, and the shown columns."""
        wanted = n - len(self._state.proof.open)
        if wanted > 0 and not self._state.proof.now.part.any():
            self._draw(wanted)
        elif wanted > 0 and not self.done:
            self._state.draw(wanted)
        return self.questions[:n]

    def _draw(self, n: int) -> None:
        """Ask about items that are drawn with probabilities by their size."""
        free = self._absent[~np.isin(self._absent, list(self._state.proof.asked))]
        if not len(free):
            return
        size = np.zeros(len(self._given))
        size[self._absent] = choose_sizes(self._log_odds[self._absent], self.missing)
        drawn, _ = draw_by_size(size[free], min(n, len(free)), np.random.default_rng(self._state.proof.now.seed))
        cells = self._state.entries.name(sorted(free[drawn].tolist(), key=lambda row: -size[row]))
        self._state.do("ask", why=Reason.FREQUENCY.value, cells=cells, expected=0.0)

    @property
    def questions(self) -> pd.DataFrame:
        """The questions that were asked and have no answer."""
        rows = np.array(self._state.proof.open, dtype=np.intp)
        table = pd.DataFrame({"item": self.opened.index[rows], "label": self.tag})
        table["answer"] = pd.array([None] * len(rows), dtype="Int8")
        return self._show(table, rows)

    def _show(self, table: pd.DataFrame, rows: Ints) -> pd.DataFrame:
        shown = take_shown(self.opened, choose_shown(self.opened), rows)
        return table.join(shown.rename(columns={name: f"{name} (column)" for name in table.columns}))

    # -- results ---------------------------------------------------------------------------

    @property
    def tagged(self) -> Mask:
        """The items that have the tag now: given, confirmed, or chosen by the fit."""
        return np.asarray(self._state.proof.delivered[:, 0] > 0)

    @property
    def candidates(self) -> pd.DataFrame:
        """The items without the given tag, the likeliest first: item, rank, probability, tagged, and shown columns.

        A probability is missing before there are enough answers. ``tagged`` is "confirmed", "chosen", "rejected" or "".
        """
        rows = self._absent
        rows = rows[np.argsort(-self._log_odds[rows], kind="stable")]
        answers = self._answers[rows]
        words = np.select([answers == 1, answers == -1, self.tagged[rows]], ["confirmed", "rejected", "chosen"], "")
        p = self.probabilities[rows] if self.missing is not None else np.full(len(rows), np.nan)
        table = pd.DataFrame({"item": self.opened.index[rows], "rank": np.arange(1, len(rows) + 1), "probability": p})
        return self._show(table.assign(tagged=words), rows)

    @property
    def completion(self) -> Completion:
        """The table with the tag on the chosen and confirmed items, and every other entry as it was given."""
        state = self.filled.labels.state.copy()
        state[:, self.filled.labels.names.index(self.tag)] = self._state.proof.delivered[:, 0]
        return replace(self.filled, evidence=replace(self.filled.evidence, delivered=state))

    @property
    def done(self) -> bool:
        """Whether items were chosen, and the bound of the wrong ones is at most ``max_error``."""
        return bool(self._state.proof.now.part.any()) and self._state.done

    def certify(self) -> Certificate:
        """Note the certificate of this moment in the journal, and return it."""
        certificate = self._state.certify(columns={**describe_reading(self.opened), "labels": [self.tag]})
        self._state.do("certificate", sentence=str(certificate))
        return certificate

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the journal."""
        return tuple(self._state.journal.notes)

    def close(self) -> None:
        """Close the journal."""
        self._state.journal.close()

    def __repr__(self) -> str:
        given, answered = int((self._given > 0).sum()), self._state.answered
        start = f"{self.tag!r}: {plural(given, 'item has', 'items have')} it, {plural(answered, 'answer')}."
        if self.missing is None or self.frequency is None:
            return f"{start} After {MIN_ANSWERS} answers, the surest items get it."
        confirmed = int((self._answers[self._absent] > 0).sum())
        chosen = int(self.tagged.sum()) - given - confirmed
        low, high = (count(round(given / share - given)) for share in (self.frequency.high, self.frequency.low))
        found = (
            f"{start} {low} to {high} items lacked it; {count(confirmed)} are confirmed, {count(chosen)} are chosen."
        )
        if not len(self._state.proof.draws.wrong):
            return f"{found} Random questions about the chosen items bound how many are wrong." if chosen else found
        bound, level = ceil_percent(self._state.proof.bound), 100 * self._state.confidence
        return f"{found} Of these, at most {bound} are wrong (confidence {level:g} %)."
