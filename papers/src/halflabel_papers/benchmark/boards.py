"""The work of the command: run methods, write their files and the page, and print the leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from halflabel.cli.console import out, print_note, print_result, show_progress
from halflabel.plugins import together
from halflabel_papers.benchmark.board import Board, read_board, take_own
from halflabel_papers.benchmark.leaderboard import (
    VERIFIED,
    Entry,
    digest_file,
    list_failures,
    read_entries,
    read_entry,
    tabulate,
    take_cells,
)
from halflabel_papers.benchmark.page import RECORDS, build_page, rank_entries
from halflabel_papers.benchmark.running import check_sets, choose_methods, make_entries, run_open, write_entries
from halflabel_papers.benchmark.verifying import mark_verified, plan_verification, verify
from halflabel_papers.page.build import write_page
from halflabel_papers.sources import describe_user_set
from halflabel_papers.store import Store


@dataclass(frozen=True)
class Asked:
    """The options of a user."""

    methods: tuple[str, ...]
    quick: bool
    my: Path | None = None
    labels: tuple[str, ...] = ()
    folder: Path | None = None
    jobs: int = 1


def show_published() -> None:
    """Print the leaderboard of the published records."""
    board = read_board()
    print_leaderboard(board, read_entries(board))
    print_result("Your own method: `halflabel benchmark --quick --method FILE.py:CLASS`.")


def run_board(asked: Asked, output: Path) -> None:
    """Do the open runs of methods, write their files and the page, and print the leaderboard."""
    board = read_board() if asked.my is None else take_own(read_board(), describe_user_set(asked.my, asked.labels))
    board, names = choose_methods(board, asked.methods)
    runs = list(board.list_runs(names, quick=asked.quick))
    check_sets(board, runs, asked.folder)
    output.mkdir(parents=True, exist_ok=True)
    with show_progress():
        store = Store(output / "records.jsonl")
        records = run_open(runs, store, asked.folder, board.budget["limit"], asked.jobs)
    own = make_entries(board, records)
    others = read_entries(board) if asked.my is None else []
    entries = own + [each for each in others if each.method.name not in names]
    paths = write_board(board, entries, output)
    print_leaderboard(board, entries)
    print_note(*list_failures(own))
    print_result(f"Written: {', '.join(map(str, paths))}.")


def verify_file(path: Path, methods: Sequence[str], folder: Path | None) -> None:
    """Run cells of a file again. If their figures are the same, write this next to the file.

    The code is that of the board or of ``methods``, never one that only the file names.

    Raises
    ------
    ValueError
        If there is no such file, if a set is not here, or if a figure differs.
    """
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file.")
    board, _ = choose_methods(read_board(), methods)
    entry = read_entry(path, board)
    pairs = plan_verification(board, entry, digest_file(path))
    check_sets(board, [run for run, _ in pairs], folder)
    if wrong := verify(pairs, folder, board.budget["limit"]):
        raise ValueError(f"{path}: {len(wrong)} of {len(pairs)} cells have other figures: {'; '.join(wrong)}.")
    mark_verified(path, pairs)
    print_result(f"{path} is verified: {len(pairs)} cells have the recorded figures ({VERIFIED} next to it).")


def write_board(board: Board, entries: Sequence[Entry], folder: Path) -> tuple[Path, Path]:
    """Write the files of the methods, and from them alone the page."""
    with together():
        write_entries(board, entries, folder / RECORDS)
        return write_page(build_page(board, entries), folder)


def print_leaderboard(board: Board, entries: Sequence[Entry]) -> None:
    """Print the mean ranks of the quick board."""
    if not entries:
        print_result("There are no records yet: `halflabel benchmark --quick` makes them.")
        return
    cells = take_cells(board, tabulate(entries, board.decisive), quick=True)
    grid = rank_entries(board, entries, cells)
    keys = [key for key in grid.columns if key in board.protocols]
    ranks = grid.columns[: len(keys) + 3]
    table = Table("method", *ranks, title=f"{grid.caption} ({', '.join(board.quick['sets'])})", title_justify="left")
    for name, places in grid.rows:
        table.add_row(name, *(each.measured for each in places[: len(ranks)]))
    out.print(table)
    print_result(f"1 is the best; {', '.join(f'{key} {board.protocols[key].title.lower()}' for key in keys)}.")
