"""Several sources: the error rates of each source and the method, fitted in turns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logit
from sklearn.base import clone

from halflabel._arrays import Floats
from halflabel._wording import clipped, closest, option, plural
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
from halflabel.methods.base import PartialLabelEstimator, fit_with_auxiliary
from halflabel.methods.rate_shift import RateShift
from halflabel.table import OpenTable
from halflabel.table.unlearned import leave_unlearned

#: The maximum number of sources in a sentence.
MAX_NAMED = 8

#: Number of fits: each learns from the more probable values by the fit before it.
FITS = 2


@dataclass(frozen=True, eq=False, repr=False)
class Sources:
    """The posterior of each entry with votes, and the error rates of each source."""

    #: The table, with its known entries and the votes.
    opened: OpenTable
    #: The posterior of each entry, and the rates and correlations of the sources.
    fit: SourceFit
    #: The more probable value of each entry with a vote: the labels that the method learned from.
    consensus: PartialLabels
    #: The method as it was fitted to these labels.
    fitted: PartialLabelEstimator

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
        """Why no number of wrong votes or values can be stated; empty if they can."""
        fit, known = self.fit, self.opened.labels.observed
        return explain_doubt(self.votes.given, fit.correlations, ~fit.is_chance, known)

    @property
    def sentences(self) -> tuple[str, ...]:
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

    def measure_deviation(self, p: Floats) -> Floats:
        """Return one standard deviation of the level of probabilities of one label: by how far votes move them."""
        moved = (self.fit.posterior - self.fit.prior)[self.fit.voted]
        return np.full(len(p), float(moved.std()) / np.sqrt(max(len(p), 1)))


def _shorten(parts: list[str]) -> str:
    """Return the parts of a sentence, with the number of parts that are left out."""
    rest = [f"and {len(parts) - MAX_NAMED} more"] if len(parts) > MAX_NAMED else []
    return ", ".join([*parts[:MAX_NAMED], *rest])


def check_votes_support(calibrate_on: Any, prior: Floats | None) -> None:
    """Raise for arguments that have no meaning together with votes."""
    if calibrate_on is not None:
        raise ValueError(f"{option('calibrate_on')} is about given entries, but here votes are given: leave it out.")
    if prior is not None:
        raise ValueError(f"{option('prior')} is a source of probabilities: add its rows to {option('sources')}.")


#: A table without the labels that cannot be learned, the method with posteriors as its probabilities, and the sources.
Learned = tuple[OpenTable, PartialLabelEstimator, Sources]


def fit_with_votes(opened: OpenTable, model: PartialLabelEstimator) -> Learned:
    """Fit a method and the error rates of sources in turns.

    The method learns from the more probable value of each entry with a vote. Its out-of-fold probabilities are the
    prior of the posterior of each entry, and so on.
    """
    fit = _fit(opened, None)
    learned = _leave_unlearned(opened, fit)
    if learned.labels.names != opened.labels.names:
        fit = _fit(learned, None)
    opened = learned
    for _ in range(FITS):
        labels = find_consensus(opened, fit)
        fitted = fit_with_auxiliary(clone(model), opened.X, labels, groups=opened.groups)
        fit = _fit(opened, _score(fitted))
    return _combine(opened, fitted, fit, labels)


def learn_known(opened: OpenTable, sources: Sources) -> Learned:
    """Learn from known entries that were answered after the fit: the method stays, and error rates are fitted again."""
    return _combine(opened, sources.fitted, _fit(opened, _score(sources.fitted)), sources.consensus)


def _score(fitted: PartialLabelEstimator) -> Floats:
    """Return the log odds of a fitted method, out of fold for items with votes."""
    return np.asarray(logit(np.clip(fitted.label_probabilities_, CLIP, 1 - CLIP)))


def _combine(opened: OpenTable, fitted: PartialLabelEstimator, fit: SourceFit, labels: PartialLabels) -> Learned:
    shift = np.stack([fit.calibration[1], np.zeros(len(labels.names))])
    moved = RateShift(shift, shift, np.exp(fit.calibration[0]))
    posterior = np.where(fit.voted, fit.posterior, np.nan)
    return opened, fitted.shift_rates(moved, opened.labels, posterior), Sources(opened, fit, labels, fitted)


def _fit(opened: OpenTable, scores: Floats | None) -> SourceFit:
    assert opened.votes is not None  # the caller has seen them
    return fit_sources(opened.votes, scores, opened.labels.state)


def find_consensus(opened: OpenTable, fit: SourceFit) -> PartialLabels:
    """Return the known labels, and the more probable value of each other entry with a vote that has a weight."""
    value = np.sign(fit.posterior - 0.5).astype(np.int8)
    state = np.where(opened.labels.observed, opened.labels.state, np.where(fit.voted, value, 0))
    return replace(opened.labels, state=state.astype(np.int8), annotated=(state != 0).any(axis=1))


def _leave_unlearned(opened: OpenTable, fit: SourceFit) -> OpenTable:
    """Return the table without the labels whose votes have one value only, and a note about these."""
    left = leave_unlearned(replace(opened, labels=find_consensus(opened, fit)))
    return replace(opened.keep_labels(left.labels.names), notes=left.notes)
