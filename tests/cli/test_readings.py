"""What a file holds is what halflabel reads, and what it writes back: misreadings that users met, one test each."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cli.conftest import run

pytestmark = pytest.mark.usefixtures("one_member")

FAST = ("--effort", "fast")


def tickets(write=lambda tags: "; ".join(tags), n=60):
    """Return tickets whose tags follow from their text; every third one has none yet."""
    words = {"billing": "refund invoice", "login": "password locked", "bug": "crash error"}
    rows = []
    for i in range(n):
        tags = [list(words)[i % 3]] + (["urgent"] if i % 2 else [])
        text = " ".join([words[tags[0]], "now" if i % 2 else "later", f"no{i % 7}"])
        rows.append({"id": f"T{i}", "text": text, "tags": write(tags) if i % 3 != 2 or i < 30 else None})
    return pd.DataFrame(rows)


NOTATIONS = {
    "semicolon": "; ".join,
    "comma": ", ".join,
    "bar": "|".join,
    "json": json.dumps,
    "python": repr,
    "choices": lambda tags: json.dumps({"choices": tags}) if len(tags) > 1 else tags[0],
}


class TestTags:
    @pytest.mark.parametrize("notation", NOTATIONS)
    def test_tags_of_every_notation_are_single_labels_and_come_back_as_they_were(self, tmp_path, notation):
        frame = tickets(NOTATIONS[notation])
        frame.to_csv(tmp_path / "t.csv", index=False)
        result = run(
            "complete", tmp_path / "t.csv", "--text", "text", "--tags", "tags", "--absent", "irrelevant", "-v", *FAST
        )
        assert result.exit_code == 0, result.stderr
        assert "60 items, 15 features, 4 labels" in result.output
        assert "billing 20, " in result.output  # the labels with their numbers of items
        after = pd.read_csv(tmp_path / "t.completed.csv")
        given = frame["tags"].notna()
        assert (after.loc[given, "tags"] == frame.loc[given, "tags"]).all()
        allowed = {NOTATIONS[notation](list(tags)) for tags in (["bug"], ["bug", "urgent"], ["urgent", "bug"])}
        assert set(after.loc[~given, "tags"]) <= allowed

    def test_undecided_tags_are_written_apart_and_read_back(self, tmp_path):
        tickets().to_csv(tmp_path / "t.csv", index=False)
        options = ("--text", "text", "--tags", "tags", "--absent", "irrelevant")
        run("complete", tmp_path / "t.csv", *options, *FAST, "--min-precision", "0.9999", "-o", tmp_path / "one.csv")
        first = pd.read_csv(tmp_path / "one.csv")
        assert first["tags_open"].notna().sum() > 0
        described = run("describe", tmp_path / "one.csv", *options).output
        n_open = int(first["tags_open"].dropna().str.split("; ").map(len).sum())
        known = 1 - n_open / (60 * 4)
        assert f"{known:.1%} of all entries known" in described

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

    def test_lists_with_gaps_inside_are_lists(self, tmp_path):
        lists = [["a"], ["b", None], None, [None, "a"]] * 10
        table = pa.table({"x": np.tile([0.1, 5.2, 5.3, 0.4], 10) + np.arange(40) / 1000, "tags": lists})
        parquet.write_table(table, tmp_path / "t.parquet")
        described = run("describe", tmp_path / "t.parquet", "--tags", "tags", "--absent", "irrelevant").output
        assert "40 items, 1 feature, 2 labels" in described


class TestNotation:
    @pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig", "utf-16"])
    def test_a_table_of_a_german_excel_comes_back_as_it_was(self, songs, encoding):
        frame = pd.read_csv(songs)
        frame.insert(0, "preis", "50 € für alle")
        frame.to_csv(songs, index=False, sep=";", decimal=",", encoding=encoding, lineterminator="\r\n")
        before = songs.read_bytes().decode(encoding).splitlines()
        result = run("complete", songs, "--labels", "tag_*", *FAST)
        assert result.exit_code == 0, result.stderr
        assert "separated by ';'" in result.output
        assert "with a decimal comma" in result.output
        after = songs.with_name("songs.completed.csv").read_bytes().decode(encoding).splitlines()
        assert after[0] == before[0]
        assert [line.split(";")[:7] for line in after] == [line.split(";")[:7] for line in before]

    def test_what_r_writes_by_default(self, songs):
        frame = pd.read_csv(songs)
        rows = [[f'"{i + 1}"', *frame.iloc[i, :5], f'"{frame["song"][i]}"', *frame.iloc[i, 6:]] for i in range(60)]
        cells = [["NA" if pd.isna(cell) else str(cell) for cell in row] for row in rows]
        header = " ".join(f'"{name}"' for name in frame.columns)
        path = songs.with_name("genes.txt")
        path.write_text("\n".join([header, *map(" ".join, cells)]) + "\n")
        result = run("complete", path, "--labels", "tag_*", *FAST)
        assert result.exit_code == 0, result.stderr
        assert "row names" in result.output
        after = path.with_name("genes.completed.txt").read_text().splitlines()
        assert after[0] == header.replace('"', "")
        given, written = (pd.read_csv(p, sep=" ", index_col=0) for p in (path, path.with_name("genes.completed.txt")))
        assert written.columns.tolist() == frame.columns.tolist()
        pd.testing.assert_frame_equal(written.iloc[:, :6], given.iloc[:, :6])
        assert not written.isna().any(axis=None)

    def test_dates_of_any_country_are_no_features(self, songs):
        frame = pd.read_csv(songs)
        days = [f"{1 + i % 28:02d}.04.2025" for i in range(60)]
        frame.assign(datum=days, us=[f"4/{1 + i % 28}/2025" for i in range(60)]).to_csv(songs, index=False)
        described = " ".join(run("describe", songs, "--labels", "tag_*").output.split())
        assert "dates or times; turn them into numbers" in described

    def test_vectors_do_not_become_text(self, tmp_path):
        frame = pd.DataFrame({"v": list(np.random.default_rng(0).normal(size=(40, 32))), "a": [0, 1, None, 1] * 10})
        frame.to_parquet(tmp_path / "t.parquet")
        result = run("complete", tmp_path / "t.parquet", "--set", "vectors=v", "--labels", "a", *FAST,
                     "-o", tmp_path / "out.csv")  # fmt: skip
        assert "were left out: write Parquet to keep them" in result.output
        assert pd.read_csv(tmp_path / "out.csv").columns.tolist() == ["a"]

    def test_json_keeps_vectors(self, tmp_path):
        frame = pd.DataFrame({"v": list(np.random.default_rng(0).normal(size=(40, 32))), "a": [0, 1, None, 1] * 10})
        frame.to_parquet(tmp_path / "t.parquet")
        run(
            "complete",
            tmp_path / "t.parquet",
            "--set",
            "vectors=v",
            "--labels",
            "a",
            *FAST,
            "-o",
            tmp_path / "out.json",
        )
        rows = json.loads((tmp_path / "out.json").read_text())
        np.testing.assert_array_equal([row["v"] for row in rows], np.stack(frame["v"].to_numpy()))


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
