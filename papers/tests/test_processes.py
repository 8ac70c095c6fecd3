"""The processes of a reproduction: workers end with their command, and git is asked about this library only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from papers.tests.cases import TOY
from tests.processes import has_ended, list_descendants, wait_for

import halflabel
from halflabel_papers.execute import find_commit

ROOT = Path(__file__).parents[2]


@pytest.mark.slow  # three processes for each signal
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux lists the children of a process")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_the_command(number, tmp_path):
    line = ["reproduce", TOY, "--tier=quick", "--add", "papers.tests.toy_models:Sleeps", "--jobs", "2", "-o", tmp_path]
    command = subprocess.Popen(
        [sys.executable, "-c", "from halflabel.cli import main; main()", *map(str, line)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "SLEEPING": str(tmp_path / "sleeping")},
    )
    wait_for((tmp_path / "sleeping").exists)
    workers = list_descendants(command.pid)
    assert len(workers) >= 2
    os.kill(command.pid, number)
    output, _ = command.communicate(timeout=60)  # until every process has closed the pipe, as `| tee` waits
    wait_for(lambda: all(map(has_ended, workers)), 30)
    assert command.returncode == (-number if number == signal.SIGKILL else 143)
    assert output.decode().endswith("Terminated.\n") is (number == signal.SIGTERM)


def git(folder, *arguments):
    settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A repository with one commit."""
    git(tmp_path, "init", "-q")
    (tmp_path / "notes").write_text("a")
    git(tmp_path, "add", "notes")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def make_package(folder):
    (folder / "halflabel").mkdir(parents=True)
    (folder / "halflabel" / "__init__.py").write_text("")
    return folder / "halflabel"


def test_the_commit_of_another_repository_is_not_the_librarys(repository):
    package = make_package(repository / "venv" / "lib" / "site-packages")
    assert find_commit(package) == ""
    git(repository, "add", "-f", ".")
    git(repository, "commit", "-q", "-m", "with the environment")
    assert find_commit(package) == ""


def test_a_checkout_of_the_library_has_its_commit(repository, monkeypatch):
    package = make_package(repository / "src")
    assert find_commit(package) == ""  # the repository does not hold the package
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "second")
    commit = find_commit(package)
    assert len(commit) == 12
    (package / "__init__.py").write_text("changed = True")
    assert find_commit(package) == f"{commit}+"
    monkeypatch.setenv("GIT_DIR", os.fspath(ROOT / ".git"))  # a hook of another repository sets it
    assert find_commit(package) == f"{commit}+"


def test_an_installed_package_outside_of_any_repository_has_no_commit(tmp_path):
    assert find_commit(make_package(tmp_path / "src")) == ""
    assert halflabel.__version__
