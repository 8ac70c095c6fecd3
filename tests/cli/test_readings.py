"""What a file holds is what halflabel reads, and what it writes back: misreadings that users met, one test each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cli.conftest import run

pytestmark = pytest.mark.usefixtures("one_member")

FAST = ("--effort", "fast")


class TestTags:
    def test_lists_of_class_numbers_end_in_a_table_of_numbers(self, tmp_path):
        numbers = [[0], [1, 2], None, [0, 2]] * 15
        table = pa.table(
            {
                "x": np.tile([0.1, 5.2, 5.3, 0.4], 15) + np.arange(60) / 1000,
                "labels": pa.array(numbers, pa.list_(pa.int64())),
            }
        )
        parquet.write_table(table, tmp_path / "t.parquet")
        result = run("complete", tmp_path / "t.parquet", "--tags", "labels", "--absent", "irrelevant", *FAST)
        assert result.exit_code == 0, result.stderr
        after = parquet.read_table(tmp_path / "t.completed.parquet")
        assert after["labels"].type.value_type == pa.int64()
        assert after["labels"].null_count == 0


class TestMessages:
    def test_an_error_names_the_line_of_the_file(self, songs):
        frame = pd.read_csv(songs)
        frame["tag_a"] = frame["tag_a"].astype(object)
        frame.loc[7, "tag_a"] = "maybe"
        frame.to_csv(songs, index=False)
        result = run("complete", songs, "--labels", "tag_*")
        assert songs.read_text().splitlines()[8].count("maybe") == 1
        assert "holds 'maybe' (line 9)" in result.stderr

    def test_a_file_without_lines_names_the_item(self, songs):
        frame = pd.read_csv(songs)
        frame.loc[7, "tag_a"] = 2
        frame.to_parquet(songs.with_suffix(".parquet"))
        result = run("complete", songs.with_suffix(".parquet"), "--labels", "tag_*")
        assert "label 'tag_a' holds 2.0 (item 8)" in result.stderr
        assert "PartialLabels" not in result.stderr

    def test_line_breaks_in_cells_make_items_of_lines(self, songs):
        frame = pd.read_csv(songs).assign(text="two\nlines")
        frame.loc[3, "tag_a"] = 7
        frame.to_csv(songs, index=False)
        assert "(item 4)" in run("complete", songs, "--labels", "tag_*").stderr

    def test_two_rows_with_one_id(self, songs):
        frame = pd.read_csv(songs)
        frame.loc[9, "song"] = "s2"
        frame.to_csv(songs, index=False)
        assert "'s2' is in line 4 and line 11" in run("complete", songs, "--id", "song", "--labels", "tag_*").stderr
