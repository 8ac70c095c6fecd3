"""How many filled entries are right under the rules "probable" and "micro_f1", and with "no" everywhere.

Protocol: of at most 1 500 random items of a set, 20 % keep all their labels (or, with ``--entries``, each label of each
item is kept with this probability). A set with more labels keeps its 30 most frequent ones. The probabilities are those
of the default method; the rules fill the same gaps from them.

    python benchmarks/rules.py [--sets yeast scene] [--repeats 3] [--entries] [--effort fast]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import load_set, make_parser, use_one_thread

import halflabel as hl
from halflabel.labels.metrics import micro_f1
from halflabel.labels.rules import Rule

SETS = ("corel5k", "emotions", "enron", "msrc", "scene", "yahoo-arts", "yeast")
RULES = ("probable", "micro_f1")


def sample(name, rng, max_items=1500, max_labels=30):
    """Return features and complete labels of a random part of a set."""
    data = load_set(name)
    rows = np.sort(rng.permutation(len(data.Y))[:max_items])
    columns = np.sort(np.argsort(-data.Y.relevant.sum(axis=0), kind="stable")[:max_labels])
    return data.X[rows], data.Y.select(columns)[rows]


def measure(name, seed, options):
    """Yield a record per rule: the share of the filled entries that are right, and F1."""
    rng = np.random.default_rng(seed)
    X, truth = sample(name, rng)
    keeps = rng.random(truth.shape if options.entries else (len(truth), 1)) < options.share
    known = truth.hide(np.broadcast_to(~keeps, truth.shape))
    filled = hl.complete(X, known, effort=options.effort, random_state=seed)
    at = [truth.names.index(label) for label in filled.labels.names]
    truth, known = truth.select(at), known.select(at)
    hidden, p = truth.hide(known.observed), filled.probabilities.to_numpy()
    cuts = {rule: Rule(rule).choose(np.where(known.observed, np.nan, p), np.nan) for rule in RULES}
    states = {rule: np.where(p >= cut, 1, -1) for rule, cut in cuts.items()}
    states["no everywhere"] = np.full(truth.shape, -1)
    for rule, state in states.items():
        right = (state == truth.state)[hidden.observed].mean()
        yes = (state > 0) & hidden.observed
        record = {
            "right": right,
            "filled yes": int(yes.sum()),
            "yes right": (truth.state > 0)[yes].mean() if yes.any() else np.nan,
        }
        yield {"set": name, "seed": seed, "rule": rule, **record, "micro_f1": micro_f1(hidden, (state > 0).astype(int))}


def main():
    """Print the means over repeats, per set and rule."""
    parser = make_parser(__doc__, sets=SETS, repeats=2)
    parser.add_argument("--share", type=float, default=0.2, help="share of the labels that are known")
    parser.add_argument("--entries", action="store_true", help="single entries are missing, not whole items")
    parser.add_argument("--effort", default="default", choices=["fast", "default", "best"])
    options = parser.parse_args()
    with use_one_thread():
        records = pd.DataFrame(
            [each for name in options.sets for seed in range(options.repeats) for each in measure(name, seed, options)]
        )
    means = records.drop(columns="seed").groupby(["set", "rule"], sort=False).mean()
    print(means.round(4).to_string())


if __name__ == "__main__":
    main()
