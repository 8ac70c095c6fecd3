"""CPU seconds against yardsticks that no change moves, in one run.

    python benchmarks/cost.py [--before OLD/src] [--repeats 3] [--only open write]

I is the imports of the libraries below. L is LightGBM, one model per label, on Yeast, 20 % of the items labelled; it
and the other fits count the predictions and no imports. LightGBM on many labels is measured on some, and scaled.
Commands count everything but the compilation to bytecode. A number is the least of some repeats, each a process of its
own with one thread. Rows without LightGBM are left out where it is not installed, with a sentence.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from _common import choose_unlabelled, load_set, make_parser, time_cpu, use_one_thread
from scipy import sparse

import halflabel
from halflabel import MC1, SSDRMC, AutoLabeler, PartialLabels
from halflabel.methods.auto.features import Weighting

IMPORTS = "import numpy, scipy.sparse, scipy.optimize, pandas, sklearn.ensemble"
COMMAND = "from halflabel.cli import main; main()"

#: Items, features and labels of the tables, and the share of labelled items.
SIZES = {
    "small": (300, 12, 3, 0.5),
    "large": (10_000, 50, 20, 0.2),
    "long": (100_000, 17, 3, 0.2),
    "dense": (100_000, 128, 30, 0.3),
}

#: Number of labels on which LightGBM is measured, where that is not all.
N_MEASURED = {"tmc": 4, "dense": 2, "text": 10}

#: Each ratio: its two parts, what is subtracted from the first one, and the goal.
RATIOS = {
    "`complete`, 300 x 12 x 3 / I": ("small", "", "I", 1.4),
    "`complete` minus its fit, 10,000 x 50 x 20 / L": ("complete", "large default", "yeast lightgbm", 1.0),
    "its report / L": ("complete", "bare", "yeast lightgbm", 0.4),
    "its map / `complete`": ("map", "bare", "complete", 0.6),
    "open a CSV of 100,000 x 20 / pandas": ("open", "", "pandas", 4),
    "Yeast / L": ("yeast default", "", "yeast lightgbm", 0.3),
    "TMC / LightGBM": ("tmc default", "", "tmc lightgbm", 0.6),
    "100,000 x 128 x 30 / LightGBM": ("dense default", "", "dense lightgbm", 0.28),
    "text 2,000 x 20,000 x 40 / LightGBM": ("text default", "", "text lightgbm", 0.8),
    "MC-1 / SSDR-MC, Emotions": ("emotions mc1", "", "emotions ssdrmc", 20),
}


def make_table(n, d, n_labels, share):
    """Return random features and labels that depend on them; a share of the items is labelled."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    score = np.tanh(X @ rng.normal(size=(d, 8)) / np.sqrt(d)) @ rng.normal(size=(8, n_labels))
    score += rng.normal(size=score.shape)
    Y = (score > np.quantile(score, 0.75, axis=0)).astype(float)
    Y[rng.random(n) > share] = np.nan
    table = pd.DataFrame(X.round(6), columns=[f"x{j}" for j in range(d)])
    return table.assign(**{f"y{j}": pd.array(Y[:, j], dtype="Int8") for j in range(n_labels)})


def make_text(n=2_000, n_words=20_000, n_labels=40, n_topics=60):
    """Return tf-idf of words with the frequencies of Zipf's law, and labels; both depend on topics."""
    from sklearn.feature_extraction.text import TfidfTransformer

    rng = np.random.default_rng(0)
    topics = rng.gamma(0.05, size=(n_topics, n_words)) / np.arange(1, n_words + 1)
    mixture = rng.dirichlet(np.full(n_topics, 0.05), size=n)
    share = mixture @ (rng.random((n_topics, n_labels)) < 0.06)
    words = np.concatenate([rng.choice(n_words, 80, p=row / row.sum()) for row in mixture @ topics])
    counts = sparse.csr_matrix((np.ones(80 * n), (np.repeat(np.arange(n), 80), words)), shape=(n, n_words))
    return TfidfTransformer().fit_transform(counts), (rng.random(share.shape) < 0.02 + 0.8 * share.clip(max=1))


def load(case):
    """Return features and labels, of which most are hidden."""
    if case in SIZES:
        table = make_table(*SIZES[case])
        Y = table.filter(like="y")
        return table.drop(columns=Y).to_numpy(), PartialLabels.from_table(Y)
    if case == "text":
        X, Y = make_text()
    else:
        data = load_set("tmc2007-500" if case == "tmc" else case)
        X, Y = data.X, data.Y
    share = 0.3 if case == "emotions" else 0.2
    labels = PartialLabels.from_table(Y)
    return X, labels.hide(choose_unlabelled(len(labels), share, np.random.default_rng(1))[:, None])


