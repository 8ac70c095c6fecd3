"""A completion small enough to check by hand, and the page made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

from halflabel.completion.evidence import Evidence
from halflabel.completion.verdict import Verdict, decide
from halflabel.evidence.checks import Facts, Result, check
from halflabel.evidence.doubts import rank_doubts
from halflabel.evidence.why_known import Why
from halflabel.labels import PartialLabels
from halflabel.labels.positive_only import mark_unassigned
from halflabel.labels.rules import Rule
from halflabel.table import Description, Roles
from halflabel.table.reading import describe_reading


class FakeModel:
    """A method with thresholds of one half."""

    def __init__(self, n_labels: int) -> None:
        self.thresholds_ = np.full(n_labels, 0.5)
        self.rule = Rule("probable")

    def resolve_rule(self) -> Rule:
        return self.rule

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"n_neighbors": 15}


@dataclass
class FakeCompletion:
    """The attributes that a report reads, from given probabilities."""

    labels: PartialLabels
    p: np.ndarray
    index: pd.Index
    coordinates: np.ndarray
    drift: float | None = None
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ("2 items without any label: <b>Model</b> fills all of their entries.",)
    roles: Roles = field(default_factory=Roles)
    frame: pd.DataFrame | None = None
    min_precision: float | None = None
    observed_rate: float | None = None
    is_selected: bool = False
    broken_rules: tuple = ()
    asked_frequency: None = None

    def __post_init__(self) -> None:
        self.model = FakeModel(self.labels.shape[1])
        corrected = {"estimates_gaps": False, "has_targets": False, "doubt": "", "sentences": []}
        self.fit = SimpleNamespace(model=self.model, thresholds=self.model.thresholds_, **corrected)
        X = np.zeros((len(self.labels), 7))
        self.rule = self.model.rule
        reading = describe_reading(self.labels, self.index, ())
        self.opened = SimpleNamespace(
            X=X,
            written_labels=self.labels,
            index=self.index,
            roles=self.roles,
            notes=self.notes,
            frame=self.frame,
            groups=None,
            source=None,
            description=Description(),
            reading=reading,
        )

    @property
    def of_filled(self) -> FakeCompletion:
        return self

    of_checked = of_filled

    @property
    def state(self) -> np.ndarray:
        return np.where(self.labels.observed, self.labels.state, np.where(self.p >= 0.5, 1, -1))

    @property
    def probabilities(self) -> np.ndarray:
        return self.p

    @property
    def learned_from(self) -> PartialLabels:
        return mark_unassigned(self.labels) if self.labels.positive_only else self.labels

    measured_on = calibrated_on = learned_from

    @property
    def expected_errors(self) -> pd.DataFrame:
        table = self.expect_errors(~self.labels.observed)
        return table if self.has_precision else table.assign(expected=np.nan, low=np.nan, high=np.nan)

    def expect_errors_in(self, value: int) -> pd.Series:
        return self.expect_errors(~self.labels.observed & (self.state == value)).iloc[-1]

    def expect_errors(self, open_entries: np.ndarray) -> pd.DataFrame:
        names = [*self.labels.names, "(all labels)"]
        filled, wrong = open_entries.sum(axis=0), np.where(open_entries, np.minimum(self.p, 1 - self.p), 0).sum(axis=0)
        filled, wrong = np.append(filled, filled.sum()), np.append(wrong, wrong.sum())
        return pd.DataFrame({"label": names, "filled": filled, "expected": wrong, "low": wrong / 2, "high": 2 * wrong})

    digest = "digest of the labels"
    corrections: ClassVar[dict[str, Any]] = {}

    @property
    def learned_probabilities(self) -> np.ndarray:
        return self.p * (self.observed_rate or 1.0)

    @property
    def probability_of(self) -> str:
        return "being assigned" if self.labels.positive_only and not self.observed_rate else "being relevant"

    @property
    def evidence(self) -> FakeCompletion:
        return self

    @property
    def verdict(self) -> Verdict:
        return decide(self)

    sample_filled, find_nearest, notes = Evidence.sample_filled, Evidence.find_nearest, ()

    @property
    def components(self) -> np.ndarray:
        return self.coordinates

    @property
    def order(self) -> np.ndarray:
        return np.arange(len(self.labels))

    @property
    def results(self) -> list[Result]:
        facts = Facts(
            self.labels, self.measured_on, self.calibrated_on, self.learned_probabilities, self.observed_rate,
            why=Why("value") if self.is_selected else Why(), drift=self.drift, n_groups=None, lacking=0,
            broken_rules=[], notes=self.opened.notes, estimates_gaps=self.fit.estimates_gaps,
            sentences=self.fit.sentences, doubt=self.fit.doubt,
        )  # fmt: skip
        return check(facts)

    warnings, contradictions = Evidence.warnings, Evidence.contradictions
    has_precision = Evidence.has_precision

    @property
    def printed_probabilities(self) -> np.ndarray:
        return np.where(~self.labels.observed, np.nan, self.p) if self.contradictions else self.p

    @property
    def doubts(self) -> pd.DataFrame:
        return rank_doubts(self.labels, self.state, self.p, self.learned_probabilities)

    def map(self, n_components: int = 2, **_: Any) -> SimpleNamespace:
        if self.coordinates.shape[1] < 2:
            raise ValueError("a map of these items has 1 dimension, not 2.")
        region = SimpleNamespace(
            n_items=9, centre=0, names=("<b>loud</b>",), lifts=(), describe=lambda: "Region of <6> items."
        )
        return SimpleNamespace(places=self.coordinates, regions=(region,), notes=("Laid <out>.",))


Y = [[1, 0], [0, None], [None, None], [1, 1], [0, 0], [None, 1]]
P = [[0.9, 0.1], [0.2, 0.06], [0.97, 0.6], [0.4, 0.8], [0.6, 0.3], [0.02, 0.7]]


#: A label whose items 0 and 8 are given wrongly, and item 1 is difficult, and a label with two relevant entries.
FLIPPED = (
    np.column_stack([[1] * 8 + [0] * 8, [1, 1] + [0] * 14]),
    np.column_stack([[0.01, 0.4] + [0.95] * 6 + [0.99] + [0.05] * 7, [0.01, 0.01] + [0.02] * 14]),
)


@pytest.fixture(scope="session")
def by_hand() -> Callable[..., FakeCompletion]:
    """Six songs with two labels; anything can be replaced by name."""

    def make(y: Any = Y, p: Any = P, names: tuple[str, ...] = ("rock", "sad"), **changes: Any) -> FakeCompletion:
        labels = y if isinstance(y, PartialLabels) else PartialLabels.from_table(pd.DataFrame(y, columns=list(names)))
        n = len(labels)
        coordinates = np.column_stack([np.arange(n), np.arange(n) % 3]).astype(float)
        given = {"index": pd.Index([f"song {i}" for i in range(n)]), "coordinates": coordinates}
        return FakeCompletion(labels, np.array(p, dtype=float), **{**given, **changes})

    return make


@pytest.fixture(scope="session")
def at_random() -> Callable[..., FakeCompletion]:
    """Any size, probabilities that are true, one entry in ``n_given`` known."""

    def make(n: int, n_labels: int, *, n_given: int = 3, **changes: Any) -> FakeCompletion:
        rng = np.random.default_rng(1)
        p = rng.uniform(size=(n, n_labels))
        y = (rng.uniform(size=p.shape) < p).astype(float)
        y[rng.integers(n_given, size=p.shape) > 0] = np.nan
        names = changes.pop("names", [f"label {j}" for j in range(n_labels)])
        labels = PartialLabels.from_table(pd.DataFrame(y, columns=list(names)))
        given = {"index": pd.RangeIndex(n), "coordinates": rng.normal(size=(n, 2))}
        return FakeCompletion(labels, p, **{**given, **changes})

    return make
