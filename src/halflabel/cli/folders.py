"""The options of ``complete`` for tables in many files: ``--out`` and what belongs to it."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel._files import atomic_write
from halflabel._wording import option, plural
from halflabel.cli.console import make_roles_table, out, print_note, print_result, show_progress
from halflabel.cli.files import PATH, check_outputs, check_page
from halflabel.cli.options import ItemsFile

if TYPE_CHECKING:
    from halflabel.folders.result import FolderCompletion

#: Options that mean something for a folder of parts, too.
SHARED = (
    "probabilities",
    "report",
    "model",
    "min_precision",
    "cost",
    "rule",
    "observed_rate",
    "effort",
    "seed",
    "as_json",
    "review_rows",
)

#: Fields of the file of items, apart from its columns.
_TEXT = ("delimiter", "encoding")

_OPTIONS = [
    click.option(
        "--out",
        "folder",
        type=PATH,
        metavar="FOLDER",
        help="Complete ITEMS part by part, one file per part in this folder; for tables beyond memory. A run that was "
        "interrupted continues.",
    ),
    click.option("--workers", type=click.IntRange(1), help="With --out: number of processes; by default 1."),
    click.option("--scheduler", metavar="ADDRESS", help="With --out: a Dask scheduler, such as tcp://host:8786."),
    click.option(
        "--max-labelled",
        type=click.IntRange(2),
        help="With --out: maximum number of labelled rows that the model is fitted on; by default 50000.",
    ),
    click.option(
        "--max-unlabelled",
        type=click.IntRange(0),
        help="With --out: maximum number of unlabelled rows that the model is fitted on; by default 20000.",
    ),
]


def complete_folders(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options for tables in many files; with ``--out``, these are completed part by part."""

    @functools.wraps(command)
    def run(items: ItemsFile, folder: Path | None, **given: Any) -> Any:
        names = ("workers", "scheduler", "max_labelled", "max_unlabelled")
        stated = {name: value for name in names if (value := given.pop(name)) is not None}
        if folder is not None:
            return _complete_parts(items, folder, stated, given)
        if stated:
            raise ValueError(f"{option(next(iter(stated)))} is for tables in many files: give {option('out')}, too.")
        return command(items=items, **given)

    decorated: Callable[..., Any] = run
    for each in reversed(_OPTIONS):
        decorated = each(decorated)
    return decorated


def _complete_parts(items: ItemsFile, folder: Path, stated: dict[str, Any], given: dict[str, Any]) -> None:
    """Complete a folder and print the result."""
    _check_options(items, given)
    model, report = given["model"], given["report"]
    check_outputs((*items.inputs, folder), model, report)
    check_page(report)
    columns = {name: getattr(items.columns, name) for name in items.columns.stated}
    text = {name: getattr(items, name) for name in _TEXT}
    names = ("probabilities", "report", "min_precision", "cost", "rule", "observed_rate", "effort")
    shared = {name: given[name] for name in names}
    with show_progress():
        from halflabel.folders.folder import complete_folder

        result = complete_folder(items.paths, folder, **shared, random_state=given["seed"], **stated, **text, **columns)
    if model is not None:
        with atomic_write(model) as file:
            file.write(result.model.read_bytes())
    _print_folder(result, given["as_json"])


def _check_options(items: ItemsFile, given: dict[str, Any]) -> None:
    """Raise for an option that is about one table."""
    of_file = {name: getattr(items, name) for name in ("pairs", "prior", "xml", "top_labels")}
    others = {name: value for name, value in given.items() if name not in SHARED}
    for name, value in {**of_file, **others}.items():
        if value not in (None, (), False):
            shown = {"pairs": "tags_file", "certificates": "certificate"}.get(name, name)
            raise ValueError(f"{option(shown)} is for one table, and {option('out')} for many files: leave one out.")


def _print_folder(result: FolderCompletion, as_json: bool) -> None:
    """Print counts, and where everything is."""
    folder = result.model.parent
    if as_json:
        counts = result.counts.set_index("label").to_dict("index")
        numbers = {"rows": result.tally.n_rows, "labelled": result.tally.n_labelled, "core": result.core}
        click.echo(json.dumps({**numbers, "labels": counts, "written": {"folder": str(result.out)}}))
        return
    from halflabel.completion.model_file import load

    out.print(make_roles_table(load(result.model).roles))
    print_note(*result.notes)
    print_result(*result.describe())
    print_result(
        f"Written: {plural(result.n_parts, 'part')} in {result.out}; counts per label, candidates, suspects, the next "
        f"items to label and the model in {folder}."
    )
