"""A page that is older than the table: nothing that it sends is kept, because its numbers mean other entries."""

import pandas as pd
import pytest
from tests.review_page.serving import Served, answer, make_session, make_table, read_journal
from tests.review_page.test_requests import VALID, write


def reverse(frame):
    return frame.iloc[::-1].reset_index(drop=True)


def drop_rows(frame):
    return frame.drop([3, 7, 11]).reset_index(drop=True)


def add_a_row(frame):
    return pd.concat([frame.iloc[[0]].assign(song="s0 again"), frame], ignore_index=True)


def rename_an_item(frame):
    return frame.assign(song=["other", *frame["song"][1:]])


def exchange_labels(frame):
    return frame.rename(columns={"rock": "sad", "sad": "rock"})


def fill_an_entry(frame):
    return frame.assign(rock=frame["rock"].fillna(1))


CHANGES = [reverse, drop_rows, add_a_row, rename_an_item, exchange_labels, fill_an_entry]
REQUESTS = [(path, body) for path, bodies in VALID.items() for body in bodies]


@pytest.mark.parametrize("change", CHANGES)
def test_a_page_of_another_table_changes_nothing(tmp_path, make_fit, change):
    with Served(make_session(tmp_path / "a.jsonl", fit=make_fit)) as before:
        before.post("/api/answers", {"answers": [answer({"row": 5, "column": 0}, 1, "k1")]})
    with Served(make_session(tmp_path / "a.jsonl", change(make_table()), fit=make_fit)) as client:
        assert client.table != before.table
        client.table = before.table
        for path, body in REQUESTS:
            fields = {"table": f'"{before.table}"', "answers": "[]", **body}
            status, content = client.request("POST", path, write(fields).encode())
            assert (status, b"The table has changed" in content) == (409, True), (path, body)
        sent = [answer({"row": row, "column": 1}, 0, f"b{row}") for row in range(10)]
        status, error = client.post("/api/answers", {"answers": sent})
        assert (status, "reload the page" in error["error"]) == (409, True)
        assert client.session.worker.jobs == []
    assert [record.key for record in read_journal(tmp_path / "a.jsonl")[1]] == ["k1"]


def test_a_restart_with_the_same_table_takes_the_answers_of_an_open_page(tmp_path, make_fit):
    with Served(make_session(tmp_path / "a.jsonl", fit=make_fit)) as before:
        pass
    with Served(make_session(tmp_path / "a.jsonl", make_table(), fit=make_fit)) as client:
        client.table = before.table
        assert client.post("/api/answers", {"answers": [answer({"row": 5, "column": 0}, 1, "k")]})["answers"] == 1


@pytest.fixture
def client(tmp_path, make_fit):
    with Served(make_session(tmp_path / "a.jsonl", fit=make_fit)) as client:
        yield client


@pytest.mark.parametrize("wrong", [{"item": "gone"}, {"label": "gone"}])
def test_an_answer_names_an_entry_of_the_table(client, wrong):
    status, error = client.post("/api/answers", {"answers": [{**answer({"row": 5, "column": 0}, 1, "k"), **wrong}]})
    assert (status, error["error"].startswith("The table has no entry of the item ")) == (400, True)
    assert client.session.book.records == []


def test_a_request_without_a_table_is_invalid(client):
    for path, body in REQUESTS:
        status, content = client.request("POST", path, write({**body, "answers": "[]"}).encode())
        assert (status, b"names its table" in content) == (400, True)
