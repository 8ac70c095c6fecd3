"""The command that checks whether written files are unchanged: verify."""

from __future__ import annotations

import re
from pathlib import Path

import click

from halflabel._digests import is_page, is_page_intact
from halflabel._ledger import is_ledger, read_lines
from halflabel._wording import plural
from halflabel.cli.console import print_note, print_result
from halflabel.cli.output_paths import PATH

#: A digest in a certificate or a report.
_DIGESTS = re.compile(rb"\b[0-9a-f]{64}\b")


@click.command(name="verify")
@click.argument("place", type=PATH)
@click.argument("table", type=PATH, required=False)
def verify_command(place: Path, table: Path | None) -> None:
    """Check that a written file is unchanged.

    PLACE is a certificate together with the TABLE that it is about, the journal of a review or a finish, a model, a
    report, or the records of a paper. For a certificate, the random entries of its seed
    and its bound are computed again. A report or a certificate, and a journal as the TABLE: that the journal holds all
    answers up to the one after which it was made.

    \b
    Examples:
      halflabel verify songs.certificate.json songs.completed.csv
      halflabel verify songs.report.html songs.review.jsonl
    """  # noqa: D301
    if not place.exists():
        raise ValueError(f"{place}: there is no such file.")
    if not place.is_file():
        raise ValueError(f"{place} is not a file: name one that halflabel wrote.")
    print_result(f"Verified: {_verify(place, table)}".replace("\N{NO-BREAK SPACE}", " "))


def _verify(place: Path, table: Path | None) -> str:
    """Return a sentence about a file that is whole: alone, with the journal that it names, or with its table."""
    from halflabel.completion.model_file.archive import is_model
    from halflabel.completion.model_file.saving import load

    kinds = (("journal", is_ledger), ("model", is_model), ("page", is_page))
    kind = next((name for name, is_kind in kinds if is_kind(place)), "certificate")
    journal = table if table is not None and kind != "journal" and table.is_file() and is_ledger(table) else None
    if kind != "certificate" and table is not None and journal is None:
        raise click.UsageError(f"{place} is checked without a table: give it alone.")
    if kind == "page" and not is_page_intact(place):
        raise ValueError(f"{place}: the page was changed after it was written: make it again.")
    if journal is not None:
        return _find_line(place, journal)
    if kind == "model":
        number = plural(len(load(place).label_names), "label")
        return f"{place} is a model of {number}, and every part of it is whole."
    if kind == "page":
        return f"{place} is as it was written."
    return _verify_ledger(place) if kind == "journal" else _verify_certificate(place, table)


def _verify_certificate(place: Path, table: Path | None) -> str:
    from halflabel.evidence.certificate import read_certificate, verify
    from halflabel.table import open_table

    certificate = read_certificate(place)
    if table is None:
        raise click.UsageError(f"{place} is checked with the table that it is about: give both.")
    columns = certificate.get("columns")
    if not isinstance(columns, dict):
        raise ValueError(f"{place} does not state how its table is read: it was not made by a command.")
    try:
        opened = open_table(table, **columns)
    except TypeError:
        raise ValueError(f"{place}: its value 'columns' names a column role that does not exist.") from None
    names = tuple(certificate["names"])
    missing = [name for name in names if name not in opened.labels.names]
    if missing:
        raise ValueError(f"{table} has no label {missing[0]!r}, which {place} is about.")
    opened = opened.keep_labels(names)
    return verify(certificate, list(map(str, opened.index)), names, opened.labels.state)


def _verify_ledger(place: Path) -> str:
    lines = read_lines(place)
    if not place.read_bytes().endswith(b"\n"):
        print_note(f"The last line of {place} was cut off by a crash; its record was never acknowledged.")
    task = lines.header["journal"].removeprefix("halflabel ")
    chained = f"no line of {place} was changed, lost or moved"
    return f"{chained} ({plural(len(lines.records), 'record')} of a {task}, digest of the last line {lines.chain})."


def _find_line(place: Path, journal: Path) -> str:
    """Return which line of a journal was the last one when a certificate or a report was made."""
    lines = read_lines(journal)
    named = set(_DIGESTS.findall(place.read_bytes()))
    found = [number for number, digest in enumerate(lines.digests, 1) if digest.encode() in named]
    if not found:
        raise ValueError(
            f"{place} names no line of {journal}: it is of another journal, or the last lines of the journal are lost."
        )
    later = len(lines.digests) - found[-1]
    return (
        f"{place} was made after line {found[-1]} of {journal}; no line was changed, lost or moved, and "
        f"{plural(later, 'line')} came later."
    )
