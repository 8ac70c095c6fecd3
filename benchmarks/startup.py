"""CPU seconds of short commands, from the start of the process to its end, with one or several versions of the code.

"complete" and "predict" have a table of 300 rows, 12 features and 3 labels, 30 % of the items labelled. Every command
runs several times with all versions in turn; the table has medians. As after an installation, modules are compiled: the
first run, which is not counted, writes their bytecode into a temporary folder. Libraries have as many threads as they
take.

    git worktree add /tmp/before COMMIT
    python benchmarks/startup.py --code /tmp/before/src src
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

CLI = ["-c", "from halflabel.cli import main; main()"]
COMMANDS = {
    "nothing": ["-c", "pass"],
    "import sklearn.tree": ["-c", "import sklearn.tree"],
    "import halflabel": ["-c", "import halflabel"],
    "halflabel --help": [*CLI, "--help"],
    "halflabel complete --help": [*CLI, "complete", "--help"],
    "halflabel review --help": [*CLI, "review", "--help"],
    "halflabel data describe": [*CLI, "data", "describe", "items.csv", "--labels", "tag_*"],
    "halflabel complete": [*CLI, "complete", "items.csv", "--labels", "tag_*", "--model", "m.halflabel"],
    "halflabel predict": [*CLI, "predict", "m.halflabel", "new.csv"],
}


def write_items(folder, n=300, n_features=12, n_labels=3):
    """Write a table with labels of some items, and one of new items."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, n_features))
    Y = (X @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=(n, n_labels)) > 0).astype(float)
    Y[rng.random(n) >= 0.3] = np.nan
    items = pd.DataFrame(X.round(4), columns=[f"x{j}" for j in range(n_features)])
    items.to_csv(folder / "new.csv", index=False)
    items.join(pd.DataFrame(Y, columns=[f"tag_{j}" for j in range(n_labels)])).to_csv(folder / "items.csv", index=False)


def time_process(arguments, folder, code):
    """Return the CPU seconds of a Python process."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    environment |= {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    if code:
        environment["PYTHONPATH"] = str(Path(code).resolve())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    """Print a table of commands and versions."""
    parser = make_parser(__doc__, repeats=3)
    parser.add_argument("--code", nargs="+", default=[""], help="source folders; by default the installed code")
    args = parser.parse_args()
    print(f"| command | {' | '.join(code or 'installed' for code in args.code)} |\n|---|{'--:|' * len(args.code)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_items(folder)
        for name, arguments in COMMANDS.items():
            seconds = [[time_process(arguments, folder, code) for code in args.code] for _ in range(args.repeats + 1)]
            print(f"| {name} | {' | '.join(f'{each:.2f}' for each in np.median(seconds[1:], axis=0))} |", flush=True)


if __name__ == "__main__":
    main()
