"""Records as tables: values per block, means with their spread, verdicts beside what was printed."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from halflabel.labels.metrics import METRICS
from halflabel.reproduction.page.model import Verdict
from halflabel.reproduction.sources import is_own
from halflabel.reproduction.spec import Experiment, Paper, PrintedCell
from halflabel.reproduction.store import Record


@dataclass(frozen=True)
class Measured:
    """A mean over blocks (sets or trials) with the spread of a single block.

    Parameters
    ----------
    mean, sd : float
        NaN where nothing was measured; ``sd`` also for a single block.
    n : int
    """

    mean: float
    sd: float
    n: int


def lower_is_better(metric: str) -> bool:
    """Tell which way a metric counts; what is no metric of the library (seconds, an error) counts downwards."""
    known = METRICS.get(metric.partition("@")[0])
    return known is None or not known.greater_is_better


def in_words(metric: str) -> str:
    """Return a metric's name as it is written in a sentence."""
    words = {"one_error": "one-error", "_f1": "-F1", "_auc": "-AUC", "hamming": "Hamming", "ece": "ECE", "_": " "}
    name, *rule = (
        functools.reduce(lambda text, pair: text.replace(*pair), words.items(), p) for p in metric.split("@")
    )
    return f"{name} ({rule[0]} rule)" if rule else name


def judge(cell: PrintedCell, measured: Measured, experiment: Experiment) -> Verdict:
    """Return the verdict on one cell: within the tolerance it agrees, beyond it is better or worse."""
    if math.isnan(measured.mean):
        return Verdict.NOT_MEASURED
    if why_not_comparable(cell, measured, experiment):
        return Verdict.NOT_COMPARABLE
    difference = measured.mean - cell.value * experiment.unit.get(cell.metric, 1.0)
    if abs(difference) <= _reach(cell, measured, experiment):
        return Verdict.AGREES
    return Verdict.WORSE if (difference > 0) == lower_is_better(cell.metric) else Verdict.BETTER


def _reach(cell: PrintedCell, measured: Measured, experiment: Experiment) -> float:
    """Return how far the two may lie apart: a fixed tolerance, or the noise of both means."""
    fixed = experiment.tolerance.get(cell.metric, 0.0)
    if not experiment.standard_errors or cell.sd is None or measured.n < 2:
        return fixed
    printed = cell.sd * experiment.unit.get(cell.metric, 1.0)
    noise = math.hypot(printed / math.sqrt(experiment.printed_trials), measured.sd / math.sqrt(measured.n))
    return max(fixed, experiment.standard_errors * noise)


def why_not_comparable(cell: PrintedCell, measured: Measured, experiment: Experiment) -> str:
    """Say what keeps a measured mean from being compared with the printed one; empty where nothing does."""
    if experiment.average == "set" and 0 < measured.n < len(experiment.printed_sets):
        return f"measured on {measured.n} of the {len(experiment.printed_sets)} sets that the printed mean is over"
    return ""


class Results:
    """The records of a paper, asked for by experiment, metric, method, grid value and set.

    Parameters
    ----------
    paper : Paper
    records : sequence of Record
    """

    def __init__(self, paper: Paper, records: Sequence[Record]) -> None:
        self.paper = paper
        self.records = records
        self.frame = pd.DataFrame([_row(record) for record in records])
        self._experiments = {experiment.key: experiment for experiment in paper.experiments}

    def experiment(self, key: str) -> Experiment | None:
        """Return an experiment, or None where the tier leaves it out."""
        return self._experiments.get(key)

    def blocks(
        self, experiment: Experiment, metric: str, *, at: Mapping[str, Any] | None = None, set: str = ""
    ) -> pd.DataFrame:
        """Return values with one row per block (set or trial) and one column per method.

        Where blocks are sets, trials are averaged within a set first; a user's sets are no blocks of the paper.
        """
        if metric not in self.frame:
            return pd.DataFrame(columns=list(experiment.methods), dtype=float)
        frame = self.frame[self.frame["experiment"] == experiment.key]
        for name, value in (at or {}).items():
            frame = frame[frame[f"grid {name}"] == value]
        frame = frame[frame["set"] == set] if set else frame[~frame["set"].map(is_own).astype(bool)]  # also if empty
        by = ["set", "trial"] if experiment.average == "trial" else ["set"]
        table = frame.pivot_table(index=by, columns="method", values=metric, aggfunc="mean", dropna=False)
        return table.reindex(columns=list(experiment.methods))

    def measured(self, experiment: Experiment, metric: str, method: str, **where: Any) -> Measured:
        """Return the mean of one method, over the blocks in which it has a value."""
        values = self.blocks(experiment, metric, **where)[method].dropna()
        return Measured(float(values.mean()), float(values.std()), len(values))

    def incomplete(self, experiment: Experiment) -> dict[str, int]:
        """Return how many runs of an experiment have no figures, by the reason."""
        reasons = [r.failed or r.skipped for r in self.records if r.experiment == experiment.key]
        return dict(pd.Series([reason for reason in reasons if reason], dtype=object).value_counts())


def _row(record: Record) -> dict[str, Any]:
    grid = {f"grid {name}": value for name, value in record.grid.items()}
    seconds = {f"seconds {name}": value for name, value in record.seconds.items()}
    own = {"experiment": record.experiment, "set": record.set, "method": record.method, "trial": record.trial}
    numbers = {name: value for name, value in record.facts.items() if isinstance(value, int | float)}
    return {**own, **grid, **numbers, **record.metrics, **seconds}
