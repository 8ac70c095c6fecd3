"""Commands about data sets: data describe, data fetch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pandas as pd

from halflabel.cli.console import counted, out, roles_table, say, tell, working
from halflabel.cli.files import PATH
from halflabel.cli.options import column_options, open_items, roles_without_labels
from halflabel.datasets import fetch
from halflabel.datasets.writing import write_table
from halflabel.table import NoLabelsNamed


@click.group()
def data() -> None:
    """Look at a file, or get a public benchmark set."""


@data.command()
@click.argument("items", type=PATH)
@column_options
def describe(items: Path, **columns: Any) -> None:
    """Say what a file contains and which column plays which role.

    \b
    Example:
      halflabel data describe songs.csv --labels 'tag_*'
    """  # noqa: D301
    try:
        opened = open_items(items, **columns)
    except NoLabelsNamed as reason:  # still an answer: what else is in the file
        out.print(roles_table(roles_without_labels(items, **columns)))
        say(str(reason))
        return
    out.print(roles_table(opened.roles, opened.encoder.matrix_names))
    labels = opened.labels
    known = labels.observed
    partial = int((known.any(axis=1) & ~known.all(axis=1)).sum())
    tell(
        f"{counted(len(labels), 'item')}, {counted(opened.X.shape[1], 'feature')}, "
        f"{counted(len(labels.names), 'label')}. {counted(int(labels.unlabelled.sum()), 'item')} without any label, "
        f"{partial:,} with some; {known.mean():.1%} of all entries known, {labels.relevant.sum():,} of them relevant."
    )
    say(*opened.notes)


@data.command(name="fetch")
@click.argument("name")
@click.option("-o", "--output", type=PATH, help="CSV file; by default NAME.csv.")
def fetch_command(name: str, output: Path | None) -> None:
    """Get a public multi-label set from OpenML (needs the network) and write it as CSV."""
    with working():
        dataset = fetch(name)
    X = dataset.X.toarray() if hasattr(dataset.X, "toarray") else dataset.X
    target = output or Path(f"{name}.csv")
    write_table(pd.DataFrame(X, columns=list(dataset.feature_names)).join(dataset.Y.to_frame()), target)
    size = f"{X.shape[0]} items, {X.shape[1]} features, {len(dataset.label_names)} labels"
    tell(f"{dataset.name}: {size}. Written: {target}.")
