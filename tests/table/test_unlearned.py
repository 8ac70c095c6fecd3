"""Labels of which at most one value was given: which they are, how they are named, and how they leave a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from halflabel._wording import name_command_options
from halflabel.labels import PartialLabels
from halflabel.table import open_table
from halflabel.table.unlearned import leave_unlearned

GAP = np.nan
COLUMNS = {
    "good": [1, 0, 1, GAP],
    "ticks": [1, GAP, GAP, GAP],
    "ones": [1, 1, 1, 1],
    "noes": [GAP, 0, GAP, 0],
    "nothing": [GAP, GAP, GAP, GAP],
}


def opened(names, **columns):
    frame = pd.DataFrame({name: COLUMNS[name] for name in names}).assign(x=[0.5, 1.5, 2.5, 3.5])
    return open_table(frame, labels=list(names), **columns)


def test_each_kind_is_named_with_what_to_do():
    table = leave_unlearned(opened(COLUMNS))
    assert table.labels.names == ("good",)
    ones, noes, nothing = table.notes[:3]
    assert "only 1 is given for 'ticks' and 'ones', so that these labels are not filled in. Give a few 0." in ones
    no, tag = "If an empty cell means no in every label column, state no=''", "missing positive, as for a new tag"
    assert ones.endswith(f"{no}; if it can be a {tag}, positive_only='ticks'.")
    assert "only 0 is given for 'noes', so that this label is not filled in. Give a few 1." in noes
    assert "no value is given for 'nothing'" in nothing


def test_the_options_that_are_named_work():
    """Ticks alone: as no, and as labels that were not assigned."""
    with pytest.raises(ValueError, match=r"state no=''; if it can be a missing positive, absent='unknown'\.$"):
        leave_unlearned(opened(["ticks"]))
    with name_command_options(), pytest.raises(ValueError, match=r"state --no ''; .* positive, --absent unknown\.$"):
        leave_unlearned(opened(["ticks"]))
    assert leave_unlearned(opened(["ticks"], no="")).labels.state.ravel().tolist() == [1, -1, -1, -1]
    stated = leave_unlearned(opened(["ticks"], absent="unknown", empty="none")).labels
    assert stated.positive_only
    assert stated.state.ravel().tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(("empty", "way"), [("unlabelled", "state empty='none'"), ("none", "Annotate a few items")])
def test_a_tag_that_every_annotated_item_has(empty, way):
    tags = ["all;rock", "all", None] if empty == "unlabelled" else ["all;rock", "all", "all"]
    frame = pd.DataFrame({"tags": tags, "x": [0.5, 1.5, 2.5]})
    table = leave_unlearned(open_table(frame, tags="tags", absent="irrelevant", empty=empty))
    assert table.labels.names == ("rock",)
    assert "every annotated item has 'all'" in table.notes[0]
    assert way in table.notes[0]
    by = frame.assign(by=["ann", "ann", None if empty == "unlabelled" else "ann"])
    named = open_table(by, tags="tags", absent="irrelevant", annotated="by")  # a stated column decides it
    assert "state empty" not in leave_unlearned(named).notes[0]


def test_labels_apart_from_the_items_have_no_options():
    table = open_table(np.arange(6.0).reshape(3, 2), [[1, 1], [0, GAP], [GAP, GAP]])
    assert leave_unlearned(table).notes[0].endswith("Give a few 0.")


def test_the_table_keeps_what_was_given():
    whole = opened(COLUMNS)
    table = leave_unlearned(whole)
    assert table.written_labels is whole.labels
    assert table.take(np.array([2, 0])).written_labels.state.tolist() == whole.labels.state[[2, 0]].tolist()
    assert leave_unlearned(table) is table
    assert leave_unlearned(opened(["good"])).all_labels is None


def test_an_item_of_which_only_other_labels_are_known_is_unlabelled():
    assert leave_unlearned(opened(["good", "ones"])).labels.annotated.tolist() == [True, True, True, False]


def test_positive_only_labels_are_learned_from_what_was_not_assigned():
    labels = PartialLabels.from_positives([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [GAP, GAP, GAP]])
    table = leave_unlearned(open_table(np.arange(3.0)[:, None], labels))
    assert table.labels.names == ("label0",)
    assert table.labels.positive_only
    assert table.notes[0].startswith("Not learned: every annotated item has 'label2'")
    assert "no annotated item has 'label1'" in table.notes[1]
