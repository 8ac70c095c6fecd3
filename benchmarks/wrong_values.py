"""The chart of the README: wrong values per 1000 gaps, against the methods that a reader would pick instead.

Five sets on which nothing was chosen, 1000 random items of each, of which a fifth is labelled; each gap gets the value
that a method finds more probable. Next to a set is the number of the table of "no everywhere". LightGBM needs lightgbm.

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

#: Colours of text, of halflabel and of the four other methods.
COLOURS = {
    "light": ("#23262b", "#0b6477", ("#a39a86", "#b9b19f", "#cdc7b8", "#dedacf")),
    "dark": ("#e8e6e0", "#62c3d3", ("#7d848e", "#666c76", "#525862", "#40464f")),
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
    """Write the chart in light and in dark colours, narrow enough for a phone: a group of bars for each set."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    methods = [name for name in METHODS if name != "no everywhere"]
    for mode, (text, own, others) in COLOURS.items():
        figure = Figure(figsize=(4.4, 4.9), layout="constrained")
        axes = figure.subplots()
        for k, (method, colour) in enumerate(zip(methods, (own, *others), strict=True)):
            y = 7 * np.arange(len(table)) + k
            axes.barh(y, table[method], 0.9, color=colour, label=method)
            for place, number in zip(y, table[method], strict=True):
                weight = "bold" if k == 0 else "normal"
                axes.text(number + 1, place, f"{number:.0f}", va="center", color=text, fontsize=8, weight=weight)
        for k, name in enumerate(table.index):
            words = f"{KINDS[name]} (no everywhere: {table.loc[name, 'no everywhere']:.0f})"
            axes.text(0, 7 * k - 1.1, words, va="center", color=text, fontsize=9)
        axes.set_title("wrong values per 1000 gaps", loc="left", color=text, fontsize=10)
        figure.legend(ncols=3, loc="outside lower left", frameon=False, fontsize=9, labelcolor=text, handlelength=1)
        axes.set_ylim(7 * len(table) - 2, -2)
        axes.set_axis_off()
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
