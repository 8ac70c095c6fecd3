"""Pairs of an item and a tag: with values, ids for names, annotated items, and ids that no item has."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import FEWER_EXAMPLES
from tests.table.notations import list_readings

from halflabel.table import open_table
from halflabel.table import pairs as reader
from halflabel.table.columns import Description
from halflabel.table.question import Question

IDS = ["a", "b", "c", "d"]
TAGS = ["T1", "T2", "T3"]


def read_pairs(pairs, on, ids, **keys):
    """Read a long table with these keys of its description."""
    return reader.read_pairs(Description(pairs=pairs, on=on, **keys), ids)


def oracle(rows, absent, empty):
    """Return state and annotated items by loops over entries."""
    state = np.zeros((len(IDS), len(TAGS)), dtype=int)
    marked = []
    for i, item in enumerate(IDS):
        values = {tag: {value for it, t, value in rows if (it, t) == (item, tag)} for tag in TAGS}
        has_yes = any(1 in found and 0 not in found for found in values.values())
        is_annotated = empty == "none" or has_yes
        if absent == "irrelevant":
            is_annotated = is_annotated or any(values.values())
        marked.append(is_annotated)
        for j, tag in enumerate(TAGS):
            found = values[tag]
            if {0, 1} <= found:
                state[i, j] = 0
            elif 1 in found:
                state[i, j] = 1
            elif 0 in found or (None not in found and is_annotated and absent == "irrelevant"):
                state[i, j] = -1
    return state, marked


pair_rows = st.lists(
    st.tuples(st.sampled_from(IDS), st.sampled_from(TAGS), st.sampled_from([1, 0, None])), min_size=1, max_size=12
)


@FEWER_EXAMPLES
@given(
    rows=pair_rows, absent=st.sampled_from(["irrelevant", "unknown"]), empty=st.sampled_from([None, "none"]),
    words=st.booleans(), capitals=st.integers(0, 7),
)  # fmt: skip
def test_every_entry_is_that_of_the_oracle(rows, absent, empty, words, capitals):
    """Also where tags have two spellings: an entry with both values is unknown in any of them."""
    rows = [*rows, *(("a", tag, 1) for tag in 12 * TAGS)]  # every tag is in the pairs, and something is observed
    table = pd.DataFrame(rows, columns=["item", "tag", "vote"])
    if words:
        table["vote"] = [None if pd.isna(value) else {1: "for", 0: "against"}[value] for value in table["vote"]]
    for row in range(len(rows) - 12 * len(TAGS)):
        table.loc[row, "tag"] = rows[row][1].lower() if capitals >> row % 3 & 1 else rows[row][1]
    state, is_annotated = oracle(rows, absent, empty)
    labels = read_pairs(
        table.sample(frac=1, random_state=0), "item", IDS, absent=absent, empty=empty, tag="tag", value="vote",
        **({"yes": "for", "no": "against"} if words else {}), **({"case": "same"} if capitals else {}),
    ).labels if (state != 0).any() else None  # fmt: skip
    if labels is None:
        return
    assert labels.names == tuple(TAGS)
    assert labels.state.tolist() == state.tolist()
    assert labels.annotated.tolist() == is_annotated
    assert labels.positive_only == (absent == "unknown")


def test_pairs_are_described():
    pairs = pd.DataFrame(
        {"item": ["a", "a", "b", "b"], "tag": ["T1", "T2", "T1", "T2"], "not": [None, "NOT", None, None]}
    )
    reading = read_pairs(pairs, "item", IDS, tag="tag", value="not", yes="", no="not", absent="unknown")
    assert reading.notes == (
        "2 labels in 'tag' (4 pairs, 1 entry known as irrelevant).",
        "2 items without a tag in the long table: taken as unlabelled.",
    )
    both = pd.concat([pairs, pd.DataFrame({"item": ["b"], "tag": ["T2"], "not": ["NOT"]})])
    notes = read_pairs(both, "item", IDS, tag="tag", value="not", yes="", no="not", absent="unknown").notes
    assert "1 entry of 'tag' with both values, first 'T2' (row 1): taken as unknown." in notes


def test_pairs_of_other_ids_are_left_out_unless_most_are_about_them():
    pairs = pd.DataFrame({"item": ["a", "x", "b"], "tag": ["T1", "T1", "T2"]})
    reading = read_pairs(pairs, "item", IDS, absent="irrelevant")
    assert reading.labels.state[:2].tolist() == [[1, -1], [-1, 1]]
    assert reading.notes[0] == "1 of 3 pairs name ids that are not in the table, such as 'x': left out."
    with pytest.raises(ValueError, match="1 of 1 pairs name ids that are not in the table: 'x'"):
        read_pairs(pairs[1:2], "item", IDS, absent="irrelevant")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "next to 'item' this one has 'tag' and 'vote': name the column of tags with tag='tag'"),
        ({"tag": "tg"}, "did you mean 'tag'"),
        ({"on": "itm"}, "no column is called or matches 'itm': did you mean 'item'"),
        ({"tag": "tag", "value": "vte"}, "did you mean 'vote'"),
        ({"tag": "tag", "value": "vote"}, "'vote' holds 'maybe'"),
    ],
)
def test_columns_that_are_not_clear_are_one_sentence(options, message):
    pairs = pd.DataFrame({"item": ["a", "b"], "tag": ["T1", "T2"], "vote": ["maybe", "1"]})
    with pytest.raises(ValueError, match=message):
        read_pairs(pairs, **{"on": "item", "ids": IDS, "absent": "irrelevant", **options})
    with pytest.raises(ValueError, match="next to 'item' this one has none"):
        read_pairs(pairs[["item"]], "item", IDS, absent="irrelevant")


WRITE = {
    "a word": lambda tag, k: "none" if k == 0 else tag,
    "a mark": lambda tag, k: f"-{tag}" if k == 0 else tag,
    "doubt": lambda tag, k: f"{tag}?" if k == 0 else tag,
    "spelling": lambda tag, k: tag.upper() if k == 0 else tag,
    "invisible": lambda tag, k: f"{tag}\u200b" if k == 0 else tag,
    "a code": lambda tag, k: "\\N" if k == 0 else tag,
    "scores": lambda tag, k: f"{tag}:0.{k + 1}",
    "votes": lambda tag, k: f"{tag} x{k + 2}",
}


def _stated(options):
    """Return the statements about tags that differ from the defaults."""
    return {name: value for name, value in vars(options).items() if value not in (None, ())}


@pytest.mark.parametrize("kind", WRITE)
@FEWER_EXAMPLES
@given(seed=st.integers(0, 99), has_values=st.booleans())
def test_tags_of_pairs_are_read_as_those_of_lists(kind, seed, has_values):
    """The oracle is a column of lists: it asks the same questions, and each way gives the same labels."""
    rng = np.random.default_rng(seed)
    has = rng.random((30, 3)) < 0.6
    has[:3] = True
    names = ("rock", "sad", "live")
    lists = [[WRITE[kind](names[j], rng.integers(0, 3)) for j in np.flatnonzero(row)] or ["rock"] for row in has]
    pairs = pd.DataFrame(
        [(i, tag) for i, tags in enumerate(lists) for tag in dict.fromkeys(tags)], columns=["id", "tag"]
    )
    value = {"tag": "tag", "value": "vote"} if has_values else {}
    pairs = pairs.assign(vote=1) if has_values else pairs
    readings = list(list_readings(pd.Series(lists, name="tags")))
    asks = bool(readings[0][0].stated)
    assert asks or kind in ("a word", "a code")  # next to other tags, "none" is a tag, and a code is a missing value
    for options, labels in readings:
        if options.scores == "prior":
            continue
        found = read_pairs(pairs, "id", range(30), absent="irrelevant", **_stated(options), **value).labels
        assert found.names == labels.names
        assert found.state[labels.annotated].tolist() == labels.state[labels.annotated].tolist()
    if asks:
        with pytest.raises(Question):
            read_pairs(pairs, "id", range(30), absent="irrelevant", **value)


@given(
    st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(TAGS), st.sampled_from([0, 1])), min_size=4),
    st.sampled_from([{}, {0: "no", 1: "yes"}]),
)
def test_a_further_column_of_yes_and_no_is_a_question_and_its_ways_are_right(rows, words):
    pairs = pd.DataFrame(rows, columns=["item", "tag", "vote"])
    pairs.loc[[0, 1], "vote"] = [0, 1]
    pairs["vote"] = pairs["vote"].replace(words) if words else pairs["vote"]
    with pytest.raises(Question, match=r"^The pairs have 'vote', which means no in ") as question:
        read_pairs(pairs, "item", IDS, tag="tag", absent="unknown")
    assert [way.statement for way in question.value.ways] == ["value='vote'", "value='none'"]
    plain = read_pairs(pairs, "item", IDS, tag="tag", value="none", absent="unknown").labels
    assert (
        plain.state.tolist() == read_pairs(pairs[["item", "tag"]], "item", IDS, absent="unknown").labels.state.tolist()
    )


def test_a_column_of_the_items_names_those_that_were_annotated():
    items = pd.DataFrame({"item": IDS, "n": [0.5, 1.5, 1.0, 2.0], "by": ["ann", "ben", "ann", None]})
    pairs = pd.DataFrame({"item": ["a", "b"], "tag": ["T1", "T2"]})
    given = {"id": "item", "pairs": pairs, "on": "item", "absent": "irrelevant"}
    for way in ("by", "by=ann"):
        opened = open_table(items, annotated=way, **given)
        others = [[-1, 1], [1, 0]] if way == "by" else [[0, 0], [1, 0]]
        assert opened.labels.state.tolist() == [[1, -1], others[0], [-1, -1], [0, 0]]
        assert "by" not in opened.encoder.feature_names
    with pytest.raises(ValueError, match=r"annotated= is a column of the items, or COLUMN=VALUE, not 'ids.csv'"):
        open_table(items, annotated="ids.csv", **given)


@pytest.mark.parametrize(
    ("columns", "given"),
    [
        ({"tags": ["T1;T2", "T2", None, None]}, {"tags": "tags"}),
        ({"T1": [1, None, None, None], "T2": [1, 1, None, None]}, {"labels": ["T1", "T2"]}),
        ({}, {"pairs": pd.DataFrame({"item": list("aab"), "tag": ["T1", "T2", "T2"]}), "on": "item"}),
    ],
)
def test_a_column_names_annotated_items_without_a_label_and_states_nothing_about_new_items(columns, given):
    items = pd.DataFrame({"item": IDS, "n": [0.5, 1.5, 1.0, 2.0], "by": ["ann"] * 3 + [None], **columns})
    for empty, third in ((None, True), ("unlabelled", False)):
        opened = open_table(items, id="item", annotated="by", absent="unknown", empty=empty, **given)
        assert opened.labels.annotated.tolist() == [True, True, third, False]
        assert opened.description.empty == empty


@pytest.mark.parametrize(
    ("columns", "given"),
    [
        ({"T1": [1, 0, 0, 1], "T2": [0, 1, 0, 0]}, {"labels": ["T1", "T2"]}),
        ({"T1": [1, None, None, 1], "T2": [None, 1, None, 1]}, {"labels": ["T1", "T2"], "absent": "unknown"}),
        ({"tags": ["T1", "T2", None, "T2"]}, {"tags": "tags", "absent": "irrelevant"}),
        ({}, {"pairs": pd.DataFrame({"item": list("abd"), "tag": ["T1", "T2", "T2"]}), "absent": "irrelevant"}),
    ],
)
def test_where_every_label_is_positive_only_the_stated_items_alone_are_annotated(columns, given):
    items = pd.DataFrame({"item": IDS, "n": [0.5, 1.5, 1.0, 2.0], "by": ["ann"] * 3 + [None], **columns})
    on = {"on": "item"} if "pairs" in given else {}
    opened = open_table(items, id="item", annotated="by", positive_only=["T1", "T2"], **given, **on)
    assert opened.labels.annotated.tolist() == [True, True, True, False]
    assert opened.labels.state[3].tolist() == [0, 0]


def test_the_column_of_tags_is_offered_by_its_name():
    pairs = pd.DataFrame({"item": ["a"], "source": ["x"], "label": ["T1"]})
    with pytest.raises(ValueError, match=r"name the column of tags with tag='label'"):
        read_pairs(pairs, "item", IDS, absent="unknown")


@pytest.mark.parametrize("dirty", ["both", "word", "clean"])
@pytest.mark.parametrize("is_long", [True, False])
def test_one_dirty_value_does_not_decide_that_a_no_is_a_yes(dirty, is_long):
    """A likely reading that is an error, or that has a conflict in one entry, is no reason to take another one."""
    rows = [(f"i{k}", tag, int((k + j) % 3 != 0)) for k in range(12) for j, tag in enumerate(TAGS)]
    rows += {"both": [("i0", "T1", 1)], "word": [("i0", "T4", 3)], "clean": []}[dirty]
    pairs = pd.DataFrame(rows, columns=["item", "tag", "vote"])
    items = pd.DataFrame({"item": [f"i{k}" for k in range(12)], "x": np.arange(12.0) ** 2})
    lists = pairs.groupby("item")[["tag", "vote"]].apply(lambda rows: rows.to_dict("records"))
    given = {"pairs": pairs, "tag": "tag", "on": "item"} if is_long else {"tags": "tags"}
    items = items if is_long else items.assign(tags=items["item"].map(lists))
    with pytest.raises(Question, match=r"'vote', which means no in 12 of 3[67] tags") as question:
        open_table(items, id="item", absent="unknown", **given)
    fails = dirty == "word" and not is_long  # of a column, the way leads to the meaning of 3
    assert question.value.likely == (not fails)
    assert ("It cannot be read so that it states whether the item has" in str(question.value)) == fails
    if dirty == "both":
        opened = open_table(items, id="item", absent="unknown", value="vote", **given)
        assert opened.labels.state[0].tolist() == [0, 1, 1]
        assert any("with both values, first 'T1' (row 0): taken as unknown." in note for note in opened.notes)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", "a", "b"], "id column 'song' is not unique"),
        (["a", None, "b"], "id column 'song' is empty in row 1"),
        ([1, "1", "b"], "ids must be distinct as written"),
    ],
)
def test_wrong_ids_of_items_are_named_before_pairs_are_joined(ids, message):
    items = pd.DataFrame({"song": pd.Series(ids, dtype=object), "tempo": [1.0, 2.0, 3.0]})
    pairs = pd.DataFrame({"song": [str(ids[2]), str(ids[0])], "tag": ["x", "y"]})
    with pytest.raises(ValueError, match=message):
        open_table(items, pairs=pairs, absent="unknown", id="song")
