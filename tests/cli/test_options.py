"""The options of all commands: their number, where they come from, and the old ones."""

from __future__ import annotations

import re

import click
import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

from halflabel.cli import _COMMANDS, main
from halflabel.table.keys import KEYS

pytestmark = pytest.mark.usefixtures("one_member")

#: Maximum number of option places in the program, and of options of ``complete``.
MAX_PLACES, MAX_OF_COMPLETE = 144, 27

#: Options of version 0.1.0 that describe a table, and the other ones of each command.
OF_TABLES = (
    "--format --id --labels --tags --tags-file --on --absent --empty --sep --yes --no --unknown --group --features "
    "--vectors --text --ignore --xml --delimiter --encoding --max-categories --prior --top-labels"
)
BEFORE = {
    "demo": "-o --output --seed",
    "complete": "--out --workers --scheduler --max-labelled --max-unlabelled -o --output --to --question "
    "--probabilities --report --model --review --review-rows --review-in --certificate --show --marks --mark "
    "--min-precision --cost --observed-rate --effort --seed --json " + OF_TABLES,
    "predict": "-o --output --to --question --probabilities --map --vectors --delimiter --encoding --format",
    "evaluate": "--observed-rate --effort --repeats --curve --no-curve --seed --json " + OF_TABLES,
    "map": "-d --dimensions -o --output --label --method --label-weight --show --seed " + OF_TABLES,
    "review merge": "-o --output",
    "review page": "--show --marks --map --by --journal --others --show-p --media-root --remote-media --port --browser "
    "--no-browser --observed-rate --effort --seed " + OF_TABLES,
    "finish": "--completed -n --entries --population --answers --level -o --output --show --seed " + OF_TABLES,
    "data describe": OF_TABLES,
    "data fetch": "-o --output",
}


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
    counts = {name: sum(not option.hidden for option in options(command)) for name, command in commands()}
    print(sum(counts.values()), counts)
    assert sum(counts.values()) <= MAX_PLACES
    assert counts["complete"] <= MAX_OF_COMPLETE


@pytest.mark.parametrize("name", BEFORE)
def test_a_command_has_each_option_of_the_version_before(name):
    flags = {flag for each in options(dict(commands())[name]) for flag in (*each.opts, *each.secondary_opts)}
    assert set(BEFORE[name].split()) <= flags


def test_every_command_about_a_table_has_the_same_options_of_keys():
    common = {key.flag for key in KEYS if key.common} | {"--set"}
    with_tables = [*(name for name, text in BEFORE.items() if OF_TABLES in text), "prevalence", "new-tag"]
    for name, command in commands():
        shown = {option.opts[0]: option.help for option in options(command) if not option.hidden}
        assert (common <= shown.keys()) == (name in with_tables), name
        for key in KEYS:
            is_own = (name, key.name) == ("new-tag", "tag")  # the tag itself, not the column of tags
            if name in with_tables and key.flag in shown and not is_own:
                assert shown[key.flag] == key.help


def roles(result):
    """Return what a command prints about the table."""
    assert result.exit_code == 0, result.output
    return re.sub(r"--[\w-]+ has another name now.*\n", "", result.output)


#: Old options of a table, and how the same is written now.
OLD = {
    "ignore": (["--ignore", "f0", "--ignore", "f1"], ["--set", "ignore=f0,f1"]),
    "thumbnails": (["--thumbnails", "8x8"], ["--set", "thumbnails=8x8"]),
    "empty": (["--tags", "listed", "--absent", "irrelevant", "--empty", "none"],
              ["--tags", "listed", "--absent", "irrelevant", "--set", "empty=none"]),
    "group": (["--group", "f0"], ["--set", "group=f0"]),
    "features": (["--features", "f1,f3"], ["--set", "features=f1,f3"]),
    "several features": (["--features", "f1", "--features", "f3"], ["--set", "features=f1", "--set", "features=f3"]),
    "words of 0.1.1": (["--words", "ja,j=1;=0;?="], ["--set", "words=ja,j=1;=0;?="]),
    "words": (["--yes", "ja,j", "--no", "", "--unknown", "?"], ["--set", "words=ja,j=1;=0;?="]),
    "delimiter": (["--delimiter", ","], ["--set", "delimiter=,"]),
    "format": (["--format", "csv", "--encoding", "utf-8"], ["--set", "format=csv", "--set", "encoding=utf-8"]),
    "max_categories": (["--max-categories", "2"], ["--set", "max-categories=2"]),
    "tags_file": (["--tags-file", "long.csv", "--on", "song", "--absent", "irrelevant"],
                  ["--set", "tags_file=long.csv", "--set", "on=song", "--absent", "irrelevant"]),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), OLD.values(), ids=OLD)
