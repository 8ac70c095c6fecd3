"""The options of ``complete`` for tables in many files: an output that is a folder, and the options for it."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel._files import atomic_write
from halflabel._wording import option, plural
from halflabel.cli import work
from halflabel.cli.console import make_roles_table, out, print_note, print_result, show_progress
from halflabel.cli.files import NO_REPORT, check_outputs, check_page
from halflabel.cli.options import ItemsFile
from halflabel.table.columns import OF_FOLDER

if TYPE_CHECKING:
    from halflabel.folders.result import FolderCompletion

#: Options that also apply to a folder of parts.
SHARED = (
    "probabilities",
    "report",
    "model",
    "min_precision",
    "rule",
    "observed_rate",
    "effort",
    "seed",
    "as_json",
)

_WORKERS = click.option(
    "--workers", metavar="N|ADDRESS",
    help="With -o FOLDER/: number of processes, or the address of a Dask scheduler, such as tcp://host:8786; by "
    "default 1.",
)  # fmt: skip

_FIT_ROWS = click.option(
    "--fit-rows", metavar="LABELLED,UNLABELLED", callback=lambda *given: _parse_rows(given[2]),
    help="With -o FOLDER/: maximum numbers of rows that the model is fitted on; by default 50000,20000.",
)  # fmt: skip

_OUTPUT = click.option(
    "-o", "--output",
    help="Completed table; by default ITEMS.completed.*, in the format of ITEMS. A name that ends with / is a folder: "
    "ITEMS are completed part by part, one file per part, for tables beyond memory; a run that was interrupted "
    "continues.",
)  # fmt: skip


def _parse_rows(text: str | None) -> tuple[int | None, int | None] | None:
    """Read the maximum numbers of labelled and of unlabelled rows."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(re.fullmatch("[0-9]{1,12}", part) for part in parts):
        raise click.BadParameter(f"{text!r:.80} is not two whole numbers, such as 50000,20000.")
    return int(parts[0]), int(parts[1])


def complete_folders(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the output, and options for tables in many files: if it is a folder, these are completed there."""

    @functools.wraps(command)
    def run(items: ItemsFile, output: str | None, workers: str | None, fit_rows: Any, **given: Any) -> Any:
        stated = _read_workers(workers) | _read_limits(fit_rows)
        if output is not None and _is_folder(items, output, given["to"]):
            return _complete_parts(items, Path(output), stated, given)
        if stated:
            raise ValueError(f"{option(next(iter(stated)))} is for tables in many files: give {option('out')}, too.")
        return command(items=items, output=None if output is None else Path(output), **given)

    decorated = run
    for each in (_FIT_ROWS, _WORKERS, _OUTPUT):
        decorated = each(decorated)
    return decorated


def _is_folder(items: ItemsFile, output: str, to: str | None) -> bool:
    """Return whether an output is a folder of parts. The folders of a tool are one output."""
    return output.endswith(("/", os.sep)) and to is None and not (len(items.paths) == 1 and _is_of_tool(items.paths[0]))


def _is_of_tool(path: Path) -> bool:
    """Return whether a tool wrote a folder as one data set. A folder of Parquet files is a table in parts."""
    return path.is_dir() and work.detect(path) is not None and not any(path.rglob("*.parquet"))


def _read_workers(workers: str | None) -> dict[str, Any]:
    """Return the number of processes, or the address of a scheduler."""
    if workers is None:
        return {}
    return {"workers": int(workers)} if re.fullmatch("-?[0-9]{1,9}", workers) else {"scheduler": workers}


def _read_limits(rows: tuple[int | None, int | None] | None) -> dict[str, Any]:
    names = ("max_labelled", "max_unlabelled")
    return {name: limit for name, limit in zip(names, rows or (), strict=False) if limit is not None}


def _complete_parts(items: ItemsFile, folder: Path, stated: dict[str, Any], given: dict[str, Any]) -> None:
    """Complete a folder and print the result."""
    _check_options(items, given)
    given = given | ({"report": None} if given["report"] == NO_REPORT else {})
    model, report = given["model"], given["report"]
    check_outputs((*items.inputs, folder), model, report)
    check_page(report)
    described = items.columns
    columns = {name: value for name, value in described.stated.items() if name in OF_FOLDER}
    if "format" not in items.given:
        columns.pop("format", None)  # of a table file: that of the parts is in their names
    names = ("probabilities", "report", "min_precision", "rule", "observed_rate", "effort")
    shared = {name: given[name] for name in names}
    with show_progress():
        from halflabel.folders.folder import complete_folder

        result = complete_folder(
            items.paths, folder, **shared, random_state=given["seed"], **stated, **described.of_file, **columns
        )
    if model is not None:
        with atomic_write(model) as file:
            file.write(result.model.read_bytes())
    _print_folder(result, given["as_json"])


def _check_options(items: ItemsFile, given: dict[str, Any]) -> None:
    """Raise for an option that is about one table."""
    names = ("pairs", "labels_file", "prior", "sources", "xml", "top_labels", "images", "embed")
    of_file = {name: getattr(items.columns, name) for name in names}
    others = {name: value for name, value in given.items() if name not in SHARED}
    for name, value in {**of_file, **others}.items():
        if value not in (None, (), False):
            shown = {"certificates": "certificate"}.get(name, name)
            raise ValueError(f"{option(shown)} is for one table, and {option('out')} for many files: leave one out.")


def _print_folder(result: FolderCompletion, as_json: bool) -> None:
    """Print counts, and where everything is."""
    folder = result.model.parent
    if as_json:
        counts = result.counts.set_index("label").to_dict("index")
        numbers = {"rows": result.totals.n_rows, "labelled": result.totals.n_labelled, "core": result.core}
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
