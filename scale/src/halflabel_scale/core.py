"""The core: the labelled rows of all parts, and a random sample of the others. A model is fitted on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute

from halflabel.plugins import Mask, step
from halflabel_scale.parts import Part


@dataclass(frozen=True)
class Roles:
    """The columns that state whether a row is labelled, and its id."""

    labels: tuple[str, ...]  #: Label columns, or the one column of tags.
    id: str | None

    @classmethod
    def find(cls, names: Sequence[str], labels: Sequence[str] | None, tags: str | None, id: str | None) -> Roles:
        """Return the columns. Raise for a name or pattern without a column, and if no label was named."""
        stated = [tags] if tags is not None else list(labels or ())
        if not stated:
            raise ValueError("no labels were named: state the label columns (labels), or one column of tags (tags).")
        for name in [*stated, *([id] if id is not None else [])]:
            if not any(fnmatchcase(each, name) for each in names):
                raise ValueError(f"no column is called or matches {name!r}: the columns are {', '.join(names)}.")
        return cls(tuple(each for each in names if any(fnmatchcase(each, name) for name in stated)), id)


def choose_rows(
    parts: Sequence[Part], schema: pa.Schema, roles: Roles, max_labelled: int, max_unlabelled: int
) -> pd.DataFrame:
    """Return the rows of the core: part (its number), row, ordered by a hash of the id.

    The order of rows and parts has no effect. Without an id, the hash is of the name of the part and the number of the
    row.
    """
    columns = [*roles.labels, *([roles.id] if roles.id else [])]
    best = {True: pd.DataFrame(), False: pd.DataFrame()}
    limits = {True: max_labelled, False: max_unlabelled}
    for number, part in enumerate(parts):
        step("reading labels", number, len(parts))
        first = 0
        for table in part.batches(schema, columns):
            rows = np.arange(first, first + table.num_rows)
            ids = table[roles.id].to_pandas().astype(str) if roles.id else pd.Series([f"{part.name}:{j}" for j in rows])
            found = pd.DataFrame({"part": number, "row": rows, "hash": pd.util.hash_array(ids.to_numpy(dtype=object))})
            labelled = _find_labelled(table, roles.labels)
            for key, which in ((True, labelled), (False, ~labelled)):
                best[key] = pd.concat([best[key], found[which]]).nsmallest(limits[key], "hash")
            first += table.num_rows
    if len(best[True]) == 0:
        raise ValueError(f"no row of {len(parts)} parts has a label: give at least a few rows their labels.")
    return pd.concat(best.values()).sort_values(["hash", "part", "row"], ignore_index=True)[["part", "row"]]


def _find_labelled(table: pa.Table, labels: Sequence[str]) -> Mask:
    """Return the rows that have a value in a label column: neither missing nor an empty text."""
    given = np.zeros(table.num_rows, dtype=bool)
    for name in labels:
        column = table[name]
        missing = compute.is_null(column, nan_is_null=True)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            missing = compute.or_(missing, compute.fill_null(compute.equal(column, ""), True))
        given |= ~missing.to_numpy()
    return given


def read_rows(parts: Sequence[Part], schema: pa.Schema, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the core with all their columns, in their order."""
    tables, order = [], []
    for number, chosen in rows.groupby("part", sort=True):
        wanted, first = chosen.sort_values("row"), 0
        for table in parts[int(str(number))].batches(schema):
            at = wanted[(wanted["row"] >= first) & (wanted["row"] < first + table.num_rows)]
            tables.append(table.take(pa.array(at["row"].to_numpy() - first)))
            order.append(at.index.to_numpy())
            first += table.num_rows
    whole: pd.DataFrame = pa.concat_tables(tables).take(pa.array(np.argsort(np.concatenate(order)))).to_pandas()
    return whole
