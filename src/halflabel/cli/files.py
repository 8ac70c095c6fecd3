"""Paths that commands read and write."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click
import pandas as pd

PATH = click.Path(path_type=Path)


def beside(items: Path, ending: str) -> Path:
    """Return the path of an output that stands beside its input, the suffix replaced."""
    return items.with_name(f"{items.name.removesuffix('.gz').rsplit('.', 1)[0]}.{ending}")


def refuse_unwritable(inputs: Iterable[Path | None], *targets: Path | None) -> None:
    """Refuse before the work starts what could not be written at its end, or would overwrite what is needed."""
    taken = {path.resolve() for path in inputs if path is not None}
    for target in filter(None, targets):
        if not target.parent.is_dir():
            raise FileNotFoundError(f"{target} cannot be written: there is no folder {target.parent}.")
        if (target.exists() and not target.is_file()) or not os.access(target.parent, os.W_OK):
            raise PermissionError(f"{target} cannot be written: it is no ordinary file, or its folder is read-only.")
        if target.resolve() in taken:
            raise ValueError(f"{target} is the input or another output: give each its own name.")
        taken.add(target.resolve())


def with_index(table: pd.DataFrame) -> pd.DataFrame:
    """Put what items are known by into the first column, under a name of its own."""
    name = str(table.index.name or "row")
    while name in table.columns:
        name = f"_{name}"
    return table.rename_axis(name).reset_index()
