"""Results: which measurements have a better direction."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from halflabel_papers.page.tables import name_row
from halflabel_papers.protocols import MEASUREMENTS
from halflabel_papers.verdicts.results import DESCRIPTIONS, has_direction


@pytest.mark.parametrize(
    ("metric", "title"),
    [
        ("micro_f1", "micro-F1 ↑"),
        ("hamming_loss@count", "Hamming loss (count rule) ↓"),
        ("n_alternations", "n alternations ↓"),
        ("normalised_alpha", "normalised alpha"),  # a unit
        ("negative_weights", "negative weights"),  # a description
        ("log10_gap", "log10 gap"),  # what a study measured
    ],
)
def test_the_name_of_a_row_has_the_better_direction_if_there_is_one(metric, title):
    assert name_row(SimpleNamespace(unit={}), metric) == title


def test_descriptions_are_measurements():
    assert set(DESCRIPTIONS) < set(MEASUREMENTS)
    assert not any(map(has_direction, DESCRIPTIONS))
