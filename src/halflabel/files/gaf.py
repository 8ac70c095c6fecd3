"""Gene annotation files (GAF 2): rows of gene products and terms, with the value 0 where the qualifier is NOT."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from halflabel.files.bounded import lines, sha256_of
from halflabel.files.raw_table import RawTable, ReadError, TableFormat

#: The columns of a file, in order; the last two may be missing.
COLUMNS = (
    "db", "object_id", "symbol", "qualifier", "go_id", "reference", "evidence", "with_from", "aspect", "name",
    "synonym", "object_type", "taxon", "date", "assigned_by", "extension", "product_form",
)  # fmt: skip

#: Bytes of the longest line.
MAX_LINE = 1_000_000


def _read(path: Path) -> RawTable:
    """Read the rows, with the column ``value``: 1, or 0 if the qualifier states that the product lacks the term."""
    rows = []
    for number, line in lines(path, max_line=MAX_LINE):
        cells = line.rstrip("\r\n").split("\t")
        if line.startswith("!") or cells == [""]:
            continue
        if not len(COLUMNS) - 2 <= len(cells) <= len(COLUMNS):
            reason = f"{len(cells)} cells, but a line of GAF 2 has {len(COLUMNS) - 2} to {len(COLUMNS)}, with tabs."
            raise ReadError.at(path, reason, line=number)
        rows.append(cells + [""] * (len(COLUMNS) - len(cells)))
    if not rows:
        raise ReadError.at(path, "there are no annotations in it.")
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype="str")
    denied = frame["qualifier"].str.split("|").map(lambda words: "NOT" in words)
    frame = frame.mask(frame == "").assign(value=(~denied).astype("int64"))
    return RawTable(frame, source=str(path), sha256=sha256_of(path))


FORMAT = TableFormat("gaf", (".gaf",), _read)
