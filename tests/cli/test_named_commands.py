"""Every command that a message, a template, a script of a page or a page of the documentation names exists."""

from __future__ import annotations

import re
from pathlib import Path

from halflabel.cli import _COMMANDS, _OF_OTHERS

ROOT = Path(__file__).parents[2]

#: Folders with words for people, and the suffixes of what they read.
FOLDERS = ("src", "papers/src", "scale/src", "tools/src", "docs/examples", "docs/papers")
SUFFIXES = {".py", ".j2", ".js", ".html", ".toml", ".md"}

NAMED = re.compile(r"(?:`|<code>|^\s*\$ )halflabel ([a-z][a-z-]*)", re.MULTILINE)


def list_files():
    """Return the files with words for people."""
    below = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    return [*below, *(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")]


def test_every_command_that_is_named_exists():
    named = {(name, path.name) for path in list_files() for name in NAMED.findall(path.read_text(encoding="utf-8"))}
    assert len(named) > 20
    assert [each for each in sorted(named) if each[0] not in _COMMANDS.keys() | _OF_OTHERS.keys()] == []
