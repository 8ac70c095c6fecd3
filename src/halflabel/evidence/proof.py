"""The state of a proof: the answers about a table, and the bound of the errors of the table as it is delivered now."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Ints, Mask
from halflabel.evidence.confidence_sequence import EXPECTED, Draws, bound_wrong, keep_alpha
from halflabel.evidence.drawing import order_entries
from halflabel.labels.names import POPULATIONS

#: The code of the answer "not sure". Its entry keeps the filled value and counts as wrong.
UNSURE = 2


@dataclass(eq=False)
class Round:
    """A confidence sequence about one fit: frozen values, a random order, and the entries that were answered."""

    fill: NDArray[np.int8]  #: The values of all entries of the table, +1, -1, or 0 for an entry that is left empty.
    part: Mask  #: The entries of the population that had no answer when the round began.
    seed: int  #: Decides the random order.
    alpha: float  #: The probability of a false bound that this round may use.
    limit: int  #: At most this number of entries of the part is wrong, as the round before has proved.
    expected: float = EXPECTED  #: The share of wrong entries that was expected before the first draw.
    #: The entries that were drawn, or answered without a draw, in this order, and whether each was drawn.
    steps: list[tuple[int, bool]] = field(default_factory=list)


class Proof:
    """Answers about the entries of a table that were unknown, and an upper bound of the wrong ones that remain.

    Entries are numbered row x number of labels + column.

    Parameters
    ----------
    ids, names : sequence of str
        The items and the labels.
    given : ndarray of int8, shape (n_items, n_labels)
        The labels before completion.
    alpha : float
        The probability that any bound of this proof is ever false.
    population : {"all", "relevant", "irrelevant"}
        The values of the entries that the bound is about.
    labels : sequence of str, optional
        The labels that the bound is about; by default all of them.
    """

    def __init__(
        self,
        ids: Sequence[str],
        names: Sequence[str],
        given: NDArray[np.int8],
        alpha: float,
        population: str = "all",
        labels: Sequence[str] | None = None,
    ) -> None:
        if population not in POPULATIONS:
            raise ValueError(f"a proof is about {', '.join(map(repr, POPULATIONS))} entries, not {population!r}.")
        if unknown := sorted(set(labels or ()) - set(names)):
            raise ValueError(f"there is no label {unknown[0]!r} that can be filled in.")
        self.ids, self.names, self.given = ids, names, given.ravel()
        self.population, self.labels, self.alpha = population, labels, alpha
        wanted = np.array([labels is None or name in labels for name in names], dtype=bool)
        self.gaps: Mask = (given == 0).ravel() & np.tile(wanted, len(ids))
        self.answers: NDArray[np.int8] = np.zeros(given.size, dtype=np.int8)
        self.asked: set[int] = set()
        self.taken_back: set[int] = set()  # they count as wrong until they are answered again
        self.rounds: list[Round] = []
        self._taken: set[int] = set()  # the entries in the steps of the present round
        self._order: Ints | None = None

    @property
    def now(self) -> Round:
        """The round about the present fit."""
        return self.rounds[-1]

    def begin(self, fill: NDArray[np.int8], seed: int) -> Round:
        """Begin a round about a fit. The fit must not depend on the seed."""
        self.check_skipped()
        fill = fill.ravel()
        part = self.gaps & (self.answers == 0) & np.isin(fill, POPULATIONS[self.population])
        alpha, limit = self.alpha, int(part.sum())
        if self.rounds:
            self.now.steps = self.now.steps[: self.count_whole(self.now)]
            alpha = keep_alpha(self.draws, self.now.alpha)
            changed = part & ~(self.now.part & (self.now.fill == fill))
            limit = min(limit, self._bound_unanswered() + int(changed.sum()))
        self.rounds.append(Round(fill, part, seed, alpha, limit))
        self._taken, self._order = set(), None
        return self.now

    def check_skipped(self) -> None:
        """Raise if a random question was skipped: its round could end because later answers were bad, at no cost."""
        if not self.rounds:
            return
        later = self.now.steps[self.count_whole(self.now) :]
        if any(drawn and self.answers[entry] != 0 for entry, drawn in later):
            raise ValueError('a random question was skipped: answer it, or leave its answer empty ("not sure").')
        if any(drawn and entry in self.taken_back for entry, drawn in self.now.steps):
            raise ValueError("the answer to a random question was taken back: answer this question again.")

    def choose_random(self, n: int) -> list[int]:
        """Return the next ``n`` entries of the random order that were neither drawn nor answered."""
        if self._order is None:
            shape = len(self.ids), len(self.names)
            self._order = order_entries(self.ids, self.names, self.now.part.reshape(shape), self.now.seed)
        free = (entry for entry in self._order.tolist() if entry not in self._taken)
        return list(itertools.islice(free, n))

    def take(self, entries: Iterable[int], expected: float = EXPECTED) -> None:
        """Note the next random entries, and before the first ones the expected share of wrong entries."""
        if not any(drawn for _, drawn in self.now.steps):
            self.now.expected = expected
        for entry in entries:
            self._step(entry, True)
            self.asked.add(entry)

    def answer(self, entry: int, value: int) -> None:
        """Note an answer: +1, -1, or :data:`UNSURE`."""
        self.answers[entry] = value
        self.taken_back.discard(entry)
        if self.now.part[entry] and entry not in self._taken:
            self._step(entry, False)

    def take_back(self, entry: int) -> None:
        """Ask about an answered entry again. Until then it counts as wrong, so that no bound is better without it."""
        self.answers[entry] = UNSURE
        self.taken_back.add(entry)

    def _step(self, entry: int, drawn: bool) -> None:
        self.now.steps.append((entry, drawn))
        self._taken.add(entry)

    @property
    def delivered(self) -> NDArray[np.int8]:
        """The table as it is delivered now: answered entries as answered, given ones as given, others as filled."""
        decided = np.where(np.abs(self.answers) == 1, self.answers, self.given)
        flat = np.where(decided != 0, decided, self.now.fill).astype(np.int8)
        return flat.reshape(len(self.ids), len(self.names))

    @property
    def open(self) -> list[int]:
        """The entries that were asked and have no answer, or whose answer was taken back."""
        return sorted(self.taken_back.union(entry for entry in self.asked if self.answers[entry] == 0))

    @property
    def unanswered(self) -> Mask:
        """The entries of the population without an answer."""
        return np.asarray(self.now.part & (self.answers == 0))

    @property
    def entries(self) -> int:
        """The number of entries of the population as it is delivered now."""
        of_value = np.isin(self.delivered.ravel(), POPULATIONS[self.population])
        return int((self.gaps & of_value & ((self.answers != 0) | self.now.part)).sum())

    @property
    def unsure(self) -> int:
        """The number of entries of the population about which the answer was "not sure"."""
        of_value = np.isin(self.now.fill, POPULATIONS[self.population])
        return int((self.gaps & of_value & (self.answers == UNSURE)).sum())

    @property
    def draws(self) -> Draws:
        """The random answers of this round."""
        return self.find_draws(self.now)

    def find_draws(self, each: Round) -> Draws:
        """Return the random answers of a round."""
        steps = np.array(each.steps[: self.count_whole(each)], dtype=np.intp).reshape(-1, 2)
        entries, drawn = steps[:, 0], steps[:, 1] == 1
        wrong = self.answers[entries] != each.fill[entries]
        unanswered = int(each.part.sum()) - np.arange(len(entries))
        found = np.cumsum(wrong) - wrong
        return Draws(unanswered[drawn], found[drawn], wrong[drawn], each.expected)

    def describe_round(self, each: Round) -> dict[str, float]:
        """Return the facts of a round: seed, alpha, and the random answers with their errors."""
        wrong = self.find_draws(each).wrong
        return {"seed": each.seed, "alpha": each.alpha, "audited": len(wrong), "errors": int(wrong.sum())}

    def count_whole(self, each: Round) -> int:
        """Return the number of steps before the first one without an answer. A later random answer does not count."""
        missing = (place for place, (entry, _) in enumerate(each.steps) if self.answers[entry] == 0)
        return next(missing, len(each.steps))

    @property
    def found(self) -> int:
        """The number of wrong entries that answers have found in this round."""
        return int((self.now.part & (self.answers != 0) & (self.answers != self.now.fill)).sum())

    def _bound_unanswered(self) -> int:
        """Return the upper bound of the wrong entries among those without an answer."""
        draws, most = self.draws, int(self.unanswered.sum())
        bound = bound_wrong(draws, self.now.alpha) if len(draws.wrong) else self.now.limit
        return min(max(min(bound, self.now.limit) - self.found, 0), most)

    @property
    def max_errors(self) -> int:
        """The upper bound of the wrong entries of the population, as it is delivered now."""
        return self._bound_unanswered() + self.unsure

    @property
    def bound(self) -> float:
        """The upper bound of the share of wrong entries, as the population is delivered now."""
        return self.max_errors / self.entries if self.entries else 0.0
