"""The map of a completion, describe, and the help of every command."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

import halflabel as hl
from halflabel.completion.model_file.archive import FORMAT


@pytest.mark.usefixtures("one_member")
@pytest.mark.parametrize("suffix", ["html", "svg", "csv"])
def test_the_suffix_decides_what_a_map_becomes(songs, suffix):
    path = songs.with_name(f"map.{suffix}")
    result = run("complete", songs, "--id", "song", "--labels", "tag_*", "--report", "none", "--map", path)
    assert (result.exit_code, str(path) in result.output) == (0, True)
    if suffix == "csv":
        table = pd.read_csv(path)
        assert table.columns.tolist() == ["song", "dim1", "dim2", "tag_a", "tag_b", "tag_c"]
        assert table["tag_a"].isin((0, 1)).all()
    elif suffix == "svg":
        assert "60 items: tag_" in path.read_text()
    else:
        data = re.search(r'id="data">(.*)</script>', path.read_text())[1]
        assert sorted(json.loads(data)["ids"]) == sorted(pd.read_csv(songs)["song"])


def test_a_map_that_cannot_be_written_is_an_error_before_the_work(songs):
    result = run("complete", songs, "--labels", "tag_*", "--map", "map.pdf")
    assert (result.exit_code, "use one of .html, .svg, .png, .csv" in result.output) == (1, True)
    assert outputs(songs) == []


def test_describe_lists_the_sets_that_are_there(songs):
    result = run("describe", songs, "--labels", "tag_*")
    assert "an identifier" in result.output
    assert "60 items, 5 features, 3 labels." in result.output
    assert outputs(songs) == []


def test_describe_answers_before_labels_are_named(songs):
    result = run("describe", songs)
    assert result.exit_code == 0
    assert "ignored" in result.output
    assert "(--labels tag_a,tag_b,tag_c)" in " ".join(result.output.split())  # the way to state them
    pd.read_csv(songs).drop(columns=["tag_a", "tag_b", "tag_c"]).to_csv(songs, index=False)
    assert "no labels were named" in run("describe", songs).output


@pytest.fixture
def model(songs):
    path = songs.with_name("songs.halflabel")
    hl.complete(pd.read_csv(songs), labels="tag_*", id="song", method=hl.SSDRMC(n_neighbors=7)).save(path)
    return path


def test_describe_shows_what_a_model_holds(model):
    result = run("describe", model)
    assert result.exit_code == 0
    assert "tag_a, tag_b, tag_c  label" in result.stdout
    assert re.search(r"f0, f1, f2, f3, f4 +number", result.stdout)
    assert f"A model of {model.stat().st_size:,} bytes, written {datetime.now(UTC):%Y-%m-%dT}" in result.stdout
    assert f"format {FORMAT} with halflabel {hl.__version__}, numpy {np.__version__}" in result.stdout
    assert "Method: SSDRMC(n_neighbors=7)." in result.stdout
    assert "3 labels: 'tag_a', 'tag_b' and 'tag_c'. Probabilities are of being relevant." in result.stdout
    renamed = model.rename(model.with_suffix(".zip"))
    assert run("describe", renamed).stdout == result.stdout


def test_describe_reports_a_damaged_model_in_one_sentence(model):
    model.write_bytes(model.read_bytes()[:-100])
    result = run("describe", model)
    assert result.exit_code == 1
    assert re.fullmatch(rf"Error: {model} is not a halflabel model, or is damaged \(.*\)\.\n", result.stderr)


def test_options_of_a_table_do_not_apply_to_a_model(model):
    result = run("describe", model, "--labels", "tag_a")
    assert (result.exit_code, "options of a table do not apply" in result.stderr) == (1, True)


def test_help_shows_examples():
    for command in ("complete", "predict", "evaluate"):
        assert f"halflabel {command} songs" in run(command, "--help").output
