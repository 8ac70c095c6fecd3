"""halflabel predict: a saved model on new items."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run
from tests.conftest import half_labelled

import halflabel as hl

pytestmark = pytest.mark.usefixtures("small_forests")


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
    failed = run("predict", model, tmp_path / "short.csv")
    assert failed.exit_code == 1
    assert "lacks 1 column" in failed.stderr
    assert not (tmp_path / "short.predicted.csv").exists()


class TestPredict:
    @pytest.fixture
    def model(self, songs, tmp_path):
        assert run("complete", songs, "--id", "song", "--labels", "tag_*", "--model", tmp_path / "m").exit_code == 0
        return tmp_path / "m"

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
        options = ("--vectors", "vector", "--labels", "a", "--model", tmp_path / "m")
        assert run("complete", tmp_path / "v.parquet", *options).exit_code == 0
        assert run("predict", tmp_path / "m", tmp_path / "v.parquet").exit_code == 0
        assert len(pd.read_parquet(tmp_path / "v.predicted.parquet")["vector"][0]) == 5
