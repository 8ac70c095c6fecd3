"""The page in the documentation follows from the files of records next to it, byte for byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from halflabel_papers.benchmark.board import read_board
from halflabel_papers.benchmark.boards import write_board
from halflabel_papers.benchmark.leaderboard import PUBLISHED, VERIFIED, read_entries, tabulate, take_cells

FOLDER = Path(__file__).parents[3] / "docs" / "benchmark"


@pytest.mark.slow  # a drawing and tables of all methods
def test_the_published_page_is_built_again_from_its_records(tmp_path):
    board = read_board()
    write_board(board, read_entries(board, FOLDER / "records"), tmp_path)
    built = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.*")}
    files = (path for path in FOLDER.rglob("*.*") if path.name != VERIFIED)  # which runs decide
    published = {path.relative_to(FOLDER): path.read_bytes() for path in files}
    assert {path for path in published if built.get(path) != published[path]} == set()
    assert set(built) == set(published)


def has_history():
    git = FOLDER.parents[1] / ".git"
    return git.exists() and ask_git("rev-parse", "--is-shallow-repository").strip() == "false"


def test_the_code_of_a_record_is_in_the_history():
    """Each folder that a record names has this content at some commit, whatever becomes of the commit's own id."""
    if not has_history():
        pytest.skip("the history is not in this checkout")
    codes = [record.made["code"] for e in read_entries(read_board()) for record in e.records if record.made.get("code")]
    named = {(name, tree) for code in codes for name, tree in code.items()}
    assert named
    for name in {name for name, _ in named}:
        folder = f"src/halflabel/{name}"
        commits = ask_git("log", "--format=%H", "--", folder).split()
        trees = ask_git("cat-file", "--batch-check", text="".join(f"{commit}:{folder}\n" for commit in commits))
        known = {line[:12] for line in trees.splitlines() if " tree " in line}
        assert {tree for one, tree in named if one == name} <= known


def ask_git(*question, text=""):
    command = ["git", "-C", str(FOLDER.parents[1]), *question]
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def test_every_published_method_has_the_whole_quick_board_and_is_one_of_the_board():
    board = read_board()
    assert PUBLISHED[0] == FOLDER / "records"
    entries = read_entries(board)
    cells = take_cells(board, tabulate(entries, board.decisive), quick=True)
    for entry in entries:
        if not entry.method.added:
            assert entry.method == board.methods[entry.method.name], "run it again: its description changed"
        own = entry.method.options.get("protocols", list(board.quick["rates"]))
        assert cells.loc[list(own), entry.method.name].notna().all()
