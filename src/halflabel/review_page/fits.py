"""The part of a completion that the page needs: values, probabilities, and how doubtful each entry is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel.completion import Completion
from halflabel.evidence import suspects
from halflabel.labels import PartialLabels


@dataclass(frozen=True, eq=False)
class Fit:
    """The result of one fit, small enough to be sent from one process to another."""

    name: str  #: A digest of values and probabilities.
    state: NDArray[np.int8]  #: Shape (n_items, n_labels). Completed values, as in :attr:`halflabel.Completion.state`.
    p: NDArray[np.float32]  #: Shape (n_items, n_labels). Probabilities.
    #: Shape (n_items, n_labels). The entries that the fit learned from: given entries and answers.
    given: NDArray[np.int8]
    #: Shape (n_items, n_labels). Of entries in ``given`` the posterior probability that the value is wrong, 0
    #: elsewhere.
    flipped: NDArray[np.float32]
    expected: list[dict[str, Any]]  #: Rows of :attr:`halflabel.Completion.expected_errors`, if a check allows them.
    probability_of: str
    seconds: float = 0.0
    #: The title of the first check that contradicts the probabilities of gaps. Empty if none does.
    contradiction: str = ""
    #: Shape (2, n_labels). The shares of irrelevant and of relevant entries that are given wrongly, or None for zero.
    flip_rates: NDArray[np.float64] | None = None

    @property
    def has_precision(self) -> bool:
        """Whether numbers that depend on probabilities of gaps are shown, as :attr:`Evidence.has_precision`."""
        return self.probability_of == "being relevant" and not self.contradiction

    @property
    def shown_p(self) -> NDArray[np.float32]:
        """The probabilities that a person reads: NaN for gaps where a check contradicts them."""
        return np.where(self.given == 0, np.float32(np.nan), self.p) if self.contradiction else self.p

    @property
    def wrong(self) -> NDArray[np.float32]:
        """The probability that the value of each entry is wrong. If the entry has none, its better value counts."""
        return self._measure_wrong(self.p)

    @property
    def wrong_without_flips(self) -> NDArray[np.float32]:
        """The same, if given values are wrong as often as ``flip_rates`` states.

        A probability that learned from these values includes their errors, so that it also expects them in gaps.
        """
        if self.flip_rates is None:
            return self.wrong
        false_relevant, false_irrelevant = self.flip_rates
        p = (self.p - false_relevant) / np.maximum(1 - false_relevant - false_irrelevant, 0.1)
        return self._measure_wrong(np.clip(p, 0, 1))

    def _measure_wrong(self, p: NDArray[Any]) -> NDArray[np.float32]:
        return np.select([self.state > 0, self.state < 0], [1 - p, p], np.minimum(p, 1 - p)).astype(np.float32)

    def spread(self, names: Sequence[str], labels: PartialLabels) -> Fit:
        """Return the fit with a column for every label, also for labels that answers have left with one value.

        Such a label is not learned: its entries keep the given values, and none of them is uncertain.
        """
        if tuple(names) == labels.names:
            return self
        at = [labels.names.index(name) for name in names]

        def put(values: NDArray[Any], into: NDArray[Any]) -> NDArray[Any]:
            whole = into.astype(values.dtype)
            whole[..., at] = values
            return whole

        nothing = np.zeros(labels.shape)
        return replace(
            self,
            state=put(self.state, labels.state),
            p=put(self.p, labels.relevant),
            given=put(self.given, labels.state),
            flipped=put(self.flipped, nothing),
            flip_rates=None if self.flip_rates is None else put(self.flip_rates, np.zeros((2, len(labels.names)))),
        )


def summarize_fit(completion: Completion, seconds: float = 0.0) -> Fit:
    """Return the part of a completion that the page needs."""
    state, expected = completion.state, completion.evidence.expected_errors
    p = np.asarray(completion.evidence.probabilities, dtype=np.float32)
    digest = hashlib.sha256(state.tobytes() + p.tobytes()).hexdigest()
    return Fit(
        name=digest[:8],
        state=state,
        p=p,
        given=completion.labels.state,
        flipped=measure_flips(completion),
        expected=[{str(k): v for k, v in row.items()} for row in expected.dropna().to_dict("records")],
        probability_of=completion.probability_of,
        seconds=seconds,
        contradiction=next((each["title"] for each in completion.evidence.contradictions), ""),
        flip_rates=measure_flip_rates(completion),
    )


def measure_flip_rates(completion: Completion) -> NDArray[np.float64] | None:
    """Return the flip rates of irrelevant and of relevant entries by label, or None for positive-only labels."""
    labels = completion.labels
    if labels.positive_only:
        return None
    rates = suspects.FlipRates.estimate_by_label(labels, completion.evidence.probabilities)
    return np.array([rates.false_relevant, rates.false_irrelevant])


def measure_flips(completion: Completion) -> NDArray[np.float32]:
    """Return the posterior that each doubtful observed entry is wrong. Positive-only labels have no flips."""
    labels = completion.labels
    if labels.positive_only:
        return np.zeros(labels.shape, dtype=np.float32)
    flips = suspects.measure_flips(labels, completion.evidence.probabilities, completion.evidence.broken)
    return np.where(suspects.accuse(labels, flips), flips, 0.0).astype(np.float32)
