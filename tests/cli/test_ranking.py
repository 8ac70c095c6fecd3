"""``halflabel complete --top``: the likeliest of many labels, and what has no meaning together with it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run

from halflabel import rank_labels


@pytest.fixture
def posts(tmp_path):
    rng, animals = np.random.default_rng(0), np.array(["cat", "dog", "bird", "fish", "cow", "frog"])
    chosen = [np.unique(rng.choice(animals, 2)) for _ in range(90)]
    words = [" ".join([*rng.choice(each, 6), *rng.choice(["the", "of", "and"], 4)]) for each in chosen]
    tags = [";".join(f"{name}s" for name in each) if i % 3 else None for i, each in enumerate(chosen)]
    path = tmp_path / "posts.csv"
    pd.DataFrame({"post": [f"p{i}" for i in range(90)], "body": words, "tags": tags}).to_csv(path, index=False)
    return path


DESCRIBED = ("--id", "post", "--text", "body", "--tags", "tags")


def test_the_likeliest_labels_are_written_and_equal_the_ranking_in_python(posts):
    result = run("complete", posts, *DESCRIBED, "--absent", "irrelevant", "--top", "2")
    assert result.exit_code == 0, result.output
    assert "90 items, 6 labels; learned from 60 items. At most 2 labels per item." in result.output
    assert "30 items have an empty cell in the tags column 'tags': taken as unlabelled." in result.stderr
    written = pd.read_csv(posts.with_name("posts.top.csv"))
    assert written.columns.tolist() == ["item", "label", "probability"]
    assert written["item"].value_counts().tolist() == [2] * 30  # the other items are annotated: nothing is unknown
    assert (written.groupby("item")["probability"].diff().dropna() <= 0).all()
    table = pd.read_csv(posts)
    ranking = rank_labels(table, id="post", text="body", tags="tags", absent="irrelevant", top=2)
    pd.testing.assert_frame_equal(written, ranking.table.round({"probability": 4}))
    named = table.set_index("post")["body"]
    hit = [
        label.removesuffix("s") in named[item] for item, label in zip(written["item"], written["label"], strict=True)
    ]
    assert np.mean(np.array(hit)[written["probability"] > 0.5]) > 0.9


def test_new_items_are_ranked_as_items_of_the_fit(posts):
    table = pd.read_csv(posts)
    ranking = rank_labels(table, id="post", text="body", tags="tags", absent="irrelevant", top=3)
    new = ranking.predict(table[table["tags"].isna()])
    pd.testing.assert_frame_equal(new, ranking.table, rtol=1e-6)
    assert repr(ranking) == "90 items, 6 labels; learned from 60 items. At most 3 labels per item."


def test_counts_as_json(posts):
    result = run(
        "complete", posts, *DESCRIBED, "--absent", "unknown", "--top", "2", "--json", "-o", posts.parent / "t.csv"
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["items"], found["labels"], found["learned_from"]) == (90, 6, 60)
    assert found["rows"] == len(pd.read_csv(posts.parent / "t.csv")) == 180  # missing tags of annotated items, too


UNKNOWN = (*DESCRIBED, "--absent", "unknown")

WRONG = {
    "no meaning": (DESCRIBED, "state the meaning of a tag that an item does not list: --absent irrelevant if"),
    "no tags": (("--labels", "tags"), "are read from a column of lists of tags: name it (--tags)."),
    "groups": ((*UNKNOWN, "--set", "group=post"), "has no effect on a ranking of labels"),
    "a model": ((*UNKNOWN, "--model", "m"), "--model has no effect on a ranking of labels (--top): leave one"),
    "a rule": ((*UNKNOWN, "--rule", "micro_f1"), "--rule has no effect on a ranking of labels (--top): leave one"),
    "nothing labelled": (("--text", "body", "--tags", "empty", "--absent", "unknown"), "no item has a tag in 'empty'"),
}


@pytest.mark.parametrize(("options", "sentence"), WRONG.values(), ids=WRONG)
def test_what_has_no_meaning_is_one_sentence(posts, options, sentence):
    table = pd.read_csv(posts)
    table.assign(empty="").to_csv(posts, index=False)
    result = run("complete", posts, *options, "--top", "2")
    assert result.exit_code == 1
    assert sentence in " ".join(result.stderr.split())
    assert not posts.with_name("posts.top.csv").exists()


def test_an_argument_that_does_not_exist(posts):
    with pytest.raises(TypeError, match="tag_column"):
        rank_labels(pd.read_csv(posts), tag_column="tags")
