"""How often the number of wrong filled values lies in its 90 % band, by kind of design; the same for prevalence.

Six kinds of table with 300 to 600 items: whole items without labels; single gaps; both of them mixed; labels that are
functions of a hidden class; 2 to 4 % of the filled values wrong; tags of texts. Of the last three kinds, the gaps are
of the first three designs in turn. Half of the tables are generated, the other half are random items of public sets.
The number of the draw decides everything random. ``--part choose`` has the draws and the sets that were examined when
the method was chosen, ``--part report``, the default, has others.

    python benchmarks/expected_errors.py [--tables 40] [--part choose] [--effort default] [--kinds whole low-noise]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread
from scipy import sparse
from scipy.stats import binomtest

import halflabel as hl
from halflabel import PartialLabels
from halflabel.datasets import load_digits_tags

#: The designs of the gaps.
DESIGNS = ("whole", "single", "both")

#: By kind: public sets for choosing and for reporting.
ORDINARY = (
    ("scene", "yeast", "emotions", "msrc", "corel5k", "medsafe-llm"),
    ("steel-faults", "cellcycle-fun", "yahoo-reference", "yahoo-society"),
)
SETS = {
    **dict.fromkeys(DESIGNS, ORDINARY),
    "dependent": (("digits", "msrc", "gnegativego"), ("digits", "steel-faults", "frogs", "gnegativego")),
    "low-noise": (("digits", "gnegativego", "medical"), ("digits", "frogs", "langlog", "enron")),
    "texts": (
        ("yahoo-arts", "medical", "ohsumed", "enron"),
        ("yahoo-health", "tmc2007-500", "yahoo-education", "yahoo-computers"),
    ),
}

#: The first number of a draw for reporting.
FIRST = {"choose": 0, "report": 1000}


@dataclass(frozen=True)
class Table:
    """Features, true labels, and which entries are known."""

    X: object
    truth: PartialLabels
    known: np.ndarray


def draw_table(kind, number, part):
    """Return the table with this number: a generated one, or one of a public set."""
    rng = np.random.default_rng([FIRST[part] + number, list(SETS).index(kind)])
    design = kind if kind in DESIGNS else DESIGNS[number % 3]
    n = int(rng.integers(300, 601))
    if number % 2:
        names = SETS[kind][part == "report"]
        X, truth = load_public(str(rng.choice(names)), n, rng)
    else:
        X, Y = {"texts": make_texts, "dependent": make_classes, "low-noise": make_easy}.get(kind, make_factors)(n, rng)
        truth = PartialLabels.from_table(Y.astype(int))
    return Table(X, truth, draw_known(truth.shape, design, rng))


def draw_known(shape, design, rng):
    """Return which entries are known: of some items all, of all items some, or of some items some."""
    items = rng.permutation(shape[0]) < (shape[0] if design == "single" else rng.integers(60, 200))
    share = 1.0 if design == "whole" else rng.choice([0.3, 0.5, 0.7])
    return items[:, None] & (rng.random(shape) < share)


def load_public(name, n, rng):
    """Return features and labels of random items of a public set, or of the digits."""
    if name != "digits":
        return load_frequent(name, n, int(rng.integers(2**31)))
    digits = load_digits_tags()
    rows = np.sort(rng.permutation(len(digits.Y))[:n])
    return np.asarray(digits.X)[rows], digits.Y[rows]


def make_factors(n, rng):
    """Return features of a few hidden factors, and labels that depend on the factors, on each other and on chance."""
    d, n_factors, n_labels = int(rng.integers(5, 40)), int(rng.integers(2, 6)), int(rng.integers(2, 13))
    Z = rng.normal(size=(n, n_factors))
    X = np.tanh(Z @ rng.normal(size=(n_factors, d))) + rng.uniform(0.3, 1.2) * rng.normal(size=(n, d))
    own = Z @ rng.normal(size=(n_factors, n_labels)) + (Z**2) @ rng.normal(size=(n_factors, n_labels)) / 2
    score = own + rng.uniform(0.3, 1.5) * (rng.normal(size=(n, n_labels)) + rng.normal(size=(n, 1)))
    shares = rng.uniform(0.05, 0.5, n_labels)
    return X, score.argsort(axis=0).argsort(axis=0) >= n * (1 - shares)


def make_classes(n, rng, spread=(0.35, 0.8)):
    """Return features around the centre of each item's hidden class, and labels that are functions of the class."""
    d, n_classes, n_labels = int(rng.integers(8, 30)), int(rng.integers(5, 13)), int(rng.integers(4, 15))
    which = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n_classes, d))[which] + rng.uniform(*spread) * np.sqrt(d) / 2 * rng.normal(size=(n, d))
    has = rng.random((n_classes, n_labels)) < rng.uniform(0.1, 0.5, n_labels)
    has[0], has[1] = True, False  # each label has both values
    return X, has[which]


