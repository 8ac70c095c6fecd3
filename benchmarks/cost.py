"""CPU seconds of whole commands against a yardstick that no change moves: the imports of the libraries below.

    python benchmarks/cost.py [--before OLD/src] [--repeats 3]

A number is the user and system time of a process, the least of some repeats. Before each process, the yardstick runs
once, so that a busy machine slows both; the last columns are ratios to its least time.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from _common import make_parser

import halflabel

IMPORTS = "import numpy, scipy.sparse, scipy.optimize, pandas, sklearn.ensemble"
COMMAND = "from halflabel.cli import main; main()"
FIT = "table = pandas.read_csv({!r}); Y = table.filter(like='y'); halflabel.AutoLabeler().fit(table.drop(columns=Y), Y)"

#: Items, features and labels of the tables.
SIZES = {"small": (300, 12, 3), "large": (10_000, 50, 20), "long": (100_000, 17, 3)}


def make_table(n, d, n_labels):
    """Return random features and labels that depend on them; a fifth of the items is labelled, of few items half."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    score = np.tanh(X @ rng.normal(size=(d, 8)) / np.sqrt(d)) @ rng.normal(size=(8, n_labels))
    score += rng.normal(size=score.shape)
    Y = (score > np.quantile(score, 0.75, axis=0)).astype(float)
    Y[rng.random(n) > (0.2 if n > 1000 else 0.5)] = np.nan
    table = pd.DataFrame(X.round(6), columns=[f"x{j}" for j in range(d)])
    return table.assign(**{f"y{j}": pd.array(Y[:, j], dtype="Int8") for j in range(n_labels)})


def list_rows(folder):
    """Return the arguments of Python by the name of the row."""
    small, large, long = (str(folder / f"{name}.csv") for name in SIZES)
    output = ("--labels", "y*", "--output", str(folder / "done.csv"))
    bare = ("-c", COMMAND, "complete", large, *output, "--report", "none")
    return {
        "`complete`, 300 x 12, 3 labels": ("-c", COMMAND, "complete", small, *output),
        "`complete`, 10,000 x 50, 20 labels": bare[:-2],
        "the same without a report": bare,
        "the same without a report, with a map": (*bare, "--map", str(folder / "map.html")),
        "its fit alone": ("-c", f"{IMPORTS}, halflabel; {FIT.format(large)}"),
        "`open_table`, CSV of 100,000 x 20": ("-c", f"{IMPORTS}, halflabel; halflabel.open_table({long!r})"),
        "pandas reads the same file": ("-c", f"{IMPORTS}; pandas.read_csv({long!r})"),
    }


def measure(source, *arguments):
    """Return the CPU seconds of a process of Python with the library of this folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(source)}
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    """Print a table."""
    parser = make_parser(__doc__, repeats=3)
    parser.add_argument("--before", type=Path, help="sources of an earlier version")
    options = parser.parse_args()
    sources = [each for each in (options.before, Path(halflabel.__file__).parents[1]) if each]
    with tempfile.TemporaryDirectory() as temporary:
        folder, imports = Path(temporary), []
        for name, sizes in SIZES.items():
            make_table(*sizes).to_csv(folder / f"{name}.csv", index=False)
        for name, arguments in list_rows(folder).items():
            seconds = [[] for _ in sources]
            for _ in range(options.repeats):
                imports.append(measure(sources[-1], "-c", IMPORTS))
                for each, source in zip(seconds, sources, strict=True):
                    each.append(measure(source, *arguments))
            least = [min(each) for each in seconds]
            ratios = [each / min(imports) for each in least]
            print(f"| {name} | {' | '.join(f'{each:.2f}' for each in (*least, *ratios))} |", flush=True)
        print(f"| imports | {min(imports):.2f} |")


if __name__ == "__main__":
    main()
