"""The effect of other label frequencies, from a method with given answers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.completion.plain import make_evidence
from tests.completion.test_result import Assuming, open_tags
from tests.completion.test_review_list import P, complete, open_songs

from halflabel.completion.evidence import Evidence
from halflabel.completion.facts import USUAL_RATES
from halflabel.labels.positive_only import Assumption

COLUMNS = ["observed_rate", "filled", "expected", "threshold"]


class Dividing(Assuming):
    """P(relevant) is 0.4 P over the label frequency; the thresholds of the two labels differ."""

    def assume(self, observed_rate):
        p = 0.4 * P / (observed_rate or 1.0)
        return Assumption(observed_rate, None, p, np.array([0.25, 0.5]), p >= [0.25, 0.5])


@pytest.mark.parametrize("rate", [0.5, 0.7, None])
def test_each_frequency_has_its_counts(rate):
    table = make_evidence(open_tags(), Dividing(rate)).assumptions
    rates = sorted({*USUAL_RATES, rate or 1.0})
    assert table.columns.tolist() == COLUMNS
    assert table["observed_rate"].tolist() == rates
    unknown = np.array([[0, 1], [1, 0], [1, 1], [0, 0], [1, 1], [1, 0]], dtype=bool)
    for row in table.itertuples():
        p = 0.4 * P / row.observed_rate
        assert row.filled == (p >= [0.25, 0.5]).sum()
        assert row.expected == pytest.approx(p[unknown].sum())
        assert row.threshold == 0.375
    assert table["filled"].nunique() > 1
    assert table["observed_rate"].between(0, 1).all()


def test_a_precision_decides_in_place_of_thresholds(monkeypatch):
    asked = []

    def fill(evidence, p, precision, rate):
        asked.append((float(p[0, 0]), precision, rate))
        return np.where(p > 0.5, 1, np.where(p < 0.1, -1, 0))

    monkeypatch.setattr(Evidence, "_fill_at", fill)
    table = make_evidence(open_tags(), Dividing(0.4), min_precision=0.9).assumptions
    assert table["filled"].tolist() == [(0.4 * P / rate > 0.5).sum() for rate in USUAL_RATES]
    assert table["threshold"].isna().all()
    assert asked == [(pytest.approx(0.36 / rate), 0.9, rate) for rate in USUAL_RATES]


def test_other_labels_and_other_methods_have_no_rows():
    for evidence in (complete(open_tags()).evidence, make_evidence(open_songs(), Dividing())):
        assert evidence.assumptions.columns.tolist() == COLUMNS
        assert len(evidence.assumptions) == 0
