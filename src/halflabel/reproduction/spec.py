"""A paper as data: sets, methods, tables and claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

#: How much of a paper is run: a minute or two, within 40 minutes on two cores, or the printed protocol.
TIERS = ("quick", "default", "full")


class SpecError(ValueError):
    """A paper's description cannot be used; the message says where and why."""


class _Part:
    """Read from a table of the file; a key that the record lacks is an error, so that no typo does nothing."""

    @classmethod
    def read(cls, where: str, values: Mapping[str, Any]) -> Self:
        known = {each.name for each in fields(cls)}  # type: ignore[arg-type]
        if unknown := sorted(set(values) - known):
            raise SpecError(f"{where}: there is no key {unknown[0]!r}; known are {', '.join(sorted(known))}.")
        try:
            return cls(**values)
        except TypeError as error:
            raise SpecError(f"{where}: {error}.") from None


@dataclass(frozen=True)
class SetSpec(_Part):
    """One data set: files that must be there, or a generator of the library.

    Parameters
    ----------
    name : str
    files : mapping of str to str
        File name and its SHA-256, in the folder ``NAME`` of the benchmark folder; "" where any file of that name will
        do, because the paper's own could not be had.
    source : str
        Where it comes from.
    fetch : str
        Name under which ``halflabel data fetch`` gets it; empty where it does not.
    make : str
        Import path of a generator ``make(rng, **settings)``, for a set that is drawn anew in every trial, or of
        ``make(**settings)``, for one that comes with a library.
    settings : mapping
        Its arguments. Of files: ``top_labels`` (so many of the most frequent labels, and the items with one of them),
        ``items`` (so many of them, drawn anew in every trial), ``unit_length`` (every item's features).
    note : str
        What a reader must know before comparing (rebuilt features, a stand-in).
    """

    name: str
    files: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    fetch: str = ""
    make: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Method(_Part):
    """One method: steps like those of a scikit-learn pipeline, as import paths with parameters.

    A step is a table with ``use = "module:Class"``, optionally ``as_published = true`` (start from the paper's
    settings), and parameters. A parameter may be ``"$name"`` (a value of the experiment's grid or settings; ``"$none"``
    is None), ``{ same_as = "METHOD", attribute = "n_components_" }`` (what another method's first step found on the
    same training rows), ``{ share_of_features = 0.1 }`` (that share of the number of features, at least 1) or a table
    with ``use`` (an estimator).

    Parameters
    ----------
    name : str
    steps : list of mapping
    options : mapping
        Options of the protocol that are another for this method (an oracle that sees all features).
    natural : str
        The threshold rule the method comes with, in words.
    seconds : float
        What one run takes in the mean over the sets, for the estimate shown before a run starts.
    megabytes : float
        Most memory of the process that does such a run; where nothing is said, a bound that all so far kept.
    ours : bool
        True for a row that the paper does not have.
    note : str
        What the paper leaves open here, and what was chosen.
    """

    name: str
    steps: tuple[Mapping[str, Any], ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    natural: str = ""
    seconds: float = 1.0
    megabytes: float = 300.0
    ours: bool = False
    note: str = ""


@dataclass(frozen=True)
class PrintedCell(_Part):
    """One number as the paper prints it, in the unit of its table (:attr:`Experiment.unit`).

    Parameters
    ----------
    method, metric : str
    value : float
    sd : float or None
        The standard deviation beside it.
    at : mapping
        Values of the experiment's grid it belongs to.
    set : str
        The set it belongs to; empty for an average over sets.
    """

    method: str
    metric: str
    value: float
    sd: float | None = None
    at: Mapping[str, Any] = field(default_factory=dict)
    set: str = ""


@dataclass(frozen=True)
class Experiment(_Part):
    """One table or figure of the paper (or of ours, beside it).

    Parameters
    ----------
    key, title : str
    place : str
        Where the paper has it; empty for what it does not have.
    protocol : str
        Name of a function of :mod:`halflabel.reproduction.protocols`.
    sets, methods : tuple of str
        Names, or patterns with ``*``.
    metrics : tuple of str
        Names in :data:`halflabel.labels.metrics.METRICS`, or measurements of the protocol.
    printed_sets : tuple of str
        The sets of the printed protocol, of which a tier may leave some out; filled in by the reader.
    options : mapping
        Arguments of the protocol.
    grid : mapping of str to list
        Every combination is run; ``"$name"`` in a method or an option stands for the value.
    settings : mapping
        What else ``"$name"`` may stand for, the same in every run.
    trials : int
        Repetitions with another random draw; all methods see the same draws.
    hero : str
        The method that is tested against each other one; by default the paper's.
    average : {"set", "trial"}
        What means, standard deviations and tests run over.
    x : str
        The grid value on the axis of a figure; empty for a table.
    log_x : bool
        Whether that axis is logarithmic.
    curves : tuple of str
        Metrics (or ``metric@rule``) that a figure draws; by default the first of ``metrics``.
    tolerance : mapping of str to float
        Per metric, how far a measured value may lie from the printed one and still agree.
    standard_errors : float
        Instead: how many standard errors of the difference of the two means, from both standard deviations and
        numbers of trials.
    printed_trials : int
        Trials behind a printed mean, for ``standard_errors``.
    published : tuple of PrintedCell
        In the file also as whole tables, ``printed = [{ metric, methods, at, rows }]``: a row is the set, the values
        of the grid that ``at`` names, and one text per method as the paper has it, ``"37.8(4.0)"`` or ``"37.8"``.
    marked : tuple of str
        Methods whose points beyond their rank are drawn hollow; the axis is a share of the features.
    printed_in : str
        Key of another experiment whose printed numbers this one is compared with as well.
    printed_as : mapping of str to str
        For ``printed_in``: which of its methods each method here is compared with.
    unit : mapping of str to float
        Per metric, what the printed numbers are multiples of: .1 where the table says "x 10^-1", .01 for per cent.
    rows : {"metric", "setting"}
        What a row of the table is: a metric (one average over everything), or a set and a point of the grid. A figure
        is drawn once, or once for each set.
    open : bool
        Whether a user's estimators and sets join.
    note : str
    """

    key: str
    title: str
    protocol: str
    sets: tuple[str, ...]
    methods: tuple[str, ...]
    metrics: tuple[str, ...]
    printed_sets: tuple[str, ...] = ()
    place: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    trials: int = 1
    hero: str = ""
    average: str = "set"
    x: str = ""
    log_x: bool = False
    curves: tuple[str, ...] = ()
    tolerance: Mapping[str, float] = field(default_factory=dict)
    standard_errors: float = 0.0
    printed_trials: int = 1
    published: tuple[PrintedCell, ...] = ()
    marked: tuple[str, ...] = ()
    printed_in: str = ""
    printed_as: Mapping[str, str] = field(default_factory=dict)
    unit: Mapping[str, float] = field(default_factory=dict)
    rows: str = "metric"
    open: bool = True
    note: str = ""

    def covers(self, cell: PrintedCell) -> bool:
        """Tell whether this tier measures what a printed number is compared with."""
        here = cell.method in self.methods and (not cell.set or cell.set in self.sets)
        return here and all(value in self.grid[name] for name, value in cell.at.items())


@dataclass(frozen=True)
class Claim(_Part):
    """One sentence of the paper that a measurement can support or refute.

    Parameters
    ----------
    text, place : str
    check : mapping
        ``kind``, a function of :mod:`halflabel.reproduction.claims`, and its arguments. Empty where nothing is
        measured.
    why : str
        What explains the verdict, or why nothing is measured.
    """

    text: str
    place: str
    check: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True)
class Paper(_Part):
    """A paper, complete.

    Parameters
    ----------
    key, title, authors, venue : str
    summary : str
        What is reproduced, and what came of it, in a paragraph.
    hero : str
        The method the paper proposes: it is tested against each other one.
    decisive : str
        The metric of the rank test.
    sets, methods : mapping by name
    experiments : tuple of Experiment
    claims : tuple of Claim
    not_comparable : tuple of str
        What cannot be compared, and why.
    classifier : tuple of mapping
        Steps that follow a user's transformer given by ``--add``.
    """

    key: str
    title: str
    authors: str
    venue: str
    summary: str
    hero: str
    decisive: str
    sets: Mapping[str, SetSpec]
    methods: Mapping[str, Method]
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...] = ()
    not_comparable: tuple[str, ...] = ()
    classifier: tuple[Mapping[str, Any], ...] = ()
