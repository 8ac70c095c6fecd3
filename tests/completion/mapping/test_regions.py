"""Names of dense regions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats.contingency import relative_risk

from halflabel import PartialLabels
from halflabel.completion.mapping import regions
from halflabel.completion.mapping.regions import Lift, Region, estimate_lift, name_regions


def test_with_large_counts_lift_and_interval_are_those_of_scipy():
    expected = relative_risk(3000, 4000, 2000, 20000)
    ends = expected.confidence_interval(0.9)
    found = estimate_lift(*np.array([3000.0, 4000, 2000, 20000]), float(norm.isf(0.05)))
    assert found == pytest.approx([expected.relative_risk, ends.low, ends.high], rel=2e-3)


def test_each_of_the_four_counts_is_raised_by_one_half():
    found = estimate_lift(*np.array([1.0, 2, 1, 4]), 2.0)
    ratio, spread = (1.5 / 2.5) / (1.5 / 4.5), 2 * np.sqrt(1 / 1.5 - 1 / 2.5 + 1 / 1.5 - 1 / 4.5)
    np.testing.assert_allclose(found, ratio * np.exp([0, -spread, spread]))


def test_the_interval_holds_the_true_lift_as_often_as_stated(rng):
    n, m, z = 60, 400, float(norm.isf(0.05))
    inside, outside = rng.binomial(n, 0.5, 4000), rng.binomial(m, 0.1, 4000)
    _, low, high = estimate_lift(inside, np.full(4000, n), outside, np.full(4000, m), z)
    assert ((low < 5) & (high > 5)).mean() == pytest.approx(0.9, abs=0.015)


def test_regions_have_the_names_of_their_labels_and_unknown_entries_do_not_count(rng):
    cloud = np.repeat([0, 1], 60)
    coordinates = np.array([[0.0, 0], [40, 0]])[cloud] + rng.normal(size=(120, 2))
    Y = np.column_stack([cloud == 0, cloud == 1, rng.random(120) < 0.5]).astype(float)
    Y[rng.random(120) < 0.5] = np.nan
    labels = PartialLabels.from_table(pd.DataFrame(Y, columns=["calm", "loud", "by chance"]))
    first, second = name_regions(coordinates, labels)
    assert {first.names, second.names} == {("calm",), ("loud",)}
    assert first.n_items == second.n_items == 60
    lift = first.lifts[0]
    assert 1 < lift.low < lift.lift < lift.high
    assert "times as frequent as elsewhere" in first.describe()


def test_labels_by_chance_name_no_region(rng):
    coordinates = np.array([[0.0, 0], [40, 0], [0, 40]])[rng.integers(3, size=300)] + rng.normal(size=(300, 2))
    for _ in range(5):
        labels = PartialLabels.from_table((rng.random((300, 10)) < 0.3).astype(float))
        assert name_regions(coordinates, labels) == ()


def test_lifts_are_those_of_the_counts_and_two_labels_name_a_region(rng, monkeypatch):
    """Three labels are more frequent in the first region, one in the second; the first item is in none."""
    region = np.repeat([-1, 0, 1], [1, 40, 50])
    monkeypatch.setattr(regions, "find_regions", lambda coordinates: (region, np.array([7, 44])))
    share = {-1: [0.5] * 4, 0: [0.7, 0.9, 0.8, 0.1], 1: [0.1, 0.1, 0.1, 0.6]}
    Y = (rng.random((91, 4)) < np.array([share[each] for each in region])) * 1.0
    Y[rng.random(Y.shape) < 0.2] = np.nan
    labels = PartialLabels.from_table(pd.DataFrame(Y, columns=list("abcd")))
    first, second = name_regions(np.zeros((91, 2)), labels)
    assert (first.centre, first.n_items, second.centre, second.n_items) == (7, 40, 44, 50)
    z = norm.isf(0.05 / 2 / 8)  # two regions, four labels
    expected = {}
    for r in (0, 1):
        for j, name in enumerate("abcd"):
            inside, outside = (Y[mask, j][~np.isnan(Y[mask, j])] for mask in (region == r, region != r))
            counts = np.array([inside.sum(), len(inside), outside.sum(), len(outside)])
            lift, low, high = estimate_lift(*counts, z)
            if low > 1:
                expected.setdefault(r, []).append(Lift(name, lift, low, high))
    assert [len(expected[0]), len(expected[1])] == [3, 1]
    for r, found in enumerate((first, second)):
        best = sorted(expected[r], key=lambda each: -each.low)[:2]
        assert [each.label for each in found.lifts] == [each.label for each in best]
        for one, other in zip(found.lifts, best, strict=True):
            assert (one.lift, one.low, one.high) == pytest.approx((other.lift, other.low, other.high))


def test_a_label_that_follows_from_the_first_one_is_no_part_of_a_name(rng):
    """A species implies its genus; the place where it was found is known of most items there, and stays."""
    cloud = np.repeat([0, 1, 2, 3], 60)
    coordinates = np.array([[0.0, 0], [40, 0], [0, 40], [40, 40]])[cloud] + rng.normal(size=(240, 2))
    species, genus, lake = cloud == 0, cloud < 2, rng.random(240) < np.where(cloud == 0, 0.8, 0.4)
    Y = np.column_stack([species, genus, lake]).astype(float)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    labels = PartialLabels.from_table(pd.DataFrame(Y, columns=["species", "genus", "lake"]))
    assert [each.names[0] for each in name_regions(coordinates, labels)] == ["species · lake", "genus"]


def test_a_region_has_names_of_one_label_and_of_both():
    region = Region(3, 1, (Lift("rock", 2.5, 1.25, 5.0), Lift("x" * 40, 2.0, 1.5, 3.0)))
    assert region.names == ("rock · " + region.names[0].split(" · ")[1], "rock")
    assert len(region.names[0]) <= len("rock · ") + 24
    alone = Region(3, 12, (Lift("rock", 2.54, 1.25, 5.0),))
    assert alone.names == ("rock",)
    assert alone.describe() == "Region of 12 items: rock is 2.5 times as frequent as elsewhere (1.2 to 5.0)."


def test_without_a_region_there_is_no_name(monkeypatch):
    monkeypatch.setattr(regions, "find_regions", lambda coordinates: (np.full(3, -1), np.array([], dtype=int)))
    assert name_regions(np.zeros((3, 2)), PartialLabels.from_table([[1], [0], [1]])) == ()
