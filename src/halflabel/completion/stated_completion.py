"""Tasks about a table that was completed elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel.completion.evidence import Evidence
from halflabel.completion.result import Completion
from halflabel.corrections.fit import Fit
from halflabel.table import OpenTable

#: The expected share of wrong values where nothing is known about them.
EXPECTED = 0.02


@dataclass(frozen=True)
class StatedValues:
    """The place of a method whose values come from a file: each value is wrong with the same probability."""

    label_probabilities_: Floats


def take_completed(given: OpenTable, completed: OpenTable) -> Completion:
    """Return the completion whose values another table states, for :class:`halflabel.completion.finish.Task`."""
    return state_completion(given, np.where(given.labels.state != 0, given.labels.state, completed.labels.state))


def state_completion(given: OpenTable, state: NDArray[np.int8]) -> Completion:
    """Return the completion that delivers these values of all entries."""
    model: Any = StatedValues(np.where(state > 0, 1 - EXPECTED, EXPECTED))
    return Completion(Evidence(given, Fit(model, given, given.labels), delivered=state.astype(np.int8)))
