"""Generators by name, and samples of rows."""

from __future__ import annotations

import numpy as np
import pytest

from halflabel.methods.auto.sampling import draw, named_rng


def test_a_generator_belongs_to_its_seed_and_its_name():
    first = named_rng(1, "trees").random(3).tolist()
    assert named_rng(1, "trees").random(3).tolist() == first
    assert named_rng(2, "trees").random(3).tolist() != first
    assert named_rng(1, "folds").random(3).tolist() != first


@pytest.mark.parametrize("max_rows", [9, 10, 11])
def test_a_sample_holds_no_row_twice_and_keeps_the_order(max_rows, rng):
    rows = np.arange(10) * 3
    found = draw(rows, max_rows, rng)
    assert len(found) == min(max_rows, 10)
    assert (np.diff(found) > 0).all()
    assert np.isin(found, rows).all()
    assert (found is rows) == (max_rows >= 10)
