"""Several sources: their errors on known entries, and the probabilities of entries with votes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from halflabel._arrays import Floats, Ints, Mask
from halflabel._wording import clipped, closest, option, plural
from halflabel.corrections.correction import Correction, Fitted, Given, Learned
from halflabel.evidence.expected_errors import ALL
from halflabel.evidence.source_rates import MIN_CHECKED, tabulate_rates
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import CLIP
from halflabel.labels.votes import Votes
from halflabel.methods.canonical_order import order_items
from halflabel.table import OpenTable

#: The maximum number of sources in a sentence.
MAX_NAMED = 8

#: Number of random votes that measure an error rate within five points, at a confidence of 95 %.
RANDOM = 385


@dataclass(frozen=True, eq=False)
class CalibratedFeatures(Learned):
    """The probabilities of entries without votes, from a method that learned from votes with errors."""

    #: ``slope``, ``intercept``: shape (n_labels,). Of the log odds of the method.
    slope: NDArray[np.float64]
    intercept: NDArray[np.float64]

    name: ClassVar[str] = "votes"
    part: ClassVar[str] = "votes"
    rests_on: ClassVar[str] = "the votes on this entry, and the errors of the votes that the method learned from"

    def __call__(self, p: Floats, known: PartialLabels) -> Floats:
        """Return P(relevant) by the features alone."""
        return np.asarray(expit(self.slope * logit(p) + self.intercept))


@dataclass(frozen=True, eq=False, repr=False)
class Sources(Learned):
    """The probability of each entry with votes, and the errors of each source on known entries."""

    #: The table, with its known entries and the votes.
    opened: OpenTable
    #: Shape (n_items, n_labels). Of entries with votes, and of known entries with votes as if they were not known.
    posterior: Floats
    held_out: Floats
    #: The probabilities of entries without votes.
    features: CalibratedFeatures

    name, part, rests_on = CalibratedFeatures.name, CalibratedFeatures.part, CalibratedFeatures.rests_on

    def __call__(self, p: Floats, known: PartialLabels) -> Floats:
        """Return P(relevant) by the features alone."""
        return self.features(p, known)

    def correct_fitted(self, p: Floats, known: PartialLabels) -> Floats:
        """Return the posterior of entries with votes. That of a known entry is by the other known entries."""
        open_ = np.where(np.isnan(self.posterior), self(p, known), self.posterior)
        checked = np.where(np.isnan(self.held_out), p, self.held_out)
        return np.clip(np.where(known.observed, checked, open_), CLIP, 1 - CLIP)

    def for_new_items(self) -> CalibratedFeatures:
        """Return the calibration of the features."""
        return self.features

    @property
    def votes(self) -> Votes:
        """The votes as arrays."""
        assert self.opened.votes is not None  # there are sources
        return self.opened.votes

    @property
    def names(self) -> tuple[str, ...]:
        """The sources."""
        return self.votes.names

    @property
    def checked(self) -> Mask:
        """The known entries with votes, shape (n_items, n_labels)."""
        return ~np.isnan(self.held_out)

    @property
    def doubt(self) -> str:
        """Why no number of wrong votes or values can be stated, or an empty text."""
        labels = self.opened.labels
        used = (self.votes.voted & ~labels.observed).sum(axis=0) > 0
        few = [labels.names[j] for j in np.flatnonzero(used & (self.checked.sum(axis=0) < MIN_CHECKED))]
        if not few:
            return ""
        which = "these labels" if len(few) == len(labels.names) else _shorten([clipped(name) for name in few])
        return (
            f"Fewer than {MIN_CHECKED} entries with votes are known of {which}. Sources that agree can be wrong "
            "together: only known entries show how often."
        )

    @property
    def counts(self) -> tuple[str, ...]:
        """The number of votes, and the errors of the sources, or only how far they agree."""
        entries = plural(int((self.votes.voted & ~self.opened.labels.observed).sum()), "entry", "entries")
        voted = f"{entries} with votes of {plural(len(self.names), 'source')}"
        if self.doubt:
            agreement = self.agreement.dropna()
            alphas = [f"{clipped(row.label)} {row.alpha:.2f}" for row in agreement.itertuples()]
            return (f"{voted}.", *([f"Agreement (Krippendorff's alpha): {_shorten(alphas)}."] if alphas else []))
        whole = self.rates[self.rates["label"] == ALL].dropna(subset="error")
        if len(whole) > MAX_NAMED:
            whole = whole.sort_values("error", ascending=False, kind="stable")
        rates = [
            f"{clipped(row.source)} {row.error:.1%} ({row.low:.1%} to {row.high:.1%})" for row in whole.itertuples()
        ]
        checked = plural(int(self.checked.sum()), "known entry", "known entries")
        return f"{voted}: filled by the votes and the features.", f"Wrong votes on {checked}: {_shorten(rates)}."

    @cached_property
    def rates(self) -> pd.DataFrame:
        """The errors of each source and label on known entries: source, label, votes, checked, error, low, high, ...

        See :func:`halflabel.evidence.source_rates.tabulate_rates`. The interval is of 90 %, and holds if entries are
        known by chance. Shares are missing where there is a :attr:`doubt`.
        """
        labels = self.opened.labels
        rates = tabulate_rates(self.votes, labels.relevant, self.checked, labels.names)
        return rates.assign(**dict.fromkeys(rates.columns[4:], np.nan)) if self.doubt else rates

    @cached_property
    def agreement(self) -> pd.DataFrame:
        """Krippendorff's alpha of each label: label, entries (with two votes or more), alpha."""
        from halflabel.corrections.votes.tables import measure_agreement

        entries = (self.votes.given.sum(axis=0) > 1).sum(axis=0)
        alpha = measure_agreement(self.votes)
        return pd.DataFrame({"label": self.opened.labels.names, "entries": entries, "alpha": alpha})

    @cached_property
    def suspects(self) -> pd.DataFrame:
        """The votes, the most probably wrong one first: item, label, source, given, probability, wrong.

        The last two are missing where there is a :attr:`doubt`.
        """
        from halflabel.corrections.votes.tables import rank_doubtful_votes

        labels = self.opened.labels
        p = np.where(labels.observed, labels.relevant, self.posterior)
        ranked = rank_doubtful_votes(self.votes, p, labels.names)
        ranked = ranked.assign(probability=np.nan, wrong=np.nan) if self.doubt else ranked
        return self.opened.name_items(ranked)

    def plan_checks(self, source: str, max_error: float = 0.05, confidence: float = 0.95) -> dict[str, int]:
        """Return how many votes of a source a person has to check, so that at most a share of them is wrong.

        Parameters
        ----------
        max_error, confidence : float
            At this confidence, at most this share of the votes is wrong after the checks.

        Returns
        -------
        dict
            "votes" (on entries that are not known), "doubtful" (check these, in the order of :attr:`suspects`) and
            "random" (of the other votes). It is a plan: the certificate comes from the answers, see
            :meth:`halflabel.Completion.finish`. Where there is a :attr:`doubt`, the plan is random votes alone, as many
            as measure a rate.
        """
        from halflabel.evidence.answer_plan import plan_answers  # imported here: only a plan needs it

        if source not in self.names:
            raise ValueError(f"{source!r} is not a source: {closest(source, self.names)}")
        from halflabel.corrections.votes.tables import measure_wrong

        wrong = measure_wrong(self.votes, self.posterior)[self.names.index(source)]
        given = wrong[~np.isnan(wrong) & ~self.opened.labels.observed]
        if self.doubt:
            return {"votes": len(given), "doubtful": 0, "random": min(len(given), RANDOM)}
        doubtful, random = plan_answers(given, int(max_error * len(given)), 1 - confidence)
        return {"votes": len(given), "doubtful": doubtful, "random": random}


