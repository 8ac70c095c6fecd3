"""The command: plan first, then runs, then pages; interrupted work continues."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from papers.tests.cases import TOY

from halflabel.cli import main
from halflabel_papers.load import list_papers


def invoke(*arguments, env=None):
    return CliRunner().invoke(main, ["reproduce", *map(str, arguments)], env={"HALFLABEL_DATA": None, **(env or {})})


def test_the_list_names_every_paper():
    result = invoke()
    assert result.exit_code == 0
    assert all(key in result.output for key in list_papers())


def test_the_plan_lists_sets_and_numbers_of_runs(tmp_path):
    result = invoke(TOY, "--plan", "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert "to be supplied" in result.output
    assert "a shelf" in " ".join(result.output.split())
    assert "35 runs: 0 recorded, 26 to do, 9 not available." in result.output
    assert not (tmp_path / "out").exists()


def test_it_writes_pages_and_does_not_repeat_itself(tmp_path):
    first = invoke(TOY, "--tier", "quick", "-o", tmp_path / "out", "--jobs", 1)
    assert first.exit_code == 0, first.output
    assert "6 of 6 runs measured." in first.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        ".records.lock", "README.md", "figures", "index.html", "records.jsonl", "records.jsonl.gz", "results.csv"
    }  # fmt: skip
    records = (tmp_path / "out" / "records.jsonl").read_text()
    again = invoke(TOY, "--tier", "quick", "-o", tmp_path / "out", "--jobs", 1)
    assert "6 runs: 6 recorded, 0 to do" in again.output
    assert (tmp_path / "out" / "records.jsonl").read_text() == records


def read_files(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.suffix in (".md", ".html", ".csv", ".svg")
    }


def test_a_page_is_built_again_from_its_records_byte_for_byte(tmp_path):
    assert invoke(TOY, "-o", tmp_path / "out", "--jobs", 1).exit_code == 0
    result = invoke(TOY, "--from-records", tmp_path / "out", "-o", tmp_path / "again")
    assert result.exit_code == 0, result.output
    assert read_files(tmp_path / "again") == read_files(tmp_path / "out")
    table = pd.read_csv(tmp_path / "again" / "results.csv")
    (printed,) = table[(table["verdict"] == "agrees")].to_dict("records")
    assert (printed["set"], printed["method"], printed["metric"]) == ("easy", "good", "hamming_loss")
    assert (printed["n"], printed["printed"]) == (3, 0.1)
    records = [json.loads(line) for line in (tmp_path / "out" / "records.jsonl").read_text().splitlines()[1:]]
    own = [r["metrics"]["hamming_loss"] for r in records if (r["set"], r["method"], r["grid"]) == ("easy", "good", {})]
    assert printed["mean"] == pytest.approx(sum(own) / 3)


def test_one_experiment_is_run_and_the_page_topped_up(tmp_path):
    first = invoke(TOY, "--only", "curve", "-o", tmp_path / "out", "--jobs", 1)
    assert "8 of 35 runs measured." in first.output
    assert (
        "18 runs not started: another experiment was named with --only" in (tmp_path / "out" / "README.md").read_text()
    )
    second = invoke(TOY, "-o", tmp_path / "out", "--jobs", 1)
    assert "35 runs: 8 recorded, 18 to do" in second.output
    wrong = invoke(TOY, "--only", "tabel", "-o", tmp_path / "out")
    assert "there is no experiment 'tabel' in this tier; there are table, curve" in " ".join(wrong.output.split())


def test_your_own_model_and_set_join_the_papers(tmp_path):
    (tmp_path / "mine.csv").write_text("a,b,c,d,x,y,z\n" + "".join(
        f"{i},{i % 7},{i % 3},{-i},{i % 2},{int(i > 9)},{int(i % 7 > 3)}\n" for i in range(24)
    ))  # fmt: skip
    result = invoke(TOY, "--tier", "quick", "--add", "papers.tests.toy_models:Chance", "--data", tmp_path / "mine.csv",
                    "--labels", "x,y,z", "-o", tmp_path / "out", "--jobs", 1)  # fmt: skip
    assert result.exit_code == 0, result.output
    page = (tmp_path / "out" / "README.md").read_text()
    assert "The same on your mine" in page
    assert "| Chance" in page


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["goldberg1910"], "there is no paper 'goldberg1910'"),
        ([TOY, "--jobs", 0], "--jobs 0"),
        ([TOY, "--add", "nowhere:Model"], "no module 'nowhere'"),
        ([TOY, "--data", "nowhere.csv"], "nowhere.csv"),
        (["toy", "--published"], "no page of 'toy'"),
    ],
)
def test_mistakes_end_in_one_sentence(arguments, sentence):
    result = invoke(*arguments)
    assert result.exit_code == 1
    assert sentence in result.output
    assert "Traceback" not in result.output


def test_strict_ends_with_an_error_where_a_run_has_no_figures(tmp_path):
    add = ["--add", "papers.tests.toy_models:Breaks"]
    result = invoke(TOY, "--tier", "quick", *add, "--strict", "-o", tmp_path / "out", "--jobs", 1)
    assert result.exit_code == 1
    assert "2 of 8 runs have no figures" in result.output
    assert invoke(TOY, "--tier", "quick", "--strict", "-o", tmp_path / "out", "--jobs", 1).exit_code == 0


def test_nothing_to_run_is_an_error_after_the_plan(tmp_path):
    result = invoke("zhang2008", "--tier", "quick", "-o", tmp_path / "out", "--folder", tmp_path)
    assert result.exit_code == 1
    assert "no set of this paper is here" in result.output
    assert not (tmp_path / "out").exists()


def test_a_folder_with_another_file_of_the_same_name_is_not_used(tmp_path):
    text = Path(TOY).read_text()
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "away.arff").write_text("another")
    (tmp_path / "toy2.toml").write_text(text)
    result = invoke(tmp_path / "toy2.toml", "--plan", "--folder", tmp_path)
    assert "differs" in result.output
