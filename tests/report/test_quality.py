"""The quality of a report against counts by hand: what lies exactly at a limit, and what is left unknown."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.conftest import P, Y

from halflabel.evidence.calibration_error import bin_calibration
from halflabel.labels import PartialLabels
from halflabel.labels.metrics import ece
from halflabel.report import summarize
from halflabel.report.details import measure_quality


def test_probabilities_at_the_ends_of_a_bin_and_of_all_bins():
    """A probability at the limit of two bins belongs to the upper one, and 1 to the last."""
    p = np.array([0, 0.06, 1 / 15, 0.1, 14 / 15, 0.99, 1.0])
    labels = PartialLabels.from_table(np.array([0, 1, 0, 0, 1, 0, 1])[:, None])
    found = bin_calibration(labels, p[:, None])
    assert [each["entries"] for each in found] == [2, 2, 3]
    assert [each["predicted"] for each in found] == pytest.approx([0.03, (1 / 15 + 0.1) / 2, (14 / 15 + 1.99) / 3])
    assert [each["observed"] for each in found] == pytest.approx([1 / 2, 0, 2 / 3])


def test_quality_of_all_labels_together(by_hand):
    """A label with one value is in no figure."""
    quality = summarize(by_hand())["quality"]
    assert quality["entries"] == 8
    assert quality["auc"] == pytest.approx((3 / 4 + 1) / 2)
    assert quality["brier"] == pytest.approx((0.77 + 0.23) / 8)
    assert quality["ece"] == pytest.approx((0.1 + 0.2 + 0.6 + 0.6 + 0.1 + 0.2 + 0.3 + 0.3) / 8)  # one entry per bin
    one_value = [[*row, 1] for row in Y], [[*row, 0.5] for row in P]
    assert summarize(by_hand(*one_value, names=("rock", "sad", "all")))["quality"] == quality


def test_calibration_error_by_chance_is_what_true_probabilities_show(rng, at_random):
    p = rng.uniform(size=(400, 3))

    def error() -> float:
        return ece(PartialLabels.from_table((rng.uniform(size=p.shape) < p).astype(float)), p)

    filled = at_random(400, 3, n_given=1)
    filled.p, filled.labels = p, PartialLabels.from_table((rng.uniform(size=p.shape) < p).astype(float))
    expected = np.mean([error() for _ in range(200)])
    assert measure_quality(filled)["ece_by_chance"] == pytest.approx(expected, rel=0.05)
