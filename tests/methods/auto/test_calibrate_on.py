"""Entries that were chosen because of their value are learned from, but no probability is fitted to them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.masking import read_entry_mask
from halflabel.labels.metrics import ece
from halflabel.methods.baselines import BinaryRelevance

N, N_RANDOM, N_CHOSEN = 3000, 600, 600


@pytest.fixture(scope="module")
def biased():
    """Return features, truth, labels of random and of chosen items, and the mask of the random ones.

    Of the chosen items, every entry is relevant, and most scores are low, as in a search for missing positives.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    p = expit(2 * X - 1)
    truth = rng.random(p.shape) < p
    random = np.arange(N) < N_RANDOM
    candidates = np.flatnonzero(truth.all(axis=1) & ~random)
    chosen = candidates[np.argsort(p[candidates].sum(axis=1))[:N_CHOSEN]]
    known = random.copy()
    known[chosen] = True
    return X, truth, PartialLabels.from_observed(truth.astype(float), np.repeat(known[:, None], 2, axis=1)), random


def measure_ece(biased, calibrate_on):
    X, _, labels, _ = biased
    model = AutoLabeler(members=("kernel",)).fit(X, labels, calibrate_on=calibrate_on)
    new = np.random.default_rng(1).normal(size=(3000, 2))
    outcome = np.random.default_rng(2).random(new.shape) < expit(2 * new - 1)
    return ece(PartialLabels.from_table(outcome.astype(float)), model.predict_proba(new), bins=15), model


def test_biased_answers_leave_the_calibration_as_it_is(biased):
    """New items resemble the random ones; the chosen items would make all probabilities too high."""
    error, model = measure_ece(biased, biased[3])
    assert error <= 0.02
    assert measure_ece(biased, None)[0] > 0.05
    assert not np.isnan(model.label_probabilities_).any()


def test_the_mask_follows_the_order_of_the_items(biased):
    X, _, labels, random = biased
    some = np.r_[:60, np.flatnonzero(~random & ~labels.unlabelled)[:60], -40:0]
    X, labels, random = X[some], labels[some], random[some]
    order = np.random.default_rng(0).permutation(len(some))
    first = AutoLabeler(members=("kernel",)).fit(X, labels, calibrate_on=random)
    second = AutoLabeler(members=("kernel",)).fit(X[order], labels[order], calibrate_on=random[order])
    np.testing.assert_allclose(second.label_probabilities_, first.label_probabilities_[order], atol=1e-9)


def test_a_completion_is_checked_on_the_same_entries(biased):
    X, _, labels, random = biased
    frame = pd.DataFrame(X[:800], columns=["a", "b"])
    filled = hl.complete(frame, labels[:800], calibrate_on=random[:800], method=AutoLabeler(members=("kernel",)))
    assert filled.evidence.calibrated_on.observed.sum() == 2 * N_RANDOM
    assert filled.labels.observed.sum() > 2 * N_RANDOM


def test_a_method_without_the_argument_and_positive_only_labels_are_named():
    frame = pd.DataFrame({"a": np.arange(6.0), "rock": [1, 0, 1, 0, None, None]})
    with pytest.raises(ValueError, match="BinaryRelevance does not accept calibrate_on"):
        hl.complete(frame, labels=["rock"], method=BinaryRelevance(), calibrate_on=np.ones(6, bool))
    tags = pd.DataFrame({"a": np.arange(6.0), "tags": ["rock", "sad", "rock", "sad", None, None]})
    with pytest.raises(ValueError, match="positive-only"):
        hl.complete(tags, tags="tags", absent="unknown", calibrate_on=np.ones(6, bool))


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (np.ones(3, bool), "shape"),
        (np.ones((2, 2)), "True and False"),
        (np.array([False, True]), "no observed entry"),
        (pd.DataFrame(np.ones((2, 2), bool), columns=["label_1", "label_0"]), "in their order"),
    ],
)
def test_invalid_masks(mask, message):
    with pytest.raises(ValueError, match=message):
        read_entry_mask(mask, PartialLabels.from_table([[1, 0], [None, None]]), "calibrate_on")
