"""The kinds of gap of a table, and how each kind was filled, in sentences."""

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
    labels: PartialLabels,
    model: PartialLabelEstimator,
    rule: Rule,
    first: tuple[str, ...] = (),
    *,
    has_targets: bool = False,
    has_others: bool = False,
) -> tuple[str, ...]:
    """Return one sentence per kind of gap, the threshold rule, and one about the error on entries that were held out.

    Parameters
    ----------
    labels : PartialLabels
        The labels that are filled in.
    model, rule
    first : tuple of str
        Sentences about other entries, such as entries with votes.
    has_targets : bool, default=False
        Whether the method learned from more probable values of these entries, which the rule decides, too.
    has_others : bool, default=False
        Whether the table has other labels, which are not filled in.

    Examples
    --------
    >>> from halflabel import MC1
    >>> describe_gaps(PartialLabels.from_table([[1.0, 0.0], [float("nan"), 1.0]]), MC1(), Rule("probable"))
    ('1 single entry of 1 item is missing: MC1 fills it.',
     'Threshold rule: probable (relevant where the probability is at least one half).')
    """
    name = type(model).__name__
    other = "other " if has_others else ""
    missing = list(first)
    if not (first and labels.observed.all()):
        missing += _describe_missing(labels, name, _describe_coupling(model), other, rule.name == "precision")
    errors = () if has_targets else _describe_errors(getattr(model, "members_", {}), name, labels.positive_only)
    decided = () if labels.observed.all() and not has_targets else (f"Threshold rule: {rule}.",)
    return (*missing, *decided, *errors)


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


def _describe_missing(labels: PartialLabels, name: str, coupling: str, other: str, sure_only: bool) -> Iterator[str]:
    gaps = ~labels.observed
    if not gaps.any():
        yield "There is no gap to fill: given entries were checked. For new items, save the model."
    empty = labels.unlabelled
    if labels.positive_only:
        absent = int(gaps[labels.annotated].sum())
        yield f"{plural(absent, 'absent tag')} may be missing positives (absent tags are unknown)."
        empty = ~labels.annotated
    which = "the surest" if sure_only else "all"
    if empty.any():
        n = int(empty.sum())
        entries = f"{'its' if n == 1 else 'their'} {other}entries"
        yield f"{plural(n, 'item')} without any {other}label: {name} fills {which} of {entries}."
    inside = gaps & ~empty[:, None]
    if inside.any() and not labels.positive_only:
        n = int(inside.sum())
        items = plural(int(inside.any(axis=1).sum()), "item")
        single = f"{plural(n, 'single entry', 'single entries')} of {items}"
        what = "the surest" if sure_only else "it" if n == 1 else "them"
        yield f"{single} {'is' if n == 1 else 'are'} missing: {name} fills {what}{coupling}."


def _describe_coupling(model: PartialLabelEstimator) -> str:
    return ", with the help of the item's other labels" if getattr(model, "coupled_", False) else ""


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