def test_an_old_option_of_a_table_means_the_same_and_is_named(songs, monkeypatch, old, new):
    monkeypatch.chdir(songs.parent)
    frame = pd.read_csv(songs)
    if {"--yes", "--words"} & set(old):
        frame["tag_a"] = frame["tag_a"].map({1: "ja", 0: ""}).fillna("?")
        frame.to_csv(songs, index=False)
    if "--empty" in old:
        frame["listed"] = ["loud", "soft", ""] * 20
        frame.to_csv(songs, index=False)
    labels = [] if {"--on", "--empty"} & set(old) else ["--labels", "tag_a"]
    pd.DataFrame({"song": frame["song"], "tag": ["loud", "soft"] * 30})[:40].to_csv("long.csv", index=False)
    first = run("map", songs, "--id", "song", *labels, *old, "--method", "pca", "-o", "old.csv")
    second = run("map", songs, "--id", "song", *labels, *new, "--method", "pca", "-o", "new.csv")
    assert roles(first).replace("old.csv", "new.csv") == roles(second)
    flags = [flag for flag in dict.fromkeys(old) if flag.startswith("--") and flag not in ("--absent", "--tags")]
    for flag in flags:
        assert f"{flag} has another name now: write --set " in first.stderr
    assert "another name" not in second.stderr
    pd.testing.assert_frame_equal(pd.read_csv("old.csv"), pd.read_csv("new.csv"))


def test_old_names_of_outputs_mean_the_same(songs, tmp_path):
    path = tmp_path / "check.csv"
    common = ("--id", "song", "--labels", "tag_*", "--effort", "fast")
    first = run("complete", songs, *common, "--mark", "--review", path, "--review-rows", "5")
    assert first.exit_code == 0, first.output
    for flag, new in {"--mark": "--source-columns", "--review": f"`halflabel review ITEMS --to {path}`"}.items():
        assert f"{flag} has another name now: write {new}." in first.stderr
    old = pd.read_csv(path)
    marked = pd.read_csv(songs.with_name("songs.completed.csv"))
    second = run("review", songs, *common, "--to", path, "--rows", "5")
    assert second.exit_code == 0, second.output
    assert f"Written: {path}." in second.output
    pd.testing.assert_frame_equal(pd.read_csv(path), old)
    old.assign(answer=1 - old["suggested"]).to_csv(path, index=False)
    tables = []
    for options in (("--review-in", path, "--mark"), ("--answers", path, "--source-columns")):
        result = run("complete", songs, *common, *options)
        assert result.exit_code == 0, result.output
        tables.append(pd.read_csv(songs.with_name("songs.completed.csv")))
    pd.testing.assert_frame_equal(*tables)
    assert marked.columns.equals(tables[0].columns)
    assert not marked.equals(tables[0])


WRONG = {
    "no value": (["--set", "group"], "is not of the form KEY=VALUE; the keys are id, labels"),
    "unknown key": (["--set", "grup=a"], "names no key; the keys are id, labels"),
    "twice": (["--set", "labels=f0"], "labels was given twice: give it once."),
    "old and new": (["--set", "group=f0", "--group", "f1"], "group was given twice: give it once."),
    "a single key twice": (["--set", "group=f0", "--set", "group=f1"], "group was given 2 times: give it once."),
    "number": (["--set", "max_categories=0"], "max_categories is a whole number of 1 or more, not '0'."),
    "size": (["--set", "thumbnails=8"], "'8' is not a height and a width in pixels, such as 8x8."),
    "words": (["--set", "words=ja"], "words are written as 'yes,x=1;no=0;?='"),
    "choice": (["--set", "absent=no"], "absent is one of 'irrelevant' and 'unknown', not 'no'."),
}


@pytest.mark.parametrize(("wrong", "sentence"), WRONG.values(), ids=WRONG)
def test_a_wrong_value_is_a_usage_error(songs, wrong, sentence):
    result = run("data", "describe", songs, "--labels", "tag_*", *wrong)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


def test_errors_name_the_option_that_the_command_has(songs):
    result = run("complete", songs, "--labels", "song")
    assert "state the meaning of other words with --set words='yes,x=1;no=0;?=';" in result.stderr
    result = run("complete", songs, "--labels", "tag_*", "--set", "on=song")
    assert "--set on=... names the id column of a long table of tags: give that table, too (--set tags_file=...)" in (
        result.stderr)  # fmt: skip


# -- the table file ----------------------------------------------------------------


@pytest.fixture
def described(songs):
    """A table with its table file."""
    options = ("--id", "song", "--labels", "tag_*", "--set", "ignore=f4", "--set", "show=f0")
    result = run("data", "describe", songs, *options, "--save")
    assert result.exit_code == 0, result.output
    assert f"Written: {songs.with_name('songs.table.toml')}." in result.output
    return songs


