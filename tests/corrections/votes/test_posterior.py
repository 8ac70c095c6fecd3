"""The probabilities of entries with votes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.corrections.votes.posterior import average_votes, calibrate, find_posterior
from halflabel.labels.votes import Votes


def draw(seed=0, n=400, bias=0.0):
    """Return truth, the probabilities of an ensemble, and the votes of three sources.

    The first source and the ensemble call a share of the irrelevant entries of the first label relevant.
    """
    rng = np.random.default_rng(seed)
    truth = rng.random((n, 3)) < [0.3, 0.5, 0.2]
    seen = truth.copy()
    seen[:, 0] |= rng.random(n) < bias
    p = np.clip(np.where(seen, 0.75, 0.25) + rng.normal(scale=0.1, size=truth.shape), 0.02, 0.98)
    values = np.stack([np.where(rng.random(truth.shape) < wrong, ~seen, seen) for wrong in (0.05, 0.2, 0.4)])
    values = np.where(rng.random(values.shape) < 0.8, values, np.nan)
    return truth, p, Votes(("a", "b", "c"), values)


def score(p, truth, at):
    return float(((p - truth)[at] ** 2).mean())


def find(truth, p, votes, known):
    return find_posterior(votes, p, truth, known & votes.voted, np.arange(len(truth)) % 5)


def test_votes_the_ensemble_and_the_share_of_the_label_are_averaged():
    votes = Votes(("a", "b"), np.array([[[1.0], [0.0]], [[1.0], [np.nan]]]))
    p = np.array([[0.5], [0.1]])
    np.testing.assert_allclose(average_votes(votes, None), [[(2 + 2 / 3) / 3], [(2 / 3) / 2]])
    np.testing.assert_allclose(average_votes(votes, p), [[(2 + 1.5 + 2 / 3) / 6], [(0.3 + 2 / 3) / 5]])


@given(st.integers(0, 2**31), st.integers(0, 2))
def test_a_copy_of_a_source_changes_nothing(seed, place):
    truth, p, votes = draw(seed, 60)
    twice = Votes((*votes.names, "copy"), votes.values[[0, 1, 2, place]])
    known = np.arange(60)[:, None] < 20
    for k in (known, known & False):
        before, after = (find(truth, p, each.without_copies(), k) for each in (votes, twice))
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("seed", range(4))
def test_known_entries_show_an_error_that_the_ensemble_has_learned(seed):
    truth, p, votes = draw(seed, bias=0.7)
    known = np.broadcast_to(np.arange(400)[:, None] < 60, truth.shape)
    at = votes.voted & ~known
    found, held_out = find(truth, p, votes, known)
    share = score(average_votes(votes, None), truth, at)
    assert score(found, truth, at) < 0.7 * min(share, score(average_votes(votes, p), truth, at))
    assert (~np.isnan(held_out) == (votes.voted & known)).all()
    of_known = votes.voted & known
    assert score(held_out, truth, of_known) == pytest.approx(score(found, truth, at), abs=0.06)


def test_a_held_out_probability_hardly_depends_on_the_entry():
    """It depends on it by slope and intercept of all held-out probabilities alone."""
    truth, p, votes = draw()
    known = np.broadcast_to(np.arange(400)[:, None] < 60, truth.shape)
    item, label = np.argwhere(votes.voted & known)[7]
    other = truth.copy()
    other[item, label] ^= True
    before, after = (find(each, p, votes, known)[1] for each in (truth, other))
    assert before[item, label] == pytest.approx(after[item, label], abs=0.02)
    assert np.nanmax(np.abs(before - after)) > 0.02


def test_three_known_entries_change_little():
    truth, p, votes = draw()
    known = np.zeros_like(truth)
    known[:3, 0] = True
    at = votes.voted & ~known
    assert np.abs(find(truth, p, votes, known)[0] - average_votes(votes, p))[at].max() < 0.35


def test_sources_of_one_value_and_sources_of_chance_do_little_harm_where_entries_are_known():
    truth, p, votes = draw()
    known = np.broadcast_to(np.arange(400)[:, None] < 60, truth.shape)
    at = votes.voted & ~known
    before, rng = score(find(truth, p, votes, known)[0], truth, at), np.random.default_rng(1)
    for more in (np.ones((1, *truth.shape)), rng.integers(0, 2, (37, *truth.shape))):
        many = Votes(tuple(map(str, range(3 + len(more)))), np.concatenate([votes.values, more]))
        after, mean = score(find(truth, p, many, known)[0], truth, at), score(average_votes(many, None), truth, at)
        assert after < before + 0.1 * mean


def test_the_ensemble_alone_is_calibrated_on_known_entries():
    truth, p, _ = draw(bias=0.7)
    known = np.broadcast_to(np.arange(400)[:, None] < 100, truth.shape)
    slope, intercept = calibrate(p, truth, known)
    odds = slope * np.log(p / (1 - p)) + intercept
    found = 1 / (1 + np.exp(-odds))
    assert score(found, truth, ~known) < 0.9 * score(p, truth, ~known)
    np.testing.assert_allclose(found[~known[:, 0]].mean(axis=0), truth[~known[:, 0]].mean(axis=0), atol=0.06)
