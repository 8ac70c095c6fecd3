"""The verdict of a completion: gaps that were filled, how many of these values are wrong, and the next step.

Each output opens with it: the terminal, a notebook, the report and the review page.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from halflabel._wording import clipped, count, percent, plural, quoted

if TYPE_CHECKING:
    from halflabel.completion.evidence import Evidence

#: Rules that need no words: the default, and the one that the sentence about empty gaps explains.
USUAL_RULES = ("probable", "precision")

#: Largest share of wrong values that is written as "1 in 31" and not as "12 of 100".
MAX_ONE_IN = 0.15


@dataclass(frozen=True)
class Verdict:
    """The sentences that open each output."""

    filled: str  #: How many gaps were filled, and with which values.
    wrong: str  #: How many of these values are wrong, or why no number can be given. Empty where nothing was filled.
    step: str  #: The next step.
    command: str  #: A line that does the next step: of the shell, or of Python.

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences. The last one has the line between backticks."""
        return (*filter(None, (self.filled, self.wrong)), f"Next: {self.step}: `{self.command}`")

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def decide(evidence: Evidence, items: str = "") -> Verdict:
    """Return the verdict. No number is in it that a check contradicts.

    Parameters
    ----------
    evidence : Evidence
    items : str, optional
        The file and options that describe it, as a shell reads them, for a line that can be copied. Without them, the
        line is of Python.
    """
    return Verdict(_write_filled(evidence), _write_wrong(evidence), *_choose_step(evidence, items))


def rank_labels(evidence: Evidence) -> pd.DataFrame:
    """Return the labels with filled values, the least sure first: label, yes, no, wrong (the share of these values).

    ``wrong`` is missing where :attr:`Evidence.expected_errors` has no number. These labels are last.
    """
    part = evidence.of_filled
    labels, gaps, state = part.labels, ~part.labels.observed, part.state
    errors = part.expected_errors.iloc[:-1]
    table = pd.DataFrame({
        "label": list(labels.names),
        "yes": (gaps & (state > 0)).sum(axis=0),
        "no": (gaps & (state < 0)).sum(axis=0),
        "wrong": (errors["expected"] / errors["filled"]).to_numpy(),
    })  # fmt: skip
    kept = table[(table["yes"] + table["no"]) > 0]
    return kept.sort_values("wrong", ascending=False, kind="stable").reset_index(drop=True)


def write_wrong(filled: int, expected: float, low: float, high: float) -> str:
    """Return how many of the filled values are wrong, with a band. The band is rounded outwards.

    Examples
    --------
    >>> write_wrong(17075, 550.2, 449, 657)
    'About 1 in 31 is wrong (between 1 in 39 and 1 in 25).'
    >>> write_wrong(4120, 1004.0, 951, 1062), write_wrong(60, 7.2, 3, 12)
    ('About 24 of 100 are wrong (between 23 and 26).', 'About 7 of the 60 are wrong (between 3 and 12).')
    >>> write_wrong(5000, 1.2, 0, 4), write_wrong(5000, 0.2, 0, 1)
    ('About 1 in 4,200 is wrong (at most 1 in 1,200).', 'Probably none is wrong (at most 1).')
    """
    if expected < 0.5:
        return f"Probably none is wrong (at most {count(math.ceil(high))})."
    if filled < 100:
        about, verb = round(expected), "is" if round(expected) == 1 else "are"
        return f"About {about} of the {filled} {verb} wrong (between {math.floor(low)} and {math.ceil(high)})."
    if high / filled > MAX_ONE_IN:
        least, most = math.floor(100 * low / filled), math.ceil(100 * high / filled)
        return f"About {round(100 * expected / filled)} of 100 are wrong (between {least} and {most})."
    band = f"at most {_one_in(filled, high, math.floor)}"
    if low > 0:
        band = f"between {_one_in(filled, low, math.ceil)} and {_one_in(filled, high, math.floor)}"
    return f"About {_one_in(filled, expected)} is wrong ({band})."


def _one_in(filled: int, wrong: float, to_whole: Callable[[float], int] = round) -> str:
    """Return a share as "1 in 31", with two digits that are not 0."""
    number = filled / wrong
    digits = max(math.floor(math.log10(number)) - 1, 0)
    return f"1 in {count(to_whole(number / 10**digits) * 10**digits)}"


def _write_filled(evidence: Evidence) -> str:
    """Return how many gaps were filled with each value, and how many stay empty."""
    gaps, state = ~evidence.labels.observed, evidence.state
    yes, no, left = (int((gaps & (state == value)).sum()) for value in (1, -1, 0))
    if not gaps.any():
        return f"There is no gap to fill.{_name_unlearned(evidence)}"
    every = (
        f"{plural(yes + no, 'gap')} filled"
        if not left
        else f"{count(yes + no)} of {plural(yes + no + left, 'gap')} filled"
    )
    values = f": {count(yes)} yes, {count(no)} no" if yes + no else ""
    rule = f" Threshold rule: {evidence.rule}." if evidence.rule.name not in USUAL_RULES else ""
    return f"{every}{values}.{rule}{_explain_left(evidence, left)}{_name_unlearned(evidence)}"


def _name_unlearned(evidence: Evidence) -> str:
    """Return the labels that stay as they were given, because at most one value of them is known."""
    names = [name for name in evidence.opened.written_labels.names if name not in evidence.labels.names]
    return f" Not learned: {quoted(names)}." if names else ""


def _explain_left(evidence: Evidence, left: int) -> str:
    """Return why gaps stay empty."""
    if not left:
        return ""
    if evidence.min_precision is None or evidence.ranked_only.any():  # two reasons
        return f" {count(left)} stay empty."
    return f" {count(left)} stay empty: they do not reach {percent(evidence.min_precision)}.".replace("\xa0", " ")


def _write_wrong(evidence: Evidence) -> str:
    """Return how many of the filled values are wrong, or why no number can be given."""
    filled, *band = evidence.expected_errors.iloc[-1][["filled", "expected", "low", "high"]]
    if not filled:
        return ""
    part = evidence.of_filled
    if part.has_precision:
        start = f"{write_wrong(int(filled), *band)}{_name_least_sure(evidence)}"
    else:
        start = "How many of them are wrong is not known."
    warned = part.contradictions or [each for each in part.warnings if each["level"] == "warning"]
    return " ".join([start, *(f"{each['title']} [{each['code']}]." for each in warned[:1])]).replace("\xa0", " ")


def _name_least_sure(evidence: Evidence) -> str:
    """Return the label with the largest share of wrong values, where there are several labels."""
    table = rank_labels(evidence).dropna()
    named = len(table) > 1 and table["wrong"].iloc[0] > table["wrong"].iloc[-1]
    return f" Least sure: {clipped(table['label'].iloc[0])}." if named else ""


def _choose_step(evidence: Evidence, items: str) -> tuple[str, str]:
    """Return the next step, and a line that does it."""
    part = evidence.of_filled
    finish = f"halflabel finish {items}" if items else "filled.finish()"
    if part.contradictions:
        return "measure it on random values", finish
    if not part.has_precision:
        line = 'complete(..., observed_rate="ask")' if evidence.asked_frequency is None else "filled.ask_frequency()"
        return "estimate it from answers", f"halflabel complete {items} --set observed_rate=ask" if items else line
    if len(evidence.doubts):
        return "answer the questions that help most", f"halflabel review {items}" if items else "filled.review()"
    return "prove it on random values", finish
