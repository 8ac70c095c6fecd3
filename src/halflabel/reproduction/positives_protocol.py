"""The protocol of Zhao & Guo (2015): of some items a part of the relevant labels is known, of others nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import thresholds
from halflabel.labels.positive_only import of_relevant
from halflabel.reproduction.chain import Answer, Chain
from halflabel.reproduction.plan import Run
from halflabel.reproduction.scoring import Outcome, features_of, figures
from halflabel.reproduction.sources import load


def positives(run: Run, folder: Path | None) -> Outcome:
    """Forget a share of the relevant labels of the labelled items, fit with unlabelled items beside them, score others.

    Options: ``labelled`` and ``unlabelled`` (at most so many items; 500 and 1000), ``labelled_share`` and
    ``unlabelled_share`` (and at most such a share of all; .3 and .5), ``test`` (at most so many of the rest; all of
    it), ``hidden`` (share of the labelled items' relevant labels that is forgotten, uniformly and in exact number),
    ``absent`` (what a label that is not assigned is to the method: "irrelevant", or "unknown" for one that learns
    from positives), ``zero`` (what is 0 in the unit of the method's score; 0), ``rules``, ``dense``.

    The share of the relevant labels that is known, c = 1 - ``hidden``, is taken as known: probabilities are those of
    being assigned over c. Of the rules, "zero", "count" and "pu_f1" cut scores, all others probabilities. "count"
    looks at the scores of the test items; "pu_f1" takes its threshold from held-out scores of the labelled items, the
    rules on probabilities take theirs from the unlabelled items.
    """
    if not 0 <= run.options["hidden"] < 1:
        raise ValueError(f"hidden must be at least 0 and below 1, not {run.options['hidden']!r}.")
    rng = np.random.default_rng(run.seed)
    whole = load(run.source, folder, "whole", rng)
    labelled, unlabelled, test = _dealt(len(whole.Y), run.options, rng)
    seen = np.concatenate([labelled, unlabelled])
    annotated = np.arange(len(seen)) < len(labelled)
    known = forgotten(
        whole.Y[seen], annotated, run.options["hidden"], rng, absent=run.options.get("absent", "irrelevant")
    )
    X, truth = features_of(whole, run.options), whole.Y[test]
    chain = Chain.fit(run.steps, run.helpers, X[seen], known)
    started = time.perf_counter()
    answer = chain.new(X[test], truth.shape)
    seconds = {**chain.seconds, "predict": time.perf_counter() - started}
    rules = _Rules.of(answer, chain, known, 1 - run.options["hidden"], run.options.get("zero", 0.0))
    by_rule = {rule: cut for rule in run.options.get("rules", ()) if (cut := rules(rule)) is not None}
    return Outcome(figures(truth, rules.answer, run.metrics, by_rule), chain.facts(), seconds)


def _dealt(n_items: int, options: Mapping[str, Any], rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Return the labelled, the unlabelled and the test items, drawn uniformly."""
    n_labelled = min(options.get("labelled", 500), int(options.get("labelled_share", 0.3) * n_items))
    n_unlabelled = min(options.get("unlabelled", 1000), int(options.get("unlabelled_share", 0.5) * n_items))
    order = rng.permutation(n_items)
    first, second, rest = np.split(order, [n_labelled, n_labelled + n_unlabelled])
    return first, second, rest[: options.get("test")]


def forgotten(
    labels: PartialLabels, annotated: Mask, share: float, rng: np.random.Generator, *, absent: str
) -> PartialLabels:
    """Return what is left when a share of the relevant entries of the annotated items is forgotten.

    Parameters
    ----------
    labels : PartialLabels of shape (n_items, n_labels)
    annotated : ndarray of bool, shape (n_items,)
        All other items are unlabelled.
    share : float
        The first of so many of a random order: with the same draw, a larger share forgets the same entries and more.
    rng : numpy.random.Generator
    absent : {"unknown", "irrelevant"}
        What an entry that is forgotten, or that is irrelevant, becomes. An entry that was unknown stays so.

    Examples
    --------
    >>> labels = PartialLabels.from_table([[1, 1], [0, 1], [1, 0]])
    >>> left = forgotten(labels, np.array([True, True, False]), 1 / 3, np.random.default_rng(0), absent="irrelevant")
    >>> left.state.tolist()
    [[1, 1], [-1, -1], [0, 0]]
    """
    state = np.where(annotated[:, None], labels.state, 0)
    order = rng.permutation(np.flatnonzero(state > 0))
    state.ravel()[order[: round(share * len(order))]] = -1
    looked_at = annotated & labels.annotated
    if absent == "unknown":
        return replace(labels, state=np.maximum(state, 0), annotated=looked_at, positive_only=True)
    return replace(labels, state=state, annotated=looked_at)


@dataclass(frozen=True)
class _Rules:
    """What cuts the scores or probabilities of test items.

    Parameters
    ----------
    answer : Answer
        About the test items; probabilities are those of being relevant.
    known : PartialLabels
        Of the annotated items.
    held_out : ndarray of the same shape, or None
        Scores of these items by models that did not see them.
    pool : ndarray or None
        P(relevant) of the unlabelled items.
    observed_rate, zero : float
    """

    answer: Answer
    known: PartialLabels
    held_out: Floats | None
    pool: Floats | None
    observed_rate: float
    zero: float

    @classmethod
    def of(cls, answer: Answer, chain: Chain, known: PartialLabels, observed_rate: float, zero: float) -> _Rules:
        """Ask the chain for what the rules need, and turn P(assigned) into P(relevant)."""
        rows = known.annotated
        held_out, about_all = chain.held_out(known.shape), chain.fitted(known.shape).probabilities
        answer = replace(answer, probabilities=_of_relevant(answer.probabilities, observed_rate))
        pool = None if about_all is None else _of_relevant(about_all[~rows], observed_rate)
        return cls(answer, known[rows], None if held_out is None else held_out[rows], pool, observed_rate, zero)

    def __call__(self, rule: str) -> Mask | None:
        """Return what a rule calls relevant; None where the method does not give what the rule needs."""
        if rule in ("zero", "count", "pu_f1"):
            threshold = self._on_scores(rule)
            return None if threshold is None else np.asarray(self.answer.scores >= threshold)
        p = self.answer.probabilities
        if p is None or self.pool is None:
            return None
        return np.asarray(p >= (0.5 if rule == "half" else thresholds(self.pool, rule, cardinality=self._cardinality)))

    def _on_scores(self, rule: str) -> Floats | float | None:
        if rule == "zero":
            return self.zero
        if rule == "count":
            return thresholds(self.answer.scores, "cardinality", cardinality=self._cardinality)
        return None if self.held_out is None else _pu_threshold(self.known, self.held_out, self.observed_rate)

    @property
    def _cardinality(self) -> float:
        """Relevant labels per item, as the known ones say."""
        return float(self.known.relevant.sum() / len(self.known) / self.observed_rate)


def _of_relevant(probabilities: Floats | None, observed_rate: float) -> Floats | None:
    """Return P(relevant) from P(assigned)."""
    return None if probabilities is None else of_relevant(probabilities, observed_rate)


def _pu_threshold(labels: PartialLabels, scores: Floats, observed_rate: float) -> float:
    r"""Return the threshold with the highest :math:`2 TP / (c \cdot \#\mathrm{predicted} + \#\mathrm{known})`."""
    scored = ~np.isnan(scores)
    order = np.argsort(-scores[scored], kind="stable")
    hits = np.cumsum(labels.relevant[scored][order])
    f1 = 2 * hits / (observed_rate * np.arange(1, len(hits) + 1) + labels.relevant.sum())
    return float(scores[scored][order][np.argmax(f1)]) if len(f1) else np.inf
