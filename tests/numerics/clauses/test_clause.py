import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.clauses import clause_lists, list_valid

from halflabel.numerics.clauses.clause import Clause, find_broken, group_clauses, propagate, strengthen
from halflabel.numerics.clauses.decision import list_states


def implies(a, b):
    return Clause(np.array([a, b]), np.array([1, -1], dtype=np.int8))


def about(*columns, exact=False):
    return Clause(np.array(columns), np.ones(len(columns), dtype=np.int8), exact)


def test_labels_that_follow_are_set_along_a_chain_in_both_directions():
    states = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], dtype=np.int8)
    followed, broken = propagate(states, [implies(1, 2), implies(0, 1)])
    assert followed.tolist() == [[1, 1, 1], [-1, -1, -1], [0, 1, 1]]
    assert not broken.any()


def test_the_last_label_of_a_group_follows_from_the_others():
    states = np.array([[-1, -1, 0], [0, 1, 0], [-1, -1, -1], [1, 1, 0]], dtype=np.int8)
    followed, broken = propagate(states, [about(0, 1, 2, exact=True)])
    assert followed[:2].tolist() == [[-1, -1, 1], [-1, 1, -1]]
    assert broken.tolist() == [False, False, True, True]


@settings(max_examples=25, deadline=None)
@given(clause_lists(), st.data())
def test_every_label_that_follows_is_right_and_no_valid_state_is_broken(drawn, data):
    n_labels, clauses = drawn
    valid = list_valid(n_labels, clauses)
    truth = valid[data.draw(st.integers(0, len(valid) - 1))]
    known = np.array([data.draw(st.booleans()) for _ in range(n_labels)])
    states = np.where(known, 2 * truth - 1, 0).astype(np.int8)[None]
    followed, broken = propagate(states, clauses)
    agree = valid[(valid[:, known] == truth[known]).all(axis=1)]
    for j in np.flatnonzero(followed[0]):
        assert (agree[:, j] == (followed[0, j] > 0)).all()
    assert not broken.any()
    assert (followed[:, known] == states[:, known]).all()


@settings(max_examples=25, deadline=None)
@given(clause_lists())
def test_all_valid_states_are_listed_and_only_they(drawn):
    n_labels, clauses = drawn
    listed = list_states(n_labels, clauses)
    valid = list_valid(n_labels, clauses)
    assert sorted(map(tuple, listed > 0)) == sorted(map(tuple, valid > 0))
    assert not find_broken(listed, clauses).any()


def test_a_list_that_would_be_long_is_not_made():
    assert list_states(20, [about(0, 1)], limit=100) is None


@settings(max_examples=25, deadline=None)
@given(clause_lists())
def test_stronger_clauses_have_the_same_valid_states(drawn):
    n_labels, clauses = drawn
    assert list_valid(n_labels, strengthen(clauses)).tolist() == list_valid(n_labels, clauses).tolist()


def test_an_exclusive_group_below_a_parent_becomes_one_clause():
    (clause,) = strengthen([implies(0, 2), implies(1, 2), about(0, 1)])
    assert dict(zip(clause.columns.tolist(), clause.signs.tolist(), strict=True)) == {0: 1, 1: 1, 2: -1}


def test_groups_have_the_labels_that_clauses_connect_and_no_others():
    groups = group_clauses([implies(5, 1), about(0, 3), implies(1, 4)], 7)
    assert [columns.tolist() for columns, _ in groups] == [[1, 4, 5], [0, 3]]
    assert [clause.columns.tolist() for clause in groups[0][1]] == [[2, 0], [0, 1]]
    assert group_clauses([], 3) == []
