"""A second FILE has the labels of the first one: one column each, one column of tags, or a row per tag."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run

pytestmark = pytest.mark.usefixtures("one_member")

LABELS = ["tag_a", "tag_b", "tag_c"]


@pytest.fixture
def parts(songs):
    """The items without labels, and the labels, in another order and for the labelled items only."""
    table = pd.read_csv(songs)
    table.drop(columns=LABELS).to_csv(songs, index=False)
    labels = table[["song", *LABELS]].dropna(how="all", subset=LABELS).iloc[::-1]
    return songs, labels, table


def check(songs, table, *options):
    result = run("complete", songs, *options, "--report", "none")
    assert result.exit_code == 0, result.output
    done = pd.read_csv(songs.with_name("songs.completed.csv"))
    assert done["song"].tolist() == table["song"].tolist()
    known = table[LABELS].notna().to_numpy()
    np.testing.assert_array_equal(done[LABELS].to_numpy()[known], table[LABELS].to_numpy()[known])


@pytest.mark.parametrize("options", [(), ("--labels", "tag_*"), ("--id", "song")])
def test_one_column_per_label(parts, options):
    songs, labels, table = parts
    labels.to_csv(songs.with_name("labels.csv"), index=False)
    check(songs, table, songs.with_name("labels.csv"), *options)


@pytest.mark.parametrize("further", [False, True])
def test_a_row_per_tag(parts, further):
    songs, labels, table = parts
    long = labels.melt("song", var_name="tag").query("value == 1")[["song", "tag"]]
    (long.assign(by="ann") if further else long).to_csv(songs.with_name("tags.csv"), index=False)
    options = ("--tags", "tag") if further else ()
    result = run("describe", songs, songs.with_name("tags.csv"), *options, "--absent", "irrelevant")
    assert result.exit_code == 0, result.output
    for name in LABELS:
        assert f"{name} {int((table[name] == 1).sum())}" in " ".join(result.output.split())


def test_a_part_of_the_same_table_is_a_part(songs):
    table = pd.read_csv(songs)
    first, rest = songs.with_name("one.csv"), songs.with_name("two.csv")
    table[:30].to_csv(first, index=False)
    table[30:].to_csv(rest, index=False)
    assert "60 items" in run("describe", first, rest, "--labels", "tag_*").output


def test_files_without_a_shared_column_are_one_sentence(parts):
    songs, labels, _ = parts
    labels.rename(columns={"song": "title"}).to_csv(songs.with_name("labels.csv"), index=False)
    result = run("complete", songs, songs.with_name("labels.csv"))
    assert result.exit_code == 1
    assert "share no column: give the ids of the items the same name in both." in " ".join(result.stderr.split())
