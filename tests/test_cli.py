"""The command, as a newcomer uses it: real files, broken files, exit codes, and no half-written output."""

from __future__ import annotations

import gzip
import json
import os

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture
def songs(tmp_path, rng):
    X, Y, _ = half_labelled(rng)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(5)]).assign(song=[f"s{i}" for i in range(60)])
    frame[["tag_a", "tag_b", "tag_c"]] = Y
    path = tmp_path / "songs.csv"
    frame.to_csv(path, index=False)
    return path


def beside(path):
    return sorted(p.name for p in path.parent.iterdir() if p != path)


class TestComplete:
    def test_writes_table_and_report(self, songs):
        result = run("complete", songs, "--id", "song", "--labels", "tag_*")
        assert result.exit_code == 0, result.output
        assert "rows are known by it" in result.output
        assert "60 items, 3 labels" in result.output
        assert beside(songs) == ["songs.completed.csv", "songs.report.html"]
        before, after = pd.read_csv(songs), pd.read_csv(songs.with_name("songs.completed.csv"))
        assert after.columns.tolist() == before.columns.tolist()
        assert not after.isna().any(axis=None)
        known = before["tag_a"].notna()
        np.testing.assert_array_equal(after.loc[known, "tag_a"], before.loc[known, "tag_a"])

    def test_the_same_seed_gives_the_same_file(self, songs, tmp_path):
        for name in ("one.csv", "two.csv"):
            run("complete", songs, "--labels", "tag_*", "-o", tmp_path / name, "--seed", "3")
        assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()

    def test_min_precision_leaves_cells_empty(self, songs):
        result = run("complete", songs, "--labels", "tag_a,tag_b", "--labels", "tag_c", "--min-precision", "0.999")
        assert "0 left empty" not in result.output
        assert pd.read_csv(songs.with_name("songs.completed.csv")).isna().any(axis=None)

    def test_json(self, songs):
        result = run("complete", songs, "--labels", "tag_*", "--json")
        told = json.loads(result.stdout)
        assert (told["items"], told["labels"], told["left"]) == (60, 3, 0)
        assert told["filled"] == told["gaps"] > 0
        assert os.path.exists(told["written"]["table"])

    def test_label_names_from_a_file(self, songs, tmp_path):
        (tmp_path / "names.txt").write_text("tag_a\ntag_c\n")
        result = run("complete", songs, "--labels", f"@{tmp_path / 'names.txt'}", "--ignore", "tag_b")
        assert "60 items, 2 labels" in result.output

    def test_parquet_with_vectors(self, tmp_path, rng):
        X, Y, _ = half_labelled(rng)
        frame = pd.DataFrame({"vector": list(X), "a": Y[:, 0], "b": Y[:, 1]})
        frame.to_parquet(tmp_path / "v.parquet")
        assert run("complete", tmp_path / "v.parquet", "--vectors", "vector", "--labels", "a,b").exit_code == 0
        assert not pd.read_parquet(tmp_path / "v.completed.parquet")[["a", "b"]].isna().any(axis=None)

    def test_vectors_beside_the_table(self, songs, tmp_path, rng):
        np.save(tmp_path / "X.npy", rng.normal(size=(60, 7)))
        result = run("complete", songs, "--labels", "tag_*", "--ignore", "f*", "--vectors", tmp_path / "X.npy")
        assert "kept beside the table" in result.output

    def test_tags_and_a_long_table(self, songs, tmp_path, rng):
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
        options = ("--id", "song", "--tags-file", tmp_path / "long.csv", "--on", "song", "--absent", "irrelevant")
        assert run("complete", tmp_path / "u.csv", *options).exit_code == 0
        assert {"tag_a", "tag_b", "tag_c"} <= set(pd.read_csv(tmp_path / "u.completed.csv").columns)

    def test_positive_only_fills_nothing_and_says_why(self, songs, tmp_path):
        frame = pd.read_csv(songs)
        frame["tags"] = ["a;b" if i % 3 else "a" for i in range(60)]
        frame.drop(columns=["tag_a", "tag_b", "tag_c"]).to_csv(tmp_path / "t.csv", index=False)
        result = run("complete", tmp_path / "t.csv", "--tags", "tags", "--absent", "unknown")
        assert result.exit_code == 0
        assert "positive-only" in result.output
        assert pd.read_csv(tmp_path / "t.completed.csv")["tags"].tolist() == frame["tags"].tolist()

    def test_arff_with_its_xml(self, public_data, tmp_path):
        result = run("complete", public_data / "emotions" / "emotions.arff.gz", "-o", tmp_path / "o.csv",
                     "--report", tmp_path / "o.html")  # fmt: skip
        assert result.exit_code == 0, result.output
        assert "593 items, 6 labels: 0 gaps" in result.output


