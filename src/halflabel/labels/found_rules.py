"""Rules between labels that hold in the known entries, with counts and a bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from halflabel._arrays import Floats, Mask
from halflabel.labels.label_rules import IMPLIES, MAX_EXCEPTIONS, LabelRule
from halflabel.labels.partial import PartialLabels

#: Confidence of the upper bound on the share of exceptions of each rule.
CONFIDENCE = 0.95

#: Columns of a table of found rules.
COLUMNS = ("rule", "items", "exceptions", "bound")


def find_rules(labels: PartialLabels, max_exceptions: float = MAX_EXCEPTIONS) -> pd.DataFrame:
    """Return implications and exclusive groups of labels that hold in the known entries, in the order of their items.

    "a -> b", and "at most one of: a, b", are tested on the items that have a and whose entry of b is known. A rule is
    found if the upper bound of its share of exceptions (Clopper and Pearson 1934; for each rule by itself) is at most
    ``max_exceptions``, and if independent labels would have as few exceptions with a probability of at most 5 %, for
    all tested pairs together (Bonferroni). A rule that follows from others is left out. Labels of which each known item
    has exactly one are "one of". The columns are rule, items (on which it was tested; for more than two labels, the
    smallest number of a pair), exceptions, and bound (of the share of exceptions).
    """
    relevant, irrelevant = labels.relevant.astype(np.float64), (labels.state < 0).astype(np.float64)
    names = labels.names
    n, rates = relevant.T @ (relevant + irrelevant), np.nan_to_num(labels.rates)
    apart = labels.learnable[:, None] & labels.learnable & ~np.eye(len(rates), dtype=bool)
    tested = apart & (n >= np.log(1 - CONFIDENCE) / np.log1p(-max_exceptions))
    by_chance = (1 - CONFIDENCE) / max(2 * int(tested.sum()), 1)

    def test(exceptions: Floats, chance: Floats) -> Floats:
        """Return the bounds of the pairs that hold, and infinity for all other pairs."""
        bound, unlikely = bound_share(exceptions, n), special.bdtr(exceptions, n.astype(np.int64), chance) <= by_chance
        return np.where(tested & unlikely & (bound <= max_exceptions), bound, np.inf)

    together, without = relevant.T @ relevant, relevant.T @ irrelevant
    implied, inside = test(without, 1 - rates), np.zeros(n.shape, dtype=bool)
    arrows = _reduce(np.isfinite(implied), n)
    above = np.stack([_reach(arrows, a) for a in range(len(n))]) | np.eye(len(n), dtype=bool)
    rows = [(LabelRule(IMPLIES, (names[a], names[b])), n[a, b], without[a, b], implied[a, b])
            for a, b in np.argwhere(arrows).tolist()]  # fmt: skip
    groups = [each for each in _list_partitions(labels, together) if each[1][-1] <= max_exceptions]
    for group, _ in groups:
        inside[np.ix_(group, group)] = True
    groups += _list_groups(n, test(together, rates), together, above, inside)
    rows += [(LabelRule(kind, tuple(names[j] for j in group)), *numbers)
             for group, (kind, *numbers) in groups]  # fmt: skip
    found = pd.DataFrame([(str(rule), *numbers) for rule, *numbers in rows], columns=list(COLUMNS))
    found = found.astype({"items": int, "exceptions": int, "bound": float})
    return found.sort_values("items", ascending=False, kind="stable").reset_index(drop=True)


def bound_share(exceptions: Any, n: Any) -> Floats:
    """Return the upper bound of a share, and 1 where there are exceptions only."""
    inner = special.betaincinv(exceptions + 1, np.maximum(n - exceptions, 1), CONFIDENCE)
    return np.asarray(np.where(exceptions < n, inner, 1.0))


def _reduce(arrows: Mask, n: Floats) -> Mask:
    """Return the arrows that do not follow from others, tested one by one from the smallest number of items."""
    kept = arrows.copy()
    for a, b in sorted(np.argwhere(kept).tolist(), key=lambda pair: n[pair[0], pair[1]]):
        kept[a, b] = False
        kept[a, b] = not _reach(kept, a)[b]
    return kept


def _reach(arrows: Mask, start: int) -> Mask:
    """Return the labels to which arrows lead from a label."""
    seen = np.zeros(len(arrows), dtype=bool)
    reached = arrows[start]
    while (reached & ~seen).any():
        seen = seen | reached
        reached = arrows[seen].any(axis=0)
    return seen


def _list_partitions(labels: PartialLabels, exceptions: Floats) -> Iterator[tuple[list[int], Any]]:
    """Yield groups of which each item has exactly one label, with their row: labels that never come together."""
    apart = (exceptions == 0) & labels.learnable
    order = np.argsort(-labels.relevant.sum(axis=0), kind="stable")
    free = labels.learnable.copy()
    for first in order:
        group = [int(first)] if free[first] else []
        unused_first = order[np.argsort(~free[order], kind="stable")]
        for j in unused_first if group else ():
            if apart[j, group].all() and j != first:
                group.append(int(j))
        known = labels.observed[:, group].all(axis=1)
        if len(group) > 1 and known.any() and labels.relevant[known][:, group].any(axis=1).all():
            free[group] = False
            n = int(known.sum())
            yield sorted(group), ("one of", n, 0, float(bound_share(0, n)))


def _list_groups(
    n: Floats, bound: Floats, exceptions: Floats, above: Mask, inside: Mask
) -> Iterator[tuple[list[int], Any]]:
    """Yield groups of labels that exclude one another, until each pair that does is in a group, with their rows.

    A pair is left out if it is ``inside`` another rule, or if two labels ``above`` its labels exclude one another.
    """
    bound, n = np.minimum(bound, bound.T), np.maximum(n, n.T)
    exclude = np.isfinite(bound) & ~inside
    known = exclude | inside
    for a, b in sorted(np.argwhere(np.triu(exclude)).tolist(), key=lambda pair: n[pair[0], pair[1]]):
        known[[a, b], [b, a]] = False
        follows = bool(known[np.ix_(above[a], above[b])].any())
        exclude[[a, b], [b, a]] = not follows
        known[[a, b], [b, a]] = True if not follows else inside[a, b]
    left = np.triu(exclude)
    while left.any():
        group = np.argwhere(left)[0].tolist()
        while len(more := np.flatnonzero(exclude[group].all(axis=0))):
            group.append(int(more[0]))
        at = np.ix_(sorted(group), sorted(group))
        left[at] = False
        pairs = np.triu(np.ones((len(group), len(group)), dtype=bool), 1)
        row = "at most one of", n[at][pairs].min(), exceptions[at][pairs].sum(), bound[at][pairs].max()
        yield sorted(group), row
