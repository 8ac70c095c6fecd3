"""The best valid labels of items: exact, by a list of all valid states where it is short, else by integer programs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from halflabel._arrays import Floats, Ints
from halflabel.numerics.clauses.clause import Clause, States, find_broken, propagate

#: Maximum number of valid states that are listed.
MAX_STATES = 4096

#: The weight of a known label, above any sum of margins, which are at most 1.
KNOWN = 1e6

#: Items that are compared with the list of states at once.
CHUNK = 20_000_000


def choose_states(margins: Floats, states: States, clauses: Sequence[Clause]) -> States:
    """Return the valid states with the largest sum of the margins of their relevant labels.

    A known label counts more than all margins together: in an item whose known labels break a clause, the result is a
    valid state that differs from the smallest number of them. ``margins`` are the gain if a label is relevant, such as
    its probability minus a threshold, ``states`` are the known labels, and the clauses are of one connected group.
    """
    chosen = np.where(states != 0, states, np.where(margins >= 0, 1, -1)).astype(np.int8)
    rows = np.flatnonzero(find_broken(chosen, clauses))
    if not len(rows):
        return chosen
    scale = np.abs(margins[rows]).max(axis=1, keepdims=True) + 1e-12
    gains = np.where(states[rows] != 0, KNOWN * states[rows], margins[rows] / scale)
    valid = list_states(margins.shape[1], clauses)
    chosen[rows] = _solve_each(gains, clauses) if valid is None else valid[_find_best(gains, valid)]
    return chosen


def list_states(n_labels: int, clauses: Sequence[Clause], limit: int = MAX_STATES) -> States | None:
    """Return all valid states, shape (n_states, n_labels), or None if there are more than ``limit``."""
    states, broken = propagate(np.zeros((1, n_labels), dtype=np.int8), clauses)
    states = states[~broken]
    for column in range(n_labels):
        is_open = states[:, column] == 0
        other = states[is_open].copy()
        states[is_open, column], other[:, column] = 1, -1
        states, broken = propagate(np.concatenate([states, other]), clauses)
        states = states[~broken]
        if len(states) > limit:
            return None
    return states


def _find_best(gains: Floats, valid: States) -> Ints:
    """Return the number of the best state of each item."""
    relevant, step = (valid > 0).astype(float).T, max(CHUNK // len(valid), 1)
    parts = [(gains[i : i + step] @ relevant).argmax(axis=1) for i in range(0, len(gains), step)]
    return np.concatenate(parts)


def _solve_each(gains: Floats, clauses: Sequence[Clause]) -> States:
    """Return the best state of each item by an integer program."""
    n_labels = gains.shape[1]
    constraint = bound_numbers(clauses, n_labels)
    whole, between = np.ones(n_labels, dtype=int), Bounds(0, 1)
    found = [milp(-gain, constraints=constraint, integrality=whole, bounds=between).x for gain in gains]
    return np.where(np.array(found) > 0.5, 1, -1).astype(np.int8)


def bound_numbers(clauses: Sequence[Clause], n_labels: int) -> LinearConstraint:
    """Return the clauses as bounds on sums of 0/1 variables."""
    rows = np.repeat(np.arange(len(clauses)), [len(clause.columns) for clause in clauses])
    columns = np.concatenate([clause.columns for clause in clauses])
    signs = np.concatenate([clause.signs for clause in clauses]).astype(float)
    negated = np.array([(clause.signs < 0).sum() for clause in clauses])
    low = np.array([1.0 if clause.exact else -np.inf for clause in clauses])
    matrix = sparse.csr_array((signs, (rows, columns)), (len(clauses), n_labels))
    return LinearConstraint(matrix, low - negated, 1.0 - negated)


def is_possible(n_labels: int, clauses: Sequence[Clause]) -> bool:
    """Return whether there is a valid state."""
    if not clauses:
        return True
    whole, constraint = np.ones(n_labels, dtype=int), bound_numbers(clauses, n_labels)
    return milp(np.zeros(n_labels), constraints=constraint, integrality=whole, bounds=Bounds(0, 1)).x is not None