def fit_lightgbm(X, known, n_measured):
    """Return the seconds of one model per label with predictions, scaled from the first labels."""
    from lightgbm import LGBMClassifier

    def fit():
        for j in range(n_measured):
            model = LGBMClassifier(verbose=-1, n_jobs=1, random_state=0).fit(X[~new], known.relevant[~new, j])
            model.predict_proba(X[new])

    X, new = Weighting.learn(X, "auto")(X), known.unlabelled  # of 0 and 1, it would bundle features
    LGBMClassifier(verbose=-1, n_jobs=1).fit(np.arange(40.0)[:, None], np.arange(40) % 2)
    return time_cpu(fit)[0] * known.shape[1] / n_measured


def measure_here(case, method):
    """Return the CPU seconds of one call, without imports."""
    if case in ("pandas", "open"):
        read = {"pandas": pd.read_csv, "open": halflabel.open_table}[case]
        read(Path(method).with_name("small.csv"))
        return time_cpu(lambda: read(method))[0]
    X, known = load(case)
    if method == "lightgbm":
        return fit_lightgbm(X, known, N_MEASURED.get(case, known.shape[1]))
    make = {"default": AutoLabeler, "mc1": MC1, "ssdrmc": SSDRMC}[method]
    make().fit(np.random.default_rng(0).normal(size=(40, 3)), np.where(np.arange(40) < 30, np.arange(40) % 2, np.nan))
    return time_cpu(lambda: make().fit(X, known).label_probabilities_)[0]


def list_rows(folder):
    """Return the arguments of Python by the name of the row."""
    small, large, long = (str(folder / f"{name}.csv") for name in ("small", "large", "long"))
    output = ("--labels", "y*", "--output", str(folder / "done.csv"))
    complete = ("-c", COMMAND, "complete", large, *output)
    commands = {
        "I": ("-c", IMPORTS),
        "small": ("-c", COMMAND, "complete", small, *output),
        "complete": complete,
        "bare": (*complete, "--report", "none"),
        "map": (*complete, "--report", "none", "--map", str(folder / "map.html")),
        **{name: (__file__, "--here", name, long) for name in ("pandas", "open")},
    }
    parts = dict.fromkeys(part for *three, _ in RATIOS.values() for part in three if part and part not in commands)
    return commands | {name: (__file__, "--here", *name.split()) for name in parts}


def measure(source, *arguments):
    """Return the CPU seconds that a process of Python prints, or that it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    path = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, check=True, env=environment, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(done.stdout) if "--here" in arguments else used


def main():
    """Print a table."""
    parser = make_parser(__doc__, repeats=3)
    parser.add_argument("--before", type=Path, help="sources of an earlier version")
    parser.add_argument("--only", nargs="+", default=[""], metavar="TEXT", help="ratios whose names contain a text")
    parser.add_argument("--here", nargs=2, help="print the seconds of one call in this process")
    options = parser.parse_args()
    if options.here:
        with use_one_thread():
            print(measure_here(*options.here))
        return
    ratios = {name: row for name, row in RATIOS.items() if any(text in name for text in options.only)}
    if not find_spec("lightgbm"):
        print("LightGBM is not installed: its rows are left out (pip install lightgbm).")
        ratios = {name: row for name, row in ratios.items() if "lightgbm" not in row[2]}
    sources = [each for each in (options.before, Path(halflabel.__file__).parents[1]) if each]
    needed = {part for *three, _ in ratios.values() for part in three}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in ("small", "large", "long"):
            make_table(*SIZES[name]).to_csv(folder / f"{name}.csv", index=False)
        rows = {name: arguments for name, arguments in list_rows(folder).items() if name in needed}
        for source in sources:
            measure(source, "-m", "compileall", "-q", str(source))
        found = [{name: [] for name in rows} for _ in sources]
        for _ in range(options.repeats):
            for name, arguments in rows.items():
                for each, source in zip(found, sources, strict=True):
                    each[name].append(measure(source, *arguments))
    least = [{name: min(seconds) for name, seconds in each.items()} for each in found]
    for name in rows:
        print(f"| {name}, CPU s | {' | '.join(f'{each[name]:.3f}' for each in least)} | |")
    for name, (part, less, unit, goal) in ratios.items():
        now = [(each[part] - each.get(less, 0)) / each[unit] for each in least]
        print(f"| {name} | {' | '.join(f'{ratio:.2f}' for ratio in now)} | {goal} |")


if __name__ == "__main__":
    main()
