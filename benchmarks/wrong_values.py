"""The chart of the README: wrong values per 1000 gaps, against the methods that a reader would pick instead.

Five sets on which nothing was chosen, 1000 random items of each, of which a fifth is labelled; each gap gets the value
that a method finds more probable. The grey line is the table of "no everywhere". LightGBM needs lightgbm.

    python benchmarks/wrong_values.py [--repeats 3] [--log wrong_values.csv] [--draw docs/_static]
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _common import append_record, make_parser, read_records, use_one_thread
from comparison import (
    complete_halflabel,
    complete_label_spreading,
    complete_lightgbm,
    complete_logistic,
    complete_trees,
    hide,
    load,
)

METHODS = {
    "halflabel": complete_halflabel,
    "ExtraTrees": complete_trees,
    "logistic regression": complete_logistic,
    "LightGBM": complete_lightgbm,
    "LabelSpreading": complete_label_spreading,
    "no everywhere": lambda X, Y: np.zeros(Y.shape),
}

#: The sets in a reader's words.
KINDS = {
    "digits": "scanned digits",
    "ohsumed": "medical abstracts",
    "tmc2007-500": "flight reports",
    "corel5k": "photos",
    "frogs": "frog calls",
}

#: The largest number of the axis; a larger one is written at the top.
TOP = 200

#: Colours of text, of halflabel, of the other methods and of "no everywhere", as in the report.
COLOURS = {
    "light": ("#23262b", "#0b6477", "#c9c4b6", "#8f897b"),
    "dark": ("#e8e6e0", "#62c3d3", "#4a5059", "#757b85"),
}


def measure(options):
    """Append the records that the log lacks."""
    done = read_records(options.log)
    keys = set(map(tuple, done[["set", "repeat", "method"]].to_numpy().tolist())) if len(done) else set()
    for name in options.sets:
        for repeat in range(options.repeats):
            X, Y = load(name, 1000, repeat)
            known, hidden = hide(Y, "items", 0.2, repeat)
            for method, function in METHODS.items():
                if (name, repeat, method) not in keys:
                    P = np.asarray(function(X, known.values(unknown=np.nan)), dtype=float)
                    wrong = ((P >= 0.5) != hidden.relevant)[hidden.observed].mean()
                    record = {"set": name, "repeat": repeat, "method": method, "wrong": round(1000 * wrong, 1)}
                    append_record(record, options.log)


def draw(table, folder):
    """Write the chart in light and in dark colours."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    methods = [name for name in METHODS if name != "no everywhere"]
    for mode, (text, own, others, line) in COLOURS.items():
        figure = Figure(figsize=(7.6, 2.6), layout="constrained")
        axes = figure.subplots()
        for k, method in enumerate(methods):
            x = np.arange(len(table)) + 0.16 * (k - 2)
            axes.bar(x, table[method], 0.14, color=own if k == 0 else others, alpha=1 - 0.17 * max(k - 1, 0))
            axes.text(x[0], table[method].iloc[0] + 3, method, rotation=90, ha="center", va="bottom", color=text,
                      fontsize=6.5)  # fmt: skip
        guess = table["no everywhere"]
        axes.hlines(guess, *(np.arange(len(table)) + side for side in (-0.42, 0.42)), color=line, lw=1)
        for k, number in enumerate(guess):
            where = min(number, TOP) + 2
            axes.text(
                k + 0.42, where, f"no everywhere: {number:.0f}", ha="right", va="bottom", color=text, fontsize=6.5
            )
        axes.set_ylim(0, TOP + 12)
        axes.set_xticks(range(len(table)), [KINDS[name] for name in table.index])
        axes.set_title("wrong values per 1000 gaps", loc="left", color=text, fontsize=9)
        axes.tick_params(colors=text, labelsize=8, length=0)
        axes.spines[:].set_visible(False)
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "halflabel"}):  # text stays text: a small file
            figure.savefig(folder / f"wrong-values-{mode}.svg", transparent=True, metadata={"Date": None})


def main():
    """Measure what the log lacks, print the means, and draw them."""
    parser = make_parser(__doc__, KINDS, repeats=3)
    parser.add_argument("--log", type=Path, default=Path("wrong_values.csv"))
    parser.add_argument("--draw", type=Path, metavar="FOLDER", help="where to write the two pictures")
    options = parser.parse_args()
    with use_one_thread():
        measure(options)
    records = read_records(options.log)
    table = records.pivot_table(index="set", columns="method", values="wrong", sort=False)[list(METHODS)]
    print(table.round(1).to_string())
    if options.draw:
        draw(table, options.draw)


if __name__ == "__main__":
    main()
