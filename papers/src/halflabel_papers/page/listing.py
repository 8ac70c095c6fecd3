"""All values of a page as one table, for programs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from halflabel_papers.spec import Experiment, PrintedCell
from halflabel_papers.verdicts.results import Measured, Results, judge

COLUMNS = ("experiment", "set", "at", "method", "metric", "mean", "sd", "n", "printed", "printed_sd", "verdict")


def list_values(results: Results) -> pd.DataFrame:
    """Return one row per experiment, set, point of the grid, method and metric that was measured or printed.

    The unit is that of the metric itself, also for printed values. An empty set is the mean over all sets of the
    paper.
    """
    rows = [row for experiment in results.paper.experiments for row in _list_experiment(results, experiment)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _list_experiment(results: Results, experiment: Experiment) -> Iterator[dict[str, Any]]:
    over_sets = [""] if experiment.average == "set" else []
    points = [dict(zip(experiment.grid, point, strict=True)) for point in itertools.product(*experiment.grid.values())]
    own = results.frame[results.frame["experiment"] == experiment.key] if len(results.frame) else results.frame
    metrics = [name for name in own if str(name).partition("@")[0] in experiment.metrics and own[name].notna().any()]
    unmeasured = [name for name in experiment.metrics if name not in metrics]
    for metric, name, at in itertools.product([*metrics, *unmeasured], [*over_sets, *experiment.sets], points):
        blocks = results.blocks(experiment, metric, at=at, set=name)
        for method in experiment.methods:
            values = blocks[method].dropna()
            measured = Measured(float(values.mean()), float(values.std()), len(values))
            printed = _find_printed(experiment, metric, method, name, at)
            if measured.n or printed:
                yield _make_row(experiment, metric, method, name, at, measured, printed)


def _find_printed(
    experiment: Experiment, metric: str, method: str, data: str, at: Mapping[str, Any]
) -> PrintedCell | None:
    """Return the printed number of a value. A number without a point of the grid belongs to the only point."""
    for cell in experiment.published:
        same = (cell.metric, cell.method, cell.set) == (metric, method, data)
        if same and all(at.get(name) == value for name, value in cell.at.items()):
            return cell
    return None


def _make_row(
    experiment: Experiment,
    metric: str,
    method: str,
    data: str,
    at: Mapping[str, Any],
    measured: Measured,
    printed: PrintedCell | None,
) -> dict[str, Any]:
    unit = experiment.unit.get(metric, 1.0)
    row = {
        "experiment": experiment.key,
        "set": data,
        "at": ", ".join(f"{name}={value}" for name, value in at.items()),
        "method": method,
        "metric": metric,
        "mean": measured.mean,
        "sd": measured.sd,
        "n": measured.n,
    }
    if printed is None:
        return row
    spread = math.nan if printed.sd is None else printed.sd * unit
    verdict = judge(printed, measured, experiment).value
    return {**row, "printed": round(printed.value * unit, 12), "printed_sd": round(spread, 12), "verdict": verdict}
