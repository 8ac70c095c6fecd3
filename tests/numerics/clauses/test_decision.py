import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.numerics.clauses.test_clause import about, implies
from tests.oracles.clauses import clause_lists, list_valid

from halflabel.numerics.clauses import decision
from halflabel.numerics.clauses.clause import find_broken
from halflabel.numerics.clauses.decision import choose_states, is_possible


@settings(max_examples=25, deadline=None)
@given(clause_lists(), st.integers(0, 2**32 - 1), st.booleans())
def test_the_chosen_state_has_the_largest_sum_of_margins(drawn, seed, by_program):
    n_labels, clauses = drawn
    if not clauses:
        return
    rng, valid = np.random.default_rng(seed), list_valid(n_labels, clauses)
    margins = rng.normal(size=(4, n_labels))
    truth = valid[rng.integers(len(valid), size=4)]
    states = np.where(rng.random((4, n_labels)) < 0.3, 2 * truth - 1, 0).astype(np.int8)
    limit = decision.list_states
    try:
        decision.list_states = (lambda *_: None) if by_program else limit
        chosen = choose_states(margins, states, clauses)
    finally:
        decision.list_states = limit
    assert not find_broken(chosen, clauses).any()
    for row in range(4):
        known = states[row] != 0
        agree = valid[(valid[:, known] == truth[row, known]).all(axis=1)]
        np.testing.assert_allclose((chosen[row] > 0) @ margins[row], (agree @ margins[row]).max(), atol=1e-9)


def test_an_item_whose_known_labels_break_a_clause_gets_the_nearest_valid_state():
    clauses = [implies(0, 1), implies(1, 2), implies(3, 2)]
    chosen = choose_states(np.zeros((1, 4)) - 0.1, np.array([[1, 0, -1, -1]], dtype=np.int8), clauses)
    assert not find_broken(chosen, clauses).any()
    assert (chosen != [[1, 0, -1, -1]])[0, [0, 2, 3]].sum() == 1


def test_contradictory_clauses_have_no_valid_state():
    assert is_possible(2, [about(0, 1, exact=True)])
    assert not is_possible(2, [about(0, 1, exact=True), implies(0, 1), implies(1, 0)])
    assert is_possible(3, [])