def test_a_model_labels_new_items(songs, tmp_path, rng):
    model = tmp_path / "songs.halflabel"
    assert run("complete", songs, "--id", "song", "--labels", "tag_*", "--model", model).exit_code == 0
    new = pd.DataFrame(rng.normal(size=(4, 5)), columns=[f"f{j}" for j in range(5)]).assign(song=list("wxyz"))
    new.to_csv(tmp_path / "new.csv", index=False)
    result = run("predict", model, tmp_path / "new.csv", "--probabilities", tmp_path / "p.csv")
    assert "4 items labelled" in result.output
    expected = hl.load(model).predict(new)
    got = pd.read_csv(tmp_path / "new.predicted.csv")
    np.testing.assert_array_equal(got[["tag_a", "tag_b", "tag_c"]], expected)
    assert pd.read_csv(tmp_path / "p.csv").columns.tolist() == ["song", "tag_a", "tag_b", "tag_c"]
    new.drop(columns="f3").to_csv(tmp_path / "short.csv", index=False)
    refused = run("predict", model, tmp_path / "short.csv")
    assert refused.exit_code == 1
    assert "lacks 1 column" in refused.stderr
    assert not (tmp_path / "short.predicted.csv").exists()


def test_map(songs):
    assert run("map", songs, "--id", "song", "--labels", "tag_*", "-d", "3").exit_code == 0
    assert pd.read_csv(songs.with_name("songs.map.csv")).columns.tolist() == ["song", "dim1", "dim2", "dim3"]


def test_describe_says_what_is_there(songs):
    result = run("data", "describe", songs, "--labels", "tag_*")
    assert "an identifier" in result.output
    assert "60 items, 5 features, 3 labels." in result.output
    assert beside(songs) == []


def test_help_shows_examples():
    for command in ("complete", "predict", "map", "evaluate"):
        assert f"halflabel {command} songs" in run(command, "--help").output


def spoil(path, text):
    path.write_text(text)


BROKEN = {
    "wrong delimiter": (lambda p: spoil(p, p.read_text().replace(",", ";")), "--delimiter"),
    "ragged row": (lambda p: spoil(p, p.read_text() + "1,2,3\n"), "line 62"),
    "duplicate ids": (lambda p: spoil(p, p.read_text().replace("s7,", "s8,")), "not unique: 's8'"),
    "labels in words": (lambda p: spoil(p, p.read_text().replace(",0.0", ",no").replace(",1.0", ",yes")), "holds '"),
    "one-word line": (lambda p: spoil(p, p.read_text() + "x" * 1_100_000 + "\n"), "line 62"),
    "not text": (lambda p: p.write_bytes(b"\xff\xfe\x00\x01" * 50), "songs.csv"),
    "empty": (lambda p: spoil(p, ""), "empty"),
    "header only": (lambda p: spoil(p, p.read_text().splitlines()[0] + "\n"), "no row below it"),
    "no such file": (lambda p: p.unlink(), "no such file"),
    "a folder": (lambda p: (p.unlink(), p.mkdir()), "folder"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_ends_in_one_sentence(kind, songs):
    damage, words = BROKEN[kind]
    damage(songs)
    result = run("complete", songs, "--id", "song", "--labels", "tag_*")
    assert result.exit_code == 1
    assert words in result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert beside(songs) == []


def test_an_empty_label_is_refused(songs):
    frame = pd.read_csv(songs).assign(tag_d=np.nan)
    frame.to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "tag_*")
    assert result.exit_code == 1
    assert "no item has a value for 'tag_d'" in result.stderr
    assert beside(songs) == []


def test_missing_features_are_said_and_infinite_ones_refused(songs):
    frame = pd.read_csv(songs)
    frame.loc[3, "f1"] = np.nan
    frame.to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "tag_*")
    assert "1 feature with missing values (1 cell; 'f1')" in result.stderr
    frame.loc[3, "f1"] = np.inf
    frame.to_csv(songs.with_name("inf.csv"), index=False)
    refused = run("complete", songs.with_name("inf.csv"), "--labels", "tag_*")
    assert refused.exit_code == 1
    assert "'f1'" in refused.stderr


def test_a_truncated_gzip_and_an_xml_with_a_doctype(songs, tmp_path, public_data):
    whole = gzip.compress(songs.read_bytes())
    (tmp_path / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    result = run("complete", tmp_path / "cut.csv.gz", "--labels", "tag_*")
    assert result.exit_code == 1
    assert "cut.csv.gz" in result.stderr
    (tmp_path / "evil.xml").write_text('<!DOCTYPE x [<!ENTITY a "b">]><labels><label name="a"/></labels>')
    arff = public_data / "emotions" / "emotions.arff.gz"
    refused = run("complete", arff, "--xml", tmp_path / "evil.xml", "-o", tmp_path / "o.csv")
    assert refused.exit_code == 1
    assert "document type" in refused.stderr
    assert not (tmp_path / "o.csv").exists()


def test_a_folder_that_cannot_be_written_to(songs, tmp_path):
    result = run("complete", songs, "--labels", "tag_*", "-o", tmp_path / "nowhere" / "o.csv")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr
    assert beside(songs) == []


def test_a_typing_error_suggests_the_name(songs):
    result = run("complete", songs, "--labels", "tag_aa")
    assert result.exit_code == 1
    assert "tag_a" in result.stderr
