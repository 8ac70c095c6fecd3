"""Output files: never the input, never half-written."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from click.testing import CliRunner
from tests.cli.conftest import outputs, run

from halflabel.cli import main


def test_a_folder_that_cannot_be_written_to(songs, tmp_path):
    result = run("complete", songs, "--labels", "tag_*", "-o", tmp_path / "nowhere" / "o.csv")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr
    assert outputs(songs) == []


def test_only_the_error_is_printed(songs):
    result = run("complete", songs, "--labels", "tag_*", "--set", "vectors=nowhere.npy")
    assert result.stderr.startswith("Error: nowhere.npy")
    absent = songs.parent / "no.model"
    assert run("predict", absent, songs).stderr == f"Error: {absent}: there is no such file.\n"


@pytest.mark.parametrize("option", ["-o", "--report", "--model", "--probabilities"])
def test_an_output_never_takes_the_name_of_the_input_or_of_another_one(songs, option):
    before = songs.read_bytes()
    for taken in (songs, songs.with_name("songs.report.html" if option != "--report" else "songs.completed.csv")):
        result = run("complete", songs, "--labels", "tag_*", option, taken)
        assert result.exit_code == 1
        assert "is the input or another output" in result.stderr
    assert songs.read_bytes() == before
    assert outputs(songs) == []


@pytest.mark.parametrize("taken", ["Songs.csv", "SONGS.CSV", "songs.completed.CSV"])
def test_names_that_differ_in_case_only_are_one_file_where_the_folder_folds_case(songs, monkeypatch, taken):
    arguments = ("complete", songs, "--labels", "tag_*", "--probabilities", songs.with_name(taken))
    monkeypatch.setattr("halflabel.cli.output_paths.folds_case", lambda folder: True)
    assert "differ in case only" in run(*arguments).stderr
    assert outputs(songs) == []


@pytest.mark.usefixtures("one_member")
def test_names_that_differ_in_case_only_are_two_files_elsewhere(songs):
    (songs.parent / "A").touch()
    if (songs.parent / "a").exists():
        pytest.skip("this file system folds case")
    output = songs.with_name("Songs.csv")
    assert run("complete", songs, "--labels", "tag_*", "--effort", "fast", "-o", output).exit_code == 0
    assert output.exists()


@pytest.mark.usefixtures("one_member")
@pytest.mark.parametrize("charset", ["ascii", "latin-1", "cp1252", "cp437", "utf-8"])
def test_characters_that_the_terminal_cannot_show_are_replaced(songs, charset):
    pd.read_csv(songs).rename(columns={"song": "song_\N{SNOWMAN}\N{EN DASH}"}).to_csv(songs, index=False)
    fit = ["complete", songs, "--labels", "tag_*", "--effort", "fast", "-v"]
    arguments = fit if charset == "ascii" else ["describe", songs]  # one fit is enough
    result = CliRunner(charset=charset).invoke(main, list(map(str, arguments)))
    assert result.exit_code == 0, result.stderr
    assert "song_\N{SNOWMAN}\N{EN DASH}".encode(charset, "replace").decode(charset) in result.stdout


def test_a_full_disk_leaves_nothing_and_names_the_file(songs, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = run("complete", songs, "--labels", "tag_*")
    assert result.stderr == f"Error: {songs.with_name('songs.report.html')}: no space left on device.\n"
    assert outputs(songs) == []


def test_a_file_comes_back_in_its_own_notation(songs):
    frame = pd.read_csv(songs)
    frame.to_csv(songs, index=False, sep=";", decimal=",", lineterminator="\r\n", encoding="utf-8-sig", na_rep="NA")
    result = run("complete", songs, "--id", "song", "--labels", "tag_*", "--effort", "fast")
    assert result.exit_code == 0, result.stderr
    assert "separated by ';'" in result.stderr
    before, after = (path.read_bytes() for path in (songs, songs.with_name("songs.completed.csv")))
    assert after.startswith(b"\xef\xbb\xbf")
    assert after.count(b"\r\n") == before.count(b"\r\n")
    assert after.split(b"\r\n")[1].split(b";")[0] == before.split(b"\r\n")[1].split(b";")[0]  # decimal comma


@pytest.mark.parametrize(("option", "name"), [("-o", "o.docx"), ("--probabilities", "p.doc"), ("--report", "r.pdf")])
def test_an_output_of_a_kind_that_is_not_written_is_an_error_before_the_work(songs, tmp_path, option, name):
    result = run("complete", songs, "--labels", "tag_*", option, tmp_path / name)
    assert result.exit_code == 1
    assert name in result.stderr
    assert "use" in result.stderr
    assert outputs(songs) == []


def test_an_error_names_options_of_the_command(songs):
    result = run("complete", songs, "--tags", "song")
    assert "state --absent irrelevant (60 labels: " in " ".join(result.stderr.split())
    assert "absent=" not in result.stderr


def test_json_has_no_number_that_json_lacks(songs):
    frame = pd.read_csv(songs)
    frame["tags"] = ["a;b" if i % 2 else "b" for i in range(60)]
    frame.drop(columns=["tag_a", "tag_b", "tag_c"]).to_csv(songs, index=False)
    options = ("--absent", "unknown", "--set", "observed_rate=0.7", "--min-precision", "0.9", "--effort", "fast")
    result = run("complete", songs, "--tags", "tags", *options, "--json")
    counts = json.loads(result.stdout, parse_constant=pytest.fail)
    assert counts["left"] > 0


@pytest.mark.usefixtures("one_member")
def test_texts_that_look_like_formulas_are_written_as_they_came(songs):
    """They are data; the page on the report warns of spreadsheets."""
    frame = pd.read_csv(songs).rename(columns={"tag_a": "=cmd|a"})
    frame["song"] = [f"=HYPERLINK({i})" for i in range(len(frame))]
    frame.to_csv(songs, index=False)
    assert run("complete", songs, "--id", "song", "--labels", "=cmd|a,tag_b", "--effort", "fast").exit_code == 0
    after = pd.read_csv(songs.with_name("songs.completed.csv"))
    assert after["song"].tolist() == frame["song"].tolist()
    assert after["=cmd|a"].isin((0, 1)).all()


@pytest.mark.parametrize("step", ["report", "save", "write"])
def test_an_interrupt_at_any_output_leaves_the_whole_set_of_the_run_before(songs, monkeypatch, one_member, step):
    options = ("--id", "song", "--effort", "fast", "--model", songs.with_name("m.halflabel"),
               "--probabilities", songs.with_name("p.csv"))  # fmt: skip
    assert run("complete", songs, "--labels", "tag_*", *options).exit_code == 0
    before = {path: path.read_bytes() for path in songs.parent.iterdir()}
    assert len(before) == 5

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"halflabel.completion.result.Completion.{step}", interrupt)
    assert run("complete", songs, "--labels", "tag_a", *options).exit_code == 130
    assert {path: path.read_bytes() for path in songs.parent.iterdir()} == before
