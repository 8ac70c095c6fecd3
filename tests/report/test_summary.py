"""The numbers of the report, against numbers worked out by hand."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.report.conftest import FLIPPED

from halflabel.completion import complete
from halflabel.labels import PartialLabels
from halflabel.report import render_html, summarize
from halflabel.table import Roles

pytestmark = pytest.mark.usefixtures("one_member")


def test_counts_and_headline(by_hand):
    summary = summarize(by_hand())
    assert summary["counts"] == {
        "items": 6, "labels": 2, "features": 7, "entries": 12, "given": 8, "gaps": 4, "filled": 4,
        "filled_relevant": 2, "unlabelled": 1,
    }  # fmt: skip
    assert summary["headline"] == (
        "6 items with 2 labels each make 12 entries. 8 were given; the other 4 were gaps, and all of them are now "
        "filled in."
    )


def test_only_entries_that_are_more_probably_wrong_than_right_are_listed(by_hand):
    """A difficult entry is not listed, and none of a label with fewer than five entries of its rarer value."""
    filled = by_hand(*FLIPPED)
    suspects = summarize(filled)["suspects"]
    assert {(row["item"], row["label"], row["given"]) for row in suspects["rows"]} == {
        ("song 0", "rock", 1), ("song 8", "rock", 0)
    }  # fmt: skip
    assert suspects["doubted"] == 2
    assert not filled.evidence.has_precision  # these few items are checked badly
    assert suspects["sentence"] == ""
    assert {row["why"] for row in suspects["rows"]} == {"trees +1.50, rate of the label \N{MINUS SIGN}0.25"}
    assert "trees +1.50" in render_html(summarize(filled))


def test_an_auc_of_next_to_no_examples_is_not_stated(by_hand):
    summary = summarize(by_hand(*FLIPPED))
    rows = {row["name"]: row for row in summary["labels"]["rows"]}
    assert rows["sad"]["auc"] is None
    assert rows["rock"]["auc"] > 0.5
    render_html(summary)


def test_items_to_label_next(by_hand):
    rows = summarize(by_hand())["next"]
    assert [row["item"] for row in rows] == ["song 2", "song 1", "song 5"]
    assert rows[0]["unknown"] == 2


def test_it_is_json_and_the_same_every_time(by_hand):
    completion = by_hand([[1, 0], [0, 0], [1, None], [0, 0], [1, 0], [None, 0]])
    first, second = summarize(completion), summarize(completion)
    text = json.dumps(first, allow_nan=False)
    assert {**json.loads(text), "created": ""} == {**second, "created": ""}


def test_settings_roles_and_versions_are_kept(by_hand):
    roles = Roles(labels=("rock", "sad"), numeric=tuple(f"x{j}" for j in range(100)), ignored=(("url", "free text"),))
    summary = summarize(by_hand(roles=roles), settings={"command": "halflabel complete songs.csv", "seed": 3})
    assert summary["settings"] == {"command": "halflabel complete songs.csv", "seed": "3"}
    written = summarize(by_hand(), settings={"tags": None, "labels": ("rock", "sad"), "curve": False})["settings"]
    assert written == {"labels": "rock, sad", "curve": "no"}
    assert summary["method"] == {"name": "FakeModel", "parameters": {"n_neighbors": "15"}}
    assert {"halflabel", "numpy", "python"} <= summary["versions"].keys()
    number = next(row for row in summary["reading"]["roles"] if row["role"] == "number")
    assert (number["n_columns"], len(number["columns"])) == (100, 40)
    assert summary["reading"]["roles"][-1] == {
        "role": "ignored",
        "why": "free text",
        "n_columns": 1,
        "columns": ["url"],
    }


TAGS = PartialLabels.from_tags([["rock"], ["sad"], ["rock", "sad"], None, [], ["sad"]], absent="unknown")


def test_positive_only_labels_are_measured_by_what_was_assigned(by_hand):
    summary = summarize(by_hand(TAGS))
    assert summary["suspects"] is summary["expected"] is summary["filled_as"] is None
    assert summary["quality"]["entries"] == 10  # five annotated items with two labels
    assert summary["quality"]["micro_f1"] is None
    rock, sad = sorted(summary["labels"]["rows"], key=lambda row: row["name"])
    assert rock["auc"] is sad["auc"] is None  # of five entries
    assert (rock["rate_given"], rock["rate_after"]) == (pytest.approx(2 / 5), pytest.approx(3 / 6))
    assert [(group["title"], group["entries"]) for group in summary["unassigned"]] == [
        ("Probable missing positives", 1),
        ("Items that are not annotated", 2),
    ]
    # Song 4 is annotated and lacks rock (.6); song 3 is not annotated, and rock (.4) is less certain than sad (.8).
    missing, not_annotated = (group["rows"] for group in summary["unassigned"])
    assert [(row["item"], row["label"], row["probability"]) for row in missing] == [("song 4", "rock", 0.6)]
    assert [(row["item"], row["label"]) for row in not_annotated] == [("song 3", "rock"), ("song 3", "sad")]
    assert summary["counts"]["unlabelled"] == 1
    assert summary["counts"]["filled_relevant"] == 2
    assert summary["positive"]["assumptions"][1] == {
        "observed_rate": 0.7, "filled": 3, "expected": pytest.approx(2.6 / 0.7), "threshold": 0.4,
    }  # fmt: skip


def test_with_an_observed_rate_there_are_expected_precisions(by_hand):
    summary = summarize(by_hand(TAGS, observed_rate=0.5))
    assert [row["share"] for row in summary["expected"]] == [pytest.approx(n / 7) for n in (2, 1, 0)]
    assert summary["filled_as"]["relevant"]["filled"] == 2


def test_many_labels_are_cut_in_the_middle(at_random):
    labels = summarize(at_random(300, 90))["labels"]
    quality = [row["auc"] for row in labels["rows"]]
    assert (len(quality), labels["cut_at"], labels["left_out"]) == (50, 40, 40)
    assert quality == sorted(quality)


def test_images_are_next_to_their_items(by_hand):
    marks = np.arange(6 * 4).reshape(6, 2, 2)
    summary = summarize(by_hand(), marks=marks)
    assert all(row["image"].startswith("data:image/png;base64,") for row in summary["next"])
    # An id that occurs twice has no image: it could be the wrong one.
    twice = summarize(by_hand(index=pd.Index(["song"] * 6)), marks=marks)
    assert all(row["image"] is None for row in twice["next"])


@pytest.mark.parametrize("shape", [(5, 8, 8), (6, 8), (6, 8, 400)])
def test_marks_of_another_shape_raise(by_hand, shape):
    with pytest.raises(ValueError, match=r"one small grey image per item, 6 x height x width, of at most 128 pixels"):
        summarize(by_hand(), marks=np.zeros(shape))


def test_a_real_completion(rng):
    X = rng.normal(size=(120, 3))
    songs = pd.DataFrame(X, columns=["tempo", "loud", "length"])
    songs["dance"] = np.where(rng.uniform(size=120) < 0.5, X[:, 0] > 0, np.nan)
    summary = summarize(complete(songs, labels=["dance"]))
    assert summary["counts"]["filled"] == summary["counts"]["gaps"] == int(songs["dance"].isna().sum())
    assert summary["quality"]["macro_auc"] > 0.9
    assert len(summary["map"]["x"]) == 120


def test_undecided_entries_are_a_group_of_their_own(by_hand, monkeypatch):
    completion = by_hand(TAGS, min_precision=0.95)
    state = completion.state
    state[4, 0] = 0  # the fake fills every entry
    monkeypatch.setattr(type(completion), "state", state)
    titles = [group["title"] for group in summarize(completion)["unassigned"]]
    assert titles == ["Undecided entries", "Items that are not annotated"]
