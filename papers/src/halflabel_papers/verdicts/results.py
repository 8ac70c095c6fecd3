"""Records as tables: values per block, means with their spread, and verdicts on printed values and on claims."""

from __future__ import annotations

import enum
import functools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from halflabel.plugins import plural
from halflabel_papers.metrics import METRICS
from halflabel_papers.protocols import MEASUREMENTS
from halflabel_papers.sources import is_user_set
from halflabel_papers.spec import Experiment, Paper, PrintedCell
from halflabel_papers.store import Record

#: Minimum number of trials for a verdict on a printed value, and for methods that are not separated from the best.
MIN_TRIALS = 3

#: The factor beyond which a bound decides nothing: no sensible one would change the finding.
MAX_FACTOR = 20.0

#: Measurements that describe a fit: neither higher nor lower values are better.
DESCRIPTIONS = ("negative_weights", "strongly_negative_weights", "normalised_alpha")


@dataclass(frozen=True)
class Measured:
    """A mean over blocks (sets or trials) with the spread of a single block."""

    #: ``mean``, ``sd``: NaN if nothing was measured; ``sd`` also for a single block.
    mean: float
    sd: float
    n: int


def has_direction(metric: str) -> bool:
    """Return whether a metric has a better direction. The measurements of a study have none."""
    name = metric.partition("@")[0]
    return name in (*METRICS, *MEASUREMENTS) and name not in DESCRIPTIONS


def lower_is_better(metric: str) -> bool:
    """Return whether lower values are better, as for all measurements outside the library's metrics."""
    known = METRICS.get(metric.partition("@")[0])
    return known is None or not known.greater_is_better


def format_metric(metric: str) -> str:
    """Return the name of a metric for a sentence.

    Examples
    --------
    >>> format_metric("micro_f1"), format_metric("hamming_loss@count"), format_metric("macro_f1@micro_f1")
    ('micro-F1', 'Hamming loss (count rule)', 'macro-F1 (plug-in rule)')
    """
    metric = metric.replace("@micro_f1", "@plug-in")
    words = {"one_error": "one-error", "_f1": "-F1", "_auc": "-AUC", "hamming": "Hamming", "ece": "ECE", "_": " "}
    name, *rule = (
        functools.reduce(lambda text, pair: text.replace(*pair), words.items(), p) for p in metric.split("@")
    )
    return f"{name} ({rule[0]} rule)" if rule else name


# -- verdicts on printed values ------------------------------------------------------------


class Verdict(enum.Enum):
    """The relation of a measured value to the published value. The value is the word on the page."""

    AGREES = "agrees"
    DIFFERS = "differs"
    BETTER = "differs, better"
    WORSE = "differs, worse"
    NOT_COMPARABLE = "not comparable"
    NOT_MEASURED = "not measured"

    @property
    def mark(self) -> str:
        """A sign that is shown with the word."""
        return {"AGREES": "=", "DIFFERS": "≠", "BETTER": "▲", "WORSE": "▼", "NOT_COMPARABLE": "≁", "NOT_MEASURED": "○"}[
            self.name
        ]


def judge(cell: PrintedCell, measured: Measured, experiment: Experiment) -> Verdict:
    """Return the verdict on one cell: within the tolerance it agrees, otherwise it differs, and is better or worse."""
    if math.isnan(measured.mean):
        return Verdict.NOT_MEASURED
    if explain_not_comparable(measured, experiment):
        return Verdict.NOT_COMPARABLE
    difference = measured.mean - cell.value * experiment.unit.get(cell.metric, 1.0)
    if abs(difference) <= _tolerance(cell, measured, experiment):
        return Verdict.AGREES
    if not has_direction(cell.metric):
        return Verdict.DIFFERS
    return Verdict.WORSE if (difference > 0) == lower_is_better(cell.metric) else Verdict.BETTER


def _tolerance(cell: PrintedCell, measured: Measured, experiment: Experiment) -> float:
    """Return the largest difference that still agrees: a fixed tolerance, or the noise of both means."""
    fixed = experiment.tolerance.get(cell.metric, 0.0)
    if not experiment.standard_errors or cell.sd is None or measured.n < 2:
        return fixed
    printed = cell.sd * experiment.unit.get(cell.metric, 1.0)
    noise = math.hypot(printed / math.sqrt(experiment.printed_trials), measured.sd / math.sqrt(measured.n))
    return max(fixed, experiment.standard_errors * noise)


