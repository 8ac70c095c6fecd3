"""Results as figures: curves, mean ranks and maps."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from halflabel.plugins import Floats, decimal, plural
from halflabel_papers.page.charts import draw_lines, draw_ranks
from halflabel_papers.page.model import Figure
from halflabel_papers.page.panels import Panel, draw_panels
from halflabel_papers.page.tables import name_row, on_set, unit_of
from halflabel_papers.sources import is_user_set
from halflabel_papers.spec import Experiment
from halflabel_papers.store import Record
from halflabel_papers.verdicts.results import Results, format_metric, lower_is_better
from halflabel_papers.verdicts.significance import format_p, rank_methods


def draw_curve(results: Results, experiment: Experiment, metric: str, set: str = "") -> Iterator[Figure]:
    """Yield one line per method against the axis of a figure, over all sets or on one, if there are values."""
    points = experiment.grid[experiment.x]
    means = {x: results.compare_means(experiment, metric, at={experiment.x: x}, set=set) for x in points}
    unit = unit_of(experiment, metric)
    place = {x: math.log10(x) if experiment.log_x else float(x) for x in points}
    series = {name: [(place[x], means[x][name].mean / unit) for x in points] for name in experiment.methods}
    series = {name: [p for p in curve if not math.isnan(p[1])] for name, curve in series.items()}
    if not any(series.values()):
        return
    name = name_row(experiment, metric)
    marked = (_find_ranks(results, experiment), "beyond the rank") if experiment.marked else None
    axis = f"log10 {experiment.x}" if experiment.log_x else experiment.x
    svg = draw_lines(series, x_label=axis, y_label=name, marked=marked)
    alt = f"{name} against {axis}, one line per method; the table below holds the values."
    key = "-".join(filter(None, (experiment.key, _name_file(experiment, set), metric))).replace("@", "-")
    yield Figure(key, f"{name}{on_set(set)}", alt, svg)


def _find_ranks(results: Results, experiment: Experiment) -> dict[str, float]:
    """Return the rank of each marked method on the axis, a share of the features."""
    frame = results.frame[results.frame["experiment"] == experiment.key]
    own = {name: frame[frame["method"] == name] for name in experiment.marked}
    return {name: float((rows["rank"] / rows["n_features"]).mean()) for name, rows in own.items()}


def draw_mean_ranks(results: Results, experiment: Experiment) -> Iterator[Figure]:
    """Yield the mean ranks of all methods in the decisive metric, if there are enough values."""
    metric = results.paper.decisive
    if metric not in experiment.metrics:
        return
    blocks = results.blocks(experiment, metric).dropna(axis=1, how="all").dropna()
    if blocks.shape[1] < 3 or len(blocks) < 2:
        return
    ranking = rank_methods(blocks, greater_is_better=not lower_is_better(metric))
    caption = (
        f"Mean ranks in {format_metric(metric)} over {len(blocks)} {experiment.unit_of_pairs} (Friedman "
        f"{format_p(ranking.p)}); Nemenyi's test at 5 % does not separate methods under one bar"
    )
    order = ", ".join(f"{method} {rank:.2f}" for method, rank in ranking.mean_ranks.sort_values().items())
    yield Figure(f"{experiment.key}-ranks", caption, f"Mean ranks: {order}.", draw_ranks(ranking))


def draw_maps(results: Results, experiment: Experiment) -> Iterator[Figure]:
    """Yield one figure per set with the maps in the records of each method's first trial."""
    for name in experiment.sets:
        first: dict[str, Record] = {}
        for record in results.records:
            if (record.experiment, record.set) == (experiment.key, name) and "map" in record.facts:
                first.setdefault(record.method, record)
        if maps := [first[method] for method in experiment.methods if method in first]:
            yield _draw_maps_of_set(experiment, f"{experiment.key}-{_name_file(experiment, name)}-maps", name, maps)


def _name_file(experiment: Experiment, name: str) -> str:
    """Return the name of a set for a file: a user's set may have any name, a figure may not."""
    return f"own-{experiment.sets.index(name)}" if is_user_set(name) else name


def _draw_maps_of_set(experiment: Experiment, key: str, data: str, records: list[Record]) -> Figure:
    metric = experiment.metrics[0]
    panels = [
        _make_panel(record, f"{format_metric(metric)} {decimal(record.metrics[metric], 3)}") for record in records
    ]
    one = records[0].facts["map"]
    kinds = [", ".join(labels) or "no label" for labels in one["sets"]]
    other = "other sets of labels, or not all known"
    svg = draw_panels(panels, kinds, filled="labelled", hollow="not labelled", other=other)
    methods = "; ".join(record.method for record in records)
    shown, whole = len(one["x"]), one["n_items"]
    sample = f"{shown} of {plural(whole, 'item')}" if shown < whole else plural(whole, "item")
    caption = (
        f"{experiment.title}: {sample} of {data}; colour and shape are their true sets of labels. Each map fills its "
        f"panel; its axes have no unit. {_describe_edges(panels)}"
    )
    alt = f"Maps of two dimensions, one panel per method: {methods}. A mark is an item; the values are tabled below."
    return Figure(key, caption.strip(), alt, svg)


def _make_panel(record: Record, note: str) -> Panel:
    one = record.facts["map"]
    places: Floats = np.array([one["x"], one["y"]], dtype=float).T
    return Panel(record.method, note, places, np.array(one["set"]), np.array(list(one["labelled"])) == "1")


def _describe_edges(panels: list[Panel]) -> str:
    """Return a sentence on the items outside the drawn area."""
    counts = [f"{panel.title} {panel.at_edge}" for panel in panels if panel.at_edge]
    return f"Items farther out are drawn at the edge: {', '.join(counts)}." if counts else ""
