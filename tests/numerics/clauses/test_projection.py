import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from tests.numerics.clauses.test_clause import about, implies
from tests.oracles.clauses import clause_lists, find_closest, find_closest_mixture, list_valid

from halflabel.numerics.clauses.clause import strengthen
from halflabel.numerics.clauses.projection import project


def move(p, clauses, states=None):
    p = np.atleast_2d(np.asarray(p, dtype=float))
    states = np.zeros(p.shape, dtype=np.int8) if states is None else np.atleast_2d(states).astype(np.int8)
    return expit(project(logit(p), states, clauses))[0]


@pytest.mark.parametrize("p", [[0.9, 0.4], [0.2, 0.7], [0.5, 0.5], [1e-6, 1 - 1e-6], [1 - 1e-6, 1e-6]])
def test_an_implication_has_the_mean_of_log_odds_where_it_was_broken(p):
    a, b = p
    expected = [expit((logit(a) + logit(b)) / 2)] * 2 if a > b else p
    np.testing.assert_allclose(move(p, [implies(0, 1)]), expected, rtol=1e-9)


@settings(max_examples=12, deadline=None)
@given(clause_lists(max_labels=5, max_clauses=4), st.integers(0, 2**32 - 1))
def test_probabilities_are_the_closest_that_obey_each_clause(drawn, seed):
    n_labels, clauses = drawn
    p = np.random.default_rng(seed).uniform(0.02, 0.98, n_labels)
    np.testing.assert_allclose(move(p, clauses), find_closest(p, clauses), atol=2e-4)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_in_trees_and_groups_below_a_parent_they_are_the_closest_of_all_distributions_over_valid_states(seed):
    rng = np.random.default_rng(seed)
    tree = [implies(j, int(rng.integers(j))) for j in range(1, 5)]
    below = [implies(1, 0), implies(2, 0), about(1, 2), about(3, 4, exact=True)]
    for clauses in (tree, below):
        p = rng.uniform(0.02, 0.98, 5)
        expected = find_closest_mixture(p, list_valid(5, clauses))
        np.testing.assert_allclose(move(p, strengthen(clauses)), expected, atol=2e-4)


@settings(max_examples=25, deadline=None)
@given(clause_lists(), st.integers(0, 2**32 - 1))
def test_the_log_loss_of_a_valid_item_never_grows_and_valid_probabilities_stay(drawn, seed):
    n_labels, clauses = drawn
    rng, valid = np.random.default_rng(seed), list_valid(n_labels, clauses)
    p = expit(rng.normal(0, 3, n_labels))
    moved = move(p, clauses)
    truth = valid[rng.integers(len(valid))]

    def loss(q):
        return -np.log(np.where(truth, q, 1 - q)).sum()

    assert loss(moved) <= loss(p) + 1e-3
    inner = rng.dirichlet(np.ones(len(valid))) @ valid
    if ((inner > 0) & (inner < 1)).all():
        np.testing.assert_allclose(move(inner, clauses), inner, atol=1e-6)


def test_known_labels_decide_those_that_follow_and_share_the_rest():
    group = [about(0, 1, 2, exact=True)]
    np.testing.assert_allclose(move([0.5, 0.4, 0.3], group, [1, -1, -1]), [1, 0, 0], atol=1e-9)
    rest = move([0.5, 0.4, 0.3], group, [-1, 0, 0])
    assert rest[1:].sum() == pytest.approx(1)
    assert logit(rest[1]) - logit(rest[2]) == pytest.approx(logit(0.4) - logit(0.3))


def test_extreme_probabilities_of_a_large_group_are_finite_and_add_up():
    p = np.full(300, 1e-6)
    assert move(p, [about(*range(300), exact=True)]).sum() == pytest.approx(1)
    assert move(1 - p, [about(*range(300), exact=True)]).sum() == pytest.approx(1)