def explain_not_comparable(measured: Measured, experiment: Experiment) -> str:
    """Return why a measured mean cannot be compared with the printed mean, or an empty string if it can."""
    if experiment.average == "set" and 0 < measured.n < len(experiment.printed_sets):
        return f"measured on {measured.n} of the {len(experiment.printed_sets)} sets of the printed mean"
    is_random = experiment.protocol != "study"
    if experiment.average == "trial" and is_random and 0 < measured.n < MIN_TRIALS:
        return f"fewer than {MIN_TRIALS} trials"
    return ""


# -- findings on claims --------------------------------------------------------------------


class Finding(enum.Enum):
    """Whether the records support a claim. The value is the word on the page."""

    SUPPORTED = "supported"
    IN_PART = "in part"
    UNDERPOWERED = "underpowered"
    REFUTED = "refuted"
    UNDECIDED = "cannot be decided"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class ClaimResult:
    """A finding and its evidence in words."""

    finding: Finding
    evidence: str


def conclude(
    total: int,
    failed: Sequence[str],
    claim: str,
    *,
    weak: Sequence[str] = (),
    against: Sequence[str] = (),
    missing: int = 0,
) -> ClaimResult:
    """Return the finding on a claim. The rule has the same level in both directions.

    A claim is refuted if a comparison contradicts it and none has its direction. If none agrees and none or only some
    contradict it, the trials do not decide: it is underpowered.

    Parameters
    ----------
    total : int
        Number of measured comparisons.
    failed : sequence of str
        Comparisons that contradict the claim: of random trials, significantly.
    weak, against : sequence of str
        Comparisons without significance: in the direction of the claim, and in the other one.
    missing : int
        Number of comparisons that the claim needs and that were not measured: the claim is then supported in part only.

    Examples
    --------
    >>> conclude(3, ["LPP"], "MDDM is better in the mean").evidence
    'In 2 of 3 comparisons MDDM is better in the mean, but not: LPP.'
    >>> conclude(1, [], "MC-1 is significantly better", weak=["MC-b (p = .11)"]).finding.value
    'underpowered'
    >>> conclude(1, [], "SSDR-MC is significantly better", against=["RankSVM (p = .34)"]).finding.value
    'underpowered'
    """
    if not total:
        return ClaimResult(Finding.NOT_MEASURED, "Too few values.")
    true = total - len(failed) - len(weak) - len(against)
    if true:
        finding = Finding.SUPPORTED if true == total and not missing else Finding.IN_PART
    else:
        finding = Finding.REFUTED if failed and not weak else Finding.UNDERPOWERED
    exceptions = f", but not: {_shorten(failed)}" if failed else ""
    sentences = [
        f"In {true} of {total} comparisons {claim}{exceptions}.",
        f"Same direction, not significant: {_shorten(weak)}." if weak else "",
        f"Against the claim, not significant: {_shorten(against)}." if against else "",
        f"{missing} more not measured." if missing else "",
    ]
    return ClaimResult(finding, " ".join(filter(None, sentences)))


def with_flip(result: ClaimResult, side: str, value: float, bound: float) -> ClaimResult:
    """Return the result with the bound at which it would change, unless that is far from the bound of the check.

    For bounds that the paper does not state. ``side`` is "from" (and above), "above", or "up to" (and below).
    """
    if result.finding is Finding.NOT_MEASURED or not 1 / MAX_FACTOR <= value / bound <= MAX_FACTOR:
        return result
    return ClaimResult(result.finding, f"{result.evidence} Any bound {side} {value:.3g} supports the claim.")


def _shorten(names: Sequence[str]) -> str:
    return f"{', '.join(names[:6])}{f' and {len(names) - 6} more' if len(names) > 6 else ''}"


# -- records as tables -----------------------------------------------------------------------


