"""halflabel finish: questions and answers by file, the certificate next to its table, which is proved again."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

from halflabel.review_page.session import Asked

pytestmark = pytest.mark.usefixtures("one_member")

OPTIONS = ("--id", "song", "--labels", "tag_*")
FAST = (*OPTIONS, "--max-error", "0.3")
LABELS = ["tag_a", "tag_b", "tag_c"]


@pytest.fixture
def truth(songs):
    """The truth about the table: given entries as given."""
    given = pd.read_csv(songs, index_col="song")[LABELS]
    return given.fillna(pd.DataFrame(np.resize([0.0, 1.0, 1.0], given.shape), given.index, LABELS))


def respond(path, truth):
    """Fill in the questions as a person does."""
    asked = pd.read_csv(path)
    asked["answer"] = [int(truth.loc[entry]) for entry in zip(asked["item"], asked["label"], strict=True)]
    asked.to_csv(path, index=False)
    return path


def finish(songs, truth, *more):
    """Run the command until the task is done, and return the last result."""
    result = run("finish", songs, *more, "--questions", songs.with_name("songs.questions.csv"))
    for _ in range(20):
        assert result.exit_code == 0, result.output
        if "; done." in result.output:
            return result
        answers = respond(songs.with_name("songs.questions.csv"), truth)
        result = run("finish", songs, *more, "--answers", answers)
    raise AssertionError(result.output)


def test_from_questions_to_a_certificate_that_is_verified(songs, truth):
    before = songs.read_bytes()
    result = finish(songs, truth, *FAST)
    assert "At most " in result.output
    assert songs.read_bytes() == before
    made = ["songs.certificate.json", "songs.completed.csv", "songs.finish.jsonl", "songs.questions.csv"]
    made.insert(0, "songs.certificate.html")
    assert outputs(songs) == made
    delivered = pd.read_csv(songs.with_name("songs.completed.csv"), index_col="song")[LABELS]
    certificate = json.loads(songs.with_name("songs.certificate.json").read_text())
    wrong = (delivered != truth).to_numpy().sum()
    assert wrong <= certificate["max_errors"] <= 0.3 * certificate["entries"]
    paths = [songs.with_name(name) for name in made[1:3]]
    result = run("verify", *paths)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("Verified: At least ")
    table = pd.read_csv(paths[1])
    table.loc[7, "tag_b"] = 1 - table.loc[7, "tag_b"]
    table.to_csv(paths[1], index=False)
    result = run("verify", *paths)
    assert result.exit_code == 1
    assert "the table is not the one that was certified" in result.output
    table.drop(columns="tag_b").to_csv(paths[1], index=False)
    assert "tag_b" in run("verify", *paths).output


def test_a_table_of_another_tool_is_finished_without_a_fit(songs, truth, monkeypatch):
    monkeypatch.setattr("halflabel.completion.complete", None)
    completed = pd.read_csv(songs)
    completed[LABELS] = truth.to_numpy().astype(int)
    completed.loc[50:52, "tag_a"] = 1 - completed.loc[50:52, "tag_a"]
    completed.to_csv(songs.with_name("other.csv"), index=False)
    questions = songs.with_name("songs.questions.csv")
    result = finish(songs, truth, *OPTIONS, "--completed", songs.with_name("other.csv"), "--questions", questions)
    asked = [json.loads(line) for line in songs.with_name("songs.finish.jsonl").read_text().splitlines()]
    assert {record["why"] for record in asked if record.get("op") == "ask"} == {"random"}
    assert "; done." in result.output
    assert pd.read_csv(questions)["suggested"].isna().all()


@pytest.mark.parametrize("by_file", [True, False])
def test_the_page_and_the_files_share_a_journal(songs, truth, monkeypatch, by_file):
    completed = pd.read_csv(songs)
    completed[LABELS] = truth.to_numpy().astype(int)
    completed.to_csv(songs.with_name("other.csv"), index=False)
    common = (*OPTIONS, "--completed", songs.with_name("other.csv"), "--max-error", "0.3")
    if by_file:
        run("finish", songs, *common, "--questions", songs.with_name("songs.questions.csv"))
        result = run("finish", songs, *common, "--answers", respond(songs.with_name("songs.questions.csv"), truth))
        assert re.search(r"\d+ answers", result.output)

    def act(server, serving):
        """Answer on the page until the task is done."""
        serving()
        n, session = 0, server.session
        while screens := session.choose(Asked(np.array([], dtype=np.intp), "uncertain", "item", 8)):
            [[question]] = screens[:1]
            names = str(session.opened.index[question.row]), session.labels.names[question.column]
            sent = {"item": names[0], "label": names[1], "value": int(truth.loc[names]), "key": f"k{n}"}
            assert not session.answer([sent])[0].error
            n += 1
        session.write_outputs()
        server.socket.close()
        raise KeyboardInterrupt

    monkeypatch.setattr("halflabel.review_page.server.Server.run", act)
    result = run("finish", songs, *common, "--no-browser")
    assert result.exit_code == 0, result.output
    assert "Open http://127.0.0.1:" in result.output
    assert "; done. The same command goes on where you stopped." in result.output
    paths = [songs.with_name(f"songs.{end}") for end in ("certificate.json", "completed.csv")]
    assert run("verify", *paths).output.startswith("Verified: At least ")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda table: table[::-1], "other items, or another order"),
        (lambda table: table.drop(columns="tag_c"), "other labels"),
    ],
)
def test_another_table_is_no_completion(songs, truth, change, sentence):
    completed = pd.read_csv(songs)
    completed[LABELS] = truth.to_numpy().astype(int)
    change(completed).to_csv(songs.with_name("other.csv"), index=False)
    result = run("finish", songs, *OPTIONS, "--completed", songs.with_name("other.csv"))
    assert result.exit_code != 0
    assert sentence in " ".join(result.output.split())
    assert not songs.with_name("songs.finish.jsonl").exists()


def test_wrong_answers_write_nothing(songs, truth):
    answers = songs.with_name("songs.questions.csv")
    result = run("finish", songs, *FAST, "--answers", songs)
    assert "does not exist, so that no question was asked" in result.output
    run("finish", songs, *FAST, "--questions", answers)
    journal, asked = songs.with_name("songs.finish.jsonl"), pd.read_csv(respond(answers, truth))
    before = journal.read_bytes()
    for column, value, sentence in [("item", "s99", "s99"), ("answer", 7, "is 7"), ("label", "tag_z", "tag_z")]:
        wrong = asked.copy()
        wrong.loc[0, column] = value
        wrong.to_csv(songs.with_name("wrong.csv"), index=False)
        result = run("finish", songs, *FAST, "--answers", songs.with_name("wrong.csv"))
        assert result.exit_code == 1
        assert sentence in result.output
        assert journal.read_bytes() == before
    assert not songs.with_name("songs.completed.csv").exists()
