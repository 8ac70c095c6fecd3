"""Clauses by brute force: all valid states, the closest probabilities by a convex program, the best state by a list."""

from __future__ import annotations

import itertools

import cvxpy as cp
import numpy as np
from hypothesis import strategies as st

from halflabel.numerics.clauses.clause import Clause


@st.composite
def clause_lists(draw, max_labels=6, max_clauses=5):
    """Draw a number of labels, and clauses that leave both values to each label."""
    n_labels = draw(st.integers(2, max_labels))
    clauses = []
    for _ in range(draw(st.integers(1, max_clauses))):
        columns = draw(st.lists(st.integers(0, n_labels - 1), min_size=2, max_size=n_labels, unique=True))
        signs = [draw(st.sampled_from([1, 1, -1])) for _ in columns]
        clause = Clause(np.array(columns), np.array(signs, dtype=np.int8), draw(st.booleans()))
        valid = list_valid(n_labels, [*clauses, clause])
        if len(valid) and (valid.any(axis=0) & ~valid.all(axis=0)).all():
            clauses.append(clause)
    return n_labels, clauses


def obeys(state, clause):
    """Whether a state of booleans has the number of true literals that a clause allows."""
    n_true = sum(state[j] == (sign > 0) for j, sign in zip(clause.columns, clause.signs, strict=True))
    return n_true == 1 or (n_true == 0 and not clause.exact)


def list_valid(n_labels, clauses):
    """Return all valid states as rows of 0 and 1."""
    found = [s for s in itertools.product([0, 1], repeat=n_labels) if all(obeys(s, clause) for clause in clauses)]
    return np.array(found)


def find_closest(p, clauses):
    """Return the probabilities with the smallest KL divergence from ``p`` that obey the bounds of each clause."""
    m = cp.Variable(len(p))
    bounds = [m >= 0, m <= 1]
    for clause in clauses:
        number = cp.sum([m[j] if sign > 0 else 1 - m[j] for j, sign in zip(clause.columns, clause.signs, strict=True)])
        bounds += [number == 1] if clause.exact else [number <= 1]
    return _minimise(m, p, bounds)


def find_closest_mixture(p, valid):
    """Return the marginals with the smallest KL divergence from ``p`` of all distributions over valid states."""
    weights = cp.Variable(len(valid))
    m = cp.Variable(len(p))
    return _minimise(m, p, [weights >= 0, cp.sum(weights) == 1, m == valid.T @ weights])


def _minimise(m, p, bounds):
    divergence = cp.sum(cp.kl_div(m, p)) + cp.sum(cp.kl_div(1 - m, 1 - p))
    cp.Problem(cp.Minimize(divergence), bounds).solve(solver=cp.CLARABEL)
    return np.asarray(m.value)
