"""The numbers of a completion whose labelled items are in few groups: recordings of frogs.

Protocol: 1500 random items of the set frogs (60 recordings; labels with at least 12 relevant items), of which all items
of 4, 8, 16 or 30 random recordings have their labels, and ``group=`` names the recordings. The other recordings are
completed. By number of labelled recordings: Brier score of the default, and of the labels' rates; the mean probability
of values filled in as relevant, and the share of them that is right; the same at a precision of .90; the share of
completions whose number of wrong values lies in the band of 90 %, and the share in which a percentage is printed.

    python benchmarks/few_groups.py [--repeats 5] [--effort default]
"""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
from _common import FOLDER, load_set, make_parser, use_one_thread

import halflabel as hl

NUMBERS = (4, 8, 16, 30)


def load(seed):
    """Return features, labels and recordings of random items."""
    data = load_set("frogs")
    with gzip.open(FOLDER / "frogs" / "frogs-record.txt.gz", "rt") as file:
        recordings = np.array([int(line) for line in file])
    rows = np.sort(np.random.default_rng(seed).choice(len(recordings), 1500, replace=False))
    labels = data.Y[rows]
    return data.X[rows], labels.select(np.flatnonzero(labels.relevant.sum(axis=0) >= 12)), recordings[rows]


def measure(number, seed, effort):
    """Return the record of one completion."""
    X, truth, recordings = load(seed)
    chosen = np.random.default_rng([seed, number]).permutation(np.unique(recordings))[:number]
    known = truth.hide(~np.isin(recordings, chosen)[:, None])
    items = pd.DataFrame(X).rename(columns="mfcc {}".format).assign(recording=recordings)
    filled = hl.complete(items, known, group="recording", effort=effort)
    evidence = filled.evidence
    truth = truth.select([truth.names.index(label) for label in filled.labels.names]).relevant
    gaps, p = ~evidence.labels.observed, evidence.probabilities
    rates = np.broadcast_to(evidence.labels.rates, p.shape)
    low, high = evidence.estimated_errors[["low", "high"]].iloc[-1]
    wrong = ((evidence.state > 0) != truth)[gaps].sum()
    record = {
        "recordings": number,
        "items": known.annotated.sum(),
        "brier": ((p - truth)[gaps] ** 2).mean(),
        "of rates": ((rates - truth)[gaps] ** 2).mean(),
        "in band": low <= wrong <= high,
        "wrong / expected": wrong / evidence.estimated_errors["expected"].iloc[-1],
        "printed": evidence.has_precision,
    }
    for name, state in {"filled": evidence.state, "at .90": evidence.fill_at(0.9)}.items():
        at = gaps & (state > 0)
        record |= {name: at.sum(), f"{name}: stated": p[at].sum(), f"{name}: right": truth[at].sum()}
    return record


def main():
    """Print the means over the completions of each number of recordings."""
    parser = make_parser(__doc__, repeats=5)
    parser.add_argument("--effort", default="default")
    options = parser.parse_args()
    with use_one_thread():
        records = pd.DataFrame(
            measure(number, seed, options.effort) for number in NUMBERS for seed in range(options.repeats)
        )
    table = records.groupby("recordings").mean()
    for name in ("filled", "at .90"):
        for part in ("stated", "right"):
            table[f"{name}: {part}"] /= table[name]
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
