"""The command that draws the items: map."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from halflabel._wording import plural
from halflabel.cli import work
from halflabel.cli.console import show_progress
from halflabel.cli.files import PATH, check_maps, name_output, require_one, write_map
from halflabel.cli.options import ItemsFile, add_items_options, seed_option
from halflabel.cli.outputs import Outputs
from halflabel.cli.reading import open_and_print, print_new_notes
from halflabel.completion.mapping.defaults import LABEL_WEIGHT, METHOD_NAMES


@click.command(name="map")
@add_items_options()
@click.option("-d", "--dimensions", type=click.IntRange(1), default=2, show_default=True)
@click.option("-o", "--output", "outputs", type=PATH, multiple=True,
              help="A picture (.html, .svg, .png) or coordinates with labels (.csv, .parquet); may be given more than "
              "once. By default ITEMS.map.html and ITEMS.map.csv.")  # fmt: skip
@click.option("--label", help="The label for the colours; by default the one with the most relevant entries.")
@click.option(
    "--method", type=click.Choice(METHOD_NAMES), help="By default tsne for 1 or 2 dimensions, ssdrmc for more."
)
@click.option("--label-weight", type=click.FloatRange(0), default=LABEL_WEIGHT, show_default=True,
              help="Weight of the labels against the features; 0 draws the features alone.")  # fmt: skip
@seed_option
def map_command(
    items: ItemsFile,
    dimensions: int,
    outputs: tuple[Path, ...],
    label: str | None,
    method: str | None,
    label_weight: float,
    seed: int,
) -> None:
    """Draw the items in a small number of dimensions.

    \b
    Examples:
      halflabel map songs.csv --id song --labels rock,sad,live
      halflabel map songs.csv --id song --labels rock,sad,live --label sad -o sad.svg -o songs.map.parquet
      halflabel map songs.csv --id song --labels rock,sad,live --label-weight 0
    """  # noqa: D301
    source = items.read()
    kinds = ("map.html", "map.csv") if dimensions == 2 else ("map.csv",)
    targets = outputs or tuple(name_output(require_one(items.paths, source), kind) for kind in kinds)
    named = {f"map {number}": path for number, path in enumerate(targets)}
    planned = Outputs.plan((*items.inputs, *source.paths), named)
    check_maps(dimensions, *targets)
    opened = open_and_print(items, source)
    with show_progress():
        filled = work.complete(opened, random_state=seed)
        work.find_label(filled.labels, label)
        drawn = filled.map(dimensions, method=method, label_weight=label_weight, random_state=seed)
    options: dict[str, Any] = {"label": label, "title": Path(source.raw.source).name}
    planned.write(**{name: partial(write_map, filled, drawn, **options) for name in named})
    print_new_notes([*filled.opened.notes, *drawn.describe()], opened)
    planned.print_paths(f"{plural(len(drawn.places), 'item')} in {plural(dimensions, 'dimension')}.")
