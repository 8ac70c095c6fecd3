"""Ranks from records, and the file of a method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from papers.tests.benchmark.toy import make_board

from halflabel_papers.benchmark.leaderboard import Entry, list_failures, rank, read_entry, tabulate, take_cells
from halflabel_papers.benchmark.page import build_page, rank_entries
from halflabel_papers.page.markdown import render_markdown
from halflabel_papers.page.model import render_html
from halflabel_papers.store import Record


def make_entry(board, name, values):
    """An entry from (protocol, rate, set): Brier score, or the reason of a failure."""
    records = []
    for (protocol, rate, data), value in values.items():
        failed = value if isinstance(value, str) else ""
        metrics = {} if failed else dict.fromkeys(board.metrics, value)
        made = dict.fromkeys(("halflabel", "numpy", "scipy", "scikit-learn"), "1")
        seconds = {} if failed else {"fit": 2.0}
        records.append(
            Record(name, protocol, data, name, {"rate": rate}, 0, metrics, failed=failed, seconds=seconds, made=made)
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


def test_ranks_count_a_failure_as_last_and_leave_out_a_method_without_all_cells(board, entries):
    ranks = rank(take_cells(board, tabulate(entries, "brier"), quick=True), "brier")
    np.testing.assert_allclose(ranks["Q"], [2.0, 2.0, 3.5, 2.5])  # by hand
    np.testing.assert_allclose(ranks["Z"], [1.5, 2.0, 2.5, np.nan])
    np.testing.assert_allclose(ranks["all"], [1.5, 1.75, 2.75, np.nan])


def test_where_more_is_better_the_largest_value_is_first(board, entries):
    ranks = rank(take_cells(board, tabulate(entries, "macro_auc"), quick=True), "macro_auc")
    assert ranks["Q"].idxmin() == "Nan"
    assert ranks.loc["Breaks", "Z"] == 3.0  # 0.1 is the worst value, and the other run failed


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
    assert "| Good | **[2.0](records/good.jsonl.gz)** |" in text
    assert "run with no method yet" in text
    assert "In 2 of 4 cells another method has a better Brier score." in text
    assert "Q 0.6, toy1: Crashes 0.0500, Good 0.2000." in text
    assert set(figures) == {"ranks.svg"}
    html = render_html(page)
    assert html.count('href="records/good.jsonl.gz"') >= 3 + 2 * 8


def test_ranks_of_other_sets_and_other_scores_stand_next_to_each_other(board, entries):
    tuned = replace(board, sets={**board.sets, "toy0": replace(board.sets["toy0"], note="settings were chosen on it")})
    cells = take_cells(tuned, tabulate(entries, "brier"), quick=True)
    grid = rank_entries(tuned, entries, cells, quick=True)
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
    text, figures = render_markdown(build_page(board, [entries[1], *whole]), "figures")
    full = text.partition("## Full board")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in full.splitlines() if "records/" in line]
    assert rows == ["Good", "Crashes", "Nan", "Breaks"]  # the last one has all cells of Z only
    assert "each of 2 sets orders the methods" in full
    assert "Mean ranks: Good 1.00, Crashes 2.00, Nan 3.00." in full
    assert set(figures) == {"ranks.svg", "ranks-full.svg"}
    assert "## Full board" not in render_markdown(build_page(board, entries), "figures")[0]
