"""No argument is dropped without a word: for each way of giving labels, it changes the result or is named."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

import halflabel as hl
from halflabel._arrays import is_sparse
from halflabel.table.columns import BY_NAME

N = 8
ITEMS = pd.DataFrame(
    {
        "song": [f"s{i}" for i in range(N)],
        "tempo": [60.5, 61.0, 120.5, 121.0, -99.0, 122.5, 63.0, 64.5],
        "mood": ["a", "b", "a", "b", "a", "b", "a", "b"],
        "thread": ["x", "x", "y", "y", "z", "z", "w", "w"],
        "body": ["one two", "two three", "one three", "two one", "three four", "four one", "two four", "one four"],
        "vec": [[float(i), 1.0] for i in range(N)],
        "scored": [json.dumps({"dance": i / 10, "sad": 0.5}) for i in range(N)],
    }
)
VALUES = pd.DataFrame({"dance": [1, 0, 1, 0, None, None, 1, 0], "sad": [0, 1, 1, 0, 1, None, None, 0]})
OF_WORDS = VALUES.astype(object).replace({1: "x", 0: "-"}).fillna("?")
WORDS = [
    VALUES.astype(object).replace({1: "x"}),
    VALUES.astype(object).replace({0: "-"}),
    VALUES.astype(object).fillna("?"),
]
POSITIVES = VALUES.where(VALUES == 1)
TAGS = [[*cells, None, "dance; sad", "", "dance", "sad"] for cells in (
    ["dance; sad", "x", "dance"], ["Dance", "dance", "sad"], ["-dance", "dance", "sad"], ["none", "sad", "dance"],
    ["sad:0.5", "dance:0.25", "sad:0.75"], ["a-b", "b-a", "a"],
)]  # fmt: skip
OBJECTS = [[{"name": "dance", "how": i % 2}, {"name": "sad", "how": 1}] for i in range(N)]
PAIRS = pd.DataFrame({"song": ["s0", "s0", "s1", "s2", "s3"], "tag": ["dance", "sad", "sad", "x", "dance"],
                      "how": [1, 0, 1, 1, 1]})  # fmt: skip
CASED = PAIRS.assign(tag=["dance", "sad", "sad", "Dance", "sad"], how=2)
MARKED = PAIRS.assign(tag=["dance", "sad", "-sad", "dance", "sad"], how=2)
NOTHING = PAIRS.assign(tag=["dance", "sad", "sad", "dance", "none"], how=2)
SCORED = PAIRS.assign(tag=["dance:0.5", "sad:0.25", "sad:0.75", "dance:1", "sad:1"], how=2)
OTHERS = pd.concat([PAIRS.assign(how=2), pd.DataFrame({"song": ["zz"], "tag": ["sad"], "how": [2]})])


def give_columns(frame):
    return {"items": ITEMS.join(frame), "labels": list(frame)}


def give_tags(cells):
    return {"items": ITEMS.assign(tags=cells), "tags": "tags", "absent": "irrelevant"}


def give_pairs(pairs):
    return {"items": ITEMS, "pairs": pairs, "on": "song", "id": "song", "tag": "tag", "absent": "irrelevant"}


def as_lists(frame):
    return [[None if cell != cell else cell for cell in row] for row in frame.to_numpy(object).tolist()]


TABLES = (VALUES, *WORDS, POSITIVES)

#: For each way, tables of labels, to one of which a key can matter.
WAYS = {
    "columns": [give_columns(frame) for frame in TABLES],
    "tags": [give_tags(cells) for cells in (*TAGS, OBJECTS)],
    "pairs": [give_pairs(pairs) for pairs in (PAIRS.assign(how=2), PAIRS, CASED, MARKED, NOTHING, SCORED, OTHERS)],
    "Y as a frame": [{"items": ITEMS, "Y": frame} for frame in TABLES],
    "Y as an array": [{"items": ITEMS, "Y": frame.to_numpy()} for frame in TABLES],
    "Y as a Series": [{"items": ITEMS, "Y": frame["dance"]} for frame in TABLES],
    "Y as lists": [{"items": ITEMS, "Y": as_lists(frame)} for frame in TABLES],
    "Y as one list": [
        *({"items": ITEMS, "Y": as_lists(frame[["dance"]])} for frame in WORDS),
        {"items": ITEMS, "Y": [1, 0, None, 1] * 2},
    ],
    "Y as PartialLabels": [{"items": ITEMS, "Y": hl.PartialLabels.from_table(VALUES)}],
}

STATED = {
    "id": "song", "labels": ["dance"], "tags": "body", "absent": "unknown", "positive_only": "*", "empty": "none",
    "text": "body", "ignore": ["tempo"], "features": ["mood"], "vectors": "vec", "images": "body",
    "yes": "-", "no": "x", "unknown": "x", "rules": ["dance -> sad"], "group": "thread", "sep": "-",
    "case": "different", "scores": "given", "missing": "-99", "pairs": PAIRS, "on": "how",
    "tag": "how", "value": "how", "tag_names": pd.DataFrame({"id": ["dance", "sad", "Dance"], "name": list("abc")}),
    "annotated": "mood=a", "labels_file": pd.DataFrame({"song": ["s1"], "dance": [1]}),
    "prior": np.full((N, 2), 0.5), "prior_field": "scored",
    "sources": pd.DataFrame({"item": ["4", "5"] * 3, "label": "dance", "source": list("aabbcc"), "value": [1, 0] * 3}),
    "max_categories": 1, "format": "csv", "skip_rows": "1", "delimiter": ";", "encoding": "cp1252",
    "items_table": "songs", "sheet": "a",
}  # fmt: skip

#: Other values, for tags.
OF_TAGS = {"yes": "none", "no": "x", "unknown": "x"}

#: Keys that act on what is shown or checked after the fit, and those of files that are in other rooms.
LATER = {"show", "thumbnails", "accept", "calibration", "header"}


def read(given):
    """Return what an open table has, or its error, as something that can be compared."""
    try:
        opened = hl.open_table(given["items"], **{name: value for name, value in given.items() if name != "items"})
    except (ValueError, TypeError) as error:
        return str(error)
    X = opened.X.toarray() if is_sparse(opened.X) else opened.X
    parts = (X, opened.labels.state, opened.labels.annotated, opened.labels.positives, opened.groups, opened.prior)
    arrays = [None if each is None else (each.shape, each.tobytes()) for each in parts]
    return arrays, opened.labels.names, opened.index.tolist(), str(opened.rules), opened.votes is None


@cache
def read_way(way, number):
    """Return what a table without further keys has."""
    return read(WAYS[way][number])


def test_every_key_is_tried():
    assert BY_NAME.keys() == STATED.keys() | LATER


#: Ways that a test below compares with label columns for each kind of labels: with every key in the slow suite.
COMPARED = ("Y as an array", "Y as a Series", "Y as lists", "Y as one list")


@pytest.mark.parametrize("name", STATED)
@pytest.mark.parametrize("way", [pytest.param(way, marks=pytest.mark.slow if way in COMPARED else ()) for way in WAYS])
def test_a_key_changes_the_result_or_is_named(way, name):
    value = OF_TAGS.get(name, STATED[name]) if way in ("tags", "pairs") else STATED[name]
    if name == "sources" and way == "pairs":
        value = value.assign(item="s" + value["item"])
    tried = [(read_way(way, i), read({**given, name: value})) for i, given in enumerate(WAYS[way]) if name not in given]
    if not tried:
        return  # this way of giving labels states the key
    both_fail = [isinstance(before, str) and isinstance(after, str) for before, after in tried]
    changed = [after for (before, after), fail in zip(tried, both_fail, strict=True) if after != before and not fail]
    assert changed, f"{name} is dropped without a word"
    words = {
        name.partition("_")[0],
        *([value] if isinstance(value, str) else value if isinstance(value, list | pd.DataFrame) else []),
    }
    for sentence in changed:
        assert not isinstance(sentence, str) or any(word in sentence for word in words), sentence


@pytest.mark.parametrize("convert", [lambda f: f, pd.DataFrame.to_numpy, as_lists], ids=["frame", "array", "lists"])
@pytest.mark.parametrize(
    ("labels", "keys"),
    [
        (VALUES.fillna(0), {"absent": "unknown"}),
        (POSITIVES, {"absent": "unknown"}),
        (POSITIVES, {"no": "", "empty": "none"}),
        (OF_WORDS, {"yes": "x", "no": "-", "unknown": "?"}),
        (VALUES.fillna(-1), {"unknown": "-1"}),
        (VALUES, {"empty": "none"}),
    ],
)
def test_labels_apart_are_read_as_label_columns(labels, keys, convert):
    apart, inside = hl.open_table(ITEMS, convert(labels), **keys), hl.open_table(**give_columns(labels), **keys)
    np.testing.assert_array_equal(apart.labels.state, inside.labels.state)
    np.testing.assert_array_equal(apart.labels.annotated, inside.labels.annotated)
    np.testing.assert_array_equal(apart.labels.positives, inside.labels.positives)
    np.testing.assert_array_equal(apart.X, inside.X)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_that_a_library_made_up_are_no_names(library):
    module = pytest.importorskip(library)
    X, Y = np.arange(16.0).reshape(8, 2) ** 1.5, VALUES.to_numpy(float)
    items, labels = module.DataFrame(X), module.DataFrame(Y)
    opened = hl.open_table(items, labels if library == "pandas" else labels.fill_nan(None))
    assert opened.labels.names == ("label0", "label1")
    np.testing.assert_array_equal(opened.X, X)
    prior = module.DataFrame(np.full((N, 2), 0.5))
    assert hl.open_table(items, Y, prior=prior).prior.shape == (N, 2)


def test_labels_of_the_same_name_are_named():
    twice = pd.DataFrame([[1, 0]] * N, columns=["dance", "dance"])
    with pytest.raises(ValueError, match="column names must be distinct, but 'dance' appears more than once"):
        hl.open_table(ITEMS, twice)


def test_a_group_is_the_name_of_a_column():
    with pytest.raises(
        ValueError, match=r"group is a name, not 8 values: .* pd.DataFrame\(items\).assign\(group=values"
    ):
        hl.open_table(ITEMS, VALUES, group=np.arange(N) // 2)
