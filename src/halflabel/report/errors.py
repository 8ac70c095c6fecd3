"""How many filled values are wrong, and how many relevant ones can be filled in at a precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halflabel._wording import clipped
from halflabel.report.quality import count_relevant
from halflabel.report.sentences import write_errors, write_relevant

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion
    from halflabel.evidence.certificate import Certificate

#: Maximum number of labels in the table of errors.
MAX_ERRORS = 15

#: The precision for which fillable relevant entries are counted, unless another one was asked for.
USUAL_PRECISION = 0.95


def write_fillable(completion: Completion) -> str:
    """Return how many of the relevant entries can be filled in at the precision that was asked for, or at 95 %."""
    return write_relevant(**count_relevant(completion, completion.evidence.min_precision or USUAL_PRECISION))


def write_certificates(completion: Completion, certificates: Sequence[Certificate]) -> list[str]:
    """Return each certificate as a sentence. Raise if a certificate is about another completed table."""
    if any(completion.evidence.digest not in each.digests for each in certificates):
        raise ValueError(
            "a certificate is about another completed table: complete the table again with the data, the options and "
            "the version of the certified one, or make another certificate."
        )
    return [f"{each} Random choice: seed {each['seed']}." for each in certificates]


def summarize_errors(completion: Completion) -> dict[str, Any] | None:
    """Return the sentence and the labels with the most expected errors, or None if nothing was filled."""
    table = completion.evidence.expected_errors
    total, per_label = table.iloc[-1], table.iloc[:-1]
    if not total["filled"]:
        return None
    worst = per_label[per_label["filled"] > 0].sort_values("expected", ascending=False, kind="stable").head(MAX_ERRORS)
    rows = [{**row, "label": clipped(row["label"])} for row in worst.to_dict("records")]
    sentence = write_errors(int(total["filled"]), total["expected"], total["low"], total["high"])
    return {"sentence": sentence, "rows": rows, "labels": len(per_label)}
