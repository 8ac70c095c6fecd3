"""The code of a record: ids that git gives to the same folders, and a key that follows every file that decides."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from halflabel_papers import fingerprint
from halflabel_papers.fingerprint import DECIDING, READING, WITHOUT_EFFECT, digest_code, find_tree, list_trees

ROOT = Path(__file__).parents[2]


def ask_git(folder, *question):
    command = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=n@example.org", *question]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_tree_has_the_id_of_git(tmp_path):
    for name, content in {"b.py": "x = 1\n", "a/c.py": "", "a.py": "é\n", "a-b/d.toml": "k = 1\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "b.py").chmod(0o755)
    ask_git(tmp_path, "init", "-q")
    ask_git(tmp_path, "add", "-A")
    assert find_tree(tmp_path) == ask_git(tmp_path, "write-tree")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "b.pyc").write_text("x")
    assert find_tree(tmp_path) == ask_git(tmp_path, "write-tree")
    assert find_tree(tmp_path, ["b.py"]) != find_tree(tmp_path)


def test_the_folders_are_here():
    for name, folder in fingerprint.PACKAGES.items():
        parts = (*DECIDING, *READING) if name == "halflabel" else WITHOUT_EFFECT
        assert all((folder / part).is_dir() for part in parts)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not in a clone")
def test_a_record_names_the_trees_of_the_clone():
    changed = ask_git(ROOT, "status", "--porcelain", "src/halflabel")
    if changed:
        pytest.skip("the working tree has changes")
    assert list_trees() == {n: ask_git(ROOT, "rev-parse", f"HEAD:src/halflabel/{n}")[:12] for n in DECIDING}


def test_a_key_follows_each_file_that_decides(tmp_path, monkeypatch):
    trees = {
        folder: folder.name for package in fingerprint.PACKAGES.values() for folder in (package, *package.iterdir())
    }

    def digest():
        digest_code.cache_clear()
        fingerprint._digest_packages.cache_clear()
        return digest_code(("halflabel:VVMR", "sklearn.svm:SVC"))

    monkeypatch.setattr(fingerprint, "find_tree", lambda folder, left_out=(): trees[folder])
    before = digest()
    for name in (*DECIDING, *READING):
        folder = fingerprint.PACKAGES["halflabel"] / name
        trees[folder] += "+"
        assert digest() != before
        trees[folder] = name
    trees[fingerprint.PACKAGES["halflabel"] / "report"] += "+"
    assert digest() == before
    digest_code.cache_clear()
    fingerprint._digest_packages.cache_clear()


def test_a_users_file_counts_with_the_files_next_to_it(tmp_path):
    (tmp_path / "near_key.py").write_text("A = 1\n")
    (tmp_path / "my_key.py").write_text("import numpy\nfrom near_key import A\n")
    before = fingerprint._describe_foreign(str(tmp_path / "my_key.py"))
    (tmp_path / "near_key.py").write_text("A = 2\n")
    assert fingerprint._describe_foreign(str(tmp_path / "my_key.py")) != before
