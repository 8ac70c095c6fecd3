"""The state of a proof: the answers about a table, and the bound of the errors of the table as it is delivered now."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats, Mask
from halflabel.evidence.betting import Bets, weigh
from halflabel.evidence.random_order import Codes, decode_values, order_entries
from halflabel.labels.names import POPULATIONS

#: The code of the answer "not sure". Its entry keeps the filled value and counts as wrong.
UNSURE = 2


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
    aim : float
        The share of wrong entries that is to be excluded. It decides the stakes, and not whether a bound is true.
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
        aim: float,
        population: str = "all",
        labels: Sequence[str] | None = None,
    ) -> None:
        if population not in POPULATIONS:
            raise ValueError(f"a proof is about {', '.join(map(repr, POPULATIONS))} entries, not {population!r}.")
        if unknown := sorted(set(labels or ()) - set(names)):
            raise ValueError(f"there is no label {unknown[0]!r} that can be filled in.")
        self.population, self.labels = population, labels
        wanted = np.array([labels is None or name in labels for name in names], dtype=bool)
        self.gaps: Mask = (given == 0).ravel() & np.tile(wanted, len(ids))
        self.ids, self.names, self.given = ids, names, given.ravel()
        self.alpha, self.aim, self.seed = alpha, aim, -1
        self.answers: NDArray[np.int8] = np.zeros(given.size, dtype=np.int8)
        self.asked: set[int] = set()
        self.taken_back: set[int] = set()  # they count as wrong until they are answered again
        self.begin(np.zeros(given.size, dtype=np.uint8), -1)

    def begin(self, codes: Codes, seed: int) -> None:
        """Freeze the values of a fit, before the first random question. The fit must not depend on the seed."""
        if not self.is_free:
            raise ValueError("the random questions are about the values before: a new fit needs another task.")
        self.fill, wrong = decode_values(codes)  # +1, -1, or 0 for an entry that is left empty
        self.part: Mask = self.gaps & (self.answers == 0) & self._is_of_value(self.fill)
        self.wrong: Floats = np.where(self.part, wrong, 0.0)
        self.codes, self.seed = codes, seed
        self.weights = np.zeros(len(codes))
        self.weights[self.part] = weigh(self.wrong[self.part])
        self.excluded = self.aim * self.entries + 1  # frozen, too: stakes must not follow answers
        # The entries that were drawn, or answered without a draw, in this order, and whether each was drawn.
        self.steps: list[tuple[int, bool]] = []
        self._taken: set[int] = set()
        self._order: list[int] | None = None

    @property
    def has_begun(self) -> bool:
        """Whether there are values that questions are about."""
        return self.seed >= 0

    @property
    def is_free(self) -> bool:
        """Whether no random question was asked."""
        return self.seed < 0 or not any(drawn for _, drawn in self.steps)

    def choose_random(self, n: int) -> list[int]:
        """Return the next ``n`` entries of the random order that were neither drawn nor answered."""
        if self._order is None:
            weights = self.weights.reshape(len(self.ids), -1)
            self._order = order_entries(self.ids, self.names, weights, self.seed).tolist()[::-1]
        while self._order and self._order[-1] in self._taken:
            self._order.pop()
        return list(itertools.islice((entry for entry in reversed(self._order) if entry not in self._taken), n))

    def take(self, entries: Iterable[int]) -> None:
        """Note the next random entries."""
        for entry in entries:
            self._step(entry, True)
            self.asked.add(entry)

    def answer(self, entry: int, value: int) -> None:
        """Note an answer: +1, -1, or :data:`UNSURE`."""
        self.answers[entry] = value
        self.taken_back.discard(entry)
        if self.part[entry] and entry not in self._taken:
            self._step(entry, False)

    def take_back(self, entry: int) -> None:
        """Ask about an answered entry again. Until then it counts as wrong, so that no bound is better without it."""
        self.answers[entry] = UNSURE
        self.taken_back.add(entry)

    def _step(self, entry: int, drawn: bool) -> None:
        self.steps.append((entry, drawn))
        self._taken.add(entry)

    @property
    def delivered(self) -> NDArray[np.int8]:
        """The table as it is delivered now: answered entries as answered, given ones as given, others as filled."""
        decided = np.where(np.abs(self.answers) == 1, self.answers, self.given)
        flat = np.where(decided != 0, decided, self.fill).astype(np.int8)
        return flat.reshape(len(self.ids), len(self.names))

    @property
    def open(self) -> list[int]:
        """The entries that were asked and have no answer, or whose answer was taken back."""
        return sorted(self.taken_back.union(entry for entry in self.asked if self.answers[entry] == 0))

    @property
    def unanswered(self) -> Mask:
        """The filled entries without an answer."""
        return np.asarray(self.part & (self.answers == 0))

    @property
    def answered(self) -> Mask:
        """The entries with an answer, "not sure" included."""
        return np.asarray(self.gaps & (self.answers != 0))

    def _is_of_value(self, state: NDArray[np.int8]) -> Mask:
        return np.isin(state, POPULATIONS[self.population])

    @property
    def entries(self) -> int:
        """The number of filled and answered entries of the population, as it is delivered now."""
        return int(((self.part | self.answered) & self._is_of_value(self.delivered.ravel())).sum())

    @property
    def unsure(self) -> int:
        """The number of entries of the population about which the answer was "not sure"."""
        return int((self._is_of_value(self.fill) & self.answered & (self.answers == UNSURE)).sum())

    @property
    def whole(self) -> list[tuple[int, bool]]:
        """The steps before the first one without an answer. A later random answer does not count."""
        missing = (place for place, (entry, _) in enumerate(self.steps) if self.answers[entry] == 0)
        return self.steps[: next(missing, len(self.steps))]

    @property
    def found(self) -> int:
        """The number of wrong entries that answers have found since the values were frozen."""
        return int((self.part & (self.answers != 0) & (self.answers != self.fill)).sum())

    @property
    def bets(self) -> Bets:
        """The bets on the random answers."""
        steps = np.array(self.whole, dtype=np.intp).reshape(-1, 2)
        entries, part = steps[:, 0], np.flatnonzero(self.part)
        wrong = self.answers[entries] != self.fill[entries]
        places, drawn = np.searchsorted(part, entries), steps[:, 1] == 1
        return Bets.place(self.wrong[part], places, drawn, wrong, self.excluded, self.weights[part])

    def of_label(self, label: int) -> Proof:
        """Return the proof about one label alone, of which the drawn entries are a random sample, too."""
        proof, at = copy.copy(self), np.arange(len(self.gaps)) % len(self.names) == label
        proof.gaps, proof.part = self.gaps & at, self.part & at
        proof.excluded = self.aim * int(proof.part.sum()) + 1
        proof.steps = [step for step in self.whole if at[step[0]]]
        return proof

    @property
    def max_errors(self) -> int:
        """The upper bound of the wrong entries, as the table is delivered now."""
        remaining = self.bets.bound(self.alpha) - self.found
        return min(max(remaining, 0), int(self.unanswered.sum())) + self.unsure

    @property
    def bound(self) -> float:
        """The upper bound of the share of wrong entries, as the table is delivered now."""
        return self.max_errors / self.entries if self.entries else 0.0
