"""A clause about the labels of an item, and the labels that follow from known ones (unit propagation)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from halflabel._arrays import Ints, Mask

#: States of items: +1 relevant, -1 irrelevant, 0 unknown.
States = NDArray[np.int8]

#: Maximum number of labels of a group whose states are tried one by one.
MAX_TRIED = 32


@dataclass(frozen=True, eq=False)
class Clause:
    """At most one of some literals is true, or exactly one. A literal is a label or its negation.

    "a -> b" is "at most one of: a, not b".
    """

    #: The labels of the literals.
    columns: Ints
    #: +1 for a label, -1 for its negation.
    signs: States
    #: Whether exactly one literal is true.
    exact: bool = False

    def read(self, states: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the states of the literals, shape (n_items, n_literals)."""
        literals: States = np.take(states, self.columns, axis=1) * self.signs
        return literals

    def is_broken(self, states: States) -> Mask:
        """Return the items whose known labels break the clause, whatever the unknown ones are."""
        literals = self.read(states)
        broken: Mask = (literals > 0).sum(axis=1) > 1
        return broken | (literals < 0).all(axis=1) if self.exact else broken

    def complete(self, states: States) -> bool:
        """Set the labels that follow from the known ones by this clause, in place. Return whether any was set."""
        literals = self.read(states)
        n_true, is_open = (literals > 0).sum(axis=1), literals == 0
        follows = np.where(is_open & (n_true == 1)[:, None], np.int8(-1), np.int8(0))
        if self.exact:
            last = (n_true == 0) & (is_open.sum(axis=1) == 1)
            follows[is_open & last[:, None]] = 1
        rows, at = np.nonzero(follows)
        states[rows, self.columns[at]] = follows[rows, at] * self.signs[at]
        return len(rows) > 0


def propagate(states: States, clauses: Sequence[Clause]) -> tuple[States, Mask]:
    """Return the states with every label that follows from the known ones, and the items that break a clause.

    One clause after the other sets labels until nothing changes. In an item that breaks a clause, a label keeps the
    value that it has first.
    """
    states = states.copy()
    while sum(clause.complete(states) for clause in clauses):
        pass
    return states, find_broken(states, clauses)


def try_states(states: States, clauses: Sequence[Clause]) -> States:
    """Return the states with every label whose other state breaks a clause, for at most 32 labels.

    Without it, the probability of such a label goes slowly to its limit of 0 or 1. ``states`` are as :func:`propagate`
    returns them.
    """
    if states.shape[1] > MAX_TRIED:
        return states
    known = states.copy()
    for column, state in itertools.product(range(states.shape[1]), (1, -1)):
        rows = np.flatnonzero(known[:, column] == 0)
        trial = known[rows]
        trial[:, column] = state
        wrong = propagate(trial, clauses)[1]
        known[rows[wrong], column] = -state
    return known


def find_broken(states: States, clauses: Iterable[Clause]) -> Mask:
    """Return the items that break a clause."""
    broken = np.zeros(len(states), dtype=bool)
    for clause in clauses:
        broken |= clause.is_broken(states)
    return broken


def group_clauses(clauses: Sequence[Clause], n_labels: int) -> list[tuple[Ints, list[Clause]]]:
    """Return the connected groups of labels: the columns of each, and its clauses, whose columns count in the group."""
    first = [clause.columns[0] for clause in clauses for _ in clause.columns]
    other = [column for clause in clauses for column in clause.columns]
    edges = sparse.coo_array((np.ones(len(first)), (first, other)), (n_labels, n_labels))
    of_label = csgraph.connected_components(edges, directed=False)[1]
    groups = []
    for number in dict.fromkeys(of_label[clause.columns[0]] for clause in clauses):
        columns = np.flatnonzero(of_label == number)
        own = [clause for clause in clauses if of_label[clause.columns[0]] == number]
        groups.append((columns, [renumber(clause, columns) for clause in own]))
    return groups


def renumber(clause: Clause, columns: Ints) -> Clause:
    """Return a clause whose columns are positions among some columns in ascending order."""
    return Clause(np.searchsorted(columns, clause.columns), clause.signs, clause.exact)


def strengthen(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses with the same valid states, each "at most one" extended by literals that exclude all of its own.

    From "a -> p", "b -> p" and "at most one of: a, b" follows "at most one of: a, b, not p". The bounds on
    probabilities that follow from such cliques describe all distributions over valid states if the graph of exclusions
    is perfect (Lovász 1972): trees of implications, exclusive groups, and exclusive groups below a parent are.
    """
    excludes: dict[tuple[int, int], set[tuple[int, int]]] = {}
    of_clause = [list(zip(each.columns.tolist(), each.signs.tolist(), strict=True)) for each in clauses]
    for literals in of_clause:
        for literal in literals:
            excludes.setdefault(literal, set()).update(other for other in literals if other != literal)
    extended: dict[frozenset[tuple[int, int]], Clause] = {}
    for clause, literals in zip(clauses, of_clause, strict=True):
        if not clause.exact:
            common = set.intersection(*(excludes[literal] for literal in literals))
            while common:
                literals.append(min(common))
                common &= excludes[literals[-1]]
            columns, signs = np.array(sorted(literals)).T
            clause = Clause(columns, signs.astype(np.int8))
        extended.setdefault(frozenset((*literals, (-1, int(clause.exact)))), clause)
    return list(extended.values())
