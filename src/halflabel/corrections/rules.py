"""Rules between labels: probabilities that obey them, and the rows of labels that are valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import expit, logit

from halflabel._arrays import Floats, Mask
from halflabel.corrections.correction import EVERY_ROW, Correction, Fitted, Given, Learned, ValidRows
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import CLIP
from halflabel.labels.label_rules import IMPLIES, LISTS, LabelRule, LabelRules
from halflabel.numerics.clauses.clause import Clause, States, group_clauses, propagate, strengthen, try_states
from halflabel.table import OpenTable


class ValidLabels(ValidRows):
    """The labels of items that obey rules, and the probabilities that are closest to given ones.

    Parameters
    ----------
    rules : LabelRules
    """

    def __init__(self, rules: LabelRules) -> None:
        self.rules = rules
        self.clauses = make_clauses(rules.rules, rules.names)
        self.groups = group_clauses(self.clauses, len(rules.names))

    def infer(self, states: States) -> tuple[States, Mask]:
        """Return the states with every label that follows from the known ones, and the items that break a rule."""
        followed = states.copy()
        broken = np.zeros(len(states), dtype=bool)
        for columns, clauses in self.groups:
            followed[:, columns], wrong = propagate(states[:, columns], clauses)
            broken |= wrong
        return followed, broken

    def project(self, p: Floats, states: States) -> Floats:
        """Return the closest probabilities that obey the rules, given the known labels of each item.

        A label that follows from known ones has the probability 0 or 1, up to the limit of all probabilities. The known
        labels themselves have the probability that obeys the rules without any known label. In an item whose known
        labels break a rule of a group, the group keeps its probabilities.
        """
        from halflabel.numerics.clauses.projection import project

        result, is_known = p.copy(), states != 0
        for columns, clauses in self.groups:
            z, cliques = logit(p[:, columns]), strengthen(clauses)
            alone = project(z, np.zeros_like(z, dtype=np.int8), cliques)
            given = alone.copy()
            of_group = is_known[:, columns]
            rows = np.flatnonzero(of_group.any(axis=1) & ~of_group.all(axis=1))
            followed, broken = propagate(states[np.ix_(rows, columns)], clauses)
            followed = try_states(followed, clauses)
            given[rows] = np.where(broken[:, None], z[rows], project(z[rows], followed, cliques))
            result[:, columns] = expit(np.where(of_group, alone, given))
        return np.clip(result, CLIP, 1 - CLIP)

    def decide(self, margins: Floats, states: States) -> Mask:
        """Return the relevant labels of the valid state with the largest sum of margins, given the known labels.

        An item whose known labels break a rule has the other labels of the nearest valid state. Known labels stay.
        """
        from halflabel.numerics.clauses.decision import choose_states

        relevant = margins >= 0
        for columns, clauses in self.groups:
            relevant[:, columns] = choose_states(margins[:, columns], states[:, columns], clauses) > 0
        return np.where(states != 0, states > 0, relevant)

    def leave_open(self, filled: States, states: States) -> States:
        """Return the filled labels of a table that is not filled completely, with the labels that follow from them.

        Where filled labels break a rule, the group of the item has only the labels that follow from the known ones. It
        stays as it is where known labels break a rule.
        """
        result = filled.copy()
        for columns, clauses in self.groups:
            followed, broken = propagate(filled[:, columns], clauses)
            known, wrong = propagate(states[:, columns], clauses)
            kept = np.where(broken[:, None], known, followed)
            result[:, columns] = np.where(wrong[:, None], filled[:, columns], kept)
        return result

    def mark_broken(self, states: States) -> list[tuple[str, Mask]]:
        """Return the rules that known labels break, each with the entries that break it."""
        found = []
        for rule in self.rules.rules:
            (clause,) = make_clauses([rule], self.rules.names)
            rows = clause.is_broken(states)
            if rows.any():
                literals = clause.read(states)
                # Two true literals break "at most one"; "at least one" is broken by all of its literals.
                wrong = np.where((literals > 0).any(axis=1, keepdims=True), literals > 0, literals < 0)
                entries = np.zeros(states.shape, dtype=bool)
                entries[np.ix_(rows, clause.columns)] = wrong[rows]
                found.append((str(rule), entries))
        return found


@lru_cache(maxsize=8)
def find_valid_labels(rules: LabelRules) -> ValidLabels:
    """Return the valid labels of some rules, made once."""
    return ValidLabels(rules)


@dataclass(frozen=True, eq=False)
class ObeyedRules(Learned):
    """Rules that probabilities and filled rows obey."""

    rules: LabelRules

    name: ClassVar[str] = "rules"
    part: ClassVar[str] = "rules between labels"
    rests_on: ClassVar[str] = "the other labels of this item obey the rules together with this one"

    def __call__(self, p: Floats, known: PartialLabels) -> Floats:
        """Return the closest probabilities that obey the rules, given the known labels of each item."""
        return self.valid_rows.project(p, known.state)

    correct_fitted = __call__

    @property
    def valid_rows(self) -> ValidLabels:
        """The rows that obey the rules."""
        return find_valid_labels(self.rules)


def learn_rules(fit: Fitted, before: Learned | None) -> ObeyedRules | None:
    """Return the rules of the table, if it has any."""
    return ObeyedRules(fit.opened.rules) if fit.opened.rules.rules else None


def require_agreement(given: Given, p: Floats | None = None) -> PartialLabels:
    """Raise before a fit if the rules contradict one another. The labels stay."""
    check_rules(given.opened.rules)
    return given.labels


def find_rows(opened: OpenTable) -> ValidRows:
    """Return the rows of labels that obey the rules of a table."""
    return find_valid_labels(opened.rules) if opened.rules.rules else EVERY_ROW


#: The line of :data:`halflabel.corrections.order.CORRECTIONS`.
RULES = Correction("rules", learn_rules, require_agreement, find_rows, (ObeyedRules, LabelRules, LabelRule))


def make_clauses(rules: Sequence[LabelRule], names: Sequence[str]) -> list[Clause]:
    """Return rules as clauses about the columns of a table."""
    at = {name: j for j, name in enumerate(names)}
    clauses = []
    for rule in rules:
        signs = np.ones(len(rule.labels), dtype=np.int8)
        if rule.kind == IMPLIES:  # "a -> b" is "at most one of: a, not b"
            signs[1] = -1
        clauses.append(Clause(np.array([at[name] for name in rule.labels]), signs, LISTS.get(rule.kind, False)))
    return clauses


def check_rules(rules: LabelRules) -> LabelRules:
    """Raise if rules contradict one another: no item could obey them all, or a label could have one value only.

    The error names rules of which each is needed for the contradiction.
    """
    from halflabel.numerics.clauses.decision import is_possible

    n = len(rules.names)
    for columns, clauses in find_valid_labels(rules).groups:
        one = np.eye(n, dtype=np.int8)[columns]
        starts = np.concatenate([one, -one])
        broken = propagate(starts, find_valid_labels(rules).clauses)[1]
        if broken.any() or not is_possible(len(columns), clauses):
            start = starts[[np.argmax(broken)]] if broken.any() else np.zeros((1, n), dtype=np.int8)
            texts = ", ".join(repr(str(rule)) for rule in _reduce(rules, start))
            raise ValueError(
                f"the rules contradict one another: {texts} {_describe(rules.names, start)}. Leave one of them out."
            )
    return rules


def _describe(names: Sequence[str], start: States) -> str:
    """Return the meaning of rules about the label that is known in ``start``, or about no label."""
    known = np.flatnonzero(start)
    if not len(known):
        return "cannot all hold"
    name = names[known[0]]
    return f"mean that {'no item can' if start[0, known[0]] > 0 else 'every item must'} have {name!r}"


def _reduce(rules: LabelRules, start: States) -> Sequence[LabelRule]:
    """Return rules of which each is needed for the contradiction: left out one by one while it stays."""

    def contradict(some: Sequence[LabelRule]) -> bool:
        from halflabel.numerics.clauses.decision import is_possible

        clauses = make_clauses(some, rules.names)
        return bool(propagate(start, clauses)[1].any()) if start.any() else not is_possible(len(rules.names), clauses)

    followed = propagate(start, find_valid_labels(rules).clauses)[0][0]
    reached = {name for name, state in zip(rules.names, followed, strict=True) if state}
    needed = [rule for rule in rules.rules if reached.issuperset(rule.labels) or not start.any()]
    for rule in list(needed):
        fewer = [each for each in needed if each != rule]
        needed = fewer if contradict(fewer) else needed
    return needed
