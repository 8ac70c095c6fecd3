"""``Completion.plot``: what the axes hold."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from tests.completion.test_review_list import P, complete, open_songs
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.completion.mapping.regions import Lift, Region
from halflabel.methods.baselines import BinaryRelevance
from halflabel.report.axes import RELEVANT

COORDINATES = pd.DataFrame({"dim1": [0.0, 1, 2, 3, 4, 5], "dim2": [0.0, 2, 1, 5, 3, 4]})


@pytest.fixture
def filled(monkeypatch):
    result = complete(open_songs(), min_precision=0.9)
    region = Region(1, 9, (Lift("rock", 2.5, 1.25, 5.0), Lift("sad", 2.0, 1.5, 3.0)))
    drawn = SimpleNamespace(places=COORDINATES.to_numpy(), regions=(region,), notes=("Laid out.",))
    monkeypatch.setattr(type(result), "map", lambda self: drawn)
    return result


@pytest.fixture
def ax():
    return Figure().subplots()


def test_a_map_has_one_mark_per_item_in_the_colour_of_its_entry(filled, ax):
    assert filled.plot.map("sad", ax=ax) is ax
    marks = {each.get_label(): each.get_offsets().tolist() for each in ax.collections}
    # Of sad, s3 is relevant and s5, too; s0 and s4 are irrelevant; s1 was filled in (.06), s2 stays empty (.6).
    assert marks == {
        "yes, given": [[3, 5], [5, 4]],
        "no, given": [[0, 0], [4, 3]],
        "no, filled": [[1, 2]],
        "empty": [[2, 1]],
    }
    assert ax.get_title() == "sad"
    assert [(text.get_text(), text.xy) for text in ax.texts] == [("rock · sad", (1, 2))]
    assert ax.get_xlabel() == "Laid out."


def test_a_map_has_two_dimensions_by_default(monkeypatch):
    filled = complete(open_songs())
    monkeypatch.setattr("halflabel.completion.result.draw_item_map", lambda _, n, **options: (n, options))
    assert filled.map() == filled.map(2) == (2, {})
    assert filled.map(3, label_weight=0) == (3, {"label_weight": 0})


def test_the_label_with_the_most_relevant_entries_is_the_default(filled, ax):
    assert filled.plot.map(ax=ax).get_title() == "rock"
    with pytest.raises(ValueError, match="no label 'rokc'; the labels are 'rock' and 'sad'"):
        filled.plot.map("rokc")


def test_calibration_has_one_dot_per_bin(filled, ax):
    filled.plot.calibration(ax=ax)
    dots = next(line for line in ax.lines if line.get_marker() == "o")
    assert dots.get_color() == RELEVANT
    observed = filled.labels.observed
    assert sorted(dots.get_xdata()) == pytest.approx(sorted(P[observed]))  # each entry has a bin of its own


def test_coverage_falls_with_the_precision(filled, ax):
    filled.plot.coverage(ax=ax)
    share = ax.lines[0].get_ydata()
    assert (np.diff(share) <= 0).all()
    assert share[0] == 1.0
    assert ax.lines[1].get_xdata() == [0.9, 0.9]  # the precision in use


def test_coverage_needs_an_expected_precision(monkeypatch):
    filled = complete(open_songs(tags="tags", absent="unknown"))
    monkeypatch.setattr(type(filled), "probability_of", "being assigned")
    with pytest.raises(ValueError, match="give observed_rate"):
        filled.plot.coverage()


def test_a_learning_curve_is_drawn_as_it_was_measured(filled, ax):
    curve = pd.DataFrame({"share": [0.5, 1.0], "labelled": [20, 40], "average_precision": [0.6, 0.7]})
    filled.plot.learning_curve(curve, ax=ax)
    assert ax.lines[0].get_xydata().tolist() == [[20, 0.6], [40, 0.7]]
    assert ax.get_ylabel() == "average precision on hidden entries"


def test_a_learning_curve_is_measured_with_the_method_of_the_completion(rng, ax):
    X, Y, _ = half_labelled(rng, n=250)
    filled = hl.complete(X, Y, method=BinaryRelevance())
    filled.plot.learning_curve(ax=ax)
    labelled = ax.lines[0].get_xdata()
    assert len(labelled) == 3
    assert labelled[-1] == pytest.approx(4 * labelled[0], rel=0.1)
    with pytest.raises(ValueError, match="positive-only labels have none"):
        complete(open_songs(tags="tags", absent="unknown")).plot.learning_curve()


def test_without_axes_there_is_a_new_figure(filled):
    ax = filled.plot.map()
    assert pyplot.gcf() is ax.figure
    pyplot.close(ax.figure)
