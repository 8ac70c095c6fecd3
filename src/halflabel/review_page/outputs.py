"""The outputs of a review: the completed table, a table of all answers, the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._files import together
from halflabel._wording import NONE, count
from halflabel.completion import Completion
from halflabel.files.reading import write_frame
from halflabel.review_page.advice import score_random
from halflabel.review_page.answers import UNDECIDED, AnswerBook


@dataclass(frozen=True)
class Targets:
    """The paths of the outputs: the completed table, all answers, the report."""

    table: Path
    answers: Path
    report: Path
    of_report: dict[str, Any] = field(default_factory=dict)


def summarize_review(book: AnswerBook, chain: str) -> list[tuple[str, str]]:
    """Return the section "Reviewed" of the report.

    ``chain`` is the digest of all lines of the journal.
    """
    active = [record for _, _, record in book.list_active()]
    unsure = sum(record.body["value"] is None for record in active)
    random = score_random(book)
    return [
        ("Answers", count(len(active))),
        ("of these not sure", count(unsure)),
        ("Reviewers", ", ".join(sorted({record.by for record in active})) or NONE),
        ("Random questions answered", count(random["answers"])),
        ("Wrong filled values among these", count(random["errors"])),
        ("Digest of the journal", chain),
    ]


def write_outputs(
    completion: Completion, to: Targets, rows: pd.DataFrame, reviewed: list[tuple[str, str]]
) -> list[str]:
    """Write all files, which appear together, and return their paths as strings.

    ``rows`` are from :func:`list_answers`, and ``reviewed`` from :func:`summarize_review`.
    """
    with together():
        lost = completion.write(to.table)
        write_frame(rows, to.answers)
        completion.report(to.report, reviewed=reviewed, **to.of_report)
    return [*map(str, (to.table, to.answers, to.report)), *lost]


def list_answers(book: AnswerBook, ids: pd.Index[Any]) -> pd.DataFrame:
    """Return one row per answered entry, in the order of the answers.

    Columns: item, label, answer (1, 0, or missing for "not sure" and where reviewers differ), by, at, why, seconds.
    It is a review table, which ``halflabel complete --answers`` reads. The reason in "why"
    decides whether an answer calibrates probabilities.
    """
    names = list(book.column_of)
    active = sorted(book.list_active(), key=lambda entry: (entry[2].n, entry[0]))
    rows = [
        {
            "item": ids[row],
            "label": names[column],
            "answer": None if book.current[row, column] == UNDECIDED else record.body["value"],
            "by": record.by,
            "at": record.at,
            "why": book.find_reason(row, column),
            "seconds": record.body["ms"] / 1000 if isinstance(record.body.get("ms"), int) else None,
        }
        for row, column, record in active
    ]
    frame = pd.DataFrame(rows, columns=["item", "label", "answer", "by", "at", "why", "seconds"])
    return frame.astype({"answer": "Int8", "seconds": "Float64"})
