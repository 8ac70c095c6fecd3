"""The footer of a Parquet file, compared with what pyarrow reports of sound files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from halflabel.files.parquet_footer import count_values

TABLES = {
    "flat": {"a": [1.5, None, 3.0, 4.0], "b": ["x", "y", None, "x"], "c": [True, False, True, None]},
    "nested": {"a": [[1, 2], [], None, [3]], "s": [{"k": "v", "n": [["q"]]}] * 4, "m": [{"x": 1}, None, {}, {"x": 2}]},
    "wide": {f"column {j}": np.arange(4) for j in range(300)},
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("version", ["1.0", "2.6"])
def test_it_is_read_as_pyarrow_reads_it(name, version, tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table(TABLES[name])
    parquet.write_table(table, path, row_group_size=3, version=version, write_page_index=True)
    metadata = parquet.ParquetFile(path).metadata
    groups = [metadata.row_group(g) for g in range(metadata.num_row_groups)]
    assert len(groups) == 2
    expected = [[group.column(j).num_values for j in range(group.num_columns)] for group in groups]
    assert count_values(path) == expected


def test_a_table_of_pandas(tmp_path):
    pd.DataFrame({"a": [1, 2], "day": pd.to_datetime(["2020-01-01", None])}).to_parquet(tmp_path / "t.parquet")
    assert count_values(tmp_path / "t.parquet") == [[2, 2]]


def test_damage_is_a_lookup_error(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2]}).to_parquet(path)
    content = path.read_bytes()
    path.write_bytes(content[:-60] + content[-8:])
    with pytest.raises((LookupError, TypeError)):
        count_values(path)
