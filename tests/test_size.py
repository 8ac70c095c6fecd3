"""The budget of syntax nodes that `.ci/run` checks."""

import importlib.util
import tomllib
from pathlib import Path, PurePosixPath

import pytest

SPEC = importlib.util.spec_from_file_location("size", Path(__file__).parents[1] / ".ci" / "size.py")
size = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(size)


def test_a_room_above_its_budget_and_one_without_are_named():
    found = size.list_excesses({"a": 11, "b": 10, "new": 1}, {"a": 10, "b": 10, "gone": 5})
    assert [sentence.partition(" has ")[0] for sentence in found] == ["a", "new"]


def test_a_budget_is_lowered_and_never_raised(tmp_path, monkeypatch):
    monkeypatch.setattr(size, "BUDGET", tmp_path / "size.toml")
    size.write_lowered({"nodes": {"a": 11, "b": 8}}, {"nodes": {"a": 10, "b": 10, "gone": 5}})
    assert size.BUDGET.read_text() == '[nodes]\n"a" = 10\n"b" = 8\n'


def test_every_room_has_a_budget_and_every_budget_a_room():
    rooms = {size.find_room(path) for path in size.list_files() if path.suffix == ".py"}
    budget = tomllib.loads(size.BUDGET.read_text(encoding="utf-8"))["nodes"]
    assert set(budget) == {*rooms, "product"}


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("src/halflabel/methods/auto/fit.py", "halflabel/methods"),
        ("src/halflabel/_files.py", "halflabel"),
        ("papers/src/halflabel_papers/page/html.py", "papers"),
        ("papers/tests/page/test_html.py", "papers/tests"),
        ("tests/conftest.py", "tests"),
        (".ci/size.py", "docs"),
    ],
)
def test_the_room_of_a_file(path, room):
    assert size.find_room(PurePosixPath(path)) == room


def test_comments_and_docstrings_are_no_code():
    text = '"""Words\nof a module."""\n\n# why\nx = (\n    1,\n)\n\n\ndef f():\n    """Return."""\n    return "a"\n'
    assert size.count_code_lines(text) == 5
    assert size.count_nodes("x = 1") == 5
