"""halflabel map and data describe, and the help of every command."""

from __future__ import annotations

import pandas as pd
from tests.cli.conftest import outputs, run


def test_map(songs):
    assert run("map", songs, "--id", "song", "--labels", "tag_*", "-d", "3").exit_code == 0
    assert pd.read_csv(songs.with_name("songs.map.csv")).columns.tolist() == ["song", "dim1", "dim2", "dim3"]


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
    assert "'tag_a'" in result.output


def test_help_shows_examples():
    for command in ("complete", "predict", "map", "evaluate"):
        assert f"halflabel {command} songs" in run(command, "--help").output
