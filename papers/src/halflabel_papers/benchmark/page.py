"""The page of the board, from the entries of its methods alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd

from halflabel.plugins import decimal, plural
from halflabel_papers.benchmark.board import DEFAULTS, Board, Protocol
from halflabel_papers.benchmark.leaderboard import (
    Entry,
    average,
    is_greater_better,
    list_failures,
    rank,
    tabulate,
    take_cells,
)
from halflabel_papers.page.build import describe_making, format_step
from halflabel_papers.page.model import Bullets, Cell, Grid, Page, Section, Text
from halflabel_papers.page.tables import MINUS
from halflabel_papers.verdicts.results import format_metric

#: Where the page finds the files of the methods.
RECORDS = "records"


def build_page(board: Board, entries: Sequence[Entry]) -> Page:
    """Return the page of a board. Equal entries give an equal page, in any order."""
    entries = sorted(entries, key=lambda each: each.file)
    frame = tabulate(entries, board.decisive)
    sections = [*_rank(board, entries, quick=True), *_rank(board, entries, quick=False)]
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
        key=(
            "In tables: a row is a method, and a number is linked to its records. ★ and bold: the best of a column. ±: "
            f"half of the 95 % interval of the mean over {plural(board.budget['trials'], 'draw')} of items and gaps; a "
            "difference is of the same draws of both methods. Other sets vary more."
        ),
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
    states = {str(sorted(record.made["code"].items())) for record in records if record.made.get("code")}
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
        ("Code", f"{plural(len(states), 'state')}, named by git tree ids in the records"),
        ("To repeat", "halflabel benchmark --quick"),
    )


def _describe_size(board: Board, *, quick: bool) -> str:
    cells = list(board.list_cells(quick=quick))
    n_sets = len({data for _, _, data, _ in cells})
    keys = ", ".join(dict.fromkeys(protocol.key for protocol, _, _, _ in cells))
    draws = plural(board.budget["trials"], "draw")
    return f"{plural(len(cells), 'cell')}: {plural(n_sets, 'set')}, protocols {keys}, {draws}"


def _rank(board: Board, entries: Sequence[Entry], *, quick: bool) -> Iterator[Section]:
    """Yield the mean ranks and scores of a board, if methods have all its cells."""
    own = {metric: take_cells(board, tabulate(entries, metric), quick=quick) for metric in board.metrics}
    whole = {metric: cells.dropna(axis=1) for metric, cells in own.items()}
    if quick or not whole[board.decisive].empty:
        ranks = {metric: average(rank(cells, metric)["all"]) for metric, cells in whole.items()}
        names = ranks[board.decisive]["mean"].sort_values(kind="stable").index
        scores = Grid(
            "Mean ranks in all scores", tuple(map(name_metric, ranks)), tuple(_make_rows(ranks, names, 1, {}))
        )
        grids = (rank_entries(board, entries, own[board.decisive]), _average(board, whole, {}), scores)
        yield Section("Leaderboard" if quick else "Full board", grids)


def rank_entries(board: Board, entries: Sequence[Entry], cells: pd.DataFrame) -> Grid:
    """Return the mean ranks on the cells of a board, by protocol, on all sets, and on tuned and untuned sets apart."""
    ranks = rank(cells, board.decisive)
    chosen = cells.index.isin([name for name, data in board.sets.items() if data.note], level="set")
    ranks = {"all": ranks["all"], "tuned": ranks["all"][chosen], "untuned": ranks["all"][~chosen], **ranks}
    columns = {key: average(each) for key, each in ranks.items()}
    means = pd.DataFrame({key: each["mean"] for key, each in columns.items()}).dropna(how="all")
    names = means.sort_values([*ranks], kind="stable").index
    by_name = {entry.method.name: entry for entry in entries}
    rows = [
        (name, (*places, Cell(_state(by_name[name])), *_list_costs(by_name[name])))
        for name, places in _make_rows(columns, names, 1, _link(entries))
    ]
    note = (
        "1 is the best. Verified: five cells of the file, drawn by its digest, were run again and gave its figures; "
        "claimed: not yet, or the file is another one. A run that failed has the last place. CPU s: mean of a run with "
        "the choice of a setting. A method that is not part of a protocol has no number. Tuned: the sets on which a "
        f"setting of {board.ours} was chosen; untuned: all other sets."
    )
    title = f"Mean ranks in {name_metric(board.decisive)}"
    return Grid(title, (*columns, "records", "failed", "CPU s"), tuple(rows), note, is_open=True)


def _list_losses(board: Board, frame: pd.DataFrame) -> Iterator[Section]:
    """Yield the cells in which another method is better than the method of this library, in the mean of the draws."""
    if board.ours not in frame:
        return
    sign = -1.0 if is_greater_better(board.decisive) else 1.0
    lines, n_cells, n_clear = [], 0, 0
    for (protocol, rate, data), draws in frame[frame[board.ours].notna()].groupby(level=[0, 1, 2], sort=False):
        n_cells += 1
        means = draws.mean(skipna=False)
        best = str((sign * means).idxmin())
        if sign * means[best] < sign * means[board.ours]:
            mean, reach = map(float, average(draws[[best]].sub(draws[board.ours], axis=0)).loc[best])
            n_clear += bool(abs(mean) > reach)
            figures = f"{best} {decimal(means[best], 4)}, {board.ours} {decimal(means[board.ours], 4)}"
            lines.append(f"{protocol} {rate:g}, {data}: {figures}, difference {_show(mean, 4)} ± {_show(reach, 4)}.")
    count = (
        f"In {len(lines)} of {plural(n_cells, 'cell')} another method has a better mean {name_metric(board.decisive)}; "
        f"in {n_clear} of them the interval of the paired difference excludes 0."
    )
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
    common = {metric: cells.dropna(axis=1, how="all").dropna() for metric, cells in own.items()}
    means = _average(board, common, _link(entries))
    yield Section(
        f"{protocol.key}: {protocol.title}",
        (Text(text), means, *_tabulate_cells(own[board.decisive], _link(entries), board.decisive)),
    )


def _average(board: Board, cells: Mapping[str, pd.DataFrame], links: Mapping[str, str]) -> Grid:
    """Return the mean of every metric over cells that all methods of the table have."""
    scores = {metric: average(each) for metric, each in cells.items()}
    names = scores[board.decisive]["mean"].sort_values(kind="stable").index
    greater = [metric for metric in scores if is_greater_better(metric)]
    titles = [f"{name_metric(name)}{' ↑' if name in greater else ''}" for name in scores]
    if board.ours in names:
        frame = cells[board.decisive]
        scores["difference"] = average(frame.sub(frame[board.ours], axis=0))
        titles.append(f"{name_metric(board.decisive)} minus {board.ours}")
    size = plural(len(cells[board.decisive]), "cell")
    note = f"Means of {size}; ↑: higher is better. A method with a failed run has no mean."
    return Grid("Means of all scores", tuple(titles), tuple(_make_rows(scores, names, 4, links, greater)), note)


def _tabulate_cells(frame: pd.DataFrame, links: Mapping[str, str], metric: str) -> Iterator[Grid]:
    """Yield a table for each rate: a metric by set, of the methods that were run there."""
    for rate, each in frame.groupby(level="rate"):
        cells = each.dropna(axis=1, how="all")
        columns = {str(name): average(part) for name, part in cells.groupby(level="set", sort=False)}
        rows = _make_rows(columns, cells.columns, 4, links, columns if is_greater_better(metric) else ())
        yield Grid(f"{name_metric(metric)} by set, rate {rate:g}", tuple(columns), tuple(rows))


def _make_rows(
    columns: Mapping[str, pd.DataFrame],
    names: pd.Index[Any],
    digits: int,
    links: Mapping[str, str],
    greater: Collection[str] = (),
) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    """Yield the row of each method: means with intervals. A method without a mean has an empty cell."""
    best = {key: each["mean"].max() if key in greater else each["mean"].min() for key, each in columns.items()}
    shown = {key: each.reindex(names) for key, each in columns.items()}
    for name in names:
        link = links.get(name, "")
        yield str(name), tuple(_as_cell(each.loc[name], digits, link, best[key]) for key, each in shown.items())


def _as_cell(value: pd.Series[float], digits: int, link: str, best: float) -> Cell:
    mean, reach = value["mean"], value["reach"]
    if np.isnan(mean):
        return Cell("")
    detail = "" if np.isnan(reach) else f"± {_show(reach, digits)}"
    return Cell(_show(mean, digits), best=bool(mean == best), link=link, detail=detail)


def _show(value: float, digits: int) -> str:
    return decimal(float(value), digits).replace("-", MINUS)


def _state(entry: Entry) -> str:
    return "verified" if entry.verified else "claimed"


def _list_costs(entry: Entry) -> tuple[Cell, ...]:
    seconds = [record.seconds["fit"] for record in entry.records if "fit" in record.seconds]
    failed = sum(bool(record.failed) for record in entry.records)
    return Cell(str(failed)), Cell(_show(fmean(seconds), 1) if seconds else "")


def _link(entries: Sequence[Entry]) -> dict[str, str]:
    return {entry.method.name: f"{RECORDS}/{entry.file}" for entry in entries}


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
