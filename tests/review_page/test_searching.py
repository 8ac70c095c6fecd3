"""The search and the order of the list of items, against loops over cells."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.review_page.serving import Served, make_session, make_table

from halflabel.review_page.searching import Searcher

WORDS = st.text(alphabet="abAB é1", max_size=6)
FRAMES = st.integers(1, 8).flatmap(
    lambda n: st.fixed_dictionaries(
        {
            "body": st.lists(st.none() | WORDS, min_size=n, max_size=n),
            "size": st.lists(st.none() | st.integers(0, 20), min_size=n, max_size=n),
        }
    )
)


def make_searcher(cells):
    frame = pd.DataFrame(cells, dtype=object).astype({"size": "Int64"})
    return Searcher(pd.Index([f"s{k}" for k in range(len(frame))]), frame)


@given(FRAMES, st.text(alphabet="abABé1", min_size=1, max_size=3))
@settings(max_examples=80)
def test_a_word_is_found_where_id_or_text_has_it(cells, word):
    found = make_searcher(cells).find(word)
    texts = [f"s{k}\n{'' if body is None else body}".casefold() for k, body in enumerate(cells["body"])]
    assert found.tolist() == [word.casefold() in text for text in texts]


def test_each_word_is_found_in_any_text():
    frame = pd.DataFrame({"by": ["Ana", "Ana Lee", None], "size": [1, 2, 3]})
    searcher = Searcher(pd.Index(["p:1", "p:2", "p:3"]), frame)
    for text, rows in {"": [0, 1, 2], "ana": [0, 1], "lee ANA": [1], "p:2": [1], "ana p:3": [], "none": []}.items():
        assert np.flatnonzero(searcher.find(text)).tolist() == rows, text


@pytest.fixture
def client(tmp_path, make_fit):
    frame = make_table(author=["ana", "ben"] * 20, note=[f"text {k}" for k in range(40)])
    with Served(make_session(tmp_path / "a.jsonl", frame, fit=make_fit, show=["tempo"])) as running:
        yield running


def test_the_list_is_searched(client):
    found = client.post("/api/list", {"column": 0, "text": "ana 1"})
    frame = client.session.config.views.frame
    wanted = frame[(frame["author"] == "ana") & (frame["song"] + frame["note"]).str.contains("1")]["song"].tolist()
    assert [row["item"] for row in found["rows"]] == wanted


def test_every_column_of_an_item_can_be_reached(client):
    [item] = client.get("/api/items?rows=3")["items"]
    assert [cell["column"] for cell in item["cells"]] == ["tempo"]
    assert [cell["column"] for cell in item["more"]] == ["author", "note", "energy"]
    assert item["more"][1]["text"] == "text 3"


def test_the_numbers_of_a_picture_are_not_listed_again(tmp_path):
    frame = make_table(author=["ana", "ben"] * 20, blank=0)
    session = make_session(tmp_path / "a.jsonl", frame, marks=(1, 3))
    item = session.describe_item(3)
    assert item["mark"]
    assert [cell["column"] for cell in item["more"]] == ["author"]
