"""A review from a notebook: the link, the answers, and the end."""

import pytest
from tests.review_page.serving import LABELS, Client, answer, make_table

from halflabel.review_page import notebook
from halflabel.review_page.session import Session


@pytest.fixture
def running(tmp_path, monkeypatch):
    monkeypatch.setattr(Session, "start", lambda session: None)  # no process that fits
    made = notebook.open_review(
        make_table(), tmp_path / "so<ngs.review.jsonl", by="ana", id="song", labels=list(LABELS)
    )
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
    assert running._session.setting.targets.table == tmp_path / "so<ngs.completed.csv"
    running.stop()
    running.stop()
    with pytest.raises(ConnectionRefusedError):
        client.get("/api/session")


def test_a_journal_that_is_open_is_named(running, tmp_path):
    with pytest.raises(ValueError, match="is open in another review"):
        notebook.open_review(make_table(), tmp_path / "so<ngs.review.jsonl", id="song", labels=list(LABELS))
