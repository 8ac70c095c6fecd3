"""From paths to one source: which files, which format, and what a user should know about the reading."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.elsewhere import needs_tools

from halflabel import files
from halflabel.cli.output_paths import name_output
from halflabel.files.raw_table import ReadError
from halflabel.files.registry import check_name
from halflabel.table import Description
from halflabel.table.question import Question
from halflabel.table.source_files import expand_paths, read_file, read_source
from halflabel.table.table_file import find_table_file

ROWS = pd.DataFrame({"a": [1.5, 2.5], "rock": [1, 0]})


@pytest.fixture
def folder(tmp_path):
    """Return a folder of two parts of a table, and of files that are none."""
    for name in ("b.csv", "a.csv", ".hidden.csv", "_partial.csv"):
        ROWS.to_csv(tmp_path / name, index=False)
    (tmp_path / "readme.txt").write_text("x")
    (tmp_path / "old.csv").mkdir()
    return tmp_path


def write_export(path, name="doccano"):
    """Write an export of an annotation tool: three items, two labels, one unknown entry."""
    items = pd.DataFrame({"text": ["a b", "c d", "e f"]}, index=["i", "j", "k"])
    labels = pd.DataFrame({"x": [1, 0, np.nan], "y": [0, 1, 1]})
    files.write_records(path, name, files.from_tables(items, labels))
    return path


class TestPaths:
    def test_the_parts_of_a_folder_are_its_tables_in_order(self, folder):
        assert expand_paths([folder]) == [folder / "a.csv", folder / "b.csv"]

    def test_a_pattern_stands_for_the_files_that_match(self, folder):
        assert expand_paths([str(folder / "?.csv"), folder / "readme.txt"]) == [
            folder / name for name in ("a.csv", "b.csv", "readme.txt")
        ]
        with pytest.raises(ReadError, match="no file matches this pattern"):
            expand_paths([folder / "*.parquet"])

    def test_a_file_may_have_the_characters_of_a_pattern_in_its_name(self, folder):
        ROWS.to_csv(folder / "a[1].csv", index=False)
        assert expand_paths([folder / "a[1].csv"]) == [folder / "a[1].csv"]

    def test_a_file_that_does_not_exist_is_named(self, folder):
        with pytest.raises(ReadError, match=r"none\.csv"):
            expand_paths([folder / "a.csv", folder / "none.csv"])

    def test_a_folder_needs_tables_of_one_kind(self, folder, tmp_path_factory):
        with pytest.raises(ReadError, match=r"this is a folder without a table; its files would end in \.csv, "):
            expand_paths([tmp_path_factory.mktemp("empty")])
        (folder / "c.tsv").write_text("a\trock\n1.5\t1\n")
        with pytest.raises(
            ReadError, match=r"the folder holds files of the kinds \.csv, \.tsv: name some with '.*\*\.csv'"
        ):
            expand_paths([folder])


class TestFormats:
    def test_several_files_are_one_table(self, folder):
        source = read_file(folder)
        assert source.format == "csv"
        assert source.paths == (folder / "a.csv", folder / "b.csv")
        assert source.raw.frame["a"].tolist() == [1.5, 2.5] * 2
        assert read_source(str(folder / "a.csv")).format == "csv"
        assert read_source(ROWS).format == ""

    def test_an_array_needs_labels_that_come_apart(self):
        with pytest.raises(ValueError, match="label"):
            read_source(np.ones((3, 2)))

    @pytest.mark.parametrize(
        ("suffix", "name"),
        [("tsv", "csv"), ("parquet", "parquet"), ("pq", "parquet"), ("npy", "npy")],
    )
    def test_the_suffix_of_a_table_decides(self, suffix, name, tmp_path):
        path = tmp_path / f"t.{suffix}"
        if name == "parquet":
            ROWS.to_parquet(path)
        elif suffix == "npy":
            np.save(path, ROWS.to_numpy())
        else:
            path.write_text("a\trock\n1.5\t1\n2.5\t0\n" if suffix == "tsv" else "1 1:0.5 2:1.5\n0 1:2\n")
        assert read_file(path).format == name

    def test_a_format_that_was_stated_is_used(self, tmp_path):
        path = tmp_path / "t.data"
        ROWS.to_csv(path, index=False, sep=";")
        source = read_file(path, Description(format="csv"), delimiter=";", encoding=None)
        assert source.format == "csv"
        assert source.raw.frame.columns.tolist() == ["a", "rock"]
        with pytest.raises(ValueError, match=r"there is no format 'cvs': .*'csv'"):
            check_name("cvs")
        assert check_name("doccano") == "doccano"

    def test_files_of_two_formats_are_not_read_together(self, folder):
        (folder / "c.json").write_text(json.dumps(ROWS.to_dict("records")))
        with pytest.raises(
            ReadError, match=r"c\.json: the 2 files have the formats 'csv' and 'json': read one format at a time"
        ):
            read_file([folder / "c.json", folder / "a.csv"])
        assert read_file([folder / "c.json", folder / "c.json"]).raw.frame.shape == (4, 2)

    def test_a_damaged_file_has_the_error_of_its_reader(self, tmp_path):
        (tmp_path / "t.json").write_text("")
        with pytest.raises(ReadError, match=r"t\.json"):
            read_file(tmp_path / "t.json")
        files.write_frame(pd.DataFrame({"a": [1]})[:0], tmp_path / "t.feather")
        with pytest.raises(ReadError, match="there are no rows or no columns in it"):
            read_file(tmp_path / "t.feather")
        (tmp_path / "t.json").write_text("[]")
        with pytest.raises(ReadError, match="there are no records"):
            read_file(tmp_path / "t.json")

    def test_an_option_of_another_format_is_named(self, tmp_path):
        (tmp_path / "t.json").write_text(json.dumps(ROWS.to_dict("records")))
        with pytest.raises(ValueError, match="delimiter= does not apply to a file of the format json"):
            read_file(tmp_path / "t.json", delimiter=";")
        assert read_file(tmp_path / "t.json", delimiter=None).format == "json"


class TestExports:
    def test_a_note_names_the_format_and_its_reason_unless_it_was_stated(self, tmp_path):
        path = write_export(tmp_path / "t.json", "label-studio")
        source = read_file(path)
        assert source.paths == (path,)
        assert source.raw.notes[-1] == (
            "t.json was read as label-studio (its records have 'data' with 'annotations' or 'predictions', as tasks "
            "have); state another format with format=."
        )
        assert read_file(path, Description(tags="tags")).raw.frame.equals(source.raw.frame)  # not its option
        assert not any("was read as" in note for note in read_file(path, Description(format="label-studio")).raw.notes)

    @needs_tools
    def test_lists_need_the_meaning_of_absence_only_if_labels_are_needed(self, tmp_path):
        path = write_export(tmp_path / "t.jsonl")
        with pytest.raises(Question) as question:
            read_file(path)
        assert [way.keys["absent"] for way in question.value.ways] == ["irrelevant", "unknown"]
        assert read_file(path, Description(labels=[])).records.positive_only
        records = read_file(path, Description(absent="irrelevant")).records
        assert not records.positive_only

    @needs_tools
    @pytest.mark.parametrize(("empty", "annotated"), [("unlabelled", 2), ("none", 3)])
    def test_an_empty_list_is_read_as_stated(self, empty, annotated, tmp_path):
        lines = [{"id": n, "text": "x", "label": each} for n, each in enumerate((["a"], ["b"], []))]
        (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, lines)))
        columns = Description(absent="irrelevant", empty=empty, format="doccano")
        assert read_file(tmp_path / "t.jsonl", columns).records.annotated.sum() == annotated


def test_names_with_brackets_and_the_working_directory(tmp_path, monkeypatch):
    """Brackets of a pattern may be those of a name, and a point names a folder."""
    folder = tmp_path / "x[1], y"
    folder.mkdir()
    for part in "ab":
        (folder / f"{part}.csv").write_text("id,x\n1,2\n2,3\n")
    for where in (folder / "*.csv", folder / "[ab].csv", folder / "a.csv", folder):
        assert len(read_file(where).raw.frame) in (2, 4)
    monkeypatch.chdir(folder)
    assert find_table_file(".") is None
    assert name_output(Path("."), "completed.csv") == tmp_path / "x[1], y.completed.csv"
