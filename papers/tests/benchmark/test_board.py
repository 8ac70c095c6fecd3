"""The board as data."""

from __future__ import annotations

import tomllib

import pytest

from halflabel_papers.benchmark.board import BOARD, DEFAULTS, read_board
from halflabel_papers.spec import SpecError

BASE = BOARD.read_text(encoding="utf-8")


def test_the_quick_board_is_a_part_of_the_full_one():
    board = read_board()
    quick, full = (list(board.list_cells(quick=each)) for each in (True, False))
    assert len(quick) == 125  # five sets, protocols and draws
    assert {(p.key, *rest) for p, *rest in quick} < {(p.key, *rest) for p, *rest in full}
    assert 12 <= len(board.sets) <= 15
    assert all(len(protocol.rates) == 3 for protocol in board.protocols.values())
    assert all(each.source and all(len(sha) == 64 for sha in each.files.values()) for each in board.sets.values())


def test_every_method_has_the_same_gaps():
    board = read_board()
    seeds = {}
    for run in board.list_runs(quick=True):
        seeds.setdefault((run.experiment, run.set, run.trial), set()).add(run.seed)
    assert all(len(each) == 1 for each in seeds.values())
    assert len(set.union(*seeds.values())) == 125


def test_a_method_with_settings_has_a_row_of_its_defaults():
    raw = tomllib.loads(BASE)["methods"]
    for name, method in read_board().methods.items():
        if settings := method.options.get("settings"):
            assert settings == raw[name]["settings"]
            assert read_board().methods[name + DEFAULTS].steps == method.steps


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("settings = 4", "settings = 3", "has 4 settings, and the budget is 3"),
        ('way = "hide_items"', 'way = "hide_item"', "there is no way 'hide_item'"),
        ('"brier", "log_loss"', '"brier", "log_los"', "there is no metric 'log_los'"),
        ('ours = "halflabel"', 'ours = "half"', "there is no method 'half'"),
        ('rule = "micro_f1"', 'rule = "micro"', "there is no threshold rule 'micro'"),
        ("rates = { Q = 0.3", "rates = { Q = 0.2", "Q has no rate 0.2"),
        ('returns = "relevant" }', 'returns = "found" }', "there is no probability 'found'"),
        ('sets = ["emotions"', 'sets = ["emotion"', "there is no set 'emotion'"),
        ("rates = { Q = 0.3", "rates = { P = 0.3", "there is no protocol 'P'"),
    ],
)
def test_a_mistake_names_its_place(old, new, sentence, tmp_path):
    assert old in BASE
    (tmp_path / "board.toml").write_text(BASE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SpecError, match=sentence):
        read_board(tmp_path / "board.toml")
