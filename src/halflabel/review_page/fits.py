"""The part of a completion that the page needs: values, probabilities, and how doubtful each entry is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel.completion import Completion
from halflabel.evidence import suspects
from halflabel.evidence.doubts import measure_wrong
from halflabel.labels import PartialLabels


@dataclass(frozen=True, eq=False)
class Fit:
    """The result of one fit, small enough to be sent from one process to another."""

    state: NDArray[np.int8]  #: Shape (n_items, n_labels). Completed values, as in :attr:`halflabel.Completion.state`.
    p: NDArray[np.float32]  #: Shape (n_items, n_labels). Probabilities.
    #: Shape (n_items, n_labels). The entries that the fit learned from: given entries and answers.
    given: NDArray[np.int8]
    #: Shape (n_items, n_labels). Of entries in ``given`` the posterior probability that the value is wrong, 0
    #: elsewhere.
    flipped: NDArray[np.float32]
    #: Shape (n_items, n_labels). The probabilities that a person reads: NaN for gaps where a check contradicts them.
    shown_p: NDArray[np.float32]
    #: The sentence of the verdict about the number of wrong values.
    verdict: str
    #: The ends of the band of the verdict, relative to the number of wrong values. None if it has no number. The lower
    #: end is without the errors of the given values, which probabilities that learned from them expect in gaps, too.
    band: tuple[float, float] | None = None

    @property
    def wrong(self) -> NDArray[Any]:
        """The probability that the value of each entry is wrong. If the entry has none, its better value counts."""
        return measure_wrong(self.state, self.p)

    def spread(self, names: Sequence[str], labels: PartialLabels) -> Fit:
        """Return the fit with a column for every label, also for labels that answers have left with one value.

        Such a label is not learned: its entries keep the given values, and none of them is uncertain.
        """
        if tuple(names) == labels.names:
            return self
        at = [labels.names.index(name) for name in names]
        of_labels = {"state": labels.state, "given": labels.state, "p": labels.relevant, "shown_p": labels.relevant}
        whole: dict[str, Any] = {}
        for name, values in {**of_labels, "flipped": np.zeros(labels.shape)}.items():
            whole[name] = values.astype(getattr(self, name).dtype)
            whole[name][:, at] = getattr(self, name)
        return replace(self, **whole)


def remove_flips(p: Floats, false_relevant: Any, false_irrelevant: Any) -> Floats:
    """Return probabilities without the errors of given values, whose shares are given by label."""
    without: Floats = (p - false_relevant) / np.maximum(1 - false_relevant - false_irrelevant, 0.1)
    return without.clip(0, 1)


def summarize_fit(completion: Completion) -> Fit:
    """Return the part of a completion that the page needs."""
    evidence, labels = completion.evidence, completion.labels
    expected, low, high = evidence.expected_errors.iloc[-1][["expected", "low", "high"]]
    flipped, p = np.zeros(labels.shape), evidence.probabilities
    if not labels.positive_only:
        flips = suspects.measure_flips(labels, p, evidence.broken)
        flipped = np.where(suspects.accuse(labels, flips), flips, 0.0)
        rates = suspects.FlipRates.estimate_by_label(labels, p)
        without, every = (
            measure_wrong(completion.state, each)[~labels.observed].sum()
            for each in (remove_flips(p, rates.false_relevant, rates.false_irrelevant), p)
        )
        low *= without / max(every, 1e-9)
    return Fit(
        state=completion.state,
        p=np.asarray(p, dtype=np.float32),
        given=labels.state,
        flipped=flipped.astype(np.float32),
        shown_p=np.asarray(evidence.printed_probabilities, dtype=np.float32),
        verdict=completion.verdict.wrong,
        band=(min(low / expected, 1), max(high / expected, 1)) if expected > 0 else None,
    )
