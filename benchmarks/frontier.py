r"""The picture of seconds against Brier score: the efforts of AutoLabeler, and other methods in the same run.

The records come from versions.py, on sets on which no setting was chosen; the seconds of the other methods include the
five folds of their calibration. Both axes have geometric means over the sets (of HistGradientBoosting: the dense ones),
Brier scores relative to the default. The line is the frontier: no cheaper method has a lower Brier score. LightGBM
needs lightgbm.

    python benchmarks/versions.py --sets yeast steel-faults medical ohsumed yahoo-arts boardgames --out frontier.csv \
        --methods knn logistic extratrees lightgbm histboosting fast default best
    python benchmarks/frontier.py frontier.csv [--draw docs/_static]
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from _common import make_parser, read_records
from versions import EFFORTS

NAMES = {
    "knn": "15 neighbours",
    "logistic": "logistic regression",
    "extratrees": "ExtraTrees",
    "lightgbm": "LightGBM",
    "histboosting": "HistGradientBoosting",
    "fast": "fast",
    "default": "default",
    "best": "best",
}

#: Number of items of a cell, of which a share is labelled.
N_ITEMS = 1200

#: Colours of text, of the efforts, of the other methods and of the frontier, as in the report.
COLOURS = {
    "light": ("#23262b", "#0b6477", "#8f897b", "#c9c4b6"),
    "dark": ("#e8e6e0", "#62c3d3", "#757b85", "#4a5059"),
}


def summarise(records):
    """Return geometric means over the sets, by share and method: seconds, and Brier score relative to the default."""
    records = records[records["method"].isin(NAMES)]
    unit = records[records["method"] == "default"].set_index(["set", "share"])["brier"]
    of_cell = records.assign(
        brier=records["brier"].to_numpy()
        / unit.loc[list(zip(records["set"], records["share"], strict=True))].to_numpy()
    )
    table = np.exp(np.log(of_cell.set_index(["share", "method"])[["cpu_s", "brier"]]).groupby(level=[0, 1]).mean())
    return table.sort_values(["share", "cpu_s"])


def find_frontier(table):
    """Return which rows, sorted by seconds, have a lower Brier score than all rows before them."""
    return table["brier"] < table["brier"].cummin().shift(fill_value=np.inf)


def count_cells(records):
    """Return in how many cells each method is on the frontier, and the number of its cells."""
    cells = [
        cell.sort_values("cpu_s")
        for _, cell in records[records["method"] != "mean of rivals"].groupby(["set", "share"])
    ]
    found = pd.concat([find_frontier(cell).groupby(cell["method"]).first() for cell in cells], axis=1)
    return pd.DataFrame({"on the frontier": found.sum(axis=1), "cells": found.notna().sum(axis=1)})


def draw(table, folder):
    """Write the picture in light and in dark colours."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    shares = table.index.get_level_values("share").unique()
    for mode, (text, own, others, line) in COLOURS.items():
        figure = Figure(figsize=(7.6, 3.2), layout="constrained")
        for axes, share in zip(figure.subplots(1, len(shares), sharey=True), shares, strict=True):
            rows = table.loc[share]
            best = rows[find_frontier(rows)]
            axes.step(best["cpu_s"], best["brier"], where="post", color=line, lw=1.2, zorder=0)
            for method, row in rows.iterrows():
                colour = own if method in EFFORTS else others
                axes.plot(row["cpu_s"], row["brier"], "o", color=colour, ms=5)
                where = (0, -12) if method == "best" else (0, 5)
                axes.annotate(
                    NAMES[method],
                    (row["cpu_s"], row["brier"]),
                    where,
                    textcoords="offset points",
                    ha="center",
                    color=colour if method in EFFORTS else text,
                    fontsize=7,
                )
            axes.set_title(f"{round(share * N_ITEMS)} of {N_ITEMS} items labelled", loc="left", color=text, fontsize=9)
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
            axes.margins(x=0.2, y=0.1)
            axes.set_xlabel("CPU seconds", color=text, fontsize=8)
            axes.tick_params(colors=text, labelsize=8, which="both", length=0)
            axes.spines[:].set_visible(False)
            axes.grid(color=line, lw=0.4, alpha=0.5)
        figure.axes[0].set_ylabel("Brier score / default", color=text, fontsize=8)
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "halflabel"}):  # text stays text: a small file
            figure.savefig(folder / f"frontier-{mode}.svg", transparent=True, metadata={"Date": None})


def main():
    """Print the means and the frontier, and draw them."""
    parser = make_parser(__doc__)
    parser.add_argument("records", type=Path, help="CSV file of versions.py")
    parser.add_argument("--draw", type=Path, metavar="FOLDER", help="where to write the two pictures")
    options = parser.parse_args()
    records = read_records(options.records)
    table = summarise(records)
    on_it = pd.concat([find_frontier(rows) for _, rows in table.groupby(level=0)])
    print(table.assign(frontier=on_it).round(3).to_string())
    print(count_cells(records).to_string())
    if options.draw:
        draw(table, options.draw)


if __name__ == "__main__":
    main()
