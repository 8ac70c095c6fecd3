"""The expected time of runs: recorded seconds, scaled by the number of fits that the settings of a tier need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from halflabel_papers.plan import Run
from halflabel_papers.spec import Paper
from halflabel_papers.store import Record


def count_fits(description: Any) -> int:
    """Return the number of fits in a run: the points of its grids times the folds of its cross-validation.

    Examples
    --------
    >>> count_fits([{"use": "m:C", "alpha": [0.1, 1], "width": [1, 2, 3], "n_folds": 5}]), count_fits([{"use": "m:C"}])
    (30, 1)
    """
    if isinstance(description, Mapping):
        points = math.prod(len(each) for each in description.values() if _is_grid(each))
        nested = math.prod(count_fits(each) for each in description.values() if isinstance(each, Mapping))
        return points * nested * max(1, int(description.get("n_folds") or 1))
    return math.prod(map(count_fits, description))


def _is_grid(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, int | float) for each in value)


@dataclass(frozen=True)
class Estimate:
    """Seconds of runs, from records of the same experiment and method where there are any."""

    paper: Paper
    recorded: Mapping[tuple[str, str], Sequence[tuple[str, float]]]
    #: The number of fits that the seconds of the description are for: the fits of the default tier.
    planned: Mapping[str, int]

    @classmethod
    def of(cls, paper: Paper, default: Iterable[Run], measured: Iterable[tuple[Run, Record]]) -> Estimate:
        """Return the estimate from the runs of the default tier, and from runs with their records."""
        recorded: dict[tuple[str, str], list[tuple[str, float]]] = {}
        for run, record in measured:
            if seconds := record.seconds.get("fit", 0.0) + record.seconds.get("predict", 0.0):
                pair = (run.set, seconds / count_fits(run.steps))
                recorded.setdefault((run.experiment, run.method), []).append(pair)
        planned: dict[str, int] = {}
        for run in default:
            planned.setdefault(run.method, count_fits(run.steps))
        return cls(paper, recorded, planned)

    def seconds(self, run: Run) -> float:
        """Return the expected seconds of a run: of its own set, else of the mean over sets, else as described."""
        pairs = self.recorded.get((run.experiment, run.method), ())
        own = [seconds for name, seconds in pairs if name == run.set] or [seconds for _, seconds in pairs]
        if own:
            return fmean(own) * count_fits(run.steps)
        described = self.paper.methods[run.method].seconds
        return described * count_fits(run.steps) / self.planned.get(run.method, count_fits(run.steps))
