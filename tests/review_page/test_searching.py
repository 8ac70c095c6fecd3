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


@given(FRAMES, st.text(alphabet="abAB é1", min_size=1, max_size=3).filter(str.strip))
@settings(max_examples=80)
def test_a_quoted_word_is_found_where_id_or_text_has_it(cells, word):
    found = make_searcher(cells).find(f'"{word}"')
    texts = [f"s{k}\n{'' if body is None else body}".casefold() for k, body in enumerate(cells["body"])]
    assert found.tolist() == [word.casefold() in text for text in texts]


@given(FRAMES, st.sampled_from("<>"), st.integers(0, 20))
@settings(max_examples=80)
def test_numbers_are_compared_and_a_missing_one_is_not_found(cells, sign, limit):
    found = make_searcher(cells).find(f"SIZE{sign}{limit}")
    sizes = cells["size"]
    assert found.tolist() == [v is not None and (v < limit if sign == "<" else v > limit) for v in sizes]


@given(FRAMES, st.booleans(), st.sampled_from(["size", "body"]))
@settings(max_examples=80)
def test_a_column_orders_all_items_and_missing_cells_are_last(cells, descending, name):
    cells = {**cells, "body": [None if body is None else f"x{body}" for body in cells["body"]]}
    order = make_searcher(cells).sort(name, descending=descending)
    assert sorted(order.tolist()) == list(range(len(order)))
    values = [cells[name][row] for row in order]
    known = [v.casefold() if isinstance(v, str) else v for v in values if v is not None]
    assert values[len(known) :] == [None] * (len(order) - len(known))
    assert known == sorted(known, reverse=descending)


def test_parts_of_a_search_hold_together():
    frame = pd.DataFrame({"by": ["Ana", "Ana Lee", "Ben"], "two words": ["x y", "y", "x y"]})
    searcher = Searcher(pd.Index(["p:1", "p:2", "p:3"]), frame)
    searches = {"": [0, 1, 2], "ana": [0, 1], "by=ana": [0], "by:ana y": [0, 1], '"two words":"x y"': [0, 2]}
    assert np.flatnonzero(make_searcher({"body": ["a", None], "size": [5, None]}).find("size:5")).tolist() == [0]
    for text, rows in {**searches, "p:2": [1], "ana ben": [], "by<3": []}.items():
        assert np.flatnonzero(searcher.find(text)).tolist() == rows, text


@pytest.fixture
def client(tmp_path, make_fit):
    frame = make_table(author=["ana", "ben"] * 20, note=[f"text {k}" for k in range(40)])
    with Served(make_session(tmp_path / "a.jsonl", frame, fit=make_fit, show=["tempo"])) as running:
        yield running


def test_the_list_is_searched_and_ordered_by_a_column(client):
    asked = {"column": 0, "text": "author:ana text", "sort": "tempo", "descending": True}
    found = client.post("/api/list", asked)
    frame = client.session.config.views.frame
    wanted = frame[frame["author"] == "ana"].sort_values("tempo", ascending=False)["song"].tolist()
    assert [row["item"] for row in found["rows"]] == wanted
    assert client.get("/api/session")["columns"] == ["song", "tempo", "author", "note", "energy"]


def test_every_column_of_an_item_can_be_reached(client):
    [item] = client.get("/api/items?rows=3")["items"]
    assert [cell["column"] for cell in item["cells"]] == ["tempo"]
    others = client.get("/api/cells/3")["cells"]
    assert [cell["column"] for cell in others] == ["author", "note", "energy"]
    assert (item["more"], others[1]["text"]) == (3, "text 3")
    assert client.get("/api/cells/99")[0] == 400
