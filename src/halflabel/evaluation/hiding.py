"""Two ways to test methods on the user's own labels: hide observed entries, or hide assigned positives.

The first needs entries that are known to be irrelevant. Positive-only labels have none, so there the second is used:
it counts which of the hidden positives a method finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from scipy.special import logit

from halflabel._arrays import Floats, Ints, Mask
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import thresholds
from halflabel.labels.intervals import resampled_interval
from halflabel.labels.masking import hide_like_gaps, hide_positives
from halflabel.labels.metrics import METRICS, macro_auc
from halflabel.labels.positive_only import LearnsFromPositives, assume, mark_unassigned
from halflabel.labels.ranks import rank_rows
from halflabel.methods.base import PartialLabelEstimator

#: Metrics of hidden entries.
ENTRY_METRICS = ("average_precision", "macro_auc", "micro_f1", "macro_f1", "brier", "ece")

#: Names of the metrics that can be decisive, for sentences.
IN_WORDS = {
    "average_precision": "average precision",
    "macro_auc": "area under the ROC curve",
    "above": "pairs in order",
}

#: Expected and measured micro-F1 agree if their difference is at most this.
MAX_F1_DIFFERENCE = 0.03

_UNOBSERVED = (
    "Precision cannot be observed: where a label was not assigned, it is unknown whether filling it in is wrong. "
    "Recall and ranks are measured on assigned labels that were hidden. A pair is in order if an item whose label was "
    "hidden ranks above an item to which the label was not assigned."
)
_F1_AT_A_RATE = (
    "PU-F1 estimates F1 over all relevant entries, if {:.0%} of them were assigned. It can exceed 1 by chance, or "
    "because more were assigned."
)
_F1_WITHOUT_RATE = (
    "PU-F1 is a lower bound of F1: every filled entry that was not hidden counts as wrong. With the share of relevant "
    "entries that were assigned (--set observed_rate=, observed_rate=), it becomes an estimate."
)


class Split(NamedTuple):
    """The labels that methods learn from, and the hidden labels that they are scored on."""

    known: PartialLabels
    hidden: PartialLabels


class Hiding(Protocol):
    """One way to hide labels, to score methods on them, and to describe both."""

    @property
    def decisive(self) -> str:
        """The metric that decides which method is better."""

    @property
    def curve_metrics(self) -> tuple[str, ...]:
        """The metrics of a learning curve, or nothing if a learning curve is not measured."""

    @property
    def warning(self) -> str:
        """Sentences about the figures that cannot be measured in this way, or an empty string."""

    def hide(self, rng: np.random.Generator) -> Split:
        """Hide a share of the labels at random."""

    def training_labels(self, method: PartialLabelEstimator, known: PartialLabels) -> PartialLabels:
        """Return the known labels in a form that the method accepts."""

    def score(self, model: Any, split: Split) -> dict[str, float]:
        """Score a fitted method on the hidden labels."""

    def describe(self) -> str:
        """Return which labels were hidden, as a sentence without a full stop."""

    def check_probabilities(self, records: pd.DataFrame) -> str:
        """Return sentences whether expected and measured micro-F1 of a method agree. Empty if not measured."""


@dataclass(frozen=True, eq=False)
class HiddenEntries:
    """Hide observed entries of some items in the pattern of the table's own gaps."""

    labels: PartialLabels  #: With irrelevant entries.
    #: Share of the labelled items that lose entries, see :func:`halflabel.labels.masking.hide_like_gaps`.
    share: float = 0.2
    groups: Ints | None = None  #: Shape (n_items,). Items of one group lose the same entries.

    warning = ""

    @property
    def decisive(self) -> str:
        """Average precision, which ranks the labels of an item. A single label needs the ranking of items instead."""
        return "average_precision" if len(self.labels.names) > 1 else "macro_auc"

    @property
    def curve_metrics(self) -> tuple[str, ...]:
        """The decisive metric and micro-F1."""
        return self.decisive, "micro_f1"

    def hide(self, rng: np.random.Generator) -> Split:
        """Hide entries of a share of the labelled items."""
        known = hide_like_gaps(self.labels, self.share, rng, self.groups)
        return Split(known, self.labels.hide(known.observed))

    def training_labels(self, method: PartialLabelEstimator, known: PartialLabels) -> PartialLabels:
        """Return the known labels as they are: every method accepts them."""
        return known

    def score(self, model: Any, split: Split) -> dict[str, float]:
        """Score a fitted method on the entries observed in ``split.hidden``.

        Returns
        -------
        dict of str to float
            The metrics of :data:`ENTRY_METRICS`, and ``expected_f1``, see :func:`expected_f1`.
        """
        hidden, p = split.hidden, model.label_probabilities_
        answer = np.asarray(model.transduction_).reshape(hidden.shape)
        metrics = {name: METRICS[name] for name in ENTRY_METRICS}
        values = {name: m.function(hidden, answer if m.needs == "labels" else p) for name, m in metrics.items()}
        return {**values, "expected_f1": expected_f1(hidden, answer, p)}

    def describe(self) -> str:
        """Return which entries were hidden."""
        observed = self.labels.observed
        has_gaps = (observed.any(axis=1) & ~observed.all(axis=1)).any()
        lost = "the entries that are missing in another item, chosen at random" if has_gaps else "all their labels"
        groups = "" if self.groups is None else ", groups as a whole"
        return f"{self.share:.0%} of the labelled items lost {lost}{groups}"

    def check_probabilities(self, records: pd.DataFrame) -> str:
        """Compare the micro-F1 expected from the probabilities with the measured one."""
        expected, reached = records["expected_f1"].to_numpy(), records["micro_f1"].to_numpy()
        return compare_f1(expected.mean(), reached.mean(), *resampled_interval(expected - reached, self.share))


