"""The console: an error ends a command in one sentence, also where it has no message of its own."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from halflabel import cli
from halflabel.cli.console import FORESEEN, wrap


@pytest.mark.parametrize("kind", [*FORESEEN, UnicodeError, FileNotFoundError], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("message", ["", "what was found, and what to do.", "two\nlines"])
def test_a_foreseen_error_ends_a_command_in_one_sentence(monkeypatch, kind, message):
    @click.command()
    def broken():
        raise kind(*filter(None, [message]))

    monkeypatch.setattr(cli._Group, "get_command", lambda *_: broken)
    result = CliRunner().invoke(cli.main, ["describe"])
    assert result.exit_code == 1
    start, _, sentence = result.stderr.partition(": ")
    assert start == "Error"
    assert sentence.endswith("\n")
    assert sentence.count("\n") == 1
    assert " ".join(message.split()) in sentence
    assert len(sentence.split()) > 1


SIGNS = [
    ImportError("libgfortran.so.5: failed to map segment from shared object"),
    ImportError("libz.so: cannot allocate memory in static TLS block"),
    RuntimeError("can't start new thread"),
    Exception("Unknown error: Failed to launch worker thread: Resource temporarily unavailable"),
]


@pytest.mark.parametrize("error", SIGNS, ids=str)
def test_an_address_space_that_is_too_small_is_one_sentence(monkeypatch, error):
    @click.command()
    def broken():
        raise error

    monkeypatch.setattr(cli._Group, "get_command", lambda *_: broken)
    result = CliRunner().invoke(cli.main, ["describe"])
    assert result.stderr == "Error: memory ran out: close other programs, or give a smaller table.\n"


def test_a_defect_keeps_its_traceback(monkeypatch):
    @click.command()
    def broken():
        raise ImportError("no module named x")

    monkeypatch.setattr(cli._Group, "get_command", lambda *_: broken)
    assert isinstance(CliRunner().invoke(cli.main, ["describe"]).exception, ImportError)


WORD = st.text(st.characters(exclude_categories=["Z", "C"], exclude_characters="`"), min_size=1, max_size=30)
COMMAND = st.lists(WORD, min_size=1, max_size=8).map(lambda words: f"`{' '.join(words)}`")


@given(st.lists(WORD | COMMAND, min_size=1, max_size=20), st.integers(20, 100))
def test_a_terminal_breaks_lines_between_words_and_never_in_a_path_or_a_command(parts, width):
    console = Console(force_terminal=True, width=width)
    lines = wrap(" ".join(parts), console).split("\n")
    assert " ".join(lines) == " ".join(parts)
    assert all(any(part in line for line in lines) for part in parts)
    for line in lines:
        assert len(line) <= width or console.render_str(line).cell_len <= width or line in parts, line


def test_a_pipe_gets_each_sentence_on_one_line():
    assert wrap("a word " * 40, Console(force_terminal=False, width=20)) == "a word " * 40
