"""Ranks from records, and the file of a method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from papers.tests.benchmark.toy import make_board
from scipy import stats

from halflabel_papers.benchmark.leaderboard import (
    Entry,
    average,
    list_failures,
    rank,
    read_entry,
    tabulate,
    take_cells,
)
from halflabel_papers.benchmark.page import build_page, rank_entries
from halflabel_papers.page.markdown import render_markdown
from halflabel_papers.page.model import render_html
from halflabel_papers.store import Record
from halflabel_papers.verdicts.significance import compare_paired

#: The levels of a cell.
CELL = ["protocol", "rate", "set", "trial"]


def make_entry(board, name, values):
    """An entry from (protocol, rate, set): Brier score, or the reason of a failure, or a list of either for draws."""
    records = []
    draws = ((cell, *each) for cell, v in values.items() for each in enumerate(v if isinstance(v, list) else [v]))
    for (protocol, rate, data), trial, value in draws:
        failed = value if isinstance(value, str) else ""
        metrics = {} if failed else dict.fromkeys(board.metrics, value)
        made = dict.fromkeys(("halflabel", "numpy", "scipy", "scikit-learn"), "1")
        seconds = {} if failed else {"fit": 2.0}
        records.append(
            Record(
                name, protocol, data, name, {"rate": rate}, trial, metrics, failed=failed, seconds=seconds, made=made
            )
        )
    return Entry(board.methods[name], "0" * 64, tuple(records))


@pytest.fixture
def board():
    return make_board("Good", "Breaks", "Nan", "Crashes", sets=2)


@pytest.fixture
def entries(board):
    cells = [("Q", 0.6, "toy0"), ("Q", 0.6, "toy1"), ("Z", 0.3, "toy0"), ("Z", 0.3, "toy1")]
    return [
        make_entry(board, "Good", dict(zip(cells, (0.1, 0.2, 0.2, 0.1), strict=True))),
        make_entry(board, "Breaks", dict(zip(cells, (0.2, 0.1, 0.1, "it failed"), strict=True))),
        make_entry(board, "Nan", dict(zip(cells, (0.3, 0.3, 0.3, 0.3), strict=True))),
        make_entry(board, "Crashes", dict(zip(cells[:2], (0.4, 0.05), strict=True))),
    ]


@pytest.mark.parametrize(
    ("metric", "wanted"),
    [
        ("brier", {"all": [1.5, 1.75, 2.75], "Q": [2.0, 2.0, 3.5, 2.5], "Z": [1.5, 2.0, 2.5]}),  # by hand
        ("macro_auc", {"all": [2.25, 2.75, 1.0], "Q": [3.0, 3.0, 1.5, 2.5], "Z": [2.0, 3.0, 1.0]}),
    ],
)
def test_ranks_count_a_failure_as_last_and_leave_out_a_method_without_all_cells(board, entries, metric, wanted):
    ranks = rank(take_cells(board, tabulate(entries, metric), quick=True), metric)
    assert {key: list(each.mean()) for key, each in ranks.items()} == wanted


def test_a_mean_has_the_interval_of_its_draws_and_a_failed_run_leaves_none():
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([["Q"], [0.6], ["toy0", "toy1"], range(5)], names=CELL)
    cells = pd.DataFrame({"Good": rng.random(10), "Breaks": rng.random(10)}, index=index)
    draws = cells["Good"].to_numpy().reshape(2, 5).mean(axis=0)
    high = stats.t.interval(0.95, 4, draws.mean(), stats.sem(draws))[1]
    assert average(cells).loc["Good"].tolist() == pytest.approx([draws.mean(), high - draws.mean()])
    for lost in (np.inf, np.nan):
        cells.iloc[3, 1] = lost
        assert average(cells).loc["Breaks"].isna().all()


def test_a_loss_is_a_paired_difference_over_the_draws():
    """The draws differ more than the methods: only the difference in the same draws excludes 0."""
    board = make_board("Good", "Nan", draws=3)
    cell = ("Q", 0.6, "toy0")
    own, better = [0.1, 0.3, 0.2], [0.09, 0.28, 0.19]
    entries = [make_entry(board, name, {cell: draws}) for name, draws in (("Good", own), ("Nan", better))]
    text, _ = render_markdown(build_page(board, entries), "figures")
    _, low, high, _ = compare_paired(np.subtract(better, own))
    assert f"Nan 0.1867, Good 0.2000, difference \N{MINUS SIGN}0.0133 ± {(high - low) / 2:.4f}." in text
    assert "In 1 of 1 cell another method has a better mean Brier score; in 0 of them" in text
    entries[1] = make_entry(board, "Nan", {cell: [0.05, 0.2501, 0.15]})
    text, _ = render_markdown(build_page(board, entries), "figures")
    assert "in 1 of them the interval of the paired difference excludes 0." in text
    row = next(line for line in text.splitlines() if line.startswith("| Nan") and "0.1500" in line)
    assert "\N{MINUS SIGN}0.0500](records/nan.jsonl.gz)** ± 0.0001 |" in row  # minus Good


def test_a_file_is_read_as_it_was_written(board, entries, tmp_path):
    for entry in entries:
        (tmp_path / entry.file).write_bytes(entry.pack(board))
        assert read_entry(tmp_path / entry.file, board) == Entry(entry.method, entry.source, entry.records)
        assert read_entry(tmp_path / entry.file, board).pack(board) == entry.pack(board)


def test_a_damaged_file_and_one_of_another_board_are_errors(board, entries, tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(entries[0].pack(board)[:40])
    with pytest.raises(ValueError, match="damaged"):
        read_entry(tmp_path / "a.jsonl.gz", board)
    (tmp_path / "a.jsonl.gz").write_bytes(entries[0].pack(board))
    with pytest.raises(ValueError, match="of the board 'toy', and this one is 'other'"):
        read_entry(tmp_path / "a.jsonl.gz", replace(board, key="other"))


def test_the_page_lists_failures_and_links_every_number_to_its_records(board, entries):
    assert list_failures(entries) == ["Breaks: it failed (Z 0.3 toy1)"]
    page = build_page(board, entries)
    text, figures = render_markdown(page, "figures")
    assert "Breaks: it failed (Z 0.3 toy1)" in text
    assert "| Good | **[1.5](records/good.jsonl.gz)** |" in text
    assert "run with no method yet" in text
    assert "In 2 of 4 cells another method has a better mean Brier score" in text
    assert "Q 0.6, toy1: Crashes 0.0500, Good 0.2000, difference" in text
    assert not figures
    html = render_html(page)
    assert html.count('href="records/good.jsonl.gz"') >= 3 + 2 * 8


def test_ranks_of_other_sets_and_other_scores_stand_next_to_each_other(board, entries):
    tuned = replace(board, sets={**board.sets, "toy0": replace(board.sets["toy0"], note="settings were chosen on it")})
    cells = take_cells(tuned, tabulate(entries, "brier"), quick=True)
    grid = rank_entries(tuned, entries, cells)
    place = grid.columns.index("untuned")
    assert {name: row[place].measured for name, row in grid.rows} == {
        "Good": "1.5", "Breaks": "2.0", "Nan": "2.5", "Crashes": ""
    }  # fmt: skip
    text, _ = render_markdown(build_page(board, entries), "figures")
    scores = text.partition("Mean ranks in all scores")[2].partition("</details>")[0]
    assert "| Good | **1.5** | **1.5** | **1.5** | 2.2 | 2.2 | 2.2 |" in scores


def test_the_full_board_ranks_the_methods_with_all_its_cells(board, entries):
    cells = [(protocol.key, rate, data) for protocol, rate, data, _ in board.list_cells()]
    assert len(cells) > len(entries[2].records)
    first, second, third = (dict(zip(cells, (x + 0.1 * i for i in range(6)), strict=True)) for x in (0.1, 0.2, 0.3))
    whole = [
        make_entry(board, name, v) for name, v in zip(("Good", "Nan", "Crashes"), (first, third, second), strict=True)
    ]
    text, _ = render_markdown(build_page(board, [entries[1], *whole]), "figures")
    full = text.partition("## Full board")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in full.splitlines() if "records/" in line]
    assert rows == ["Good", "Crashes", "Nan", "Breaks"]  # the last one has all cells of Z only
    assert "## Full board" not in render_markdown(build_page(board, entries), "figures")[0]
