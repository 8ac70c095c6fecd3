"""Expected errors: their sum, and a band that holds the truth."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from halflabel.evidence import expected_errors
from halflabel.evidence.expected_errors import ALL, estimate_errors
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fit_platt


def simulate(rng, n=600, n_labelled=150):
    """Return labels, filled values, probabilities, scores and the true number of errors of a calibrated model."""
    scores = rng.normal(0, 2, (n, 2))
    truth = rng.random((n, 2)) < expit(scores)
    y = np.where(np.arange(n)[:, None] < n_labelled, truth, np.nan)
    labels = PartialLabels.from_table(y)
    filled = np.where(labels.observed, 0, np.where(scores > 0, 1, -1)).astype(np.int8)
    errors = ((filled != 0) & ((filled > 0) != truth)).sum(axis=0)
    return labels, filled, expit(scores), scores, np.where(labels.observed, scores, np.nan), errors


def test_the_expectation_is_a_sum(rng):
    labels, filled, p, scores, held_out, _ = simulate(rng)
    table = estimate_errors(labels, filled, p, scores, held_out, rng)
    assert table["label"].tolist() == [*labels.names, ALL]
    wrong = np.where(filled > 0, 1 - p, np.where(filled < 0, p, 0))
    np.testing.assert_allclose(table["expected"], [*wrong.sum(axis=0), wrong.sum()])
    assert table["filled"].tolist() == [450, 450, 900]
    assert (table["low"] < table["expected"]).all()
    assert (table["expected"] < table["high"]).all()


def test_the_band_holds_the_true_number_about_nine_times_in_ten(monkeypatch):
    held = []
    monkeypatch.setattr(expected_errors, "SAMPLES", 20)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        *known, errors = simulate(rng, n_labelled=60)
        table = estimate_errors(*known, rng)
        truth = np.append(errors, errors.sum())
        held.append((table["low"] <= truth) & (truth <= table["high"]))
    assert np.mean(held) > 0.8


def test_fewer_labelled_items_mean_a_wider_band():
    width = []
    for n_labelled in (30, 300):
        rng = np.random.default_rng(0)
        *known, _ = simulate(rng, n_labelled=n_labelled)
        table = estimate_errors(*known, rng)
        width.append(((table["high"] - table["low"]) / table["filled"])[2])
    assert width[0] > 1.3 * width[1]


def test_items_of_one_group_count_as_one():
    """Ten copies of each of thirty items have the band of the thirty items, and not that of 300."""
    rng = np.random.default_rng(0)
    labels, filled, p, scores, held_out, _ = simulate(rng, n_labelled=30)
    rows = np.concatenate([np.repeat(np.arange(30), 10), np.arange(30, len(labels))])
    known = labels[rows], filled[rows], p[rows], scores[rows], held_out[rows]
    groups = np.unique(rows, return_inverse=True)[1]
    tables = [
        estimate_errors(labels, filled, p, scores, held_out, np.random.default_rng(1)),
        estimate_errors(*known, np.random.default_rng(1), groups=groups),
        estimate_errors(*known, np.random.default_rng(1)),
    ]
    width = [(table["high"] - table["low"])[2] for table in tables]
    assert width[1] > 1.3 * width[2]
    assert width[1] == pytest.approx(width[0], rel=0.4)


def test_without_a_filled_entry_there_is_no_error(rng):
    labels, filled, *rest, _ = simulate(rng)
    table = estimate_errors(labels, np.zeros_like(filled), *rest, rng)
    assert table["high"].tolist() == [0, 0, 0]


def test_the_band_is_widened_by_the_number_of_observed_entries(monkeypatch):
    width = []
    for spread in (0, 100):
        monkeypatch.setattr(expected_errors, "SPREAD", spread)
        *known, _ = simulate(np.random.default_rng(0), n=1000, n_labelled=60)
        table = estimate_errors(*known, np.random.default_rng(0))
        width.append((table["high"] - table["low"]).iloc[0])
    assert width[1] == pytest.approx(np.sqrt(1 + 100 / 60) * width[0], rel=1e-9)


def estimate_by_loops(labels, filled, p, scores, out_of_fold, rng):
    """Return the band: 50 bootstrap samples of the calibration, 20 draws of errors for each, widened by 100 / n."""
    L, known = range(labels.shape[1]), labels.observed & ~np.isnan(out_of_fold)
    labelled = np.flatnonzero(known.any(axis=1))
    items = rng.permutation(np.flatnonzero((filled != 0).any(axis=1)))

    def expect(p):
        return np.array([sum(1 - p[i, j] if filled[i, j] > 0 else p[i, j] for i in items if filled[i, j]) for j in L])

    def calibrate(rows):
        return expect(fit_platt(out_of_fold[rows], labels[rows])(scores))

    wrong, whole = expect(p), calibrate(labelled)
    factors = np.array([calibrate(rng.choice(labelled, len(labelled))) / whole for _ in range(50)])
    sd = np.sqrt([sum(p[i, j] * (1 - p[i, j]) for i in items if filled[i, j]) for j in L])
    noise = rng.normal(size=(20, 50, len(L)))
    draws = wrong + (wrong * (factors - 1) + sd * noise) * np.sqrt(1 + 100 / known.sum(axis=0))
    draws = np.clip(draws, 0, (filled != 0).sum(axis=0)).reshape(1000, -1)
    return np.quantile(np.column_stack([draws, draws.sum(axis=1)]), [0.05, 0.95], axis=0)


def test_the_band_is_that_of_loops(rng):
    labels, filled, p, scores, held_out, _ = simulate(rng, n=200, n_labelled=60)
    labels = labels.hide(rng.random(labels.shape) < 0.2)
    held_out[rng.random(labels.shape) < 0.2] = np.nan
    filled[70, 0] = filled[75] = 0
    table = estimate_errors(labels, filled, p, scores, held_out, np.random.default_rng(1))
    low, high = estimate_by_loops(labels, filled, p, scores, held_out, np.random.default_rng(1))
    assert (low > 0).all()
    np.testing.assert_allclose(table["low"], low, rtol=1e-9)
    np.testing.assert_allclose(table["high"], high, rtol=1e-9)


def test_without_a_calibration_the_errors_alone_are_random():
    """Two entries with even odds, and none that was held out: from none to both are wrong."""
    labels = PartialLabels.from_table([[1], [None], [None]])
    filled, p, nothing = np.array([[0], [1], [-1]], np.int8), np.full((3, 1), 0.5), np.full((3, 1), np.nan)
    table = estimate_errors(labels, filled, p, np.zeros((3, 1)), nothing, np.random.default_rng(0))
    assert table["expected"].tolist() == [1, 1]
    assert (table["low"].tolist(), table["high"].tolist()) == ([0, 0], [2, 2])
    table = estimate_errors(labels, 0 * filled, p, np.zeros((3, 1)), p, np.random.default_rng(0))
    assert table["high"].tolist() == [0, 0]


def test_a_sample_of_the_labelled_items_gives_a_band_of_about_the_same_width(rng, monkeypatch):
    labels, filled, p, scores, held_out, _ = simulate(rng, n=900, n_labelled=600)
    monkeypatch.setattr(expected_errors, "SPREAD", 0)
    monkeypatch.setattr(expected_errors, "SAMPLES", 200)
    whole = estimate_errors(labels, filled, p, scores, held_out, np.random.default_rng(1))
    monkeypatch.setattr(expected_errors, "MAX_LABELLED", 200)
    sample = estimate_errors(labels, filled, p, scores, held_out, np.random.default_rng(1))
    np.testing.assert_allclose(sample["high"] - sample["low"], whole["high"] - whole["low"], rtol=0.25)
    pd.testing.assert_frame_equal(sample[["label", "filled", "expected"]], whole[["label", "filled", "expected"]])


def test_optimism_multiplies_the_expectation_and_moves_the_band(rng):
    labels, filled, *rest, _ = simulate(rng)
    one, two = (estimate_errors(labels, filled, *rest, np.random.default_rng(0), optimism=k) for k in (1.0, 1.2))
    np.testing.assert_allclose(two["expected"], 1.2 * one["expected"])
    assert (two[["low", "high"]] > one[["low", "high"]]).all(axis=None)
    capped = estimate_errors(labels, filled, *rest, np.random.default_rng(0), optimism=99.0)
    assert (capped["expected"] == capped["filled"]).all()