def expected_f1(hidden: PartialLabels, answer: Ints, probabilities: Floats) -> float:
    r"""Return the micro-F1 that is expected of an answer from its probabilities, on the entries observed in ``hidden``.

    The plug-in :math:`2\sum_{a = 1} p \,/\, (\#\{a = 1\} + \sum p)`: expectations of numerator and denominator. It
    uses which entries were hidden, never their values.
    """
    p, chosen = probabilities[hidden.observed], answer[hidden.observed] == 1
    return float(2 * p[chosen].sum() / (chosen.sum() + p.sum()))


def compare_f1(expected: float, reached: float, low: float, high: float) -> str:
    """Return whether the probabilities fit the hidden entries, by the interval of expected minus reached."""
    start = (
        f"Micro-F1 of the default on the hidden entries: {expected:.3f} expected from its probabilities, "
        f"{reached:.3f} measured."
    )
    if abs(expected - reached) <= MAX_F1_DIFFERENCE:
        return f"{start} The two agree."
    if low > 0:
        return f"{start} The probabilities are overconfident here: use their order, not their values."
    if high < 0:
        return f"{start} The probabilities are underconfident here: the answers are better than expected."
    return f"{start} The difference may be due to chance; more repeats (repeats=) would show it."


@dataclass(frozen=True, eq=False)
class HiddenPositives:
    """Hide a share of the assigned positives, where no entry is known to be irrelevant."""

    labels: PartialLabels  #: Positive-only.
    #: Share of the assigned entries that are hidden, see :func:`halflabel.labels.masking.hide_positives`.
    share: float = 0.2
    #: The label frequency c: the share of the relevant entries that were assigned before any was hidden.
    observed_rate: float | None = None

    decisive = "above"
    curve_metrics = ()

    @property
    def warning(self) -> str:
        """Precision is unknown, and PU-F1 is not an ordinary F1.

        PU-F1 is :math:`2h / (v f + n)`, from f entries filled in, n hidden, h of them filled in, and the share v of
        :func:`visible_share`. Without c, v is 1 and PU-F1 at most 1. With c, :math:`h / (v f)` estimates a precision
        and is not limited to 1: in few entries it may exceed 1 by chance, and if more was assigned than c, v is too
        small. A limit of 1 would make the mean over repeats too low where only chance is the reason, and would hide
        that c does not fit the table.
        """
        c = self.observed_rate
        return f"{_UNOBSERVED} {_F1_AT_A_RATE.format(c) if c is not None else _F1_WITHOUT_RATE}"

    def hide(self, rng: np.random.Generator) -> Split:
        """Hide a share of the assigned entries."""
        known = hide_positives(self.labels, self.share, rng)
        return Split(known, self.labels.hide(known.observed))

    def training_labels(self, method: PartialLabelEstimator, known: PartialLabels) -> PartialLabels:
        """Return the known labels. If the method needs irrelevant entries, unassigned labels become irrelevant."""
        return known if isinstance(method, LearnsFromPositives) else mark_unassigned(known)

    def score(self, model: Any, split: Split) -> dict[str, float]:
        r"""Score a fitted method on the entries that are relevant in ``split.hidden``.

        All methods give P(assigned), from models that were not trained on the item, and the same rule decides for
        all, see :func:`halflabel.labels.positive_only.assume`: c (1 - share) of the relevant entries are assigned
        after hiding, and a plug-in threshold decides.

        Returns
        -------
        dict of str to float
            ``above``: share of pairs in which a hidden entry ranks above one of the same label that was never
            assigned, mean over labels. ``recall``: share of the hidden entries that are filled in. ``filled``:
            number of entries of annotated items that are filled in. ``mean_rank``: rank of a hidden
            entry among the unknown labels of its item, 1 is the first, ties in the middle. ``pu_f1``:
            :math:`2 TP / (v \cdot \mathrm{filled} + \mathrm{hidden})` with v from :func:`visible_share`, see
            :attr:`warning`.
        """
        known, hidden = split.known, split.hidden.relevant
        unknown = known.annotated[:, None] & ~known.relevant
        p, filled = self._predict(model, known)
        return {
            "above": macro_auc(ranked_pairs(known, hidden), p),
            "mean_rank": float(rank_rows(-p, unknown)[hidden].mean()),
            **count_found(unknown, hidden, visible_share(self.observed_rate, self.share), filled),
        }

    def _predict(self, model: Any, known: PartialLabels) -> tuple[Floats, Mask]:
        """Return P(assigned), out of fold for annotated items, and the entries that are filled in."""
        c = None if self.observed_rate is None else self.observed_rate * (1 - self.share)
        if isinstance(model, LearnsFromPositives):
            return model.assume(None).probabilities, model.assume(c).filled
        labels, p = mark_unassigned(known), np.asarray(model.label_probabilities_)
        scores = np.where(labels.learnable, logit(p), np.nan)
        return p, assume(scores, labels, c, partial(thresholds, rule="micro_f1")).filled

    def describe(self) -> str:
        """Return which labels were hidden."""
        return f"{self.share:.0%} of the assigned labels were hidden"

    def check_probabilities(self, records: pd.DataFrame) -> str:
        """Return an empty string: without irrelevant entries the reached F1 cannot be measured."""
        return ""


