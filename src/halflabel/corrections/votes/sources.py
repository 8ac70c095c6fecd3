"""Several sources: the error rates of each source and the method, fitted in turns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from halflabel._arrays import Floats
from halflabel._wording import clipped, closest, option, plural
from halflabel.corrections.correction import Correction, Given, Learned
from halflabel.corrections.votes.levels import measure_agreement
from halflabel.corrections.votes.model import SourceFit, fit_sources
from halflabel.corrections.votes.support import RANDOM, SAME, explain_doubt
from halflabel.corrections.votes.tables import (
    measure_wrong,
    plan_checks,
    rank_doubtful_votes,
    rank_next_votes,
    tabulate_rates,
)
from halflabel.evidence.expected_errors import ALL
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import CLIP
from halflabel.labels.votes import Votes
from halflabel.table import OpenTable

#: The maximum number of sources in a sentence.
MAX_NAMED = 8


@dataclass(frozen=True, eq=False)
class CalibratedFeatures(Learned):
    """The probabilities of entries without votes, from a method that learned from votes with errors."""

    #: ``slope``, ``intercept``: shape (n_labels,). Of the log odds of the method.
    slope: NDArray[np.float64]
    intercept: NDArray[np.float64]

    name: ClassVar[str] = "votes"
    part: ClassVar[str] = "votes"
    rests_on: ClassVar[str] = "the votes on this entry, and the errors of the votes that the method learned from"
    moves_gaps: ClassVar[bool] = True

    def __call__(self, p: Floats, known: PartialLabels) -> Floats:
        """Return P(relevant) by the features alone."""
        return np.asarray(expit(self.slope * logit(p) + self.intercept))


@dataclass(frozen=True, eq=False, repr=False)
class Sources(Learned):
    """The posterior of each entry with votes, and the error rates of each source."""

    #: The table, with its known entries and the votes.
    opened: OpenTable
    #: The posterior of each entry, and the rates and correlations of the sources.
    fit: SourceFit
    #: The more probable value of each entry with a vote: the labels that the method learned from.
    consensus: PartialLabels

    name, part, rests_on = CalibratedFeatures.name, CalibratedFeatures.part, CalibratedFeatures.rests_on
    moves_gaps: ClassVar[bool] = True

    def __call__(self, p: Floats, known: PartialLabels) -> Floats:
        """Return P(relevant) by the features alone."""
        return self.for_new_items()(p, known)

    def correct_fitted(self, p: Floats, known: PartialLabels) -> Floats:
        """Return the posterior of entries with votes. Known entries keep their probabilities."""
        voted = np.where(self.fit.voted, np.clip(self.fit.posterior, CLIP, 1 - CLIP), self(p, known))
        return np.where(known.observed, p, voted)

    predict_targets = __call__
    vary = CalibratedFeatures.vary

    def deviate(self, p: Floats, known: PartialLabels) -> Floats:
        """Return by how far votes move the level of the probabilities of one label."""
        moved = (self.fit.posterior - self.fit.prior)[self.fit.voted]
        return np.full_like(p, float(moved.std()) / np.sqrt(max(len(p), 1)))

    def for_new_items(self) -> CalibratedFeatures:
        """Return the calibration of the features."""
        return CalibratedFeatures(np.exp(self.fit.calibration[0]), self.fit.calibration[1])

    @property
    def votes(self) -> Votes:
        """The votes as arrays."""
        assert self.opened.votes is not None  # there are sources
        return self.opened.votes

    @property
    def names(self) -> tuple[str, ...]:
        """The sources."""
        return self.votes.names

    @cached_property
    def doubt(self) -> str:
        """Why no number of wrong votes or values can be stated, or an empty text."""
        fit, known = self.fit, self.opened.labels.observed
        return explain_doubt(self.votes.given, fit.correlations, ~fit.is_chance, known)

    @property
    def counts(self) -> tuple[str, ...]:
        """The number of votes, and the error rates of the sources, or only how far they agree."""
        entries = plural(int((self.fit.voted & ~self.opened.labels.observed).sum()), "entry", "entries")
        voted = f"{entries} with votes of {plural(len(self.names), 'source')}"
        if self.doubt:
            agreement = self.agreement.dropna()
            alphas = [f"{clipped(row.label)} {row.alpha:.2f}" for row in agreement.itertuples()]
            return (f"{voted}.", *([f"Agreement (Krippendorff's alpha): {_shorten(alphas)}."] if alphas else []))
        whole = self.rates[self.rates["label"] == ALL]
        if len(whole) > MAX_NAMED:
            whole = whole.sort_values("error", ascending=False, kind="stable")
        rates = [
            f"{clipped(row.source)} {row.error:.1%} ({row.low:.1%} to {row.high:.1%})" for row in whole.itertuples()
        ]
        found = np.argwhere(np.triu(self.fit.correlations, 1) >= SAME)
        pairs = [
            f"{clipped(self.names[a])} and {clipped(self.names[b])} ({self.fit.correlations[a, b]:.2f})"
            for a, b in found
        ]
        names = _shorten([clipped(name) for name, chance in zip(self.names, self.fit.is_chance, strict=True) if chance])
        chance = (f"Sources without weight, because their votes look like chance: {names}.",) if names else ()
        same = (f"Sources with the same errors (correlation), not counted twice: {_shorten(pairs)}.",) if pairs else ()
        return (
            f"{voted}: filled by their error rates and the features.",
            f"Wrong votes: {_shorten(rates)}.",
            *same,
            *chance,
        )

    @cached_property
    def rates(self) -> pd.DataFrame:
        """The error rates of each source and label: source, label, votes, error, low, high, and the two kinds of error.

        See :func:`halflabel.corrections.votes.tables.tabulate_rates`. The interval is of 90 %. Rates are missing where
        there is a :attr:`doubt`.
        """
        rates = tabulate_rates(self.votes, self.fit, self.consensus.names)
        return rates.assign(**dict.fromkeys(rates.columns[3:], np.nan)) if self.doubt else rates

    @cached_property
    def agreement(self) -> pd.DataFrame:
        """Krippendorff's alpha of each label: label, entries (with two votes or more), alpha."""
        entries = (self.votes.given.sum(axis=0) > 1).sum(axis=0)
        alpha = measure_agreement(self.votes)
        return pd.DataFrame({"label": self.consensus.names, "entries": entries, "alpha": alpha})

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """The correlation of the errors of each pair of sources, given the true value. 1 is a copy."""
        return pd.DataFrame(self.fit.correlations, index=self.names, columns=self.names)

    @cached_property
    def suspects(self) -> pd.DataFrame:
        """The votes, the most probably wrong one first: item, label, source, given, probability, wrong.

        The last two are missing where there is a :attr:`doubt`.
        """
        ranked = rank_doubtful_votes(self.votes, self.fit, self.consensus.names)
        ranked = ranked.assign(probability=np.nan, wrong=np.nan) if self.doubt else ranked
        return self.opened.name_items(ranked)

    def next_to_ask(self, n: int = 20) -> pd.DataFrame:
        """Return the ``n`` votes that are expected to remove most errors: item, label, source, gain."""
        open_ = ~self.opened.labels.observed
        return self.opened.name_items(rank_next_votes(self.votes, self.fit, self.consensus.names, open_, n))

    def plan_checks(self, source: str, max_error: float = 0.05, confidence: float = 0.95) -> dict[str, int]:
        """Return how many votes of a source a person has to check, so that at most a share of them is wrong.

        Parameters
        ----------
        max_error, confidence : float
            At this confidence, at most this share of the votes is wrong after the checks.

        Returns
        -------
        dict
            "votes", "doubtful" (check these, in the order of :attr:`suspects`) and "random" (of the other votes). It is
            a plan: the certificate comes from the answers, see :meth:`halflabel.Completion.finish`. Where there is a
            :attr:`doubt`, the plan is random votes alone, as many as measure a rate.
        """
        if source not in self.names:
            raise ValueError(f"{source!r} is not a source: {closest(source, self.names)}")
        wrong = measure_wrong(self.votes, self.fit)[self.names.index(source)]
        given = wrong[~np.isnan(wrong)]
        if self.doubt:
            return {"votes": len(given), "doubtful": 0, "random": min(len(given), RANDOM)}
        doubtful, random = plan_checks(given, max_error, confidence)
        return {"votes": len(given), "doubtful": doubtful, "random": random}


