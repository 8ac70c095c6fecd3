"""A small opened table, a method that learns only rates, and one that records what it was fitted on."""

from __future__ import annotations

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from tests.conftest import half_labelled

from halflabel import PartialLabels
from halflabel.methods.baselines import BinaryRelevance
from halflabel.table import open_table

RATES = BinaryRelevance(DummyClassifier(strategy="prior"))


class Watched(BinaryRelevance):
    """Keeps what it was fitted on, of all its clones."""

    seen: list[PartialLabels]

    def fit(self, X, y):
        self.seen.append(y)
        return super().fit(X, y)


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(Watched, "seen", [], raising=False)
    return Watched(LogisticRegression())


@pytest.fixture
def opened(rng):
    X, Y, _ = half_labelled(rng, n=120)
    return open_table(X, Y)
