"""CPU seconds of a fit, of the checks that the terminal prints, and of the report, on random tables.

Items have 64 features and 20 labels, and 10 % of them are labelled. "ratio" is that of everything to the fit alone.

    python benchmarks/report_cost.py [--sizes 20000 100000]
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from _common import make_parser, use_one_thread

import halflabel as hl


def make_table(n, n_features=64, n_labels=20, share=0.1):
    """Return features of 12 hidden directions with noise, and labels of some items."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(n, 12))
    X = np.tanh(hidden @ rng.normal(size=(12, n_features)) / 3) + 0.3 * rng.normal(size=(n, n_features))
    Y = (hidden @ rng.normal(size=(12, n_labels)) + 2 * rng.normal(size=(n, n_labels)) > 3).astype(float)
    Y[rng.random(n) >= share] = np.nan
    return X, Y


def measure(n):
    """Return the seconds of each stage."""
    X, Y = make_table(n)
    seconds, start = {}, time.process_time()

    def lap(name):
        nonlocal start
        now = time.process_time()
        seconds[name], start = now - start, now

    filled = hl.complete(X, Y)
    lap("fit")
    _ = filled.evidence.warnings, filled.evidence.expected_errors
    lap("checks")
    with tempfile.TemporaryDirectory() as folder:
        filled.report(Path(folder) / "report.html")
    lap("report")
    return seconds


def main():
    """Print a row per size."""
    parser = make_parser(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20_000])
    args = parser.parse_args()
    print("| items | fit | checks | report | ratio |\n|--:|--:|--:|--:|--:|")
    with use_one_thread():
        for n in args.sizes:
            found = measure(n)
            times = " | ".join(f"{found[name]:.1f}" for name in ("fit", "checks", "report"))
            print(f"| {n:,} | {times} | {sum(found.values()) / found['fit']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
