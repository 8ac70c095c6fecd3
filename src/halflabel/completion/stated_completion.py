"""Tasks about a table that was completed elsewhere, and the old name of a task."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel._forwarding import accept_seed
from halflabel.completion.evidence import Evidence
from halflabel.completion.finish import Task
from halflabel.completion.result import Completion
from halflabel.evidence.confidence_sequence import EXPECTED
from halflabel.table import OpenTable


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
    return Completion(Evidence(given, model, delivered=state.astype(np.int8)))


@accept_seed
def audit(filled: Completion, n: int = 59, random_state: int = 0, population: str = "all") -> Task:
    """Return a task of ``n`` random questions: the old ``Completion.audit``, which goes with version 0.3."""
    warnings.warn("Completion.audit is now Completion.finish; its bound holds after every answer.", FutureWarning, 3)
    task = Task(filled, seed=random_state, population=population)
    task.draw(n)
    return task
