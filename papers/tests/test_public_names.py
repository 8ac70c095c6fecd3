"""The papers are a user like any other: they import public names of halflabel only, from documented modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "papers" / "src" / "halflabel_papers"
FILES = sorted(PACKAGE.rglob("*.py"))


def list_imports(source: str) -> Iterator[tuple[str, str]]:
    """Yield each module of halflabel that a text imports, with the name that it takes from it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((each.name, "") for each in node.names if each.name.partition(".")[0] == "halflabel")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "halflabel":
            yield from ((str(node.module), each.name) for each in node.names)


def find_private(source: str) -> list[str]:
    dotted = (".".join(filter(None, pair)) for pair in list_imports(source))
    return [name for name in dotted if any(part.startswith("_") for part in name.split(".")[1:])]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_a_module_imports_public_names_only(file):
    assert find_private(file.read_text(encoding="utf-8")) == []


def test_every_module_is_documented():
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    listed = {f"halflabel.{name}" for name in re.findall(r"^   ([\w.]+)$", text, re.M)} | {"halflabel"}
    used = {module for file in FILES for module, _ in list_imports(file.read_text(encoding="utf-8"))}
    assert len(used) > 20
    assert used - listed == set()


@pytest.mark.parametrize(
    ("source", "private"),
    [
        ("from halflabel.labels import PartialLabels", []),
        ("import halflabel", []),
        ("from halflabel_papers._own import x", []),
        ("from halflabel._files import atomic_write", ["halflabel._files.atomic_write"]),
        ("import halflabel._version", ["halflabel._version"]),
        ("def f():\n    from halflabel.labels.partial import _check", ["halflabel.labels.partial._check"]),
        ("from halflabel import _wording", ["halflabel._wording"]),
    ],
)
def test_a_private_name_is_found(source, private):
    assert find_private(source) == private
