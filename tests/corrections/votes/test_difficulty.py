"""Items whose votes are wrong more often."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from halflabel.corrections.votes import model as source_model
from halflabel.corrections.votes.model import fit_sources
from halflabel.labels.votes import Votes


def draw(seed, spread, n=400, q=12):
    """Return the truth, the difficulty of each item, the votes of five sources, and log odds of features."""
    rng = np.random.default_rng(seed)
    truth, hard = rng.random((n, q)) < 0.3, rng.normal(size=(n, 1))
    wrong = rng.random((5, n, q)) < expit(-1.3 + spread * hard)
    votes = np.where(rng.random((5, n, 1)) < 0.6, truth ^ wrong, np.nan)
    return truth, hard[:, 0], Votes(tuple("abcde"), votes), np.where(truth, 0.5, -2.0) + rng.normal(size=(n, q))


def fit_without(votes, log_odds):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_model, "estimate_easiness", lambda levels, tables, weights, eta, known: np.ones(len(eta)))
        return fit_sources(votes, log_odds)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_difficult_items_are_found_and_probabilities_on_them_are_less_certain(seed):
    truth, hard, votes, log_odds = draw(seed, spread=0.9)
    fit, plain = fit_sources(votes, log_odds), fit_without(votes, log_odds)
    assert np.corrcoef(np.log(fit.easiness), hard)[0, 1] < -0.5
    assert np.mean((fit.posterior - truth) ** 2) < 0.97 * np.mean((plain.posterior - truth) ** 2)
    wrong = [np.nanmean(np.where(votes.values >= 0.5, 1 - p, p)[votes.given]) for p in (fit.posterior, plain.posterior)]
    true = np.mean((votes.values >= 0.5)[votes.given] != np.broadcast_to(truth, votes.given.shape)[votes.given])
    assert abs(wrong[0] - true) < abs(wrong[1] - true)


def test_equally_difficult_items_have_the_same_weight():
    _, _, votes, log_odds = draw(0, spread=0.0)
    np.testing.assert_array_equal(fit_sources(votes, log_odds).easiness, 1.0)


def test_a_known_entry_shows_that_an_item_is_difficult():
    truth, _, votes, log_odds = draw(1, spread=0.9)
    known = np.zeros(truth.shape, dtype=np.int8)
    wrong = np.where(votes.given, (votes.values >= 0.5) != truth, np.nan)
    item = int(np.nansum(wrong - 0.3, axis=(0, 2)).argmax())
    before = fit_sources(votes, log_odds, known).easiness[item]
    known[item, :6] = np.where(truth[item, :6], 1, -1)
    assert fit_sources(votes, log_odds, known).easiness[item] < before
