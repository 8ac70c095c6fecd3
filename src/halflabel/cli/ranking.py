"""The option ``--top`` of ``complete``: the likeliest of thousands of labels, as a table of items and labels."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from halflabel._wording import option, plural
from halflabel.cli import work
from halflabel.cli.console import make_roles_table, out, print_note, print_result, show_progress
from halflabel.cli.files import name_plain_table
from halflabel.cli.options import ItemsFile
from halflabel.cli.outputs import Outputs

#: Options that also apply to a ranking.
SHARED = ("seed", "as_json")

#: The values of options that were not given.
UNSTATED: tuple[Any, ...] = (None, (), False)

_TOP = click.option(
    "--top", type=click.IntRange(1), metavar="N",
    help="For thousands of labels: write the N likeliest labels of each item (item, label, probability), in place of "
    "the completed table.",
)  # fmt: skip


def rank_top(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command ``--top``: with it, labels are ranked, and no table is completed."""

    @functools.wraps(command)
    def run(items: ItemsFile, output: Path | None, top: int | None, **given: Any) -> Any:
        if top is None:
            return command(items=items, output=output, **given)
        return _rank(items, output, top, given)

    return _TOP(run)


def _rank(items: ItemsFile, output: Path | None, top: int, given: dict[str, Any]) -> None:
    """Rank labels, write the table and print counts."""
    unstated = {"effort": "default"}
    for name, value in given.items():
        if name not in SHARED and value not in UNSTATED and value != unstated.get(name):
            shown = {"certificates": "certificate"}.get(name, name)
            raise ValueError(f"{option(shown)} has no effect on a ranking of labels (--top): leave one of them out.")
    source = items.read()
    target = output or name_plain_table(items.paths, source, "top")
    outputs = Outputs.plan((*items.inputs, *source.paths), {"labelled": target})
    opened = work.open_sparse(source, items.described)
    if not given["as_json"]:
        out.print(make_roles_table(opened.roles, opened.encoder.matrix_names, source.format))
        print_note(*opened.notes)
    with show_progress():
        ranking = work.rank_opened(opened, top, given["seed"])
    table = ranking.list_likeliest()
    outputs.write(labelled=lambda path: work.write_frame(table.round({"probability": 4}), path))
    if given["as_json"]:
        numbers = {
            "items": len(opened.labels),
            "labels": len(opened.labels.names),
            "learned_from": ranking.model.n_learned_,
        }
        click.echo(json.dumps({**numbers, "rows": len(table), "written": {"table": str(target)}}))
        return
    print_result(*ranking.describe(), f"{plural(len(table), 'likely label')} of the items.")
    outputs.print_paths()
