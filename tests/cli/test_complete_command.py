"""halflabel complete: tables, tags, vectors and sparse files in, tables and reports out."""

from __future__ import annotations

import json
import os
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

pytestmark = pytest.mark.usefixtures("one_member")


class TestVerdict:
    OPTIONS = ("--id", "song", "--labels", "tag_*", "--set", "show=song", "--effort", "fast", "--report", "none")

    def test_four_lines_and_the_files(self, songs):
        lines = run("complete", songs, *self.OPTIONS).stdout.splitlines()
        starts = ("Read: ", "111 gaps filled: ", "About ", "Next: ", "Written: ")
        assert len(lines) == len(starts), lines
        assert all(map(str.startswith, lines, starts)), lines

    def test_the_next_command_reads_the_same_table(self, songs):
        """The printed line writes the table of the values to check."""
        printed = run("complete", songs, *self.OPTIONS).stdout
        words = shlex.split(re.search(r"`halflabel (.*)`", printed)[1])
        assert words[:2] == ["review", str(songs)]
        result = run(*words, "-o", songs.with_name("check.csv"))
        assert result.exit_code == 0, result.output
        checked = pd.read_csv(songs.with_name("check.csv"))
        assert set(checked["label"]) <= {"tag_a", "tag_b", "tag_c"}
        assert set(checked["item"]) <= set(pd.read_csv(songs)["song"])


class TestComplete:
    def test_writes_table_and_report(self, songs):
        result = run("complete", songs, "--id", "song", "--labels", "tag_*", "-v")
        assert result.exit_code == 0, result.output
        assert "identifies the rows" in result.output
        assert "60 items, 5 features, 3 labels" in result.output
        assert outputs(songs) == ["songs.completed.csv", "songs.report.html"]
        before, after = pd.read_csv(songs), pd.read_csv(songs.with_name("songs.completed.csv"))
        assert after.columns.tolist() == before.columns.tolist()
        assert not after.isna().any(axis=None)
        known = before["tag_a"].notna()
        np.testing.assert_array_equal(after.loc[known, "tag_a"], before.loc[known, "tag_a"])

    def test_min_precision_leaves_cells_empty(self, songs):
        result = run("complete", songs, "--labels", "tag_a,tag_b", "--labels", "tag_c", "--min-precision", "0.999")
        assert "stay empty: they do not reach 99.9 %." in result.output
        assert pd.read_csv(songs.with_name("songs.completed.csv")).isna().any(axis=None)

    def test_json(self, songs):
        result = run("complete", songs, "--labels", "tag_*", "--json")
        output = json.loads(result.stdout)
        assert (output["items"], output["labels"], output["left"]) == (60, 3, 0)
        assert output["filled"] == output["gaps"] > 0
        assert os.path.exists(output["written"]["table"])

    def test_tags_and_a_long_table(self, songs, tmp_path):
        frame = pd.read_csv(songs)
        has = frame[["tag_a", "tag_b", "tag_c"]]
        frame["tags"] = ["" if row.isna().any() else ";".join(row.index[row == 1]) for _, row in has.iterrows()]
        plain = frame.drop(columns=has.columns)
        plain.to_csv(tmp_path / "t.csv", index=False)
        result = run("complete", tmp_path / "t.csv", "--tags", "tags", "--absent", "irrelevant")
        assert "empty cell in the tags column" in result.output
        long = has.assign(song=frame["song"]).melt("song", var_name="tag").query("value == 1")[["song", "tag"]]
        long.to_csv(tmp_path / "long.csv", index=False)
        plain.drop(columns="tags").to_csv(tmp_path / "u.csv", index=False)
        options = f"--id song --set pairs={tmp_path}/long.csv --set on=song --absent irrelevant".split()
        assert run("complete", tmp_path / "u.csv", *options).exit_code == 0
        assert {"tag_a", "tag_b", "tag_c"} <= set(pd.read_csv(tmp_path / "u.completed.csv").columns)


def test_a_label_with_a_comma_stands_in_quotes(songs):
    pd.read_csv(songs).rename(columns={"tag_a": "a,b"}).to_csv(songs, index=False)
    assert "60 items, 6 features, 2 labels" in run("complete", songs, "--labels", '"a,b",tag_b').output


def test_names_are_printed_as_they_are(songs, tmp_path):
    frame = pd.read_csv(songs).rename(columns={"tag_a": "[bold]", "tag_b": ":heart:"})
    path = tmp_path / "[red] a long name that is not broken where a line of a terminal of eighty columns ends.csv"
    frame.to_csv(path, index=False)
    output = run("complete", path, "-v", "--labels", "[[]bold],:heart:", "--set", "ignore=tag_c").stdout
    assert "[bold], :heart:" in output
    assert f"Written: {path.with_suffix('.completed.csv')}, " in output


def test_missing_features_are_reported_and_infinite_ones_raise(songs):
    frame = pd.read_csv(songs)
    frame.loc[3, "f1"] = np.nan
    frame.to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "tag_*")
    assert "1 feature with missing values (1 cell; 'f1')" in result.stderr
    frame.loc[3, "f1"] = np.inf
    frame.to_csv(songs.with_name("inf.csv"), index=False)
    failed = run("complete", songs.with_name("inf.csv"), "--labels", "tag_*")
    assert failed.exit_code == 1
    assert "'f1'" in failed.stderr


def test_a_label_may_be_called_like_the_column_of_row_numbers(songs, tmp_path):
    pd.read_csv(songs).rename(columns={"tag_a": "row", "song": "dim1"}).to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "row", "--probabilities", tmp_path / "p.csv")
    assert result.exit_code == 0, result.stderr
    assert pd.read_csv(tmp_path / "p.csv").columns.tolist() == ["_row", "row"]
    drawn = ("--map", tmp_path / "map.csv")
    assert run("complete", songs, "--labels", "row", "--id", "dim1", *drawn).exit_code == 0


def test_predictions_of_one_model_are_the_prior_of_another(songs, tmp_path):
    options = ("--id", "song", "--labels", "tag_*", "--effort", "fast")
    run("complete", songs, *options, "--probabilities", tmp_path / "p.csv")
    pd.read_csv(tmp_path / "p.csv").iloc[::-1].to_csv(tmp_path / "p.csv", index=False)
    result = run("complete", "-v", songs, *options, "--set", f"prior={tmp_path / 'p.csv'}")
    assert result.exit_code == 0, result.output
    assert "The prior has a value for 180 of 180 entries." in result.output
    assert "On entries with a prior: error of the prior alone" in " ".join(result.output.split())
