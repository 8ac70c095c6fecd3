"""Commands as a user runs them: all members, whole forests, the map, the drift and every bootstrap sample.

The other tests of the commands make these small, because they are about what is around a fit.
"""

from __future__ import annotations

import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

import halflabel as hl
from halflabel.methods.auto.effort import DEFAULT_MEMBERS

LABELS = ["tag_a", "tag_b", "tag_c"]


def test_complete_then_predict(songs):
    given = pd.read_csv(songs)
    result = run("complete", songs, "--id", "song", "--labels", "tag_*", "--model", songs.with_name("songs.halflabel"))
    assert result.exit_code == 0, result.stderr
    filled = pd.read_csv(songs.with_name("songs.completed.csv"))
    known = given[LABELS].notna()
    assert (filled[LABELS][known] == given[LABELS][known]).to_numpy()[known.to_numpy()].all()
    assert not filled.isna().any(axis=None)
    page = songs.with_name("songs.report.html").read_text(encoding="utf-8")
    assert all(words in page for words in ('id="map-title"', "separates labelled from unlabelled items", "Calibration"))
    predictor = hl.load(songs.with_name("songs.halflabel"))
    assert set(predictor.model.member_weights_) == set(DEFAULT_MEMBERS)
    new = songs.with_name("new.csv")
    given.drop(columns=LABELS).to_csv(new, index=False)
    result = run("predict", songs.with_name("songs.halflabel"), new)
    assert result.exit_code == 0, result.stderr
    predicted = pd.read_csv(next(path for path in songs.parent.glob("new.*.csv")))
    unlabelled = ~known.any(axis=1)
    assert (predicted[LABELS][unlabelled] == filled[LABELS][unlabelled]).to_numpy().mean() > 0.9


def test_the_same_table_gives_the_same_files_in_another_order(songs, tmp_path):
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        frame = pd.read_csv(songs)
        (frame if name == "one" else frame.iloc[::-1]).to_csv(folder / "songs.csv", index=False)
        result = run("complete", folder / "songs.csv", "--id", "song", "--labels", "tag_*", "--effort", "fast")
        assert result.exit_code == 0, result.stderr
    one, two = (pd.read_csv(tmp_path / name / "songs.completed.csv") for name in ("one", "two"))
    pd.testing.assert_frame_equal(one, two.iloc[::-1].reset_index(drop=True))
    assert outputs(tmp_path / "one" / "songs.csv") == outputs(tmp_path / "two" / "songs.csv")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_evaluate(songs):
    result = run("evaluate", songs, "--id", "song", "--labels", "tag_*")
    assert result.exit_code == 0, result.stderr
    for name in ("SSDR-MC", "logistic regression", "rate of the label"):
        assert name in result.output
