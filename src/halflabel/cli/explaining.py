"""The option ``--explain``: why an entry has its probability, printed as parts that add up to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from halflabel._wording import quoted

if TYPE_CHECKING:
    import pandas as pd

explain_option = click.option(
    "--explain",
    type=(str, str),
    metavar="ITEM LABEL",
    multiple=True,
    help="Also print why this entry has its probability; may be given more than once.",
)


def read_entries(
    asked: Sequence[tuple[str, str]], index: pd.Index[Any], labels: Sequence[str]
) -> list[tuple[Any, str]]:
    """Return the ids and labels that a user typed. Raise, before any work, if an item or label does not exist."""
    entries = []
    for item, label in asked:
        rows = (index.astype(str) == item).nonzero()[0]
        if len(rows) != 1:
            number = "no item" if not len(rows) else f"{len(rows)} items"
            raise ValueError(f"--explain: {number} with the id {item!r}; an id of this table is {str(index[0])!r}.")
        if label not in labels:
            raise ValueError(f"--explain: there is no label {label!r}; the labels are {quoted(labels)}.")
        entries.append((index[rows[0]], label))
    return entries
