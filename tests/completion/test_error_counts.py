"""The numbers about wrong filled values agree with one another, from two labelled items up."""

import numpy as np
import pytest

import halflabel as hl


def half_label(n_labelled, design, n_labels, n_items=60):
    """Return a table whose labelled items have both values of each label."""
    rng = np.random.default_rng([n_labelled, n_labels])
    X = rng.normal(size=(n_items, 4))
    truth = X @ rng.normal(size=(4, n_labels)) + 0.5 * rng.normal(size=(n_items, n_labels)) > 0
    truth[0], truth[1] = True, False
    known = np.repeat(np.arange(n_items)[:, None] < n_labelled, n_labels, axis=1)
    if design == "half":
        known[2:] &= rng.random((n_items - 2, n_labels)) < 0.5
    return X, np.where(known, truth.astype(float), np.nan)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("design", ["whole", "half"])
@pytest.mark.parametrize(("n_labelled", "n_labels"), [(2, 1), (2, 3), (3, 2), (5, 3), (8, 1), (12, 2), (40, 3)])
def test_every_number_about_wrong_values_is_the_same(n_labelled, n_labels, design):
    """The sum of 1 - p, the expected number, the precision that is printed; and the estimate lies in its band."""
    filled = hl.complete(*half_label(n_labelled, design, n_labels), effort="fast")
    evidence = filled.evidence
    gaps, p = ~evidence.labels.observed, evidence.probabilities
    wrong = np.where(gaps, np.where(evidence.state > 0, 1 - p, p), 0).sum(axis=0)
    table = evidence.estimated_errors
    np.testing.assert_allclose(table["expected"], [*wrong, wrong.sum()], rtol=1e-9)
    assert (table["low"] <= table["expected"]).all()
    assert (table["expected"] <= table["high"]).all()
    assert (table["low"] >= 0).all()
    assert (table["high"] <= table["filled"]).all()
    assert (table["expected"] <= table["filled"] / 2).all()  # the rule "probable" fills the more probable value
    assert sum(evidence.expect_errors_in(value)["expected"] for value in (1, -1)) == pytest.approx(wrong.sum())


@pytest.mark.filterwarnings("ignore")
def test_an_item_without_a_known_value_has_the_probability_of_a_new_item():
    """The calibration of scores that other labels of the item made sure is not that of items without any."""
    rng = np.random.default_rng(0)
    X, hidden = rng.normal(size=(300, 5)), rng.normal(size=(300, 1))
    truth = X[:, :3] + 1.5 * hidden > 0
    known = (np.arange(300)[:, None] < 150) & (rng.random(truth.shape) < 0.6)
    filled = hl.complete(X, np.where(known, truth.astype(float), np.nan), effort="fast")
    model, alone = filled.evidence.model, ~known.any(axis=1)
    assert model.coupled_
    p = model.new_item_decision_.calibration(model.label_scores_[alone])
    np.testing.assert_allclose(filled.evidence.probabilities[alone], p)
    assert np.abs(p - model.calibration_(model.label_scores_[alone])).max() > 0.01
    parts = model.decompose(np.arange(300), filled.evidence.learned_from)
    total = sum(np.where(np.isfinite(part), part, 0) for part in parts.values())
    np.testing.assert_allclose(1 / (1 + np.exp(-total)), filled.evidence.probabilities, atol=1e-6)
