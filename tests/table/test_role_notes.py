"""Notes about roles that the user probably does not expect."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from halflabel.table import open_table


def make_frame() -> pd.DataFrame:
    n = 30
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"tempo": rng.normal(size=n), "length": rng.normal(size=n).round(3).astype(str)})
    for name in ("rock", "sad", "live"):
        frame[name] = np.where(rng.uniform(size=n) < 0.4, np.nan, rng.integers(0, 2, n))
    return frame


def test_columns_that_look_like_labels_are_named():
    opened = open_table(make_frame(), labels=["rock"], ignore=["length"])
    assert opened.notes[0] == (
        "2 more columns look like labels, but are used as features: “sad” and “live”. Change this with labels= or "
        "ignore=."
    )
    assert not open_table(make_frame(), labels=["rock"], ignore=["length", "sad", "live"]).notes


def test_one_text_in_a_column_of_numbers_is_a_note():
    frame = make_frame()
    frame.loc[7, "length"] = "abc"
    opened = open_table(frame, labels=["rock", "sad", "live"])
    assert opened.notes == (
        "Column 'length' is not used: numbers with text among them, first 'abc'; correct such cells to use it.",
    )


@pytest.mark.parametrize("n_texts", [30, 29, 24])
def test_a_text_that_no_one_named_is_a_note_where_there_are_features_and_else_the_feature(n_texts):
    texts = [f"song {j % n_texts} of {'rain' if j % 2 else 'sun'} and wind" for j in range(30)]
    frame = make_frame().assign(about=texts, remark=[f"a b c {text}" for text in texts])
    labels = ["rock", "sad", "live"]
    opened = open_table(frame, labels=labels)
    assert [note.split(" is not")[0] for note in opened.notes] == ["Column 'about'", "Column 'remark'"]
    assert all(note.endswith("name it with text= to use its words.") for note in opened.notes)
    assert not any("is not used" in note for note in open_table(frame, labels=labels, text="about").notes)
    alone = open_table(frame.drop(columns=["tempo", "length"]), labels=labels)
    assert alone.roles.text == "remark"  # the longest one
    assert alone.notes == ("The only possible feature is a text. Read so that 'remark' is the text (text='remark').",)
    with pytest.raises(ValueError, match="no column of the table can be a feature"):
        open_table(frame.drop(columns=["tempo", "length"]), labels=labels, ignore=["about", "remark"])


def test_local_dates_are_named_with_their_order():
    frame = make_frame().assign(day=[f"{1 + i:02}.04.2025" for i in range(30)])
    opened = open_table(frame, labels=["rock", "sad", "live"])
    [reason] = [reason for name, reason in opened.roles.ignored if name == "day"]
    assert reason.startswith("dates or times; turn them into numbers")
