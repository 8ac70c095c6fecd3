"""halflabel map and data describe, and the help of every command."""

from __future__ import annotations

import json
import os
import re
import threading
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

import halflabel as hl
from halflabel.completion.model_file.archive import FORMAT


@pytest.mark.usefixtures("one_member")
def test_a_map_is_drawn_and_its_coordinates_are_written_with_labels(songs):
    assert run("map", songs, "--id", "song", "--labels", "tag_*").exit_code == 0
    assert outputs(songs) == ["songs.map.csv", "songs.map.html"]
    table = pd.read_csv(songs.with_name("songs.map.csv"))
    assert table.columns.tolist() == ["song", "dim1", "dim2", "tag_a", "tag_b", "tag_c"]
    assert table["tag_a"].isin((0, 1)).all()
    data = re.search(r'id="data">(.*)</script>', songs.with_name("songs.map.html").read_text())[1]
    assert sorted(json.loads(data)["ids"]) == sorted(table["song"])


@pytest.mark.usefixtures("one_member")
def test_the_suffix_decides_what_a_map_becomes(songs, tmp_path):
    svg, table = tmp_path / "m.svg", tmp_path / "m.parquet"
    result = run("map", songs, "--labels", "tag_*", "--label", "tag_c", "--set", "show=song", "-o", svg, "-o", table)
    assert result.exit_code == 0
    assert "60 items: tag_c" in svg.read_text()
    assert re.search("<title>7 · s7[ <]", svg.read_text())
    assert len(pd.read_parquet(table)) == 60


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("-o", "map.pdf"), "use one of .html, .svg, .png, .csv"),
        (("-o", "map.svg", "-d", "3"), "a picture has 2 dimensions, not 3"),
    ],
)
def test_a_map_that_cannot_be_written_is_an_error_before_the_work(songs, options, sentence):
    result = run("map", songs, "--labels", "tag_*", *options)
    assert result.exit_code == 1
    assert sentence in result.output
    assert outputs(songs) == []


@pytest.mark.usefixtures("one_member")
def test_a_label_that_does_not_exist(songs):
    result = run("map", songs, "--labels", "tag_*", "--label", "tag")
    assert (result.exit_code, "there is no label 'tag'" in result.output) == (1, True)
    assert outputs(songs) == []


def test_describe_lists_the_sets_that_are_there(songs):
    result = run("data", "describe", songs, "--labels", "tag_*")
    assert "an identifier" in result.output
    assert "60 items, 5 features, 3 labels." in result.output
    assert outputs(songs) == []


def test_describe_answers_before_labels_are_named(songs):
    result = run("data", "describe", songs)
    assert result.exit_code == 0
    assert "ignored" in result.output
    assert "no labels were named" in result.output
    assert "--labels tag_a,tag_b,tag_c" in result.output  # all of them, ready to be copied


@pytest.fixture
def model(songs):
    path = songs.with_name("songs.halflabel")
    hl.complete(pd.read_csv(songs), labels="tag_*", id="song", method=hl.SSDRMC(n_neighbors=7)).save(path)
    return path


def test_describe_shows_what_a_model_holds(model):
    result = run("data", "describe", model)
    assert result.exit_code == 0
    assert "tag_a, tag_b, tag_c  label" in result.stdout
    assert re.search(r"f0, f1, f2, f3, f4 +number", result.stdout)
    assert f"A model of {model.stat().st_size:,} bytes, written {datetime.now(UTC):%Y-%m-%dT}" in result.stdout
    assert f"format {FORMAT} with halflabel {hl.__version__}, numpy {np.__version__}" in result.stdout
    assert "Method: SSDRMC(n_neighbors=7)." in result.stdout
    assert "3 labels: 'tag_a', 'tag_b' and 'tag_c'. Probabilities are of being relevant." in result.stdout
    renamed = model.rename(model.with_suffix(".zip"))
    assert run("data", "describe", renamed).stdout == result.stdout


def test_describe_reports_a_damaged_model_in_one_sentence(model):
    model.write_bytes(model.read_bytes()[:-100])
    result = run("data", "describe", model)
    assert result.exit_code == 1
    assert re.fullmatch(rf"Error: {model} is not a halflabel model, or is damaged \(.*\)\.\n", result.stderr)


def test_options_of_a_table_do_not_apply_to_a_model(model):
    result = run("data", "describe", model, "--labels", "tag_a")
    assert (result.exit_code, "options of a table do not apply" in result.stderr) == (1, True)


def test_help_shows_examples():
    for command in ("complete", "predict", "map", "evaluate"):
        assert f"halflabel {command} songs" in run(command, "--help").output


def test_names_are_read_from_a_pipe(songs, tmp_path):
    pipe = tmp_path / "names"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("tag_a\ntag_b\n",))
    writer.start()
    result = run("data", "describe", songs, "--labels", f"@{pipe}")
    writer.join()
    assert "2 labels." in result.output
    assert "1 more column looks like a label, but is used as a feature: “tag_c”." in result.output
