"""The command that prints the content of a file: describe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from halflabel._wording import count, plural, quoted
from halflabel.cli import work
from halflabel.cli.console import make_roles_table, out, print_note, print_result
from halflabel.cli.options import ItemsFile, add_items_options, list_keys
from halflabel.cli.outputs import Outputs
from halflabel.cli.print_reading import print_reading


@click.command(name="describe", epilog=f"\b\nKeys of a table file, for --set KEY=VALUE:\n{list_keys()}")
@add_items_options(fits=False)
@click.option("--save", is_flag=True, help="Write the description as a table file, which every command then finds: "
              "ITEMS.table.toml, or that of --set table=FILE.")  # fmt: skip
def describe_command(items: ItemsFile, save: bool) -> None:
    """Print the contents of a file and the role of each column. It may be a saved model.

    \b
    Examples:
      halflabel describe songs.csv --labels 'tag_*'
      halflabel describe songs.csv --labels 'mood_*' --set yes=yes,x --set unknown='?' --save
      halflabel describe songs.halflabel
    """  # noqa: D301
    if len(items.paths) == 1 and work.is_model(items.paths[0]):
        _describe_model(items.paths[0], items.given)
        return
    target = items.own_file
    if save and target is None:
        raise ValueError("several files are one table: name its table file with --set table=FILE.")
    items = replace(items, table=None, finds=False) if save else items
    source = items.read()
    outputs = Outputs.plan((*items.inputs, *source.paths), {"description": target if save else None})
    try:
        opened = items.open(source)
    except work.NoLabelsNamed as reason:  # the roles of the other columns are a result all the same
        out.print(make_roles_table(reason.roles, format=source.format))
        print_note(str(reason), *getattr(reason, "__notes__", ()))
        return
    print_reading(opened, verbose=True)
    print_result(opened.summary)
    if save:
        outputs.write(description=opened.save)
        outputs.print_paths()


def _describe_model(path: Path, stated: Mapping[str, object]) -> None:
    """Print which labels a model predicts, from which columns, and with which versions it was made."""
    if stated:
        raise ValueError(f"{path} is a model, to which the options of a table do not apply.")
    predictor, heading = work.load(path), work.read_heading(path)
    model, names = predictor.model, predictor.label_names
    out.print(make_roles_table(predictor.roles, predictor.encoder.matrix_names))
    made = ", ".join(f"{name} {version}" for name, version in heading.versions.items())
    print_result(
        f"A model of {count(heading.size)} bytes, written {heading.written} (UTC) "
        f"in format {heading.format} with {made}.",
        f"Method: {' '.join(repr(model).split())}.",
        f"{plural(len(names), 'label')}: {quoted(names, 20)}. Probabilities are of {predictor.probability_of}.",
        f"{plural(model.n_features_in_, 'feature')} of new items are needed.",
    )
