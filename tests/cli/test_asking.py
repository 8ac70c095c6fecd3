"""A question about a table: numbered in a terminal, asked once; elsewhere, every way is a command that works."""

from __future__ import annotations

import os
import pty
import select
import shlex
import signal
import sys
import time
from pathlib import Path
from subprocess import Popen

import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

import halflabel as hl
from halflabel.table.question import Question

pytestmark = pytest.mark.usefixtures("one_member")

#: Seconds that a command may take in a terminal.
PATIENCE = 120

#: The key that ends a process.
INTERRUPT = "^C"

#: The command as a terminal starts it: a shell lets what it starts in the background ignore interrupts.
PROGRAM = "from signal import *; signal(SIGINT, default_int_handler); from halflabel.cli import main; main()"


@pytest.fixture
def posts(tmp_path):
    """Tags with blanks between them, which can also be one tag."""
    tags = ["rock live", "sad", "rock", "sad live", "rock live", None, None]
    words = ["loud guitar", "slow piano"] * 3 + ["loud guitar"]
    path = tmp_path / "posts.csv"
    pd.DataFrame({"post": list("abcdefg"), "words": words, "tags": tags}).to_csv(path, index=False)
    return path


def is_waiting(pid):
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(") ")[2][0] == "S"


def type_into(command, keys):
    """Run a command in a terminal, answer its questions, and return what it printed and its exit code.

    An interrupt comes while the command waits for a key, and again a second later: Python loses one that comes before.
    """
    leader, follower = pty.openpty()
    program = [sys.executable, "-c", PROGRAM, *map(str, command)]
    process = Popen(program, stdin=follower, stdout=follower, stderr=follower, close_fds=True)
    os.close(follower)
    printed, answered, quiet, until = b"", 0, 0, time.monotonic() + PATIENCE
    while time.monotonic() < until:
        quiet += 1
        if select.select([leader], [], [], 0.2)[0]:
            try:
                read = os.read(leader, 65536)
            except OSError:  # the end, on Linux
                break
            if not read:
                break
            printed, quiet = printed + read, 0
        if printed.count(b"Which one?") + printed.count(b"Error: ") > answered and answered < len(keys):
            if keys[answered] != INTERRUPT:
                os.write(leader, keys[answered].encode() + b"\n")
                answered += 1
            elif quiet % 5 == 1 and is_waiting(process.pid):
                process.send_signal(signal.SIGINT)
    os.close(leader)
    return printed.decode(), process.wait(PATIENCE)


BASE = ("--text", "words", "--tags", "tags")


def test_a_question_has_a_default_and_is_asked_once(posts):
    command = ("describe", posts, *BASE, "--absent", "irrelevant")
    printed, code = type_into(command, [""])
    assert code == 0, printed
    assert "1 blanks separate tags (3 labels: live 3, rock 3, sad 2)" in " ".join(printed.split())
    file = posts.with_name("posts.table.toml")
    assert str(file) in printed
    assert 'sep = "space"' in file.read_text()
    assert "absent" not in file.read_text()  # it was an option
    again = run(*command)
    assert again.exit_code == 0, again.output
    assert "3 labels" in again.output


def test_a_number_chooses_and_the_meaning_of_an_absent_tag_has_no_default(posts):
    printed, code = type_into(("describe", posts, *BASE), ["", "2", "2"])
    assert code == 0, printed
    assert printed.count("Which one?") == 3, printed  # Enter is no answer about an absent tag
    text = posts.with_name("posts.table.toml").read_text()
    assert 'absent = "unknown"' in text
    assert 'sep = "none"' in text
    assert run("describe", posts, "--text", "words").exit_code == 0
    assert run("describe", posts, *BASE).exit_code == 0


def test_an_interrupt_at_a_question_ends_the_command_as_it_does_elsewhere(posts):
    printed, code = type_into(("describe", posts, *BASE), [INTERRUPT])
    assert (code, outputs(posts)) == (130, []), printed
    assert "Interrupted." in printed


@pytest.mark.parametrize("stated", [(), ("--absent", "irrelevant")])
def test_elsewhere_each_way_is_a_command_that_works(posts, stated):
    result = run("describe", posts, *BASE, *stated)
    assert result.exit_code == 2
    assert outputs(posts) == []
    lines = [line.strip() for line in result.stderr.splitlines() if line.startswith("  halflabel ")]
    assert len(lines) == 2
    for line in lines:
        words = shlex.split(line)[1:]
        assert words[: 2 + len(BASE)] == ["describe", str(posts), *BASE]
        further = run(*words)
        assert further.stderr != result.stderr
        assert further.exit_code == (0 if stated else 2), further.stderr  # the next question


def test_in_python_the_error_has_the_arguments(posts):
    with pytest.raises(Question, match=r"state absent='irrelevant'\..* state absent='unknown'\.") as error:
        hl.open_table(posts, text="words", tags="tags")
    assert not error.value.likely
    for way in error.value.ways:
        with pytest.raises(Question, match="blanks separate tags"):
            hl.open_table(posts, text="words", tags="tags", **way.keys)