class Results:
    """The records of a paper, by experiment, metric, method, grid value and set.

    Parameters
    ----------
    paper : Paper
    records : sequence of Record
    """

    def __init__(self, paper: Paper, records: Sequence[Record]) -> None:
        self.paper = paper
        self.records = records
        self.frame = pd.DataFrame([_flatten(record) for record in records])
        self._experiments = {experiment.key: experiment for experiment in paper.experiments}
        self._tables: dict[tuple[Any, ...], pd.DataFrame] = {}

    def experiment(self, key: str) -> Experiment | None:
        """Return an experiment, or None if the tier leaves it out."""
        return self._experiments.get(key)

    def blocks(
        self, experiment: Experiment, metric: str, *, at: Mapping[str, Any] | None = None, set: str = ""
    ) -> pd.DataFrame:
        """Return values with one row per block and one column per method. Every test pairs blocks.

        A block is a run (a set, a point of the grid and a trial), or a set, whose runs are averaged first. A set of the
        user is not a block of the paper. A page requests the same table for every method: it is made once, and must not
        be changed.
        """
        where = tuple(sorted((at or {}).items()))
        key = (experiment.key, experiment.methods, experiment.average, metric, where, set)
        if key not in self._tables:
            self._tables[key] = self._tabulate(experiment, metric, where, set)
        return self._tables[key]

    def _tabulate(
        self, experiment: Experiment, metric: str, where: Sequence[tuple[str, Any]], set: str
    ) -> pd.DataFrame:
        if metric not in self.frame:
            return pd.DataFrame(columns=list(experiment.methods), dtype=float)
        frame = self.frame[self.frame["experiment"] == experiment.key]
        for name, value in where:
            frame = frame[frame[f"grid {name}"] == value]
        public = ~frame["set"].map(is_user_set).astype(bool)  # of an empty column, map does not return booleans
        frame = frame[frame["set"] == set] if set else frame[public]
        varied = (name for name, values in experiment.grid.items() if len(values) > 1 and name not in dict(where))
        axes = [f"grid {name}" for name in varied if f"grid {name}" in frame]
        by = ["set", *axes, "trial"] if experiment.average == "trial" else ["set"]
        table = frame.pivot_table(index=by, columns="method", values=metric, aggfunc="mean", dropna=False)
        return table.reindex(columns=list(experiment.methods))

    def average(self, experiment: Experiment, metric: str, method: str, **where: Any) -> Measured:
        """Return the mean of one method, over the blocks in which it has a value."""
        values = self.blocks(experiment, metric, **where)[method].dropna()
        return Measured(float(values.mean()), float(values.std()), len(values))

    def compare_means(self, experiment: Experiment, metric: str, **where: Any) -> dict[str, Measured]:
        """Return the mean of each method for one row: a method without some of the row's blocks has no mean.

        A mean over other trials or other sets cannot be compared, and stands in no row.
        """
        blocks = self.blocks(experiment, metric, **where).dropna(how="all")
        means = {str(name): self.average(experiment, metric, str(name), **where) for name in blocks}
        return {
            name: each if each.n == len(blocks) else Measured(math.nan, math.nan, each.n)
            for name, each in means.items()
        }

    def list_means(self, experiment: Experiment, metric: str, **where: Any) -> pd.Series[float]:
        """Return the means of :meth:`compare_means` by method, NaN for one that cannot be compared."""
        means = self.compare_means(experiment, metric, **where)
        return pd.Series({name: each.mean for name, each in means.items()}, dtype=float)

    def list_incomplete(self, experiment: Experiment) -> list[str]:
        """Return sentences on the runs of an experiment without figures, and on predictions of NaN."""
        records = [record for record in self.records if record.experiment == experiment.key]
        added = {name for name, method in self.paper.methods.items() if method.added}
        skipped = Counter(record.skipped for record in records if record.skipped)
        return [
            *list_failures(records),
            *(f"{plural(n, 'run')} not started: {why}" for why, n in skipped.items()),
            *list_missing_predictions([record for record in records if record.method in added]),
        ]


def list_failures(records: Sequence[Record]) -> list[str]:
    """Return a sentence for each method and reason of failed runs, with the place of the first one."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.failed:
            groups.setdefault((record.method, record.failed), []).append(record)
    return [
        f"{plural(len(group), 'run')} of {method} failed, the first on {_name_run(group[0])}: "
        f"{why.removeprefix('ValueError: ')}"
        for (method, why), group in groups.items()
    ]


def list_missing_predictions(records: Sequence[Record]) -> list[str]:
    """Return a sentence for each method that predicted NaN."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record.facts.get("missing_predictions"):
            groups.setdefault(record.method, []).append(record)
    return [
        f"{method} predicted NaN in {plural(len(group), 'run')}, the first on {_name_run(group[0])} for "
        f"{plural(group[0].facts['missing_predictions'], 'entry', 'entries')}: such an entry ranks last."
        for method, group in groups.items()
    ]


def _name_run(record: Record) -> str:
    """Return the set, the point of the grid and the trial of a run."""
    grid = "".join(f", {name} = {value}" for name, value in record.grid.items())
    return f"{record.set}{grid}, trial {record.trial + 1} of {record.experiment}"


def _flatten(record: Record) -> dict[str, Any]:
    grid = {f"grid {name}": value for name, value in record.grid.items()}
    seconds = {f"seconds {name}": value for name, value in record.seconds.items()}
    own = {"experiment": record.experiment, "set": record.set, "method": record.method, "trial": record.trial}
    numbers = {name: value for name, value in record.facts.items() if isinstance(value, int | float)}
    return {**own, **grid, **numbers, **record.metrics, **seconds}
