"""Maps of the records, drawn: one panel per method."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from halflabel._arrays import Floats
from halflabel._wording import decimal, plural
from halflabel.reproduction.page.model import Figure
from halflabel.reproduction.page.panels import Panel, panels
from halflabel.reproduction.results import Results, in_words
from halflabel.reproduction.sources import is_own
from halflabel.reproduction.spec import Experiment
from halflabel.reproduction.store import Record


def pictures(results: Results, experiment: Experiment) -> Iterator[Figure]:
    """Yield one figure per set with the maps that the first trial of each method left."""
    for number, name in enumerate(experiment.sets):
        first: dict[str, Record] = {}
        for record in results.records:
            if (record.experiment, record.set) == (experiment.key, name) and "map" in record.facts:
                first.setdefault(record.method, record)
        if maps := [first[method] for method in experiment.methods if method in first]:
            # A user's set may have any name.
            yield _figure(experiment, f"{experiment.key}-{f'own-{number}' if is_own(name) else name}-maps", name, maps)


def _figure(experiment: Experiment, key: str, data: str, records: list[Record]) -> Figure:
    metric = experiment.metrics[0]
    drawn = [_panel(record, f"{in_words(metric)} {decimal(record.metrics[metric], 3)}") for record in records]
    one = records[0].facts["map"]
    kinds = [", ".join(labels) or "no label" for labels in one["sets"]]
    svg = panels(drawn, kinds, filled="labelled", hollow="not labelled", other="other sets of labels, or not all known")
    methods = "; ".join(record.method for record in records)
    shown, whole = len(one["x"]), one["n_items"]
    sample = f"{shown} of {plural(whole, 'item')}" if shown < whole else plural(whole, "item")
    caption = (
        f"{experiment.title}: {sample} of {data}, in colour and shape their true sets of labels. Each map fills its "
        f"panel; its axes have no unit. {_edges(drawn)}"
    )
    alt = f"Maps of two dimensions, one panel per method: {methods}. A mark is an item; the values are tabled below."
    return Figure(key, caption.strip(), alt, svg)


def _panel(record: Record, note: str) -> Panel:
    one = record.facts["map"]
    places: Floats = np.array([one["x"], one["y"]], dtype=float).T
    return Panel(record.method, note, places, np.array(one["set"]), np.array(list(one["labelled"])) == "1")


def _edges(drawn: list[Panel]) -> str:
    """Say who lies beyond what is drawn."""
    counts = [f"{panel.title} {panel.at_edge}" for panel in drawn if panel.at_edge]
    return f"Items farther out stand at the edge: {', '.join(counts)}." if counts else ""
