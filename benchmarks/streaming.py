"""Completing a folder part by part: rows per second and core, memory from the first part to the last, and accuracy.

The data are those of ``benchmarks/auto_scale.py`` (64 features in single precision, 20 labels), in Parquet files. All
labelled rows are in the core. Rates are CPU seconds of the second pass in one process with one BLAS thread; the memory
of a part is the largest resident memory of the process while the part is completed (VmHWM, reset after each part). The
Brier score is that of the unlabelled rows; with ``--whole`` also that of a fit on all rows as one table, by the last
version of the code.

    python benchmarks/streaming.py [--parts 6] [--rows 20000] [--efforts fast default] [--whole]
    git worktree add /tmp/before COMMIT
    python benchmarks/streaming.py --code /tmp/before/src src
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from _common import make_parser, use_one_thread
from auto_scale import Case, make
from memory import read_memory
from pyarrow import parquet

import halflabel as hl
from halflabel._progress import report_to
from halflabel.folders.folder import complete_folder

N_FEATURES, N_LABELS = 64, 20
NAMES = [f"label{j}" for j in range(N_LABELS)]


def write_folder(folder, n_parts, n_rows, n_labelled):
    """Write the parts, and next to them the truth and which rows are unlabelled."""
    n = n_parts * n_rows
    X, labels, _ = make(Case(n, N_FEATURES, N_LABELS, "default"))
    unlabelled = np.ones(n, dtype=bool)
    unlabelled[np.random.default_rng(1).permutation(n)[:n_labelled]] = False
    np.savez(folder / "truth.npz", relevant=labels.relevant, unlabelled=unlabelled)
    Y = np.where(unlabelled[:, None], np.nan, labels.relevant)
    columns = {"id": np.arange(n), **{f"x{j}": X[:, j] for j in range(N_FEATURES)}}
    table = pa.table({**columns, **{name: pa.array(Y[:, j], from_pandas=True) for j, name in enumerate(NAMES)}})
    (folder / "in").mkdir()
    for part in range(n_parts):
        parquet.write_table(table.slice(part * n_rows, n_rows), folder / "in" / f"part-{part:04}.parquet")


def measure_folder(folder, effort):
    """Return CPU seconds of both passes, the rate of the second one, and the memory while each part was completed."""
    marks, peaks = [time.process_time()], []

    def mark(stage, done, total):
        if stage == "completing parts":
            marks.append(time.process_time())
            peaks.append(read_memory("VmHWM"))
            Path("/proc/self/clear_refs").write_text("5")

    with use_one_thread(), report_to(mark):
        options = {"labels": NAMES, "id": "id", "effort": effort, "probabilities": folder / f"p-{effort}"}
        result = complete_folder(folder / "in", folder / f"out-{effort}", **options)
    shutil.rmtree(folder / f"out-{effort}")
    n, seconds = result.totals.n_rows, marks[-1] - marks[1]
    return {
        "fit": marks[1] - marks[0],
        "second pass": seconds,
        "rows/s": n / seconds,
        "MB": [p / 1e6 for p in peaks[1:]],
    }


def measure_whole(folder, effort):
    """Return CPU seconds of a fit on all rows, and write its probabilities."""
    started = time.process_time()
    with use_one_thread():
        filled = hl.complete(pd.read_parquet(folder / "in"), labels=NAMES, id="id", effort=effort)
    seconds = time.process_time() - started
    filled.probabilities.to_parquet(folder / f"whole-{effort}.parquet")
    return {"fit": seconds, "MB": read_memory("VmHWM") / 1e6}


def score(folder, name):
    """Return the Brier score of the unlabelled rows."""
    truth, p = np.load(folder / "truth.npz"), pd.read_parquet(folder / name)[NAMES].to_numpy(np.float64)
    return float(np.mean((p - truth["relevant"])[truth["unlabelled"]] ** 2))


def run_apart(*arguments, code=""):
    """Return what this script prints as JSON in a process of its own, with the source in a folder."""
    command = [sys.executable, __file__, *map(str, arguments)]
    environment = os.environ | ({"PYTHONPATH": str(Path(code).resolve())} if code else {})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    """Write a folder, and print a line per effort, each measured in a process of its own."""
    parser = make_parser(__doc__)
    parser.add_argument("--parts", type=int, default=6)
    parser.add_argument("--rows", type=int, default=20_000, help="rows of a part")
    parser.add_argument("--labelled", type=int, default=15_000)
    parser.add_argument("--efforts", nargs="+", default=["fast", "default"])
    parser.add_argument("--whole", action="store_true", help="also fit all rows as one table")
    parser.add_argument("--code", nargs="+", default=[""], help="source folders; by default the installed code")
    parser.add_argument("--here", nargs=2, metavar=("WHAT", "FOLDER"), help="one step, in this process")
    options = parser.parse_args()
    if options.here:
        what, folder = options.here[0], Path(options.here[1])
        steps = {"folder": measure_folder, "whole": measure_whole}
        if what == "write":
            write_folder(folder, options.parts, options.rows, options.labelled)
        print(json.dumps(steps[what](folder, options.efforts[0]) if what in steps else None))
        return
    sizes = [f"--{name}={getattr(options, name)}" for name in ("parts", "rows", "labelled")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_apart("--here", "write", folder, *sizes)
        for effort in options.efforts:
            for code in options.code:
                brier = print_folder(folder, effort, code)
            if options.whole:
                seen = run_apart("--here", "whole", folder, "--efforts", effort, code=code)
                whole = score(folder, f"whole-{effort}.parquet")
                print(f"  one table: {seen['fit']:.1f} s, {seen['MB']:.0f} MB, Brier {whole:.5f}; "
                      f"part by part {100 * (brier / whole - 1):+.2f} %", flush=True)  # fmt: skip


def print_folder(folder, effort, code):
    """Print the measurements of one version of the code, and return its Brier score."""
    seen = run_apart("--here", "folder", folder, "--efforts", effort, code=code)
    memory, brier = ", ".join(f"{size:.0f}" for size in seen["MB"]), score(folder, f"p-{effort}")
    rate = f"{seen['second pass']:.1f} s, {seen['rows/s']:.0f} rows/s and core"
    print(f"{effort} {code}: fit {seen['fit']:.1f} s, second pass {rate}, Brier {brier:.5f}")
    print(f"  MB per part: {memory}", flush=True)
    shutil.rmtree(folder / f"p-{effort}")
    return brier


if __name__ == "__main__":
    main()
