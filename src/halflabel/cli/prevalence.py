"""The command that counts labels: prevalence."""

from __future__ import annotations

from collections.abc import Hashable
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from halflabel._files import atomic_write
from halflabel._wording import NONE, count, escape_controls
from halflabel.cli import work
from halflabel.cli.console import out, print_note, print_result, show_progress
from halflabel.cli.options import ItemsFile, add_items_options
from halflabel.cli.output_paths import PATH
from halflabel.cli.outputs import Outputs
from halflabel.cli.print_reading import open_and_print, print_new_notes

if TYPE_CHECKING:
    import pandas as pd

#: The suffixes of a picture.
PICTURES = (".svg", ".png", ".pdf")


#: How far the intervals hold.
OF_KNOWN = (
    "The intervals of 90 % hold if entries are known by chance. With a gain of 2, each is as narrow as an interval "
    "from twice as many known entries."
)


@click.command(name="prevalence")
@add_items_options()
@click.option("--by", metavar="COLUMN", help="Count in each group of items, by a column.")
@click.option("-o", "--output", type=PATH, help="A table, or a picture of the intervals (.svg, .png, .pdf).")
def prevalence_command(items: ItemsFile, by: str | None, output: Path | None, observed_rate: float | None) -> None:
    """Count how frequent each label is, with an interval of 90 %.

    A count of completed values is biased, since each of them is the more probable value. Here the known entries are
    counted, and the probabilities of all items correct for the items that happen to be known.

    \b
    Examples:
      halflabel prevalence songs.csv --id song --labels rock,sad,live
      halflabel prevalence songs.csv --labels 'tag_*' --by decade -o shares.svg
    """  # noqa: D301
    source = items.read()
    is_picture = output is not None and output.suffix.lower() in PICTURES
    outputs = Outputs.plan((*items.inputs, *source.paths), {"picture" if is_picture else "prevalence": output})
    opened = open_and_print(items, source)
    with show_progress():
        filled = work.complete(opened, observed_rate=observed_rate)
    table = work.tabulate_prevalence(filled.evidence.of_filled, by)
    print_new_notes(filled.notes, opened)
    out.print(_make_table(table, by))
    print_note(*work.describe_left_out(filled.evidence, table, by))
    if output is not None:
        outputs.write(prevalence=lambda path: work.write_frame(table, path), picture=lambda path: _draw(table, path))
        outputs.print_paths()
    print_result(*work.describe_warnings(filled))
    print_result(OF_KNOWN)


def _draw(table: pd.DataFrame, path: Path) -> None:
    from matplotlib.figure import Figure

    from halflabel.report.axes import plot_prevalence

    figure = Figure((6.4, max(1.2 + 0.28 * len(table), 2.4)), layout="constrained")
    plot_prevalence(figure.subplots(), table)
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)


def _make_table(table: pd.DataFrame, by: str | None) -> Table:
    """Return the table for the terminal: a line per label and group."""
    titles = ["label", *([by] if by else []), "items", "known", "share, %", "count", "gain"]
    shown = Table(*titles, box=None, pad_edge=False)
    for column in shown.columns[2 if by else 1 :]:
        column.justify = "right"
    for row in table.to_dict("records"):
        cells = [row["label"], *([work.name_group(row["group"])] if by else []), count(row["n_items"])]
        cells += [count(row["n_labelled"]), _write_span(row, "share", "low", "high")]
        cells += [f"{row['count_low']:,.0f} to {row['count_high']:,.0f}", _write_gain(row["gain"])]
        shown.add_row(*map(escape_controls, cells))
    return shown


def _write_gain(gain: float) -> str:
    return NONE if isnan(gain) else f"{gain:.1f} x"


def _write_span(row: dict[Hashable, Any], *names: str) -> str:
    """Return a share in percent, with its interval."""
    middle, low, high = (100 * row[name] for name in names)
    return NONE if isnan(middle) else f"{middle:.1f} ({low:.1f} to {high:.1f})"
