"""Which items are drawn, where, and how."""

from __future__ import annotations

import base64
import io

import matplotlib.image
import numpy as np
import pytest

from halflabel.labels import PartialLabels
from halflabel.report.figures import draw_calibration, draw_map
from halflabel.report.scatter import CELL, HEIGHT, MAX_POINTS, WIDTH, choose_points, fit_to_frame, sample_balanced
from halflabel.table.pictures import encode_png, scale_to_ink


def test_letters_distinguish_given_and_filled_entries(rng):
    labels = PartialLabels.from_table([[1], [0], [None], [None], [None]])
    state = np.array([[1], [-1], [1], [-1], [0]])
    drawn = choose_points(rng.normal(size=(5, 2)), labels, state, (1 + state) / 2, None, rng)
    assert drawn["labels"] == [{"name": "label0", "codes": "RIri?"}]
    kinds = [path["kind"] for path in draw_map(drawn)["layers"][0]["paths"]]
    assert sorted(kinds) == ["filled irrelevant", "filled relevant", "given irrelevant", "given relevant", "left"]


def test_filled_values_without_certainty_are_pale(rng):
    labels = PartialLabels.from_table([[1], [0], [None], [None], [None], [None], [None]])
    state = np.array([[1], [-1], [1], [1], [-1], [-1], [0]])
    p = np.array([[0.5], [0.5], [0.75], [0.4], [0.25], [0.3], [0.5]])
    drawn = choose_points(rng.normal(size=(7, 2)), labels, state, p, None, rng)
    assert drawn["labels"][0]["codes"] == "RIrpiq?"
    kinds = [path["kind"] for path in draw_map(drawn)["layers"][0]["paths"]]
    assert {"filled relevant pale", "filled irrelevant pale"} < set(kinds)


def test_a_sample_keeps_rare_values(rng):
    codes = np.full((50_000, 3), 3)
    codes[:5, 0] = 0
    codes[100:400, 2] = 2
    rows = sample_balanced(codes, MAX_POINTS, rng)
    assert len(rows) == len(np.unique(rows)) == MAX_POINTS
    assert set(range(5)) <= set(rows.tolist())
    assert (codes[rows, 2] == 2).sum() > 40  # their share in the data would be 6


def test_the_seed_decides_the_sample(at_random):
    completion = at_random(5000, 2)
    args = (completion.coordinates, completion.labels, completion.state, completion.probabilities, None)
    first, again, other = (choose_points(*args, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert first == again
    assert first["x"] != other["x"]


def test_far_items_stand_at_the_edge_and_are_counted(rng):
    coordinates = rng.normal(size=(1000, 2))
    coordinates[0] = [1e6, -1e6]
    xy, at_edge = fit_to_frame(coordinates)
    assert at_edge[0]
    assert at_edge.sum() < 30
    np.testing.assert_allclose(xy[0], [0.99 * WIDTH, 0.99 * HEIGHT])
    assert np.ptp(xy[1:, 0]) > 0.9 * WIDTH


def test_one_value_of_a_coordinate_stands_in_the_middle():
    xy, at_edge = fit_to_frame(np.zeros((4, 2)))
    assert (xy == [WIDTH // 2, HEIGHT // 2]).all()
    assert not at_edge.any()


def test_images_do_not_overlap_and_labelled_items_come_first(at_random):
    completion = at_random(3000, 1, n_given=30)
    ink = np.zeros((3000, 8, 8), dtype=np.uint8)
    args = (completion.coordinates, completion.labels, completion.state, completion.probabilities)
    drawn = choose_points(*args, ink, np.random.default_rng(0))
    places = list(zip(drawn["x"], drawn["y"], strict=True))
    assert len(places) == len(set(places)) == len(drawn["marks"])
    assert all(x % CELL == y % CELL == CELL // 2 for x, y in places)
    given = sum(drawn["labels"][0]["codes"].count(letter) for letter in "RI")
    assert given > 0.5 * completion.labels.observed.sum()


def test_png_reads_back(rng):
    ink = rng.integers(256, size=(5, 7)).astype(np.uint8)
    head, body = encode_png(ink).split(",")
    image = matplotlib.image.imread(io.BytesIO(base64.b64decode(body)), format="png")
    assert head == "data:image/png;base64"
    assert np.array_equal(np.rint(255 * image[..., -1]), ink)
    assert not image[..., :-1].any()


def test_ink_spans_all_images():
    assert scale_to_ink(np.array([[[0.0, 8.0]], [[16.0, 4.0]]])).tolist() == [[[0, 128]], [[255, 64]]]
    assert not scale_to_ink(np.ones((2, 3, 3))).any()


def test_the_shapes_of_the_calibration_curve_follow_from_its_numbers():
    figure = draw_calibration(
        [
            {"entries": 100, "predicted": 0.25, "observed": 0.5},
            {"entries": 25, "predicted": 1.0, "observed": 1.0},
        ]
    )
    half, full = figure["dots"]
    assert (half["x"], half["y"]) == (75.0, 150.0)
    assert (half["top"], half["bottom"]) == (
        pytest.approx(300 * (1 - 0.596), abs=0.2),
        pytest.approx(300 * 0.596, abs=0.2),
    )
    assert full["bar"] == half["bar"] / 2
