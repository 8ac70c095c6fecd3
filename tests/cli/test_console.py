"""The console: an error ends a command in one sentence, also where it has no message of its own."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from halflabel import cli
from halflabel.cli.console import FORESEEN


@pytest.mark.parametrize("kind", [*FORESEEN, UnicodeError, FileNotFoundError], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("message", ["", "what was found, and what to do.", "two\nlines"])
def test_a_foreseen_error_ends_a_command_in_one_sentence(monkeypatch, kind, message):
    @click.command()
    def broken():
        raise kind(*filter(None, [message]))

    monkeypatch.setattr(cli._Group, "get_command", lambda *_: broken)
    result = CliRunner().invoke(cli.main, ["data"])
    assert result.exit_code == 1
    start, _, sentence = result.stderr.partition(": ")
    assert start == "Error"
    assert sentence.endswith("\n")
    assert sentence.count("\n") == 1
    assert " ".join(message.split()) in sentence
    assert len(sentence.split()) > 1
