"""Which tests the first tier of `.ci/run` chooses for changed files."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("changed", ROOT / ".ci" / "changed.py")
changed = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(changed)


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("src/halflabel/methods/auto/prior.py", "tests/methods/auto"),
        ("src/halflabel/methods/base.py", "tests/methods"),
        ("src/halflabel/report/templates/page.html", "tests/report"),
        ("src/halflabel/_memory.py", "tests/test_memory.py"),
        ("papers/src/halflabel_papers/comparators/leml.py", "papers/tests/comparators"),
        ("papers/src/halflabel_papers/run.py", "papers/tests/test_run.py"),
        ("tests/labels/test_partial.py", "tests/labels/test_partial.py"),
        ("tests/cli/conftest.py", "tests/cli"),
        ("docs/python.md", "tests/test_docs.py"),
    ],
)
def test_a_file_is_tested_by_the_tests_of_its_room(path, tests):
    assert tests in changed.find_tests(path)


def test_every_module_has_tests_but_those_that_only_join_others():
    without = [
        str(path.relative_to(ROOT))
        for package in changed.MIRRORS
        for path in (ROOT / package).rglob("*.py")
        if path.parent != ROOT / package and not changed.find_tests(str(path.relative_to(ROOT)))
    ]
    assert without == []


def test_other_files_choose_no_tests():
    assert [changed.find_tests(path) for path in ("tests/conftest.py", "LICENSE", ".ci/run")] == [(), (), ()]


def test_untracked_and_changed_files_are_listed_and_deleted_ones_are_not(tmp_path, monkeypatch):
    def git(*words):
        changed.subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, cwd=tmp_path)

    git("init", "-q")
    for name in ("kept", "edited", "gone"):
        (tmp_path / name).write_text("1")
    git("add", ".")
    git("commit", "-qm", "first")
    (tmp_path / "edited").write_text("2")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_text("3")
    monkeypatch.setattr(changed, "ROOT", tmp_path)
    assert changed.list_changed("HEAD") == ["edited", "new"]
