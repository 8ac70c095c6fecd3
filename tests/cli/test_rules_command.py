"""Rules between labels on the command line."""

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run

pytestmark = pytest.mark.usefixtures("one_member")


@pytest.fixture
def songs(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("xyz"))
    table["music"] = (table["x"] > -0.4).astype(int)
    table["jazz"] = (table["x"] > 0.5).astype(int)
    table[["music", "jazz"]] = table[["music", "jazz"]].mask(rng.random((150, 2)) < 0.4)
    path = tmp_path / "songs.csv"
    table.to_csv(path, index_label="song")
    return path


def test_a_completed_file_obeys_the_rules_of_its_table_file(songs):
    table = songs.with_name("songs.table.toml")
    table.write_text('version = 1\nid = "song"\nlabels = ["music", "jazz"]\nrules = ["jazz -> music"]\n')
    run("complete", songs, "--report", "none")
    done = pd.read_csv(songs.with_name("songs.completed.csv"))
    given = pd.read_csv(songs)
    assert (done["jazz"] <= done["music"]).all()
    known = given["jazz"].notna()
    assert (done["jazz"][known] == given["jazz"][known]).all()


def test_a_rule_about_an_unknown_label_is_one_sentence(songs):
    result = run("complete", songs, "--labels", "music,jazz", "--set", "rules=jaz -> music")
    assert result.exit_code == 1
    assert "did you mean 'jazz'?" in " ".join((result.output + result.stderr).split())
