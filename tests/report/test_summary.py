"""The numbers of the report, against numbers worked out by hand."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.report.conftest import FLIPPED

from halflabel.completion import complete
from halflabel.completion.verdict import decide
from halflabel.labels import PartialLabels
from halflabel.report import summarize
from halflabel.report.rows import write_reason
from halflabel.table import Roles

pytestmark = pytest.mark.usefixtures("one_member")


def test_the_verdict_has_the_command_for_the_items(by_hand):
    filled = by_hand([[1, 0], [0, 0], [1, None], [0, 0], [1, 0], [None, 0]])
    verdict = summarize(filled, items="songs.csv --id song")["verdict"]
    assert verdict == asdict(decide(filled.evidence, "songs.csv --id song"))
    assert "songs.csv --id song" in verdict["command"]
    assert summarize(filled)["verdict"]["command"].startswith("filled.")


def test_the_strip_has_random_filled_values_half_of_them_yes(at_random):
    shown = pd.DataFrame({"text": [f"text of {i}" for i in range(200)]})
    filled = at_random(200, 3, frame=shown)
    strip = summarize(filled, show=["text"], random_state=3)["strip"]
    assert [row["value"] for row in strip] == ["yes"] * 6 + ["no"] * 6
    for row in strip:
        i, j = int(row["item"]), filled.labels.names.index(row["label"])
        assert not filled.labels.observed[i, j]
        assert filled.state[i, j] == (1 if row["value"] == "yes" else -1)
        assert row["probability"] in (filled.p[i, j], None)
        assert row["shown"][0]["text"] == f"text of {i}"
    other = summarize(filled, show=["text"], random_state=4)["strip"]
    assert [row["item"] for row in other] != [row["item"] for row in strip]
    assert all(row["probability"] is None for row in summarize(by_selection(filled))["strip"])


def by_selection(filled):
    """Return the completion of entries that were chosen because of their value."""
    return replace(filled, is_selected=True)


def test_a_value_to_check_has_its_reason_in_words(by_hand):
    """Songs 0 and 8 are given wrongly; nearest are the songs with the next numbers."""
    filled = by_hand(*FLIPPED, coordinates=np.arange(32.0).reshape(16, 2))
    rows = {(row["item"], row["label"]): row for row in summarize(filled)["check"]}
    assert set(rows) == {("song 0", "rock"), ("song 8", "rock")}
    assert rows["song 0", "rock"]["value"] == "yes, given"
    assert rows["song 0", "rock"]["why"] == "3 of its 10 nearest known items do not have it"  # songs 1 to 10
    assert rows["song 8", "rock"]["value"] == "no, given"
    assert rows["song 8", "rock"]["why"] == "5 of its 10 nearest known items have it"  # songs 3 to 7, 9 to 13
    assert write_reason(by_hand([[1], [None]], [[0.9], [0.4]], names=("a",)), 0, 0) == ""


def test_a_reason_about_a_positive_only_label_states_no_irrelevant_entry(by_hand):
    """Of songs 1 to 10, some were not assigned the tag: they may have it."""
    filled = by_hand(*FLIPPED, coordinates=np.arange(32.0).reshape(16, 2))
    evidence = SimpleNamespace(
        state=filled.state, measured_on=filled.evidence.measured_on, find_nearest=filled.evidence.find_nearest,
        labels=replace(filled.labels, positives=True),
    )  # fmt: skip
    assert write_reason(evidence, 0, 0) == "3 of its 10 nearest known items are not known to have it"
    assert write_reason(evidence, 8, 0) == "5 of its 10 nearest known items have it"


def test_it_is_json_and_the_same_every_time(by_hand):
    completion = by_hand([[1, 0], [0, 0], [1, None], [0, 0], [1, 0], [None, 0]])
    first, second = summarize(completion), summarize(completion)
    text = json.dumps(first, allow_nan=False)
    assert {**json.loads(text), "created": ""} == {**second, "created": ""}


def test_settings_parameters_and_versions_are_kept(by_hand):
    roles = Roles(labels=("rock", "sad"), ignored=(("url", "free text"),))
    summary = summarize(by_hand(roles=roles), settings={"labels": ("rock", "sad"), "tags": None, "curve": False})
    run = summary["run"]
    assert (run["labels"], run["curve"], run["method"], run["n_neighbors"]) == ("rock, sad", "no", "FakeModel", "15")
    assert "tags" not in run
    assert {"halflabel", "numpy", "python"} <= run.keys()
    assert summary["reading"]["ignored"] == ["url: free text"]


TAGS = PartialLabels.from_tags([["rock"], ["sad"], ["rock", "sad"], None, [], ["sad"]], absent="unknown")


def test_positive_only_labels_are_measured_by_what_was_assigned(by_hand):
    summary = summarize(by_hand(TAGS))
    assert summary["by_value"] is None
    assert summary["probability_of"] == "being assigned"
    assert summary["quality"]["entries"] == 10  # five annotated items with two labels
    # Song 4 is annotated and lacks rock (.6); song 3 is not annotated, and rock (.4) is less certain than sad (.8).
    assert [(row["item"], row["label"], row["value"]) for row in summary["check"]] == [
        ("song 4", "rock", "yes, filled"), ("song 3", "rock", "no, filled"), ("song 3", "sad", "yes, filled")
    ]  # fmt: skip


def test_values_are_counted_by_their_kind(by_hand):
    filled = by_hand([[1, 0], [0, 0], [1, None], [0, 0], [1, 0], [None, 0]], np.full((6, 2), 0.3))
    assert summarize(filled)["by_value"] == {"no": "2 filled. About 1 of the 2 is wrong (between 0 and 2)."}
    filled.p[5, 0] = 0.6
    one = "1 filled. Probably none is wrong (at most 1)."
    assert summarize(filled)["by_value"] == {"yes": one, "no": one}
    assert summarize(by_selection(filled))["by_value"] is None


def test_many_labels_are_cut(at_random):
    labels = summarize(at_random(300, 90))["labels"]
    assert (len(labels["rows"]), labels["more"]) == (60, 30)


def test_images_are_next_to_their_items(by_hand):
    marks = np.arange(6 * 4).reshape(6, 2, 2)
    summary = summarize(by_hand(), marks=marks)
    assert all(row["image"].startswith("data:image/png;base64,") for row in summary["strip"])
    twice = summarize(by_hand(index=pd.Index(["song"] * 6)), marks=marks)["strip"]  # rows decide, not ids
    assert [row["image"] for row in twice] == [row["image"] for row in summary["strip"]]


@pytest.mark.parametrize("shape", [(5, 8, 8), (6, 8), (6, 8, 400)])
def test_marks_of_another_shape_raise(by_hand, shape):
    with pytest.raises(ValueError, match=r"one small grey image per item, 6 x height x width, of at most 128 pixels"):
        summarize(by_hand(), marks=np.zeros(shape))


def test_a_real_completion(rng):
    X = rng.normal(size=(120, 3))
    songs = pd.DataFrame(X, columns=["tempo", "loud", "length"])
    songs["dance"] = np.where(rng.uniform(size=120) < 0.5, X[:, 0] > 0, np.nan)
    summary = summarize(complete(songs, labels=["dance"]))
    assert summary["verdict"]["filled"].startswith(f"{int(songs['dance'].isna().sum())} gaps filled")
    assert summary["quality"]["auc"] > 0.9
    assert len(summary["map"]["x"]) == 120
