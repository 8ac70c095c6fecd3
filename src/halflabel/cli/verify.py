"""The command that checks whether written files are unchanged: verify."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from halflabel._ledger import is_ledger, read_lines
from halflabel._wording import plural
from halflabel.cli.console import print_note, print_result
from halflabel.cli.files import PATH


@click.command(name="verify")
@click.argument("place", type=PATH)
@click.argument("table", type=PATH, required=False)
def verify_command(place: Path, table: Path | None) -> None:
    """Check that a written file or folder is unchanged.

    PLACE is a certificate together with the TABLE that it is about, the journal of a review or a finish, a model, or
    the output of a folder run. For a certificate, the random entries of its seed and its bound are computed again.

    \b
    Examples:
      halflabel verify songs.certificate.json songs.completed.csv
      halflabel verify songs.review.jsonl
      halflabel verify completed-folder
    """  # noqa: D301
    if not place.exists():
        raise ValueError(f"{place}: there is no such file or folder.")
    check = next((check for is_kind, check in _KINDS if is_kind(place)), None)
    if check is not None and table is not None:
        raise click.UsageError(f"{place} is checked without a table: `halflabel verify {place}`.")
    sentence = _verify_certificate(place, table) if check is None else check(place)
    print_result(f"Verified: {sentence}".replace("\N{NO-BREAK SPACE}", " "))


def _verify_certificate(place: Path, table: Path | None) -> str:
    from halflabel.evidence.certificate import read_certificate, verify
    from halflabel.table import Columns, open_table

    certificate = read_certificate(place)
    if table is None:
        raise click.UsageError(f"{place} is checked with the table that it is about: `halflabel verify {place} TABLE`.")
    columns = certificate.get("columns")
    if not isinstance(columns, dict):
        raise ValueError(f"{place} does not state how its table is read: it was not made by a command.")
    opened = open_table(table, columns=Columns(**columns))
    names = tuple(certificate["names"])
    missing = [name for name in names if name not in opened.labels.names]
    if missing:
        raise ValueError(f"{table} has no label {missing[0]!r}, which {place} is about.")
    opened = opened.keep_labels(names)
    return verify(certificate, list(map(str, opened.index)), names, opened.labels.state)


def _verify_ledger(place: Path) -> str:
    lines = read_lines(place)
    print_note(*lines.notes(str(place)))
    task = lines.header["journal"].removeprefix("halflabel ")
    chained = f"no line of {place} was changed, lost or moved"
    return f"{chained} ({plural(len(lines.records), 'record')} of a {task}, digest of the last line {lines.chain})."


def _verify_folder(place: Path) -> str:
    from halflabel.folders.verifying import verify_folder

    return verify_folder(place)


def _verify_model(place: Path) -> str:
    from halflabel.completion.model_file import load

    model = load(place)
    return f"{place} is a model of {plural(len(model.label_names), 'label')}, and every part of it is whole."


def _is_ledger(place: Path) -> bool:
    return place.is_file() and is_ledger(place)


def _is_model(place: Path) -> bool:
    from halflabel.completion.archive import is_model

    return is_model(place)


#: The kinds of places, and how each is checked. Any other file is read as a certificate.
_KINDS: tuple[tuple[Callable[[Path], bool], Callable[[Path], str]], ...] = (
    (Path.is_dir, _verify_folder),
    (_is_ledger, _verify_ledger),
    (_is_model, _verify_model),
)
