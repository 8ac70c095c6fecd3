"""Threshold rules: from probabilities to labels, each rule with its name and its numbers."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from halflabel._arrays import Floats, Mask
from halflabel._wording import percent
from halflabel.labels.names import RULES as RULES


@dataclass(frozen=True)
class Rule:
    """A threshold rule with its numbers.

    Parameters
    ----------
    name : str
        One of :data:`RULES`, "fixed" (a threshold on scores), or "precision" (fill the entries that together reach an
        expected precision).
    threshold : float, optional
        For "fixed": the lowest score of a relevant entry, in the unit of the method's scores.
    ratio : float, default=1.0
        For "cost": cost of a false positive over the cost of a false negative.
    at : float, optional
        For "precision": the expected precision.

    Examples
    --------
    >>> print(Rule("probable"))
    probable (relevant where the probability is at least one half)
    >>> print(Rule("cost", ratio=2))
    cost (least expected cost, where a wrong yes costs 2 times a wrong no)
    >>> Rule("fixed", threshold=0.3)
    Rule('fixed', threshold=0.3)
    """

    name: str
    threshold: float | None = None
    ratio: float = 1.0
    at: float | None = None

    def __repr__(self) -> str:
        stated = (each for each in fields(self)[1:] if getattr(self, each.name) != each.default)
        numbers = (f"{each.name}={getattr(self, each.name)!r}" for each in stated)
        return f"Rule({', '.join((repr(self.name), *numbers))})"

    def __str__(self) -> str:
        if self.name == "cost":
            what = f"least expected cost, where a wrong yes costs {_short(self.ratio)} times a wrong no"
        elif self.name == "fixed":
            at_least = "its own threshold" if self.threshold is None else _short(self.threshold)
            what = f"relevant where the score of the method is at least {at_least}"
        elif self.name == "precision":
            what = f"filled where the expected precision reaches {percent(self.at)}".replace("\xa0", " ")
        else:
            what = RULES[self.name]
        return f"{self.name} ({what})"

    def choose(self, probabilities: Floats, cardinality: float) -> Floats:
        """Return one threshold per label.

        Parameters
        ----------
        probabilities : ndarray of shape (n_items, n_labels)
            Probabilities of the entries to be decided. NaN for any other entry.
        cardinality : float
            Expected number of relevant labels per item.
        """
        if self.name == "fixed":
            return np.full(probabilities.shape[1], float(self.threshold or 0.0))
        return thresholds(probabilities, self.name, cardinality=cardinality, cost_ratio=self.ratio)

    def apply(self, scores: Floats, probabilities: Floats, chosen: Floats) -> Mask:
        """Return which entries are relevant: "fixed" compares scores with the threshold, other rules probabilities."""
        return self.measure(scores, probabilities, chosen) >= 0

    def measure(self, scores: Floats, probabilities: Floats, chosen: Floats) -> Floats:
        """Return how far each entry is above the threshold that :meth:`apply` compares it with."""
        if self.name != "fixed":
            return np.asarray(probabilities - chosen)
        return np.where(np.isnan(scores), probabilities - 0.5, scores - chosen)


def thresholds(probabilities: Floats, rule: str, *, cardinality: float = np.nan, cost_ratio: float = 1.0) -> Floats:
    r"""Return one threshold per label. An entry whose probability reaches the threshold is predicted as relevant.

    Parameters
    ----------
    probabilities : ndarray of shape (n_items, n_labels)
        Probabilities of the entries to be decided. NaN for any other entry.
    rule : {"probable", "micro_f1", "macro_f1", "balanced", "prevalence", "cardinality", "cost"}
        The F1 rules maximise the plug-in :math:`2\sum_{p \ge t} p \,/\, (\#\{p \ge t\} + \sum p)`, which needs no
        held-out labels, so that rare labels do not break it. The best threshold is half of the best value (Lipton,
        Elkan and Narayanaswamy, 2014).
    cardinality : float
        For "cardinality": wanted mean number of relevant labels per item.
    cost_ratio : float
        For "cost": cost of a false positive in units of a false negative. The threshold is r / (1 + r).
    """
    n_labels = probabilities.shape[1]
    if rule == "probable":
        return np.full(n_labels, 0.5)
    if rule == "micro_f1":
        return np.full(n_labels, _maximize_f1(probabilities))
    if rule == "macro_f1":
        return np.array([_maximize_f1(column) for column in probabilities.T])
    if rule == "balanced":
        return (thresholds(probabilities, "micro_f1") + thresholds(probabilities, "macro_f1")) / 2
    if rule == "prevalence":
        return np.array([_find_quantile(column, float(np.nan_to_num(column).sum())) for column in probabilities.T])
    if rule == "cardinality":
        number = cardinality / n_labels * np.isfinite(probabilities).sum()
        return np.full(n_labels, _find_quantile(probabilities, number))
    require_rule(rule, cost_ratio)
    if rule == "fixed":
        raise ValueError("the rule 'fixed' is a threshold on scores: none on probabilities can be chosen.")
    return np.full(n_labels, cost_ratio / (1 + cost_ratio))


def as_rule(rule: str | Rule) -> Rule:
    """Return a rule, or the rule of a name, without a check of its numbers.

    Examples
    --------
    >>> as_rule("cost:1,4")
    Rule('cost', ratio=0.25)
    """
    name, _, costs = rule.partition(":") if isinstance(rule, str) else ("", "", "")
    if name != "cost" or not costs:
        return rule if isinstance(rule, Rule) else Rule(rule)
    try:
        wrong_yes, wrong_no = map(float, costs.split(","))
        return Rule(name, ratio=wrong_yes / wrong_no)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{rule!r:.80} needs the costs of a wrong yes and of a wrong no, such as cost:1,5.") from None


def read_rule(rule: str | Rule) -> Rule:
    """Return a rule with its numbers, from a rule or its name. Raise if the name does not exist."""
    read = as_rule(rule)
    if read.name == "precision":
        require_precision(read.at)
    else:
        require_rule(read.name, read.ratio, read.threshold or 0.0)
    return read


def require_precision(precision: float | None) -> None:
    """Raise if a guess would reach the precision (0.5 or less), or if no method can reach it (1)."""
    if precision is None or not 0.5 < precision < 1:
        given = "missing" if precision is None else f"{precision:g}"
        raise ValueError(f"the precision must lie between 0.5 and 1, not {given}.")


def require_rule(rule: Any, cost_ratio: Any = 1.0, threshold: Any = 0.0) -> None:
    """Raise if the rule does not exist or its numbers are invalid."""
    if rule not in (*RULES, "fixed"):
        raise ValueError(f"unknown threshold rule {rule!r}: choose 'fixed' or one of {', '.join(map(repr, RULES))}.")
    if not isinstance(cost_ratio, numbers.Real) or not 0 < float(cost_ratio) < np.inf:
        raise ValueError(f"the cost ratio must be a positive number, not {cost_ratio!r}.")
    if not isinstance(threshold, numbers.Real) or np.isnan(float(threshold)):
        raise ValueError(f"the threshold must be a number, not {threshold!r}.")


def _maximize_f1(probabilities: Floats) -> float:
    """Return the threshold with the highest expected F1 over the given cells: half of this F1, or .5 without cells.

    The smallest probability that should be called relevant would divide the given cells in the same way. It depends
    on one cell, however: where all relevant cells are nearly certain, it would be too strict for new cells.
    """
    p = np.sort(probabilities[~np.isnan(probabilities)])[::-1]
    if not p.size:
        return 0.5
    expected = 2 * np.cumsum(p) / (np.arange(1, len(p) + 1) + p.sum())
    return float(expected.max() / 2)


def _find_quantile(probabilities: Floats, number: float) -> float:
    """Return the threshold that a number of cells reaches."""
    p = np.sort(probabilities[~np.isnan(probabilities)])[::-1]
    count = round(number)
    return float(p[count - 1]) if count else 1.0


def _short(number: float) -> str:
    return f"{round(number, 12):g}"
