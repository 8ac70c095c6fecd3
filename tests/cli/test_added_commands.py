"""Commands of other distributions: found by entry points, listed, and explained where halflabel-papers is missing."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import click
import pytest
from click.testing import CliRunner

from halflabel import cli


@click.command()
@click.argument("word")
def shout(word):
    """Print a word in capitals."""
    click.echo(word.upper())


@pytest.fixture
def installed(monkeypatch):
    """A function that replaces the entry points of the environment."""

    def install(*names):
        entries = [EntryPoint(name, "tests.cli.test_added_commands:shout", "halflabel.commands") for name in names]
        monkeypatch.setattr(cli, "entry_points", lambda group: entries)
        monkeypatch.setattr(EntryPoint, "load", lambda entry: shout)

    return install


def run(*arguments):
    return CliRunner().invoke(cli.main, arguments)


@pytest.mark.parametrize("arguments", [(), ("zhang2008", "--published"), ("--help",), ("-o", "x", "key")])
def test_without_the_papers_the_command_names_how_to_install_them(installed, arguments):
    installed()
    result = run("reproduce", *arguments)
    assert result.exit_code == 1
    assert "is part of halflabel-papers, which is not installed" in result.output
    assert "pip install ./papers" in result.output
    assert result.output.count("\n") == 1
    assert "Measure the tables" in run("--help").output


def test_an_added_command_runs_and_is_listed(installed):
    installed("shout", "reproduce")
    assert run("shout", "rock").output == "ROCK\n"
    assert run("reproduce", "jazz").output == "JAZZ\n"
    listed = run("--help").output
    assert listed.count("reproduce") == 1
    assert "From tests." in listed


def test_no_distribution_replaces_a_command_of_halflabel(installed):
    installed("complete")
    assert run("complete", "rock").output != "ROCK\n"
    assert run("--help").output.count("\n  complete ") == 1
