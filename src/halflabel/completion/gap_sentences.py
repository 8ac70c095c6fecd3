"""The sentences about the decision on the gaps, and the error on entries that were held out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from halflabel._wording import plural, quoted
from halflabel.labels import PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.base import PartialLabelEstimator

#: Features are of use if the error is below this share of the error of the labels' rates.
MAX_ERROR = 0.97

#: The start of the sentence about held-out entries.
CHECKED = "Checked on entries that it had not seen"


def describe_gaps(
    labels: PartialLabels, model: PartialLabelEstimator, rule: Rule, first: tuple[str, ...] = (), *, has_targets: bool
) -> tuple[str, ...]:
    """Return the sentences ``first``, the threshold rule, and the error on entries that were held out.

    Parameters
    ----------
    labels : PartialLabels
        The labels that are filled in.
    has_targets : bool
        Whether the method learned from more probable values of unknown entries, which have no error.

    Examples
    --------
    >>> from halflabel import MC1
    >>> describe_gaps(PartialLabels.from_table([[1.0], [float("nan")]]), MC1(), Rule("probable"), has_targets=False)
    ('Threshold rule: probable (relevant where the probability is at least one half).',)
    """
    absent = int((~labels.observed)[labels.annotated].sum()) if labels.positive_only else 0
    missing = f"{plural(absent, 'absent tag')} may be missing positives (absent tags are unknown)."
    decided = () if labels.observed.all() and not has_targets else (f"Threshold rule: {rule}.",)
    name, errors = type(model).__name__, getattr(model, "members_", {})
    of_errors = () if has_targets else _describe_errors(errors, name, labels.positive_only)
    return (*first, *([missing] if absent else ()), *decided, *of_errors)


def describe_ranked(names: Sequence[str], observed_rate: float | None) -> str:
    """Return the reason why labels are ranked and not filled in.

    Examples
    --------
    >>> describe_ranked(["tax"], None)
    "Ranked and not filled in: 'tax', because no label frequency is stated (--set observed_rate=, observed_rate=)."
    """
    why = "no label frequency is stated (--set observed_rate=, observed_rate=)"
    if observed_rate is not None:
        why = "no known entry can confirm a precision"
    return f"Ranked and not filled in: {quoted(names)}, because {why}."


def _describe_errors(brier: Mapping[str, float], name: str, positive_only: bool) -> Iterator[str]:
    """Compare the mean squared error of out-of-fold probabilities with the error of a guess without features."""
    if not brier:
        return
    own, rate = brier["ensemble"], brier["label rate"]
    if not own >= 0:
        return  # no label was learned
    of = " of P(assigned)" if positive_only else ""
    verdict = "" if own < MAX_ERROR * rate else " The features are of little use for these labels."
    yield (f"{CHECKED}: mean squared error{of} {own:.3f}; guessing each label's rate would give {rate:.3f}.{verdict}")
    if "prior" in brier and brier["prior"] >= 0:
        yield (
            f"On entries with a prior: error of the prior alone {brier['prior']:.3f}, of {name} without it "
            f"{brier['without prior']:.3f}."
        )
