"""A review from a notebook: the link, the answers, and the end."""

import sys

import pytest
from tests.review_page.serving import LABELS, Client, answer, make_table

import halflabel as hl
from halflabel.review_page.review import Review


@pytest.fixture
def running(tmp_path, monkeypatch):
    monkeypatch.setattr(Review, "start", lambda session: None)  # no process that fits
    made = hl.review(make_table(), tmp_path / "so<ngs.review.jsonl", by="ana", id="song", labels=list(LABELS))
    yield made
    made.stop()


def test_a_notebook_shows_a_link_and_reads_the_answers(running, tmp_path):
    assert running._repr_html_().endswith("Open the review of so&lt;ngs</a>, 0 answers so far")
    port, token = running.address.removeprefix("http://127.0.0.1:").split("/?token=")
    client = Client(int(port), token)
    client.enter()
    client.post("/api/answers", {"answers": [answer({"row": 5, "column": 1, "why": "random"}, 1, "k")]})
    assert running.address.split("token=")[1] != token  # the next link is another one
    answers = running.answers
    assert answers[["item", "label", "answer", "by"]].iloc[0].tolist() == ["s5", "sad", 1, "ana"]
    assert running._session.config.targets.table == tmp_path / "so<ngs.completed.csv"
    running.stop()
    running.stop()
    with pytest.raises(ConnectionRefusedError):
        client.get("/api/session")


def test_a_journal_that_is_open_is_named(running, tmp_path):
    with pytest.raises(ValueError, match="is open in another review"):
        hl.review(make_table(), tmp_path / "so<ngs.review.jsonl", id="song", labels=list(LABELS))


def test_the_review_of_an_open_table_is_next_to_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(Review, "start", lambda session: None)
    make_table().to_csv(tmp_path / "songs.csv", index=False)
    table = hl.open_table(tmp_path / "songs.csv", id="song", labels=list(LABELS))
    running = hl.review(table)
    running.stop()
    assert (tmp_path / "songs.review.jsonl").exists()
    assert running._session.config.targets.table == tmp_path / "songs.completed.csv"
    with pytest.raises(ValueError, match=r"the items are not one file.*journal="):
        hl.review(make_table(), id="song", labels=list(LABELS))


def test_the_function_is_no_module(tmp_path):
    assert callable(hl.review)
    assert "halflabel.review_page.session" in sys.modules
    assert "halflabel.review" not in sys.modules
