"""halflabel audit: questions, answers, certificate."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run

OPTIONS = ("--id", "song", "--labels", "tag_*")


@pytest.fixture
def completed(songs):
    """Return the path of a completed table, made without a fit: relevant where the first feature is positive."""
    table = pd.read_csv(songs)
    names = [name for name in table if name.startswith("tag_")]
    filled = np.where(table[["f0"]] > 0, 1, 0) * np.ones((1, 3), dtype=int)
    table[names] = np.where(table[names].isna(), filled, table[names]).astype(int)
    path = songs.with_name("done.csv")
    table.to_csv(path, index=False)
    return path


def answer(songs, completed, wrong):
    """Fill in the questions: right, but for the first ones."""
    path = songs.with_name("songs.audit.csv")
    questions, table = pd.read_csv(path), pd.read_csv(completed).set_index("song")
    questions["answer"] = [str(table.loc[item, label]) for item, label in questions[["item", "label"]].to_numpy()]
    questions.loc[: wrong - 1, "answer"] = "?"
    questions.to_csv(path, index=False)
    return path


def test_from_questions_to_the_certificate(songs, completed):
    result = run("audit", songs, *OPTIONS, "--completed", completed, "-n", 30, "--set", "show=f1")
    assert result.exit_code == 0, result.output
    assert "30 of" in result.output
    questions = pd.read_csv(songs.with_name("songs.audit.csv"))
    assert list(questions) == ["item", "label", "answer", "f1"]
    assert questions["answer"].isna().all()
    assert not pd.read_csv(songs).set_index("song").isna().all().any()
    answers = answer(songs, completed, wrong=1)
    result = run("audit", songs, *OPTIONS, "--completed", completed, "-n", 30, "--answers", answers)
    assert result.exit_code == 0, result.output
    assert "30 random entries, 1 was wrong" in result.output
    certificate = json.loads(songs.with_name("songs.certificate.json").read_text())
    assert (certificate["audited"], certificate["errors"], certificate["level"]) == (30, 1, 0.95)
    assert f"At least {np.floor(1000 * certificate['precision']) / 10:.1f}" in result.output


def test_a_missing_answer_gives_no_certificate(songs, completed):
    run("audit", songs, *OPTIONS, "--completed", completed, "-n", 5)
    answers = songs.with_name("songs.audit.csv")
    result = run("audit", songs, *OPTIONS, "--completed", completed, "-n", 5, "--answers", answers)
    assert result.exit_code == 1
    assert "is missing: write 1 or yes" in " ".join(result.output.split())
    assert not songs.with_name("songs.certificate.json").exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda table: table[::-1], "other items, or another order"),
        (lambda table: table.drop(columns="tag_c"), "other labels"),
    ],
)
def test_another_table_is_no_completion(songs, completed, change, sentence):
    change(pd.read_csv(completed)).to_csv(completed, index=False)
    result = run("audit", songs, *OPTIONS, "--completed", completed)
    assert result.exit_code != 0
    assert sentence in " ".join(result.output.split())


@pytest.mark.usefixtures("one_member")
def test_the_report_carries_the_certificate_of_its_table_only(songs):
    fit = ("complete", songs, *OPTIONS, "--effort", "fast")
    done = songs.with_name("songs.completed.csv")
    assert run(*fit).exit_code == 0
    run("audit", songs, *OPTIONS, "--completed", done, "-n", 20)
    answers = answer(songs, done, wrong=2)
    run("audit", songs, *OPTIONS, "--completed", done, "-n", 20, "--answers", answers)
    certificate = songs.with_name("songs.certificate.json")
    result = run(*fit, "--certificate", certificate)
    assert result.exit_code == 0, result.output
    page = " ".join(songs.with_name("songs.report.html").read_text().split())
    assert "<strong>Certificate.</strong> At least" in page
    assert "20 random entries, 2 were wrong" in page
    before = songs.with_name("songs.report.html").read_bytes()
    result = run(*fit, "--min-precision", "0.8", "--certificate", certificate)
    assert result.exit_code == 1
    assert "a certificate is about another completed table" in " ".join(result.output.split())
    assert songs.with_name("songs.report.html").read_bytes() == before
