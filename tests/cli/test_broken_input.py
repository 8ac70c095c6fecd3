"""Broken files and options end in one sentence, and nothing is written."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys

import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

from halflabel import open_table


def spoil(path, text):
    path.write_text(text)


def insert(text, place, line):
    """Return a text with a further line at a place."""
    lines = text.splitlines()
    return "\n".join([*lines[:place], line, *lines[place:]]) + "\n"


BROKEN = {
    "wrong delimiter": (lambda p: spoil(p, p.read_text().replace(",", ";", 3).replace(",", "|")), "--set delimiter="),
    "ragged row": (lambda p: spoil(p, insert(p.read_text(), 10, "1,2,3")), "line 11"),
    "duplicate ids": (lambda p: spoil(p, p.read_text().replace("s7,", "s8,")), "not unique: 's8'"),
    "one-word line": (lambda p: spoil(p, p.read_text() + "x" * 1_100_000 + "\n"), "line 62"),
    "not text": (lambda p: p.write_bytes(b"\xff\xfe\x00\x01" * 50), "songs.csv"),
    "empty": (lambda p: spoil(p, ""), "empty"),
    "header only": (lambda p: spoil(p, p.read_text().splitlines()[0] + "\n"), "no row below it"),
    "no such file": (lambda p: p.unlink(), "no such file"),
    "a folder": (lambda p: (p.unlink(), p.mkdir()), "folder"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_ends_in_one_sentence(kind, songs):
    damage, words = BROKEN[kind]
    damage(songs)
    result = run("complete", songs, "--id", "song", "--labels", "tag_*")
    assert result.exit_code == 1
    assert words in result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert outputs(songs) == []


def test_a_label_with_one_value_ends_in_one_sentence(songs):
    frame = pd.read_csv(songs).assign(tag_d=1)
    frame.to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "tag_d")
    assert result.exit_code == 1
    assert "only 1 is given for 'tag_d'" in result.stderr
    assert outputs(songs) == []


@pytest.mark.parametrize("command", ["complete", "describe", "evaluate", "prevalence"])
@pytest.mark.parametrize("lines", [['a,90,"rock; sad', "b,95,live", "c,99,rock"], ["a,90,x", "b,95,y", 'c,"99,z']])
def test_an_error_about_a_table_names_the_quote_that_is_not_closed(command, lines, tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text("\n".join(["song,tempo,tags", *lines, ""]))
    result = run(command, path)
    line = 2 + next(number for number, text in enumerate(lines) if '"' in text)
    assert f"one is opened in line {line} and not closed." in result.stderr
    with pytest.raises(ValueError) as error:  # noqa: PT011
        open_table(path)
    assert any(f"line {line} and" in note for note in error.value.__notes__)


def test_a_truncated_gzip(songs, tmp_path):
    whole = gzip.compress(songs.read_bytes())
    (tmp_path / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    result = run("complete", tmp_path / "cut.csv.gz", "--labels", "tag_*")
    assert result.exit_code == 1
    assert "cut.csv.gz" in result.stderr


def test_a_typing_error_suggests_the_name(songs):
    result = run("complete", songs, "--labels", "tag_aa")
    assert result.exit_code == 1
    assert "tag_a" in result.stderr


def test_a_delimiter_may_be_called_tab(songs):
    spoil(songs, songs.read_text().replace(",", "\t"))
    found, given = (run("describe", songs, *more) for more in ((), ("--set", "delimiter=tab")))
    assert given.exit_code == 0, given.output
    assert re.search(r"tag_a, tag_b, tag_c +label", given.output)
    assert [line for line in found.output.splitlines() if "separated by tabs" not in line] == given.output.splitlines()


def test_names_cannot_steer_the_terminal(songs):
    songs.write_text(songs.read_text().replace("f0", "f\x1b]0;x\x07"))
    result = run("complete", songs, "--id", "song", "--labels", "tag_*", "--effort", "fast", "-v")
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert r"f\x1b]0;x\x07" in result.output


#: The command, which prints when its first fit begins: an earlier request comes before signals are handled.
ANNOUNCED = """
from halflabel.cli import main
from halflabel.methods.base import PartialLabelEstimator as Estimator
validate = Estimator._validate_input
def announce(*given):
    print("a fit begins", flush=True)
    return validate(*given)
Estimator._validate_input = announce
main()
"""


@pytest.mark.slow
def test_a_request_to_terminate_ends_like_an_interrupt(songs):
    command = [sys.executable, "-c", ANNOUNCED, "complete", str(songs), "--labels", "tag_*", "--effort", "best"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "a fit begins\n" in process.stdout
        process.terminate()
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 143
    assert errors.endswith("Terminated.\n")
    assert outputs(songs) == []