def visible_share(observed_rate: float | None, share: float) -> float:
    r"""Return the share of hidden entries, which can be counted, among the relevant entries unknown after hiding.

    Of all relevant entries the share c was assigned, and of these the share s was hidden: :math:`sc / (1 - c(1 - s))`.
    Without c the result is 1, as if no positive were missing.

    Examples
    --------
    >>> visible_share(1.0, 0.2), visible_share(None, 0.2), round(visible_share(0.7, 0.2), 3)
    (1.0, 1.0, 0.318)
    """
    c = 1.0 if observed_rate is None else observed_rate
    return 1 / (1 + (1 - c) / (share * c))


def ranked_pairs(known: PartialLabels, hidden: Mask) -> PartialLabels:
    """Return hidden entries as relevant, and labels never assigned to an annotated item as irrelevant."""
    never = known.annotated[:, None] & ~known.relevant
    state = np.where(hidden, 1, np.where(never, -1, 0)).astype(np.int8)
    return PartialLabels(state, known.names, known.annotated.copy())


def count_found(unknown: Mask, hidden: Mask, visible: float, filled: Mask) -> dict[str, float]:
    """Return recall, the number of filled entries, and PU-F1."""
    n_filled, n_hidden, hits = int((filled & unknown).sum()), int(hidden.sum()), int((filled & hidden).sum())
    return {"recall": hits / n_hidden, "filled": n_filled, "pu_f1": 2 * hits / (visible * n_filled + n_hidden)}
