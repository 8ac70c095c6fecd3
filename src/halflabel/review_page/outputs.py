"""The outputs of a review: the completed table, a table of all answers, the report, the certificate."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from halflabel._files import atomic_write, together
from halflabel._wording import NONE, clipped, count, decimal
from halflabel.completion import Completion
from halflabel.evidence.random_order import digest_table
from halflabel.files.reading import write_frame
from halflabel.review_page.answers import UNDECIDED, AnswerBook

#: Maximum number of comments in the report. The table of answers and the journal have all of them.
MAX_COMMENTS = 50


@dataclass(frozen=True)
class Targets:
    """The paths of the outputs: the completed table, all answers, the report, the certificate."""

    table: Path
    answers: Path
    report: Path
    certificate: Path
    of_report: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Outputs:
    """The content of the outputs in addition to the completion."""

    targets: Targets
    rows: pd.DataFrame  #: From :func:`list_answers`.
    reviewed: dict[str, Any]  #: From :func:`summarize_review`.


def gather_outputs(targets: Targets, book: AnswerBook, ids: pd.Index[Any], reviewed: dict[str, Any]) -> Outputs:
    """Return the content of the outputs at this moment."""
    return Outputs(targets, list_answers(book, ids), reviewed)


def summarize_review(
    book: AnswerBook, advice: dict[str, Any], certificate: dict[str, Any] | None, chain: str
) -> dict[str, Any]:
    """Return the section "Reviewed" of the report: facts, sentences, and the certificate if there is one.

    ``chain`` is the digest of all lines of the journal.
    """
    active = [record for _, _, record in book.list_active()]
    unsure = sum(record.body["value"] is None for record in active)
    random = advice["random"]
    facts = [
        ("Answers", count(len(active))),
        ("of these not sure", count(unsure)),
        ("Reviewers", ", ".join(sorted({record.by for record in active})) or NONE),
        ("Comments on items", count(sum(map(len, book.comments.values())))),
        ("Random questions answered", count(random["answers"])),
        ("Wrong filled values among these", _compare_errors(random["errors"], random["expected"])),
        ("Digest of the journal", chain),
    ]
    sentences = [advice["sentence"]] if advice["sentence"] else []
    comments = [(item, by, text) for item, of in book.comments.items() for by, text in of.items()]
    sentences += [f"{by} on {clipped(item)}: {clipped(text, 300)}" for item, by, text in comments[:MAX_COMMENTS]]
    if certificate is not None:
        older = "" if certificate["is_current"] else " The values were fitted again after this certificate."
        sentences.append(f"Certificate: {certificate['sentence']}{older}")
    return {"facts": facts, "sentences": sentences, "certificate": certificate}


def _compare_errors(errors: int, expected: float | None) -> str:
    return str(errors) if expected is None else f"{errors} ({decimal(expected, 1)} expected)"


def write_outputs(completion: Completion, outputs: Outputs) -> list[str]:
    """Write all files, which appear together, and return their paths as strings."""
    to, certificate = outputs.targets, outputs.reviewed.get("certificate")
    written = [to.table, to.answers, to.report]
    with together():
        lost = completion.write(to.table)
        write_frame(outputs.rows, to.answers)
        completion.report(to.report, reviewed=outputs.reviewed, **to.of_report)
        if certificate is not None and is_about(certificate, completion):
            written.append(to.certificate)
            with atomic_write(to.certificate, "w") as file:
                of_page = ("sentence", "is_current")
                facts = {name: value for name, value in certificate.items() if name not in of_page}
                file.write(json.dumps(facts, indent=2) + "\n")
    return [*map(str, written), *lost]


def is_about(certificate: dict[str, Any], completion: Completion) -> bool:
    """Return whether a table that is written is the one of a certificate. Another fit or a later answer changes it."""
    ids, opened = list(map(str, completion.index)), completion.opened
    return str(certificate["table"]) == digest_table(
        ids, opened.written_labels.names, completion.evidence.written_state
    )


def list_answers(book: AnswerBook, ids: pd.Index[Any]) -> pd.DataFrame:
    """Return one row per answered entry, in the order of the answers.

    Columns: item, label, answer (1, 0, or missing for "not sure" and where reviewers differ), by, at, why, seconds,
    comment (on the item). It is a review table, which ``halflabel complete --answers`` reads. The reason in "why"
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
            "comment": "; ".join(book.comments.get(str(ids[row]), {}).values()) or None,
        }
        for row, column, record in active
    ]
    frame = pd.DataFrame(rows, columns=["item", "label", "answer", "by", "at", "why", "seconds", "comment"])
    return frame.astype({"answer": "Int8", "seconds": "Float64"})
