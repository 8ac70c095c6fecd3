"""A paper as data: sets, methods, tables and claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

#: How much of a paper is run: one or two minutes, about an hour on two cores, or the whole printed protocol.
TIERS = ("quick", "default", "full")


class SpecError(ValueError):
    """A paper's description cannot be used. The message names the place and the reason."""


class Part:
    """A record that is read from a table of the file. An unknown key is an error, so that every typo is found."""

    @classmethod
    def read(cls, where: str, values: Mapping[str, Any]) -> Self:
        """Return the record. ``where`` names its place in a message."""
        known = {each.name for each in fields(cls)}  # type: ignore[arg-type]
        if unknown := sorted(set(values) - known):
            raise SpecError(f"{where}: there is no key {unknown[0]!r}; known are {', '.join(sorted(known))}.")
        try:
            return cls(**values)
        except TypeError as error:
            raise SpecError(f"{where}: {error}.") from None


@dataclass(frozen=True)
class SetSpec(Part):
    """One data set: files that must exist, or a generator of the library."""

    name: str
    #: File name and its SHA-256, in the folder ``NAME`` of the benchmark folder; "" accepts any file of that name,
    #: because the paper's own file is not available.
    files: Mapping[str, str] = field(default_factory=dict)
    #: Its origin.
    source: str = ""
    #: Its name at OpenML; empty if OpenML does not have it.
    fetch: str = ""
    #: Import path of a generator ``make(rng, **settings)``, for a set that is new in every trial, or of
    #: ``make(**settings)``, for a set that is part of a library.
    make: str = ""
    #: The arguments of ``make``. For files: ``top_labels`` (the number of most frequent labels that are kept, with
    #: the items that have one of them), ``items`` (the size of a sample, new in every trial), ``unit_length`` (scale
    #: the features of every item to length 1).
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: A warning for the comparison (rebuilt features, a surrogate for the paper's data).
    note: str = ""


@dataclass(frozen=True)
class Method(Part):
    """One method: steps like in a scikit-learn pipeline, as import paths with parameters.

    A step is a table with ``use = "module:Class"``, optionally ``as_published = true`` (start from the paper's
    settings), and parameters. A parameter may be ``"$name"`` (a value of the experiment's grid or settings; ``"$none"``
    is None), ``{ same_as = "METHOD", attribute = "n_components_" }`` (an attribute of another method's first step,
    fitted on the same training rows), ``{ share_of_features = 0.1 }`` (that share of the number of features, at least
    1) or a table with ``use`` (an estimator).
    """

    name: str
    steps: tuple[Mapping[str, Any], ...]
    #: Options of the protocol that differ for this method (an oracle uses all features).
    options: Mapping[str, Any] = field(default_factory=dict)
    #: The method's own threshold rule, in words.
    natural: str = ""
    #: Mean time of one run over the sets, for the estimate that is printed before a run starts.
    seconds: float = 1.0
    #: Maximum memory of the process during such a run; the default is an upper bound for all methods without one.
    megabytes: float = 300.0
    #: True for a row that the paper does not have.
    ours: bool = False
    #: True for a user's own model, from ``--add``.
    added: bool = False
    #: A choice that the paper leaves open.
    note: str = ""


@dataclass(frozen=True)
class PrintedCell(Part):
    """One number as the paper prints it, in the unit of its table (:attr:`Experiment.unit`)."""

    method: str
    metric: str
    value: float
    #: Its standard deviation.
    sd: float | None = None
    #: Its point of the experiment's grid.
    at: Mapping[str, Any] = field(default_factory=dict)
    #: Its set; empty for an average over sets.
    set: str = ""


@dataclass(frozen=True)
class Experiment(Part):
    """One table or figure of the paper, or an additional one of ours."""

    key: str
    title: str
    #: Name of a function of :mod:`halflabel_papers.protocols`.
    protocol: str
    #: ``sets``, ``methods``: Names, or patterns with ``*``.
    sets: tuple[str, ...]
    methods: tuple[str, ...]
    #: Names in :data:`halflabel_papers.metrics.METRICS`, or measurements of the protocol.
    metrics: tuple[str, ...]
    #: The sets of the printed protocol; a tier may leave some out. The reader fills it in.
    printed_sets: tuple[str, ...] = ()
    #: Where the paper has it; empty for an experiment of ours.
    place: str = ""
    #: Arguments of the protocol.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Every combination is run; ``"$name"`` in a method or an option is replaced by the value.
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    #: Further values for ``"$name"``, the same in every run.
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: Repetitions with another random split; all methods use the same splits.
    trials: int = 1
    #: The method that is compared with every other one; by default the paper's.
    proposed: str = ""
    #: One of "set", "trial". The blocks of means, standard deviations and tests.
    average: str = "set"
    #: The grid value on the axis of a figure; empty for a table.
    x: str = ""
    #: Whether that axis is logarithmic.
    log_x: bool = False
    #: Metrics (or ``metric@rule``) that a figure draws; by default the first of ``metrics``.
    curves: tuple[str, ...] = ()
    #: Per metric, the maximum difference of a measured value that agrees with the printed one.
    tolerance: Mapping[str, float] = field(default_factory=dict)
    #: Alternative: the same limit in standard errors of the difference of the two means, from both standard
    #: deviations and numbers of trials.
    standard_errors: float = 0.0
    #: Trials behind a printed mean, for ``standard_errors``.
    printed_trials: int = 1
    #: In the file also as whole tables, ``printed = [{ metric, methods, at, rows }]``: a row is the set, the values
    #: of the grid axes in ``at``, and one text per method as the paper prints it, ``"37.8(4.0)"`` or ``"37.8"``.
    published: tuple[PrintedCell, ...] = ()
    #: Methods whose points beyond their rank have hollow marks; the axis is a share of the features.
    marked: tuple[str, ...] = ()
    #: Key of another experiment; this one is also compared with its printed numbers.
    printed_in: str = ""
    #: For ``printed_in``: the method of that experiment with which each method here is compared.
    printed_as: Mapping[str, str] = field(default_factory=dict)
    #: Per metric, the unit of the printed numbers: .1 if the table is headed "x 10^-1", .01 for per cent.
    unit: Mapping[str, float] = field(default_factory=dict)
    #: One of "metric", "setting". Meaning of a row of the table: a metric (one average over everything), or a set and a
    #: point of the grid. A figure is made once, or once for each set.
    rows: str = "metric"
    #: Whether a user's estimators and sets are added.
    open: bool = True
    note: str = ""

    @property
    def unit_of_pairs(self) -> str:
        """The pairs of its tests: runs (a set, a point of the grid, a trial), or the means of sets."""
        return "runs" if self.average == "trial" else "sets"

    def covers(self, cell: PrintedCell) -> bool:
        """Return whether this tier measures the value that belongs to a printed number."""
        known = cell.method in self.methods and (not cell.set or cell.set in self.sets)
        return known and all(value in self.grid[name] for name, value in cell.at.items())


@dataclass(frozen=True)
class Claim(Part):
    """One sentence of the paper that a measurement can support or refute."""

    #: ``text``, ``place``: The place of a sentence of ours begins with "not in the paper".
    text: str
    place: str
    #: ``kind``, a key of :data:`halflabel_papers.verdicts.claims.CHECKS`, and the arguments of that function.
    check: Mapping[str, Any]
    #: An explanation of the finding.
    why: str = ""
    #: The part of the claim that the check does not measure, as a sentence: it is then supported in part at most.
    untested: str = ""
    #: Whether the page opens with it.
    main: bool = False

    @property
    def is_ours(self) -> bool:
        """Whether the sentence is our question, not one of the paper."""
        return self.place.startswith("not in the paper")


@dataclass(frozen=True)
class Paper(Part):
    """A paper, complete."""

    key: str
    title: str
    authors: str
    venue: str
    #: Contents and result of the reproduction, in a paragraph.
    summary: str
    #: The method that the paper proposes: it is compared with every other one.
    proposed: str
    #: The metric of the rank test.
    decisive: str
    #: ``sets``, ``methods``: mapping by name.
    sets: Mapping[str, SetSpec]
    methods: Mapping[str, Method]
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...] = ()
    #: Limits of the comparison, with their reasons.
    not_comparable: tuple[str, ...] = ()
    #: Steps that follow a user's transformer from ``--add``.
    classifier: tuple[Mapping[str, Any], ...] = ()