def _shorten(parts: list[str]) -> str:
    """Return the parts of a sentence, with the number of parts that are left out."""
    rest = [f"and {len(parts) - MAX_NAMED} more"] if len(parts) > MAX_NAMED else []
    return ", ".join([*parts[:MAX_NAMED], *rest])


def find_consensus(given: Given) -> PartialLabels:
    """Return the known labels, and the more probable value of each other entry with votes. Without votes, they stay.

    The probabilities are by the votes alone: a fit has seen the known entries, which would come back with a second fit.
    """
    labels, votes = given.labels, given.opened.votes
    if votes is None:
        return labels
    if given.opened.prior is not None:
        raise ValueError(f"{option('prior')} is a source of probabilities: add its rows to {option('sources')}.")
    from halflabel.corrections.votes.posterior import find_posterior

    q, _ = find_posterior(votes.without_copies(), None, labels.relevant, labels.observed & votes.voted)
    value = np.nan_to_num(np.sign(q - 0.5)).astype(np.int8)
    state = np.where(labels.observed, labels.state, value)
    return replace(labels, state=state.astype(np.int8), annotated=(state != 0).any(axis=1))


def learn_sources(fit: Fitted, before: Learned | None) -> Sources | None:
    """Return the errors of sources and the posterior of each entry with votes, if there are any."""
    votes, labels = fit.opened.votes, fit.known
    if votes is None:
        return None
    alone = fit.probabilities if fit.alone is None else fit.alone
    from halflabel.corrections.votes.posterior import calibrate, find_posterior

    known = fit.comparable & votes.voted
    found = find_posterior(votes.without_copies(), alone, labels.relevant, known, _assign_folds(fit.opened))
    features = CalibratedFeatures(*calibrate(alone, labels.relevant, known))
    return Sources(fit.opened, *found, features)


def _assign_folds(opened: OpenTable) -> Ints:
    """Return the part of each item in which it is held out: with the other items of its group."""
    from halflabel.corrections.votes.posterior import FOLDS

    order = order_items(opened.X, opened.labels)
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return (place if opened.groups is None else opened.groups) % FOLDS


#: The line of :data:`halflabel.corrections.order.CORRECTIONS`.
VOTES = Correction("votes", learn_sources, find_consensus, saved=(CalibratedFeatures,))
