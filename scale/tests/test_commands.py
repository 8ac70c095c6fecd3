"""The commands that this distribution adds, and what it imports."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from papers.tests.test_public_names import find_private
from scale.tests.conftest import NAMES, read_parts, write_parts

from halflabel_scale.commands import complete_folder_command, rank_command

SCALE = Path(__file__).parents[1]


def run(command, *words):
    return CliRunner().invoke(command, list(map(str, words)))


@pytest.mark.usefixtures("one_member")
def test_a_folder_is_completed(items, tmp_path):
    given = write_parts(items, tmp_path / "in")
    words = ("--labels", "tag_*", "--id", "song", "--effort", "fast", "--set", "ignore=f2")
    done = run(complete_folder_command, given, "-o", tmp_path / "out", *words)
    assert done.exit_code == 0, done.output
    assert not read_parts(tmp_path / "out")[NAMES].isna().any(axis=None)
    assert "4 parts completed with a model of 160 rows" in done.output
    assert (tmp_path / "out" / "_halflabel" / "labels.csv").exists()


def test_labels_are_ranked(tmp_path):
    path = tmp_path / "posts.csv"
    pd.DataFrame({"text": ["cat a", "cat b", "dog a", "dog b", "cat"], "tags": ["c|x", "c", "d", "d|x", None]}).to_csv(
        path
    )
    words = ("--tags", "tags", "--set", "sep=|", "--text", "text", "--absent", "irrelevant", "--top", "1")
    done = run(rank_command, path, *words)
    assert done.exit_code == 0, done.output
    assert pd.read_csv(tmp_path / "posts.top.csv")["label"].tolist() == ["c"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("posts.xyz", "--tags", "t"), "none of the suffixes"),
        (("posts.csv", "--tags", "t"), "state the meaning of an unlisted tag"),
        (("posts.csv", "--tags", "t", "--absent", "unknown", "--set", "sep"), "--set sep has no value"),
    ],
)
def test_what_is_missing_is_a_sentence(tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    Path("posts.csv").write_text("t\na\n")
    assert sentence in str(run(rank_command, *words).exception)


def test_entry_points_name_commands():
    stated = tomllib.loads((SCALE / "pyproject.toml").read_text())["project"]["entry-points"]["halflabel.commands"]
    for name, place in stated.items():
        module, _, function = place.partition(":")
        assert getattr(import_module(module), function).name == name


@pytest.mark.parametrize("file", sorted((SCALE / "src").rglob("*.py")), ids=lambda file: file.name)
def test_a_module_imports_public_names_only(file):
    assert find_private(file.read_text(encoding="utf-8")) == []
