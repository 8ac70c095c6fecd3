"""The options of all commands: their number, and where they come from."""

from __future__ import annotations

import re

import click
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.cli.conftest import outputs, run

from halflabel.cli import _COMMANDS, main
from halflabel.cli.options import COMMON
from halflabel.table.columns import KEYS

pytestmark = pytest.mark.usefixtures("one_member")

#: Maximum number of option places in the program, and of options of ``complete``.
MAX_PLACES, MAX_OF_COMPLETE = 80, 20

#: The commands with all options that describe a table.
WITH_TABLES = ["complete", "evaluate", "review", "finish", "describe", "prevalence"]


def commands(group=main, path=""):
    """Yield (name, command) of every command of this distribution that is not a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        elif path or name in _COMMANDS:
            yield f"{path}{name}", command


def options(command):
    return [each for each in command.params if isinstance(each, click.Option)]


def test_a_person_can_read_all_options():
    counts = {name: len(options(command)) for name, command in commands()}
    print(sum(counts.values()), counts)
    assert sum(counts.values()) <= MAX_PLACES
    assert counts["complete"] <= MAX_OF_COMPLETE


def test_the_help_of_complete_is_one_screen_with_three_examples():
    result = CliRunner().invoke(main, ["complete", "--help"], terminal_width=110)
    assert len(result.output.splitlines()) <= 42
    assert result.output.count("    halflabel complete ") == 3


def test_no_option_is_hidden():
    hidden = [(name, each.name) for name, command in commands() for each in options(command) if each.hidden]
    assert hidden == []


def test_every_command_about_a_table_has_the_same_options_of_keys():
    common = {f"--{name}" for name in (*COMMON, "set")}
    for name, command in commands():
        shown = {option.opts[0]: option.help for option in options(command)}
        assert (common <= shown.keys()) == (name in WITH_TABLES), name
        for key in KEYS:
            if name in WITH_TABLES and key.flag in shown:
                assert shown[key.flag] == key.help


WRONG = {
    "no value": (["--set", "group"], "is not of the form KEY=VALUE; the keys are id, labels"),
    "unknown key": (["--set", "grup=a"], "names no key; the keys are id, labels"),
    "twice": (["--set", "labels=f0"], "labels was given twice: give it once."),
    "a single key twice": (["--set", "group=f0", "--set", "group=f1"], "group was given 2 times: give it once."),
    "number": (["--set", "max_categories=0"], "max_categories is a whole number of 1 or more, not '0'."),
    "size": (["--set", "thumbnails=8"], "'8' is not a height and a width in pixels, such as 8x8."),
    "choice": (["--set", "absent=no"], "absent is one of 'irrelevant' and 'unknown', not 'no'."),
}


@pytest.mark.parametrize(("wrong", "sentence"), WRONG.values(), ids=WRONG)
def test_a_wrong_value_is_a_usage_error(songs, wrong, sentence):
    result = run("describe", songs, "--labels", "tag_*", *wrong)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


def test_errors_name_the_option_that_the_command_has(songs):
    result = run("complete", songs, "--labels", "song")
    assert "state the meaning of other words with --set yes=..., --set no=... and --set unknown=...;" in result.stderr
    result = run("complete", songs, "--labels", "tag_*", "--set", "on=song")
    assert "--set on=... names the id column of a long table of tags: give that table, too (--set pairs=...)" in (
        result.stderr)  # fmt: skip


# -- the table file ----------------------------------------------------------------


@pytest.fixture
def described(songs):
    """A table with its table file."""
    options = ("--id", "song", "--labels", "tag_*", "--set", "ignore=f4", "--set", "show=f0")
    result = run("describe", songs, *options, "--save")
    assert result.exit_code == 0, result.output
    assert f"Written: {songs.with_name('songs.table.toml')}." in result.output
    return songs


def test_every_command_finds_the_table_file_and_prints_that_it_did(described):
    note = f"The table is described in {described.with_name('songs.table.toml')}."
    fast = ("--effort", "fast")
    completed = run("complete", described, *fast)
    table = described.with_name("songs.completed.csv")
    calls = [
        ("describe", described),
        ("evaluate", described, *fast),
        ("finish", described, "--completed", table, "--questions", described.with_name("songs.questions.csv")),
        ("review", described, *fast, "-o", described.with_name("check.csv")),
    ]
    for result in (completed, *(run(*call) for call in calls)):
        assert result.exit_code == 0, result.output
        assert result.stderr.count(note) == 1, result.stderr
    assert pd.read_csv(described.with_name("songs.questions.csv")).columns[-1] == "f0"  # what is shown
    assert not pd.read_csv(table)[["tag_a", "tag_b", "tag_c"]].isna().any(axis=None)


def test_options_override_the_table_file(described):
    plain = run("describe", described).output
    assert "tag_a, tag_b, tag_c" in plain
    assert re.search(r"f4 +ignored +left out on request", plain)
    other = run("describe", described, "--labels", "tag_a", "--set", "ignore=f3").output
    assert re.search(r"\btag_a +label", other)
    assert re.search(r"f3 +ignored +left out on request", other)


def test_a_named_table_file_serves_any_table_and_is_no_output(described, tmp_path):
    file, other = described.with_name("songs.table.toml"), tmp_path / "other.csv"
    other.write_bytes(described.read_bytes())
    assert "No labels were named" in run("describe", other).stderr
    result = run("describe", other, "--set", f"table={file}")
    assert "tag_a, tag_b, tag_c" in result.output
    assert "is described in" not in result.stderr
    assert "is the input" in run("complete", other, "--table", file, "--probabilities", file).output


def test_a_table_that_no_longer_fits_is_one_sentence_and_save_begins_again(described):
    pd.read_csv(described).rename(columns={"tag_b": "mood"}).to_csv(described, index=False)
    file = described.with_name("songs.table.toml")
    for command in (("complete",), ("describe",)):
        result = run(*command, described)
        assert result.exit_code == 1
        assert "no column is called or matches 'tag_b'" in result.stderr
        assert f"The description is that of {file}: change it there" in result.stderr
        assert "halflabel describe --save" in result.stderr
    assert outputs(described) == [file.name]
    again = run("describe", described, "--labels", "tag_*,mood", "--save")
    assert again.exit_code == 0, again.output
    assert 'labels = ["tag_a", "tag_c", "mood"]' in file.read_text()


def test_the_table_file_of_a_folder_of_parts_is_found(described, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    frame = pd.read_csv(described)
    frame[:30].to_csv(folder / "a.csv", index=False)
    frame[30:].to_csv(folder / "b.csv", index=False)
    assert run("describe", folder, "--id", "song", "--labels", "tag_*", "--save").exit_code == 0
    result = run("complete", folder, "-o", tmp_path / "out.csv", "--effort", "fast")
    assert result.exit_code == 0, result.output
    assert f"The table is described in {tmp_path / 'parts.table.toml'}." in result.stderr
    assert len(pd.read_csv(tmp_path / "out.csv")) == len(frame)


# -- the rule ----------------------------------------------------------------------


def test_costs_are_a_rule_and_only_their_ratio_counts(songs):
    common = ("complete", songs, "--id", "song", "--labels", "tag_*", "--effort", "fast")
    tables = []
    for costs in ("1,9", "2,18"):
        result = run(*common, "--rule", f"cost:{costs}")
        assert result.exit_code == 0, result.output
        assert "cost (least expected cost" in result.output
        tables.append(pd.read_csv(songs.with_name("songs.completed.csv")))
    pd.testing.assert_frame_equal(*tables)


@pytest.mark.parametrize("wrong", ["best", "cost:1", "cost:1,2,3", "cost:a,b", "probable:1,2"])
def test_a_rule_that_does_not_exist_is_a_usage_error(songs, wrong):
    result = run("complete", songs, "--labels", "tag_*", "--rule", wrong)
    assert result.exit_code == 2
    assert "cost" in result.output
