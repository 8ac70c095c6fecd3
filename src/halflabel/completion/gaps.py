"""Which kinds of gap a table has and what was done about each, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from halflabel.labels import PartialLabels
from halflabel.methods.base import PartialLabelEstimator

#: Where the method's squared error is not below this share of that of the label's rate, the features say little.
WORTHWHILE = 0.97


def gap_sentences(labels: PartialLabels, model: PartialLabelEstimator, *, sure_only: bool = False) -> tuple[str, ...]:
    """Return one sentence per kind of gap, and one about how much the features had to say.

    Examples
    --------
    >>> from halflabel import MC1
    >>> gap_sentences(PartialLabels.from_table([[1.0, 0.0], [float("nan"), 1.0]]), MC1())
    ('1 single entry of 1 item is missing: MC1 fills it.',)
    """
    missing = _missing(labels, type(model).__name__, _stages(model), sure_only)
    what = "the squared error of P(assigned)" if labels.positive_only else "the probabilities' squared error"
    return (*missing, *_worth(getattr(model, "members_", {}), type(model).__name__, what))


def _missing(labels: PartialLabels, name: str, partly: str, sure_only: bool) -> Iterator[str]:
    gaps = ~labels.observed
    empty = labels.unlabelled
    if labels.positive_only:
        forgotten = int(gaps[labels.annotated].sum())
        yield f"{_of(forgotten, 'absent tag')} may have been forgotten (that is what absent='unknown' says)."
        empty = ~labels.annotated
    which = "the surest" if sure_only else "all"
    if empty.any():
        yield f"{_of(int(empty.sum()), 'item')} without any label: {name} fills {which} of their entries."
    inside = gaps & ~empty[:, None]
    if inside.any() and not labels.positive_only:
        entries, items = int(inside.sum()), int(inside.any(axis=1).sum())
        single = f"{entries:,} single {'entry' if entries == 1 else 'entries'}"
        yield (
            f"{single} of {_of(items, 'item')} {'is' if entries == 1 else 'are'} missing: {name} fills "
            f"{'the surest' if sure_only else 'it' if entries == 1 else 'them'}{partly}."
        )


def _stages(model: PartialLabelEstimator) -> str:
    return ", with the help of the item's other labels" if getattr(model, "coupled_", False) else ""


def _worth(brier: Mapping[str, float], name: str, what: str) -> Iterator[str]:
    """Compare the out-of-fold error with that of an answer that knows no features."""
    if not brier:
        return
    own, rate = brier["ensemble"], brier["label rate"]
    if not own >= 0:
        return  # no label was learned
    verdict = "" if own < WORTHWHILE * rate else " The features say little about these labels."
    yield f"Out of fold, {what} is {own:.3f}, that of the labels' rates {rate:.3f}.{verdict}"
    if "prior" in brier and brier["prior"] >= 0:
        yield (
            f"Where the prior says something, its own error is {brier['prior']:.3f}, without it {name}'s "
            f"{brier['without prior']:.3f}."
        )


def _of(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
