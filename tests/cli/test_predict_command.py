"""halflabel predict: a saved model on new items."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run
from tests.conftest import half_labelled

import halflabel as hl
from halflabel import files

pytestmark = pytest.mark.usefixtures("one_member")


@pytest.fixture
def model(songs, tmp_path):
    path = tmp_path / "songs.halflabel"
    assert run("complete", songs, "--id", "song", "--labels", "tag_*", "--model", path).exit_code == 0
    return path


def test_a_model_labels_new_items(model, tmp_path, rng):
    new = pd.DataFrame(rng.normal(size=(4, 5)), columns=[f"f{j}" for j in range(5)]).assign(song=list("wxyz"))
    new.to_csv(tmp_path / "new.csv", index=False)
    result = run("predict", model, tmp_path / "new.csv", "--probabilities", tmp_path / "p.csv")
    assert "4 items labelled" in result.output
    expected = hl.load(model).predict(new)
    got = pd.read_csv(tmp_path / "new.predicted.csv")
    np.testing.assert_array_equal(got[["tag_a", "tag_b", "tag_c"]], expected)
    assert pd.read_csv(tmp_path / "p.csv").columns.tolist() == ["song", "tag_a", "tag_b", "tag_c"]
    new.drop(columns="f3").to_csv(tmp_path / "short.csv", index=False)
    failed = run("predict", model, tmp_path / "short.csv")
    assert failed.exit_code == 1
    assert "lacks 1 column" in failed.stderr
    assert not (tmp_path / "short.predicted.csv").exists()


class TestPredict:
    def test_an_id_that_stands_twice_gives_one_row_each(self, model, songs):
        again = pd.read_csv(songs).iloc[[0, 0, 1]]
        again.to_csv(songs, index=False)
        run("predict", model, songs)
        got = pd.read_csv(songs.with_name("songs.predicted.csv"))
        assert got["song"].tolist() == ["s0", "s0", "s1"]
        np.testing.assert_array_equal(got["f0"], again["f0"])

    def test_tags_come_back_as_tags(self, songs, tmp_path):
        frame = pd.read_csv(songs)
        tags = ["; ".join(row.index[row == 1]) for _, row in frame[["tag_a", "tag_b", "tag_c"]].iterrows()]
        frame = frame.drop(columns=["tag_a", "tag_b", "tag_c"]).assign(tags=tags)
        frame.to_csv(songs, index=False)
        run("complete", songs, "--tags", "tags", "--absent", "irrelevant", "--model", tmp_path / "t.model")
        frame.drop(columns="tags").to_csv(tmp_path / "new.csv", index=False)
        assert run("predict", tmp_path / "t.model", tmp_path / "new.csv").exit_code == 0
        got = pd.read_csv(tmp_path / "new.predicted.csv")
        assert got.columns.tolist() == frame.columns.tolist()
        assert {tag for cell in got["tags"].dropna() for tag in cell.split("; ")} <= {"tag_a", "tag_b", "tag_c"}
        assert got["tags"].nunique() > 1

    def test_vectors_stay_vectors(self, tmp_path, rng):
        X, Y, _ = half_labelled(rng)
        pd.DataFrame({"vector": list(X), "a": Y[:, 0]}).to_parquet(tmp_path / "v.parquet")
        options = ("--set", "vectors=vector", "--labels", "a", "--model", tmp_path / "m")
        assert run("complete", tmp_path / "v.parquet", *options).exit_code == 0
        assert run("predict", tmp_path / "m", tmp_path / "v.parquet").exit_code == 0
        assert len(pd.read_parquet(tmp_path / "v.predicted.parquet")["vector"][0]) == 5


def test_labels_come_back_in_their_words(songs, tmp_path):
    frame = pd.read_csv(songs)
    words = {"tag_a": {1: "ja", 0: "nein"}, "tag_b": {1: "TRUE", 0: "FALSE"}}
    frame = frame.assign(**{name: frame[name].map(pair) for name, pair in words.items()})
    frame.to_csv(songs, index=False)
    for labels, stated in (("tag_a", ("--set", "yes=ja", "--set", "no=nein")), ("tag_b", ())):
        model, new = tmp_path / f"{labels}.halflabel", tmp_path / "new.csv"
        options = ("--id", "song", "--labels", labels, "--set", "features=f*", "--effort", "fast")
        assert run("complete", songs, *options, *stated, "--model", model).exit_code == 0
        frame[[f"f{j}" for j in range(5)] + ["song"]].to_csv(new, index=False)
        assert run("predict", model, new).exit_code == 0
        completed = pd.read_csv(songs.with_name("songs.completed.csv"), dtype=str)
        predicted = pd.read_csv(tmp_path / "new.predicted.csv", dtype=str)
        assert set(completed[labels]) == set(words[labels].values())
        assert hl.load(model).words == {labels: (words[labels][0], words[labels][1])}
        numbers = hl.load(model).predict(frame)[labels].to_numpy()
        assert predicted[labels].tolist() == [words[labels][number] for number in numbers]


def test_predictions_go_to_a_tool_as_suggestions(songs, model, tmp_path):
    new = tmp_path / "new.csv"
    items = pd.read_csv(songs).drop(columns=["tag_a", "tag_b", "tag_c"])
    items.to_csv(new, index=False)
    result = run("predict", model, new, "-o", tmp_path / "new.label-studio.json")
    assert "new.label-studio.json, " in result.output
    assert (tmp_path / "new.label-studio.xml").exists()
    records = files.read(tmp_path / "new.label-studio.json")
    predictor = hl.load(model)
    np.testing.assert_array_equal(records.suggestions[list(predictor.label_names)], predictor.predict(items))
    assert records.labels.isna().all(axis=None)
    np.testing.assert_allclose(records.probabilities[list(predictor.label_names)], predictor.predict_proba(items))


def test_answers_in_an_export_stay_when_predictions_are_added(songs, model, tmp_path):
    path = tmp_path / "tasks.json"
    items = pd.read_csv(songs).set_index("song").iloc[:3].drop(columns=["tag_a", "tag_b", "tag_c"])
    files.write(path, "label-studio", items, pd.DataFrame({"tag_a": [1, None, 0], "own": [1, 0, None]}, items.index))
    assert run("predict", model, path, "-o", tmp_path / "out.label-studio.json").exit_code == 0
    records = files.read(tmp_path / "out.label-studio.json")
    np.testing.assert_array_equal(records.labels[["tag_a", "own"]], [[1, 1], [np.nan, 0], [0, np.nan]])
    assert records.final[["tag_a", "tag_b", "tag_c"]].notna().all(axis=None)


def test_the_help_names_the_keys_that_have_an_effect():
    shown = " ".join(run("predict", "--help").output.split())
    keys = re.search(r"A key of ([\w, ]+), as", shown)[1].split(", ")
    error = " ".join(run("predict", "songs.halflabel", "new.csv", "--set", "group=thread").output.split())
    assert len(keys) > 1
    assert "--set group=... has no effect here" in error
    assert [key for key in keys if f"'{key}'" not in error] == []
