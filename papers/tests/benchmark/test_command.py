"""The command: the published board, a user's method, a user's table, and mistakes in one sentence."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from papers.tests.benchmark.toy import NEAREST, make_board

from halflabel_papers.benchmark import boards, running
from halflabel_papers.benchmark.command import benchmark
from halflabel_papers.benchmark.leaderboard import read_entries
from halflabel_papers.execute import execute
from halflabel_papers.spec import SpecError


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a user's method, the toy board, and runs in this process."""
    monkeypatch.delitem(sys.modules, "nearest_of_mine", raising=False)  # of another test's folder
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "nearest_of_mine.py").write_text(NEAREST)
    board = make_board("Good", "Breaks")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(boards, "read_board", lambda: board)
    monkeypatch.setattr(boards, "read_entries", lambda board: [])
    monkeypatch.setattr(running, "execute_alone", lambda run, folder, limit, started: execute(run, folder))
    return tmp_path


def invoke(*arguments):
    return CliRunner().invoke(benchmark, [*map(str, arguments)], env={"HALFLABEL_DATA": None, "COLUMNS": "200"})


def test_a_users_method_has_its_row_and_its_file(here):
    result = invoke("--quick", "--method", "nearest_of_mine.py:Nearest", "--method", "Good", "-o", "out")
    assert result.exit_code == 0, result.output
    board = make_board("Good", "Breaks")
    entries = {each.method.name: each for each in read_entries(board, here / "out" / "records")}
    assert set(entries) == {"Good", "Nearest"}
    assert len(entries["Nearest"].records) == 2
    assert entries["Nearest"].method.steps == ({"use": "nearest_of_mine.py:Nearest"},)  # no folder of this machine
    assert str(here) not in (here / "out" / "README.md").read_text()


def test_the_board_on_a_users_own_table(here):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    table = pd.DataFrame(X, columns=list("abc")).assign(rock=(X[:, 0] > 0).astype(float), sad=(X[:, 1] > 0) * 1.0)
    table.loc[rng.random(60) < 0.2, "sad"] = np.nan
    table.to_csv("items.csv", index=False)
    result = invoke("--my", "items.csv", "--labels", "rock,sad", "-o", "out")
    assert result.exit_code == 0, result.output
    assert "your items" in result.output
    assert "Good" in result.output
    assert "Breaks: RuntimeError: nothing works" in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--method", "Godo"], "the board has no method 'Godo': give one of Good, Breaks, or FILE.py:CLASS for yours."),
        (["--method", "nowhere.py:Model"], "there is no file nowhere.py"),
        (["--method", "nearest_of_mine.py:Farthest"], "has no 'Farthest'"),
        (["--my", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_a_mistake_is_an_error_before_anything_runs(here, arguments, sentence):
    result = invoke(*arguments)
    assert sentence in str(result.exception)
    assert not (here / "halflabel-benchmark").exists()


def test_missing_sets_are_named_with_their_source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke("--quick", "--method", "label rate", "--folder", tmp_path)
    sentence = "5 sets of the board cannot be used here; the first is emotions: put emotions.arff.gz"
    assert sentence in str(result.exception)


def test_without_options_the_published_board_is_printed(here):
    result = invoke()
    assert result.exit_code == 0
    assert "There are no records yet" in result.output


def test_a_method_whose_package_is_missing_is_left_out_or_an_error_if_it_is_asked_for(here):
    board = make_board("Good", "Breaks")
    needy = replace(board.methods["Breaks"], options={"needs": "a_package_that_nobody_has"})
    board = replace(board, methods={**board.methods, "Breaks": needy})
    assert running.choose_methods(board, ())[1] == ["Good"]
    with pytest.raises(SpecError, match="Breaks needs the package a_package_that_nobody_has, which is not installed"):
        running.choose_methods(board, ["Breaks"])
