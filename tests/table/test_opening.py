"""What is opened together with features and labels: which rows belong together."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from halflabel.table import open_table


@pytest.fixture
def mails() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "thread": ["b", "a", None, "b", None, "a", "a"],
            "words": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5],
            "urgent": [1, 0, None, 1, 0, None, 1],
        }
    )


def test_rows_of_a_thread_are_one_group_and_the_thread_is_no_feature(mails):
    opened = open_table(mails, labels=["urgent"], group="thread")
    assert opened.groups.tolist() == [0, 1, 2, 0, 3, 1, 1]
    assert opened.encoder.feature_names == ("words",)
    assert (
        "7 rows in 4 groups by 'thread', at most 3 in one; 2 rows without a value: each is a group of its own."
        in opened.notes
    )


def test_groups_together_with_labels_that_come_apart(mails):
    opened = open_table(mails[["thread", "words"]], mails[["urgent"]], group="thread")
    assert opened.groups.tolist() == [0, 1, 2, 0, 3, 1, 1]


def test_rows_are_taken_of_every_part(mails):
    prior = np.linspace(0.1, 0.7, 7)[:, None]
    opened = open_table(mails, labels=["urgent"], group="thread", prior=prior)
    assert len(set(opened.notes)) == len(opened.notes)
    part = opened.take(np.array([4, 0]))
    assert part.X.tolist() == opened.X[[4, 0]].tolist()
    assert part.labels.state.ravel().tolist() == [-1, 1]
    assert part.index.tolist() == [4, 0]
    assert part.frame["words"].tolist() == [5.5, 1.5]
    assert part.groups.tolist() == [3, 0]
    np.testing.assert_allclose(part.prior.ravel(), prior[[4, 0], 0])
    bare = replace(opened, frame=None, groups=None, prior=None).take(np.array([4, 0]))
    assert bare.frame is bare.groups is bare.prior is None


def test_the_words_of_label_columns_are_those_of_their_cells():
    frame = pd.DataFrame({"words": [1.5, 2.5, 3.5], "urgent": ["x", None, ""], "spam": [1, 0, None]})
    opened = open_table(frame, labels=["urgent", "spam"], yes="x", no="")
    assert opened.find_words() == {"urgent": ("", "x")}
    assert replace(opened, frame=None).find_words() == {}
    tags = pd.DataFrame({"words": [1.5, 2.5], "tags": ["urgent", ""]})
    opened = open_table(tags, tags="tags", absent="irrelevant", empty="none")
    assert opened.find_words() == {}


def test_truth_values_are_written_as_the_file_writes_them(tmp_path):
    (tmp_path / "t.csv").write_text("words,urgent\n1.5,TRUE\n2.5,\n3.5,false\n")
    opened = open_table(tmp_path / "t.csv", labels=["urgent"])
    assert opened.find_words() == {"urgent": ("false", "TRUE")}


def test_without_a_group_column_there_are_no_groups(mails):
    assert open_table(mails, labels=["urgent"]).groups is None
    assert open_table(np.eye(3), [1, 0, np.nan]).groups is None


def test_a_note_names_a_column_that_keeps_nothing_together(mails):
    opened = open_table(mails.assign(thread=range(7)), labels=["urgent"], group="thread")
    assert "Every value of the group column 'thread' is different: it keeps no rows together." in opened.notes


def test_a_group_column_may_have_a_number_for_a_name(mails):
    opened = open_table(mails.rename(columns={"thread": 7}), labels=["urgent"], group=7)
    assert opened.roles.group == "7"
    assert opened.groups.max() == 3


def test_a_long_table_of_tags_needs_the_ids_of_the_items_and_the_meaning_of_absence():
    items = pd.DataFrame({"song": ["x", "y", "z"], "f": [1.0, 2.0, 3.0]})
    pairs = pd.DataFrame({"song": ["x", "y"], "tag": ["rock", "sad"]})
    given = {"pairs": pairs, "on": "song", "absent": "irrelevant"}
    opened = open_table(items, id="song", **given)
    assert opened.labels.relevant.tolist() == [[True, False], [False, True], [False, False]]
    for missing in ({"id": None}, {"id": "song", "on": None}, {"on": None}):  # both tables have one key
        assert open_table(items, **{**given, **missing}).labels.state.tolist() == opened.labels.state.tolist()
    with pytest.raises(ValueError, match="needs the id column of the items"):
        open_table(items, **{**given, "on": None, "pairs": pairs.assign(song=["x", "q"])})
    with pytest.raises(ValueError, match="A long table of tags lists the tags that items have"):
        open_table(items, id="song", **{**given, "absent": None})


def test_labels_come_from_one_place(mails):
    items, Y = mails[["thread", "words"]], mails[["urgent"]]
    pairs = pd.DataFrame({"thread": ["b"], "tag": ["x"]})
    for labels, columns in (
        (Y, {"labels": ["urgent"]}),
        (Y, {"pairs": pairs, "on": "thread"}),
        (None, {"pairs": pairs, "on": "thread", "labels": ["urgent"]}),
        (None, {"pairs": pairs, "on": "thread", "tags": "thread", "absent": "unknown"}),
    ):
        with pytest.raises(ValueError, match=r"labels were given twice, as .* and as .*: keep one of them"):
            open_table(mails if labels is None else items, labels, **columns)
    with pytest.raises(ValueError, match="on= names the id column of a long table of tags: give that table, too"):
        open_table(mails, labels=["urgent"], on="thread")


SONGS = pd.DataFrame({"song": ["a", "b", "c"], "tempo": [90.5, 120.0, 121.0]})


@pytest.mark.parametrize(
    ("changes", "restored"),
    [
        ({}, True),
        ({"frame": None}, False),
        ({"source": None}, False),
        ({"source": SimpleNamespace(restore=None, convert=None)}, False),
    ],
)
def test_a_completed_table_becomes_what_the_items_were(changes, restored):
    opened = open_table(SONGS.assign(rock=[1, 0, None]), labels=["rock"])
    source = SimpleNamespace(restore=lambda table: ("restored", table), convert=None)
    table = replace(opened, **{"source": source} | changes).restore("table")
    assert table == (("restored", "table") if restored else "table")


@pytest.mark.parametrize(
    ("Y", "columns", "named"),
    [([1, 0, 1], {}, "Y"), (None, {"id": "song"}, "id="), ([1, 0, 1], {"id": "song"}, "Y, id=")],
)
def test_an_open_table_has_its_own_labels_and_columns(Y, columns, named):
    opened = open_table(SONGS.assign(rock=[1, 0, None]), labels=["rock"])
    assert open_table(opened) is open_table(opened, None) is opened
    with pytest.raises(ValueError, match=f"the table is open already, so that {named} has no effect"):
        open_table(opened, Y, **columns)


def test_a_label_with_a_name_is_no_column_of_the_items():
    items = SONGS.assign(rock=[5.0, 6.0, 7.5], label0=[1.0, 2.5, 4.0])
    with pytest.raises(ValueError, match="'rock' is a label and also a column of the items"):
        open_table(items, pd.DataFrame({"rock": [1, 0, None]}), id="song")
    pairs = pd.DataFrame({"song": ["a", "b"], "tag": ["sad", "rock"]})
    with pytest.raises(ValueError, match="'rock' is a label and also a column of the items"):
        open_table(items, id="song", pairs=pairs, on="song", absent="unknown")
    assert open_table(items, [1, 0, None], id="song").labels.names == ("label0",)  # its name was made up
