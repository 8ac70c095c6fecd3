"""The sources in tables: error rates, doubtful votes, the next questions, and a plan of checks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtri

from halflabel._arrays import Floats, Ints, Mask
from halflabel.corrections.votes.dependence import list_groups, measure_separation, weigh_group
from halflabel.corrections.votes.model import SourceFit
from halflabel.evidence.answer_plan import plan_answers
from halflabel.evidence.expected_errors import ALL
from halflabel.labels.votes import Votes

#: The variance of an error rate is multiplied by this factor: the rates, from which posteriors follow, are estimates.
SPREAD = 4.0

#: Maximum number of dependent sources for which the dependence of a vote that was not given yet is computed.
MAX_WEIGHED = 30


def measure_wrong(votes: Votes, fit: SourceFit) -> Floats:
    """Return the posterior probability that each vote is wrong, shape (n_sources, n_items, n_labels)."""
    wrong = np.where(votes.values >= 0.5, 1 - fit.posterior, fit.posterior)
    return np.where(votes.given, wrong, np.nan)


def tabulate_rates(votes: Votes, fit: SourceFit, labels: tuple[str, ...], confidence: float = 0.9) -> pd.DataFrame:
    """Return the error rates of each source on each label, and on all labels together.

    Columns: source, label, votes, error (the share of its votes that is wrong; a probability counts as the value that
    it makes more probable), low, high, false_relevant (the share of the irrelevant entries on which it votes 1) and
    false_irrelevant (the share of the relevant entries on which it votes 0).
    """
    wrong, number = measure_wrong(votes, fit), votes.given.sum(axis=1)
    variance = np.nansum(wrong * (1 - wrong), axis=1)
    errors = np.nansum(wrong, axis=1)
    upper = fit.levels.values >= 0.5
    of_yes = (fit.tables * upper[:, None, None, :]).sum(axis=-1)
    rows = []
    for s, name in enumerate(votes.names):
        weights = number[s] / max(number[s].sum(), 1)
        whole = (errors[s].sum(), variance[s].sum(), number[s].sum(), weights @ of_yes[s])
        by_label = zip(errors[s], variance[s], number[s], of_yes[s], strict=True)
        for label, (error, var, n, yes) in zip([*labels, ALL], [*by_label, whole], strict=True):
            rows.append({"source": name, "label": label, **_describe_rate(error, var, int(n), confidence),
                         "false_relevant": yes[0], "false_irrelevant": 1 - yes[1]})  # fmt: skip
    return pd.DataFrame(rows)


def _describe_rate(errors: float, variance: float, n: int, confidence: float) -> dict[str, float]:
    """Return the number of votes, the share that is wrong, and its interval."""
    if not n:
        return {"votes": 0, "error": np.nan, "low": np.nan, "high": np.nan}
    share, reach = errors / n, float(ndtri((1 + confidence) / 2)) * np.sqrt(SPREAD * (variance + 0.25)) / n
    return {"votes": n, "error": share, "low": max(share - reach, 0.0), "high": min(share + reach, 1.0)}


def rank_doubtful_votes(votes: Votes, fit: SourceFit, labels: tuple[str, ...]) -> pd.DataFrame:
    """Return all votes, the most probably wrong one first: position, label, source, given, probability, wrong."""
    wrong = measure_wrong(votes, fit)
    at = np.nonzero(votes.given)
    order = np.argsort(-wrong[at], kind="stable")
    sources, rows, columns = (each[order] for each in at)
    return pd.DataFrame({
        "position": rows,
        "label": np.array(labels, dtype=object)[columns],
        "source": np.array(votes.names, dtype=object)[sources],
        "given": votes.values[at][order],
        "probability": fit.posterior[rows, columns],
        "wrong": wrong[at][order],
    })  # fmt: skip


def rank_next_votes(votes: Votes, fit: SourceFit, labels: tuple[str, ...], open_: Mask, n: int) -> pd.DataFrame:
    """Return the ``n`` votes whose answers are expected to remove most errors: position, label, source, gain.

    The gain is the expected decrease of the probability that the filled value is wrong. An entry is listed once, with
    the source that gains most. ``open_`` are the entries that may be asked about.
    """
    groups = [each for each in list_groups(fit.correlations) if len(each) <= MAX_WEIGHED]
    gains = np.stack([_measure_gain(votes, fit, s, groups) for s in range(len(votes.names))])
    gains = np.where(votes.given | ~open_, -1.0, gains)
    best = gains.max(axis=0)
    order = np.argsort(-best, axis=None, kind="stable")[: min(n, int((best > 0).sum()))]
    rows, columns = np.unravel_index(order, best.shape)
    return pd.DataFrame({
        "position": rows,
        "label": np.array(labels, dtype=object)[columns],
        "source": np.array(votes.names, dtype=object)[gains.argmax(axis=0)[rows, columns]],
        "gain": best[rows, columns],
    })  # fmt: skip


def _measure_gain(votes: Votes, fit: SourceFit, source: int, groups: Sequence[Ints]) -> Floats:
    """Return the expected decrease of min(p, 1 - p) by a vote of a source on each entry.

    ``groups`` are the sets of dependent sources.
    """
    q = fit.posterior
    weight = np.ones(q.shape)
    members = next((each for each in groups if source in each), None)
    if members is not None:
        given = votes.given[members].reshape(len(members), -1)
        given[members == source] = True
        separation = measure_separation(fit.tables, fit.levels)[members]
        weights = weigh_group(fit.correlations[np.ix_(members, members)], separation, given)
        weight = weights[members == source].reshape(q.shape)
    weight = weight * fit.easiness[:, None]
    no, yes = (fit.tables[source, :, t] for t in (0, 1))
    mean = np.sqrt(no * yes)
    left = np.zeros(q.shape)
    for k in np.flatnonzero(fit.levels.exist[source]):
        # A vote of less weight moves the probabilities of both values towards their geometric mean.
        of_no, of_yes = (mean[:, k] ** (1 - weight) * f[:, k] ** weight for f in (no, yes))
        left += np.minimum(q * of_yes, (1 - q) * of_no)
    return np.asarray(np.minimum(q, 1 - q) - left)


def plan_checks(wrong: Floats, max_error: float, confidence: float) -> tuple[int, int]:
    """Return how many votes a person checks so that at most a share of all votes stays wrong.

    The first number counts the most doubtful votes, and the second random ones of the other votes, see
    :func:`halflabel.evidence.answer_plan.plan_answers`.

    Examples
    --------
    >>> plan_checks(np.full(1000, 0.01), 0.05, 0.95)
    (0, 175)
    """
    return plan_answers(wrong, int(max_error * len(wrong)), 1 - confidence)