def test_every_command_finds_the_table_file_and_prints_that_it_did(described):
    note = f"The table is described in {described.with_name('songs.table.toml')}."
    fast = ("--effort", "fast")
    completed = run("complete", described, *fast)
    table = described.with_name("songs.completed.csv")
    calls = [
        ("data", "describe", described),
        ("evaluate", described, *fast, "--repeats", "2", "--no-curve"),
        ("map", described, "--method", "pca"),
        ("finish", described, "--completed", table, "-n", "5"),
        ("review", described, *fast, "--to", described.with_name("check.csv")),
    ]
    for result in (completed, *(run(*call) for call in calls)):
        assert result.exit_code == 0, result.output
        assert result.stderr.count(note) == 1, result.stderr
    assert pd.read_csv(described.with_name("songs.questions.csv")).columns[-1] == "f0"  # what is shown
    assert not pd.read_csv(table)[["tag_a", "tag_b", "tag_c"]].isna().any(axis=None)


def test_options_override_the_table_file(described):
    plain = run("data", "describe", described).output
    assert "tag_a, tag_b, tag_c" in plain
    assert re.search(r"f4 +ignored +left out on request", plain)
    other = run("data", "describe", described, "--labels", "tag_a", "--set", "ignore=f3").output
    assert re.search(r"\btag_a +label", other)
    assert re.search(r"f3 +ignored +left out on request", other)


def test_a_named_table_file_serves_any_table_and_is_no_output(described, tmp_path):
    file, other = described.with_name("songs.table.toml"), tmp_path / "other.csv"
    other.write_bytes(described.read_bytes())
    assert "no labels were named" in run("data", "describe", other).output
    result = run("data", "describe", other, "--table", file)
    assert run("data", "describe", other, "--set", f"@{file}").output == result.output
    assert "give it once" in run("data", "describe", other, "--table", file, "--set", f"@{file}").output
    assert "tag_a, tag_b, tag_c" in result.output
    assert "is described in" not in result.stderr
    assert "is the input" in run("complete", other, "--set", f"@{file}", "--probabilities", file).output


def test_a_table_that_no_longer_fits_is_one_sentence_and_save_begins_again(described):
    pd.read_csv(described).rename(columns={"tag_b": "mood"}).to_csv(described, index=False)
    file = described.with_name("songs.table.toml")
    for command in (("complete",), ("data", "describe")):
        result = run(*command, described)
        assert result.exit_code == 1
        assert f"{file} names the column 'tag_b' (labels), which the table does not have" in result.stderr
        assert "halflabel data describe" in result.stderr
    assert outputs(described) == [file.name]
    again = run("data", "describe", described, "--labels", "tag_*,mood", "--save")
    assert again.exit_code == 0, again.output
    assert 'labels = ["tag_a", "tag_c", "mood"]' in file.read_text()


def test_the_table_file_of_a_folder_of_parts_is_found(described, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    frame = pd.read_csv(described)
    frame[:30].to_csv(folder / "a.csv", index=False)
    frame[30:].to_csv(folder / "b.csv", index=False)
    assert run("data", "describe", folder, "--id", "song", "--labels", "tag_*", "--save").exit_code == 0
    result = run("complete", folder, "-o", f"{tmp_path / 'out'}/", "--effort", "fast")
    assert result.exit_code == 0, result.output
    assert f"The table is described in {tmp_path / 'parts.table.toml'}." in result.stderr
    assert "Written: 2 parts in" in result.output


# -- the rule ----------------------------------------------------------------------

RULES = {
    "of two numbers": (["--rule", "cost:1,9"], ["--cost", "1", "9"]),
    "of another ratio": (["--rule", "cost:4,2"], ["--cost", "8", "4"]),
}


@pytest.mark.parametrize(("new", "old"), RULES.values(), ids=RULES)
def test_costs_are_a_rule(songs, new, old):
    common = ("complete", songs, "--id", "song", "--labels", "tag_*", "--effort", "fast")
    tables = []
    for options in (new, old):
        result = run(*common, *options)
        assert result.exit_code == 0, result.output
        assert "cost (least expected cost" in result.output
        tables.append(pd.read_csv(songs.with_name("songs.completed.csv")))
    pd.testing.assert_frame_equal(*tables)
    assert "--cost has another name now: write --rule cost:" in result.stderr


@pytest.mark.parametrize("wrong", ["best", "cost:1", "cost:1,2,3", "cost:a,b", "probable:1,2"])
def test_a_rule_that_does_not_exist_is_a_usage_error(songs, wrong):
    result = run("complete", songs, "--labels", "tag_*", "--rule", wrong)
    assert result.exit_code == 2
    assert "cost:" in result.output
