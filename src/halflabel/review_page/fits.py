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

#: Threshold of a label whose method has none.
HALF = 0.5


@dataclass(frozen=True, eq=False)
class Fit:
    """The result of one fit, small enough to be sent from one process to another."""

    name: str  #: A digest of values and probabilities.
    n_records: int  #: The number of the last record that the fit includes.
    effort: str
    state: NDArray[np.int8]  #: Shape (n_items, n_labels). Completed values, as in :attr:`halflabel.Completion.state`.
    p: NDArray[np.float32]  #: Shape (n_items, n_labels). Probabilities.
    #: Shape (n_items, n_labels). The entries that the fit learned from: given entries and answers.
    given: NDArray[np.int8]
    #: Shape (n_items, n_labels). Of entries in ``given`` the posterior probability that the value is wrong, 0
    #: elsewhere.
    flipped: NDArray[np.float32]
    thresholds: NDArray[np.float64]  #: Shape (n_labels,).
    expected: list[dict[str, Any]]  #: Rows of :attr:`halflabel.Completion.expected_errors`.
    probability_of: str
    seconds: float = 0.0
    #: The title of the first check that contradicts the probabilities of gaps. Empty if none does.
    contradiction: str = ""

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
        p = self.p
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

        half, nothing = np.full(len(labels.names), HALF), np.zeros(labels.shape)
        return replace(
            self,
            state=put(self.state, labels.state),
            p=put(self.p, labels.relevant),
            given=put(self.given, labels.state),
            flipped=put(self.flipped, nothing),
            thresholds=put(self.thresholds, half),
        )


def summarize_fit(completion: Completion, *, n_records: int, effort: str, seconds: float) -> Fit:
    """Return the part of a completion that the page needs."""
    state, expected = completion.state, completion.evidence.expected_errors
    p = np.asarray(completion.evidence.probabilities, dtype=np.float32)
    digest = hashlib.sha256(state.tobytes() + p.tobytes()).hexdigest()
    return Fit(
        name=digest[:8],
        n_records=n_records,
        effort=effort,
        state=state,
        p=p,
        given=completion.labels.state,
        flipped=measure_flips(completion),
        thresholds=read_thresholds(completion),
        expected=[{str(k): v for k, v in row.items()} for row in expected.to_dict("records")],
        probability_of=completion.probability_of,
        seconds=seconds,
        contradiction=next((each["title"] for each in completion.evidence.contradictions), ""),
    )


def measure_flips(completion: Completion) -> NDArray[np.float32]:
    """Return the posterior that each observed entry is wrong. Positive-only labels have no flips."""
    labels = completion.labels
    if labels.positive_only:
        return np.zeros(labels.shape, dtype=np.float32)
    p = completion.evidence.probabilities
    doubtful = np.where(labels.relevant, p, 1 - p) < HALF
    return np.where(doubtful, suspects.measure_flips(labels, p), 0.0).astype(np.float32)


def read_thresholds(completion: Completion) -> NDArray[np.float64]:
    """Return the threshold of each label."""
    thresholds = getattr(completion.model, "thresholds_", None)
    if thresholds is None:
        return np.full(completion.labels.shape[1], HALF)
    return np.nan_to_num(np.broadcast_to(thresholds, completion.labels.shape[1]).astype(np.float64), nan=HALF)