def _shorten(parts: list[str]) -> str:
    """Return the parts of a sentence, with the number of parts that are left out."""
    rest = [f"and {len(parts) - MAX_NAMED} more"] if len(parts) > MAX_NAMED else []
    return ", ".join([*parts[:MAX_NAMED], *rest])


def find_consensus(given: Given, p: Floats | None = None) -> PartialLabels:
    """Return the known labels, and the more probable value of each other entry with a vote that has a weight.

    Without votes, the labels stay. ``p`` are the probabilities of a fit, out of fold for items with votes.
    """
    labels, votes = given.labels, given.opened.votes
    if votes is None:
        return labels
    if given.opened.prior is not None:
        raise ValueError(f"{option('prior')} is a source of probabilities: add its rows to {option('sources')}.")
    fit = fit_sources(votes, None if p is None else _score(p), labels.state)
    value = np.sign(fit.posterior - 0.5).astype(np.int8)
    state = np.where(labels.observed, labels.state, np.where(fit.voted, value, 0))
    return replace(labels, state=state.astype(np.int8), annotated=(state != 0).any(axis=1))


def learn_sources(given: Given, targets: PartialLabels, p: Floats, before: Learned | None) -> Sources | None:
    """Return the error rates of sources and the posterior of each entry with votes, if there are any.

    The out-of-fold probabilities of the method are the prior of the posterior.
    """
    votes = given.opened.votes
    return None if votes is None else Sources(given.opened, fit_sources(votes, _score(p), given.labels.state), targets)


def _score(p: Floats) -> Floats:
    """Return the log odds of a fitted method."""
    return np.asarray(logit(np.clip(p, CLIP, 1 - CLIP)))


#: The line of :data:`halflabel.corrections.order.CORRECTIONS`.
VOTES = Correction("votes", learn_sources, find_consensus, saved=(CalibratedFeatures,))
