"""The page of the board, from the entries of its methods alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd

from halflabel.plugins import decimal, plural
from halflabel_papers.benchmark.board import DEFAULTS, Board, Protocol
from halflabel_papers.benchmark.leaderboard import (
    Entry,
    is_greater_better,
    list_failures,
    rank,
    tabulate,
    take_cells,
)
from halflabel_papers.page.build import describe_making, format_step
from halflabel_papers.page.charts import draw_ranks
from halflabel_papers.page.model import Block, Bullets, Cell, Figure, Grid, Page, Section, Text
from halflabel_papers.store import Record
from halflabel_papers.verdicts.results import format_metric
from halflabel_papers.verdicts.significance import format_p, rank_methods

#: Where the page finds the files of the methods.
RECORDS = "records"


def build_page(board: Board, entries: Sequence[Entry]) -> Page:
    """Return the page of a board. Equal entries give an equal page, in any order."""
    entries = sorted(entries, key=lambda each: each.file)
    frame = tabulate(entries, board.decisive)
    sections = [*_rank(board, entries, frame, quick=True), *_rank(board, entries, frame, quick=False)]
    sections += _list_losses(board, frame)
    sections += [Section("Failures", (Bullets(tuple(failed)),))] if (failed := list_failures(entries)) else []
    for protocol in board.protocols.values():
        sections += _describe_protocol(board, protocol, entries)
    sections += [_list_methods(board, entries), _list_sets(board)]
    return Page(
        title=board.title,
        lead=_introduce(board, entries),
        facts=_list_facts(board, entries),
        sections=tuple(sections),
        subject=f"halflabel benchmark: {board.key}",
        key="In tables: a row is a method, and a number is linked to its records. ★ and bold: the best of a column.",
    )


def _introduce(board: Board, entries: Sequence[Entry]) -> str:
    budget = board.budget
    return (
        f"{plural(len(entries), 'row')}: each method gets the same labels, chooses among at most {budget['settings']} "
        f"settings by log loss on {100 * budget['held_out']:g} % of the known entries, held out as the gaps are, "
        "and is scored by the probabilities of the entries that it does not know. A row of defaults uses no settings. "
        f"F1: by the rule {budget['rule']} on the method's own probabilities."
    )


def _list_facts(board: Board, entries: Sequence[Entry]) -> tuple[tuple[str, str], ...]:
    records = [record for entry in entries for record in entry.records]
    seconds = sum(record.seconds.get("fit", 0.0) for record in records)
    made = dict.fromkeys(describe_making([record]) for record in records if record.made)
    n_full = sum(1 for _ in board.list_cells())
    whole = [entry.method.name for entry in entries if len(entry.records) == n_full]
    present = {entry.method.name for entry in entries}
    missing = ", ".join(name for name in board.methods if name not in present and not name.endswith(DEFAULTS))
    return (
        ("Quick board", f"{_describe_size(board, quick=True)}, one rate each"),
        ("Full board", f"{_describe_size(board, quick=False)}; run with {', '.join(whole) or 'no method yet'}"),
        ("Methods of the board without records", missing or "none"),
        ("Runs", f"{plural(len(records), 'record')}, {seconds / 60:.1f} CPU minutes"),
        ("Made by", "; and by ".join(made) or "no run yet"),
        ("Code", _count_states(records)),
        ("To repeat", "halflabel benchmark --quick"),
    )


def _count_states(records: Sequence[Record]) -> str:
    """Return the number of states of the code, and of the records that do not name theirs."""
    codes = [record.made.get("code") for record in records]
    named = {str(sorted(code.items())) for code in codes if code}
    text = f"{plural(len(named), 'state')}, named by git tree ids in the records"
    unnamed = sum(not code for code in codes)
    return f"{text}; {plural(unnamed, 'record')} of earlier code without such ids" if unnamed else text


def _describe_size(board: Board, *, quick: bool) -> str:
    cells = list(board.list_cells(quick=quick))
    n_sets = len({data for _, _, data, _ in cells})
    keys = ", ".join(dict.fromkeys(protocol.key for protocol, _, _, _ in cells))
    return f"{plural(len(cells), 'cell')}: {plural(n_sets, 'set')}, protocols {keys}"


def _rank(board: Board, entries: Sequence[Entry], frame: pd.DataFrame, *, quick: bool) -> Iterator[Section]:
    """Yield the mean ranks of a board, and the test of their differences, if methods have all its cells."""
    cells = take_cells(board, frame, quick=quick)
    grid = rank_entries(board, entries, cells, quick=quick)
    if quick or not cells.dropna(axis=1).empty:
        compared = _compare(cells, board.decisive, "ranks" if quick else "ranks-full")
        scores = _rank_scores(board, entries, quick=quick)
        yield Section("Leaderboard" if quick else "Full board", (grid, *compared, scores))


def rank_entries(board: Board, entries: Sequence[Entry], cells: pd.DataFrame, *, quick: bool) -> Grid:
    """Return the mean ranks on the cells of a board, by protocol, on all sets and on sets that chose no setting."""
    protocols = list(dict.fromkeys(cells.index.get_level_values("protocol")))
    ranks = rank(cells, board.decisive).dropna(how="all").sort_values(["all", *protocols], kind="stable")
    untuned = cells.index.isin([name for name, data in board.sets.items() if not data.note], level="set")
    ranks["untuned"] = rank(cells[untuned], board.decisive)["all"]
    by_name = {entry.method.name: entry for entry in entries}
    rows = []
    for name, values in ranks.iterrows():
        entry = by_name[str(name)]
        link = f"{RECORDS}/{entry.file}"
        places = [_as_cell(value, 1, link, best=value == ranks[key].min()) for key, value in values.items()]
        rows.append((entry.method.name, (*places, Cell(_state(entry)), *_list_costs(board, entry, quick=quick))))
    note = (
        "1 is the best. Verified: five cells of the file, drawn by its digest, were run again and gave its figures; "
        "claimed: not yet, or the file is another one. A run that failed has the last place. CPU s: mean of a run with "
        "the choice of a setting. A method that is not part of a protocol has no number. Untuned: all cells of the "
        f"sets on which no setting of {board.ours} was chosen."
    )
    title = f"Mean ranks in {name_metric(board.decisive)}, {'quick' if quick else 'full'} board"
    return Grid(title, (*map(str, ranks), "records", "failed", "CPU s"), tuple(rows), note, is_open=True)


def _rank_scores(board: Board, entries: Sequence[Entry], *, quick: bool) -> Grid:
    """Return the mean ranks over all cells by each score."""
    own = {m: rank(take_cells(board, tabulate(entries, m), quick=quick), m)["all"] for m in board.metrics}
    ranks = pd.DataFrame(own).dropna().sort_values(board.decisive, kind="stable")
    rows = [
        (str(name), tuple(_as_cell(value, 1, best=value == ranks[m].min()) for m, value in each.items()))
        for name, each in ranks.iterrows()
    ]
    return Grid(
        "Mean ranks in all scores", tuple(map(name_metric, board.metrics)), tuple(rows), "Methods with all cells."
    )


def _compare(cells: pd.DataFrame, metric: str, key: str) -> Iterator[Block]:
    """Yield the mean ranks of the methods with every cell as a figure, if there are enough. A set is one block."""
    complete = cells.dropna(axis=1)
    if complete.shape[1] < 3 or complete.index.get_level_values("set").nunique() < 2:
        return
    by_cell = complete.rank(axis=1, ascending=not is_greater_better(metric))
    by_set = by_cell.groupby(level="set", sort=False).mean()
    ranking = rank_methods(by_set, greater_is_better=False)
    caption = (
        f"Ranks in {name_metric(metric)}: each of {len(by_set)} sets orders the methods by their mean rank over its "
        f"cells (Friedman {format_p(ranking.p)}); Nemenyi's test at 5 % does not separate methods under one bar"
    )
    order = ", ".join(f"{method} {rank:.2f}" for method, rank in ranking.mean_ranks.items())
    yield Figure(key, caption, f"Mean ranks: {order}.", draw_ranks(ranking))


def _list_losses(board: Board, frame: pd.DataFrame) -> Iterator[Section]:
    """Yield the cells in which another method is better than the method of this library."""
    if board.ours not in frame:
        return
    sign = -1.0 if is_greater_better(board.decisive) else 1.0
    lines = []
    for cell, values in frame[frame[board.ours].notna()].iterrows():
        protocol, rate, data = cell[:3]  # type: ignore[index] # the index has several levels
        best = str((sign * values).idxmin())
        if sign * values[best] < sign * values[board.ours]:
            figures = f"{best} {decimal(values[best], 4)}, {board.ours} {decimal(values[board.ours], 4)}"
            lines.append(f"{protocol} {rate:g}, {data}: {figures}.")
    n_cells = int(frame[board.ours].notna().sum())
    count = f"In {len(lines)} of {plural(n_cells, 'cell')} another method has a better {name_metric(board.decisive)}."
    yield Section(f"Losses of {board.ours}", (Text(count), *([Bullets(tuple(lines))] if lines else [])))


def _describe_protocol(board: Board, protocol: Protocol, entries: Sequence[Entry]) -> Iterator[Section]:
    """Yield the figures of a protocol: all metrics as means of its cells, and the decisive one by cell."""
    own = {
        metric: frame.loc[[protocol.key]]
        for metric in board.metrics
        if len(frame := tabulate(entries, metric)) and protocol.key in frame.index.get_level_values(0)
    }
    if not own:
        return
    rates = ", ".join(f"{rate:g}" for rate in sorted(set(own[board.decisive].index.get_level_values("rate"))))
    text = f"{protocol.text} Measured at {rates}; the board has {', '.join(f'{rate:g}' for rate in protocol.rates)}."
    links = {entry.method.name: f"{RECORDS}/{entry.file}" for entry in entries}
    means = _average(board, own, links)
    yield Section(
        f"{protocol.key}: {protocol.title}",
        (Text(text), means, *_tabulate_cells(own[board.decisive], links, board.decisive)),
    )


def _average(board: Board, own: Mapping[str, pd.DataFrame], links: Mapping[str, str]) -> Grid:
    """Return the mean of every metric over the cells that all methods of the table have."""
    cells = {metric: frame.dropna(axis=1, how="all").dropna() for metric, frame in own.items()}
    means = {metric: frame.mean().replace([np.inf, -np.inf], np.nan) for metric, frame in cells.items()}
    best = {name: each.max() if is_greater_better(name) else each.min() for name, each in means.items()}
    rows = []
    for name in map(str, means[board.decisive].sort_values(kind="stable").index):
        values = {metric: float(means[metric][name]) for metric in means}
        rows.append((name, tuple(_as_cell(v, 4, links[name], best=v == best[metric]) for metric, v in values.items())))
    titles = tuple(f"{name_metric(name)}{' ↑' if is_greater_better(name) else ''}" for name in means)
    size = plural(len(cells[board.decisive]), "cell")
    note = f"Means of {size}; ↑: higher is better. A method with a failed run has no mean."
    return Grid("Means of all scores", titles, tuple(rows), note)


def _tabulate_cells(frame: pd.DataFrame, links: Mapping[str, str], metric: str) -> Iterator[Grid]:
    """Yield a table for each rate: a metric by set, of the methods that were run there."""
    for rate, each in frame.groupby(level="rate"):
        cells = each.dropna(axis=1, how="all").replace([np.inf, -np.inf], np.nan)
        best = cells.max(axis=1) if is_greater_better(metric) else cells.min(axis=1)
        rows = []
        for name in map(str, cells.columns):
            pairs = zip(cells[name], best, strict=True)
            rows.append((name, tuple(_as_cell(v, 4, links[name], best=v == b) for v, b in pairs)))
        names = tuple(map(str, cells.index.get_level_values("set")))
        yield Grid(f"{name_metric(metric)} by set, rate {rate:g}", names, tuple(rows))


def _state(entry: Entry) -> str:
    return "verified" if entry.verified else "claimed"


def _list_costs(board: Board, entry: Entry, *, quick: bool) -> tuple[Cell, ...]:
    cells = {(protocol.key, rate, data) for protocol, rate, data, _ in board.list_cells(quick=quick)}
    records = [each for each in entry.records if (each.experiment, each.grid["rate"], each.set) in cells]
    seconds = [record.seconds["fit"] for record in records if "fit" in record.seconds]
    return (
        Cell(str(sum(bool(record.failed) for record in records))),
        _as_cell(fmean(seconds) if seconds else np.nan, 1),
    )


def _as_cell(value: Any, digits: int, link: str = "", *, best: bool = False) -> Cell:
    return Cell(
        "" if np.isnan(value) else decimal(float(value), digits),
        best=bool(best),
        link=link if not np.isnan(value) else "",
    )


def _list_methods(board: Board, entries: Sequence[Entry]) -> Section:
    rows = []
    for entry in entries:
        steps = " → ".join(map(format_step, entry.method.steps))
        settings = entry.method.options.get("settings", [])
        choice = f"best of {len(settings)}: {'; '.join(map(_format_setting, settings))}" if settings else "none"
        link = f"{RECORDS}/{entry.file}"
        rows.append(
            (
                entry.method.name,
                (Cell(steps), Cell(choice), Cell(entry.method.note), Cell(_state(entry), link=link)),
            )
        )
    return Section(
        "Methods", (Grid("Methods and their records", ("steps", "settings", "remarks", "records"), tuple(rows)),)
    )


def name_metric(name: str) -> str:
    """Return the name of a metric for a sentence.

    Examples
    --------
    >>> name_metric("brier"), name_metric("micro_f1")
    ('Brier score', 'micro-F1')
    """
    return {"brier": "Brier score"}.get(name) or format_metric(name)


def _format_setting(setting: Mapping[str, Any]) -> str:
    flat = [(k, v) for k, v in setting.items() if not isinstance(v, Mapping)]
    flat += [(k, v) for inner in setting.values() if isinstance(inner, Mapping) for k, v in inner.items()]
    return ", ".join(f"{name}={value}" for name, value in flat)


def _list_sets(board: Board) -> Section:
    rows = []
    for name, data in board.sets.items():
        digest = ", ".join(f"{file} {sha[:12]}" for file, sha in data.files.items())
        quick = "quick and full" if name in board.quick["sets"] else "full"
        rows.append((name, (Cell(quick), Cell(data.source), Cell(data.note), Cell(digest))))
    grid = Grid("Sources of the data", ("board", "source", "remarks", "SHA-256, first digits"), tuple(rows))
    text = f"At most {board.budget['items']} random items of a set; of a set with many labels, its 12 most frequent."
    return Section("Sets", (Text(text), grid))
