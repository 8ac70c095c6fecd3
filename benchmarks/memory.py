"""Predicted against measured peak memory of ``complete``, for ten shapes of data and two efforts.

Predicted is what ``complete`` compares with the free memory before the fit. Measured is the largest resident memory of
a new process from that moment to the end (VmHWM of Linux, reset by /proc/self/clear_refs), less what was resident at
that moment.
A prediction is an upper bound: it should be above the measured peak, and where it matters (100 MB), at most about four
times as large.

    python benchmarks/memory.py [--shapes wide words] [--efforts fast default]
"""

from __future__ import annotations

import ctypes
import gc
import json
import re
import subprocess
import sys
import warnings
from math import inf
from pathlib import Path

import numpy as np
from _common import make_parser
from scipy import sparse

import halflabel as hl
from halflabel.completion import preconditions

#: Items, features, labels, and what is special: share of cells that are not 0, single missing labels, missing features.
SHAPES = {
    "small": (300, 5, 3, {}),
    "wide": (2_000, 8_000, 6, {}),
    "words": (5_000, 20_000, 12, {"density": 0.002}),
    "labels": (1_500, 30, 400, {}),
    "rows": (60_000, 20, 5, {}),
    "missing": (4_000, 200, 5, {"missing": 0.1}),
    # The estimate was written with the shapes above in view; these check it.
    "medium": (8_000, 300, 20, {}),
    "wide words": (3_000, 60_000, 5, {"density": 0.001}),
    "entries": (5_000, 50, 60, {"entries": True}),
    "test": (1_000, 3_000, 3, {}),
}


def generate(n, d, n_labels, rng, density=None, entries=False, missing=0.0):
    """Return features, and labels of one item in three or of one entry in three."""
    if density is None:
        X = rng.normal(size=(n, d))
    else:
        X = sparse.random_array((n, d), density=density, format="csr", rng=rng)
    score = X @ rng.normal(size=(d, n_labels))
    Y = (score > np.quantile(score, 0.7, axis=0)).astype(float)
    Y[np.broadcast_to(rng.random((n, n_labels if entries else 1)) < 2 / 3, Y.shape)] = np.nan
    return (np.where(rng.random(X.shape) < missing, np.nan, X) if missing else X), Y


def read_memory(name):
    """Return a figure of this process in bytes: VmRSS (now) or VmHWM (the largest since the last reset)."""
    return 1024 * int(re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def reset_peak():
    """Set the largest memory of this process (VmHWM) to what is resident now, and return it in bytes."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # otherwise the fit would take pages that were only kept for it
    Path("/proc/self/clear_refs").write_text("5")
    return read_memory("VmRSS")


def measure(shape, effort):
    """Return the predicted and the measured peak of one call, in bytes."""
    n, d, n_labels, rest = SHAPES[shape]
    X, Y = generate(n, d, n_labels, np.random.default_rng(0), **rest)
    seen = {}

    def start():
        seen["before"] = reset_peak()
        return inf

    estimate = preconditions.estimate_per_effort
    preconditions.free_memory = start
    preconditions.estimate_per_effort = lambda *arguments: seen.setdefault("predicted", estimate(*arguments))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hl.complete(X, Y, effort=effort)
    return seen["predicted"][effort], read_memory("VmHWM") - seen["before"]


def main():
    """Print a line per shape and effort, each measured in a process of its own."""
    parser = make_parser(__doc__)
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=SHAPES, metavar="SHAPE")
    parser.add_argument("--efforts", nargs="+", default=["fast", "default"])
    parser.add_argument("--here", action="store_true", help="measure in this process, for one shape and effort")
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measure(options.shapes[0], options.efforts[0])))
        return
    print(f"{'shape':<12}{'effort':<9}{'predicted':>10}{'measured':>10}{'ratio':>7}   (MB)")
    for shape in options.shapes:
        for effort in options.efforts:
            command = [sys.executable, __file__, "--here", "--shapes", shape, "--efforts", effort]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            predicted, measured = json.loads(output.splitlines()[-1])
            ratio = predicted / measured
            print(f"{shape:<12}{effort:<9}{predicted / 1e6:>10.0f}{measured / 1e6:>10.0f}{ratio:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