def make_easy(n, rng):
    """Return the same with better features, and a few wrong labels in half of the tables."""
    X, Y = make_classes(n, rng, spread=(0.2, 0.4))
    return X, Y ^ (rng.random(Y.shape) < rng.choice([0, 0.02]))


def make_texts(n, rng):
    """Return counts of words whose frequencies depend on one to three topics, and tags of topics."""
    n_words, n_topics, n_labels = int(rng.integers(300, 1000)), int(rng.integers(6, 20)), int(rng.integers(5, 15))
    words = rng.dirichlet(np.full(n_words, 0.05), size=n_topics)
    topics = rng.random((n, n_topics)) * (rng.random((n, n_topics)) < 2 / n_topics) + 1e-3
    counts = rng.poisson(rng.uniform(15, 60) * (topics / topics.sum(axis=1, keepdims=True)) @ words)
    tagged = topics[:, rng.integers(n_topics, size=n_labels)] > rng.uniform(0.05, 0.4, n_labels)
    return sparse.csr_array(counts.astype(float)), tagged ^ (rng.random(tagged.shape) < 0.01)


def measure(kind, number, part, effort):
    """Return the record of one completion."""
    table = draw_table(kind, number, part)
    filled = hl.complete(table.X, table.truth.hide(~table.known), effort=effort)
    labels, state = filled.evidence.labels, filled.evidence.state
    learned = [table.truth.names.index(label) for label in labels.names]  # the others are not filled
    truth, gaps = table.truth.relevant[:, learned], ~labels.observed
    wrong = (((state > 0) != truth) & gaps).sum(axis=0)
    band, rates = filled.evidence.estimated_errors, filled.prevalence()
    number = np.append(wrong, wrong.sum())
    inside = (band["low"] <= number) & (number <= band["high"])
    p = filled.evidence.probabilities
    return {
        "kind": kind,
        "filled": gaps.sum(),
        "wrong": wrong.sum(),
        "expected": band["expected"].iloc[-1],
        "sum of 1 - p": np.where(state > 0, 1 - p, p)[gaps].sum(),
        "in band": inside.iloc[-1],
        "half width": (band["high"] - band["low"]).iloc[-1] / 2 / max(band["expected"].iloc[-1], 0.5),
        "one label in band": inside.iloc[:-1].mean(),
        "prevalence in interval": ((rates["low"] <= truth.mean(axis=0)) & (truth.mean(axis=0) <= rates["high"])).mean(),
    }


def summarize(records):
    """Return a row of the table: numbers of all completions of a kind."""
    low, high = binomtest(int(records["in band"].sum()), len(records)).proportion_ci(method="wilson")
    return pd.Series({
        "completions": len(records),
        "wrong": records["wrong"].sum() / records["filled"].sum(),
        "in band": records["in band"].mean(),
        "its interval": f"{low:.2f} to {high:.2f}",
        "half width": records["half width"].median(),
        "expected / wrong": records["expected"].sum() / records["wrong"].sum(),
        "sum of 1 - p / wrong": records["sum of 1 - p"].sum() / records["wrong"].sum(),
        "one label in band": records["one label in band"].mean(),
        "prevalence in interval": records["prevalence in interval"].mean(),
    })  # fmt: skip


def main():
    """Print the share of bands that hold, for all labels together and for single labels, by kind."""
    parser = make_parser(__doc__)
    parser.add_argument("--kinds", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--tables", type=int, default=40, help="of each kind")
    parser.add_argument("--part", default="report", choices=list(FIRST))
    parser.add_argument("--effort", default="fast")
    options = parser.parse_args()
    with use_one_thread():
        every = [
            measure(kind, k, options.part, options.effort) for kind in options.kinds for k in range(options.tables)
        ]
    records = pd.DataFrame(every)
    rows = {kind: summarize(records[records["kind"] == kind]) for kind in options.kinds}
    print(pd.DataFrame({**rows, "all": summarize(records)}).T.to_string(float_format="{:.3f}".format))


if __name__ == "__main__":
    main()
