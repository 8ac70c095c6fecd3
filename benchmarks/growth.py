r"""CPU seconds and memory of a fit as items, labels, and dense or sparse features grow: one or two versions, a picture.

Each fit is one process of cost.py with one thread; 30 % of the items are labelled. Other sizes stay at 1 000 items,
32 dense features and 10 labels (2 000 words for the growth of words). The exponent of a row is the slope of the
logarithm of the seconds between its last two sizes. MB is the peak of the process above that of the smallest fit.

    git worktree add /tmp/before COMMIT
    python benchmarks/growth.py --code /tmp/before/src src --out growth.csv [--draw docs/_static]
    python benchmarks/growth.py --from growth.csv --draw docs/_static
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from _common import make_parser
from cost import fit_in_process
from frontier import COLOURS

#: The cases of cost.py, by the size that grows.
CASES = {
    "items": ("dense-{}x32x10", (1_000, 4_000, 16_000)),
    "labels": ("dense-1000x32x{}", (10, 100, 1_000)),
    "dense features": ("dense-1000x{}x10", (32, 256, 2_048)),
    "words": ("words-1000x{}x10", (2_000, 8_000, 32_000)),
}


def measure(codes):
    """Return a record per version and size."""
    records = []
    for name, (case, sizes) in CASES.items():
        for size in sizes:
            for version, code in enumerate(codes):
                found = fit_in_process(case.format(size), "default", code, None)
                records.append({"grows": name, "size": size, "version": version, **found})
                print(records[-1], flush=True)
    return pd.DataFrame(records)


def tabulate(records):
    """Return a row per size that grows and version: seconds, exponent and memory."""
    rows = []
    for (name, version), found in records.groupby(["grows", "version"], sort=False):
        base = records.loc[records["version"] == version, "peak_gb"].min()
        seconds, sizes = found["cpu_s"].to_numpy(), found["size"].to_numpy()
        rows.append({
            "grows": name,
            "version": version,
            "sizes": " ".join(map(str, sizes)),
            "seconds": " ".join(f"{each:.2f}" for each in seconds),
            "exponent": round(float(np.diff(np.log(seconds))[-1] / np.diff(np.log(sizes))[-1]), 2),
            "MB": " ".join(f"{1000 * (each - base):.0f}" for each in found["peak_gb"]),
        })  # fmt: skip
    return pd.DataFrame(rows)


def draw(records, folder):
    """Write the picture in light and in dark colours: the last version in colour, the one before it in grey."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    for mode, (text, own, others, line) in COLOURS.items():
        figure = Figure(figsize=(7.6, 2.6), layout="constrained")
        for axes, name in zip(figure.subplots(1, len(CASES), sharey=True), CASES, strict=True):
            for version, found in records[records["grows"] == name].groupby("version"):
                colour, named = (own, "now") if version == records["version"].max() else (others, "before")
                axes.plot(found["size"], found["cpu_s"], "o-", color=colour, label=named, ms=4, lw=1.2)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xticks(CASES[name][1], [f"{size:,}" for size in CASES[name][1]])
            axes.minorticks_off()
            axes.margins(x=0.15)
            axes.set_title(name, loc="left", color=text, fontsize=9)
            axes.yaxis.set_major_formatter("{x:g}")
            axes.tick_params(colors=text, labelsize=7, which="both", length=0)
            axes.spines[:].set_visible(False)
            axes.grid(color=line, lw=0.4, alpha=0.5)
        figure.axes[0].set_ylabel("CPU seconds", color=text, fontsize=8)
        lines = figure.axes[0].get_legend_handles_labels()
        figure.legend(*lines, loc="outside upper right", ncols=2, frameon=False, fontsize=8, labelcolor=text)
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "halflabel"}):  # text stays text: a small file
            figure.savefig(folder / f"growth-{mode}.svg", transparent=True, metadata={"Date": None})


def main():
    """Measure or read the records, print the exponents, and draw them."""
    parser = make_parser(__doc__)
    parser.add_argument("--code", nargs="+", default=[""], help="source folders; by default the installed code")
    parser.add_argument("--out", type=Path, help="CSV file of the records")
    parser.add_argument("--from", dest="records", type=Path, help="records to draw again")
    parser.add_argument("--draw", type=Path, metavar="FOLDER", help="where to write the two pictures")
    options = parser.parse_args()
    records = measure(options.code) if options.records is None else pd.read_csv(options.records)
    if options.out:
        records.to_csv(options.out, index=False)
    print(tabulate(records).to_string(index=False))
    if options.draw:
        draw(records, options.draw)


if __name__ == "__main__":
    main()
