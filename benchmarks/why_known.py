"""Stated and true numbers about gaps, by the reason for which entries are known, with and without the correction.

Protocol: at most 600 random items of a set, its 8 most frequent labels, effort "fast". The rows are in the order of a
principal component with noise, as a file that grew with time. Each kind has two strengths, or reasons.
``--part choose`` has the sets on which the rule was chosen, ``--part report``, the default, has other sets. A table is
fitted once; its probabilities are used as they hold for known entries (before), and as ``calibration="auto"`` corrects
them (after). Columns: share of tables corrected, and printed with a band; share of the bands that hold; share of tables
whose band holds or is withheld; expected over true number of relevant gaps, before and after; largest ratio of Brier
scores of gaps, after to before. Of the tables that print and fill at least 50 values as relevant: stated and true
precision; the share of tables where these differ by at most .05, and the same share if the truth were drawn from the
probabilities ("perfect p"); the share where the band of the wrong values of yes holds; and the share of tables where
stated and true precision of all filled values differ by at most .05.

    python benchmarks/why_known.py [--part choose] [--kinds random value] [--repeats 1] [-o records.csv]
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread

import halflabel as hl
from halflabel.completion.evidence import Evidence
from halflabel.corrections.fit import Fit, learn_corrections
from halflabel.datasets import known_entries as ways
from halflabel.evidence.components import take_components

SETS = {
    "choose": ("emotions", "scene", "enron", "msrc", "medsafe-llm", "yahoo-society", "frogs"),
    "report": ("yeast", "medical", "ohsumed", "steel-faults", "gnegativego", "yahoo-health", "langlog"),
}
MAX_ITEMS, N_LABELS = 600, 8

#: Number of draws of truths from probabilities, as if these were perfect.
DRAWS = 400


def dilute(known, rng, share, part=0.5):
    """Return a mask of which a part is drawn at random instead: the same reason, weaker."""
    return np.where(rng.random(known.shape) < part, ways.know_entries(known, rng, share), known)


def know_fewer_later(truth, rng):
    """Return single entries, which are known with a chance that falls from .6 to 0 along the file."""
    return rng.random(truth.shape) < np.linspace(0.6, 0.0, len(truth))[:, None]


def make_groups(n):
    """Return 20 groups of neighbouring rows."""
    return np.arange(n) * 20 // n


def know_some_groups(truth, rng):
    """Return single entries, which are known with another chance in each group."""
    return rng.random(truth.shape) < rng.uniform(0.0, 0.6, 20)[make_groups(len(truth))][:, None]


#: By kind: a weak and a strong form. Each draws known entries from the truth, a component of the items, a generator.
KINDS = {
    "random": (
        lambda truth, _, rng: ways.know_entries(truth, rng, 0.3),
        lambda truth, _, rng: ways.know_items(truth, rng, 0.3),
    ),
    "value": (
        lambda truth, _, rng: ways.know_by_value(truth, rng, 0.5, 0.25),
        lambda truth, _, rng: ways.know_by_value(truth, rng, 0.6, 0.15),
    ),
    "value, other direction": (
        lambda truth, _, rng: ways.know_by_value(truth, rng, 0.25, 0.5),
        lambda truth, _, rng: ways.know_by_value(truth, rng, 0.2, 0.6),
    ),
    "value, both directions": (
        lambda truth, _, rng: ways.know_by_value(truth, rng, 0.5, 0.25, alternate=True),
        lambda truth, _, rng: ways.know_by_value(truth, rng, 0.6, 0.15, alternate=True),
    ),
    "features": (
        lambda truth, z, rng: dilute(ways.know_by_feature(truth, rng, 0.3, z, single=True), rng, 0.3),
        lambda truth, z, rng: ways.know_by_feature(truth, rng, 0.3, z),
    ),
    "tag": (
        lambda truth, _, rng: ways.know_tagged(truth, rng, 0.4, 0.15),
        lambda truth, _, rng: ways.know_tagged(truth, rng, 0.5, 0.1),
    ),
    "time or group": (
        lambda truth, _, rng: know_fewer_later(truth, rng),
        lambda truth, _, rng: know_some_groups(truth, rng),
    ),
}


def fit_table(name, kind, strength, seed):
    """Return a completion that is not corrected, and its true labels."""
    X, labels = load_frequent(name, MAX_ITEMS, seed)
    rng = np.random.default_rng([seed, zlib.crc32(f"{name} {kind} {strength}".encode())])
    z = take_components(X, np.random.default_rng(0))
    time = z[:, 1] + rng.normal(scale=2 * z[:, 1].std(), size=len(z))
    rows, top = np.argsort(time), np.sort(np.argsort(-labels.relevant.sum(axis=0), kind="stable")[:N_LABELS])
    X, truth = X[rows], labels.relevant[np.ix_(rows, top)]
    known = KINDS[kind][strength](truth, z[rows, 0], rng)
    labels = hl.PartialLabels.from_observed(truth, known)
    opened = hl.open_table(X, labels, calibration="as known")
    if (kind, strength) == ("time or group", 1):
        opened = replace(opened, groups=make_groups(len(truth)))
    filled = hl.complete(opened, effort="fast")
    return filled, truth[:, [labels.names.index(name) for name in filled.labels.names]]


def correct(filled):
    """Return the evidence after the correction that ``calibration="auto"`` makes."""
    opened = replace(filled.opened, description=replace(filled.opened.description, calibration="auto"))
    return Evidence(opened, learn_corrections(Fit(filled.model, opened, opened.labels)))


def describe(evidence, truth):
    """Return the stated and the true numbers about the gaps of a completion."""
    gaps, p, yes = ~evidence.labels.observed, evidence.probabilities, evidence.state > 0
    low, high = evidence.expected_errors[["low", "high"]].iloc[-1]
    wrong, of_yes = (yes != truth)[gaps].sum(), evidence.expect_errors_in(1)
    chosen = p[gaps & yes]
    drawn = np.random.default_rng(0).random((DRAWS, len(chosen))) < chosen
    return {
        "brier": ((p - truth)[gaps] ** 2).mean(),
        "ratio": p[gaps].sum() / truth[gaps].sum(),
        "filled": (gaps & yes).sum(),
        "stated": p[gaps & yes].sum(),
        "right": truth[gaps & yes].sum(),
        "share wrong": wrong / gaps.sum(),
        "share expected": np.where(yes, 1 - p, p)[gaps].mean(),
        "in band": low <= wrong <= high,
        "yes in band": of_yes["low"] <= (~truth[gaps & yes]).sum() <= of_yes["high"],
        "perfect p": (np.abs(drawn.sum(axis=1) - chosen.sum()) <= 0.05 * len(chosen)).mean(),
        "printed": evidence.has_precision,
        "codes": " ".join(each["code"] for each in evidence.warnings if each["level"] == "warning"),
    }


def measure(name, kind, strength, seed):
    """Return one record: the numbers as known, and after the correction if there is one."""
    filled, truth = fit_table(name, kind, strength, seed)
    after = correct(filled)
    of = {"before": describe(filled.evidence, truth), "after": describe(after, truth)}
    flat = {f"{key} {when}": value for when, record in of.items() for key, value in record.items()}
    where = {"set": name, "kind": kind, "strength": strength, "seed": seed}
    return {**where, "corrected": after.fit.estimates_gaps, **flat}


def summarize(records):
    """Return one line of the table, for the records of a kind."""
    printed = records["printed after"].astype(bool)
    many = records[printed & (records["filled after"] >= 50)]
    off = (many["stated after"] - many["right after"]).abs() / many["filled after"]
    of_all = (records["share expected after"] - records["share wrong after"]).abs()[printed]
    held = records["in band after"].astype(bool)
    return pd.Series({
        "tables": len(records),
        "corrected": records["corrected"].mean(),
        "printed": printed.mean(),
        "held": held[printed].mean(),
        "held or withheld": (held | ~printed).mean(),
        "ratio before": records["ratio before"].mean(),
        "after": records["ratio after"].mean(),
        "worst Brier": (records["brier after"] / records["brier before"]).max(),
        "50 yes": len(many),
        "stated": many["stated after"].sum() / max(many["filled after"].sum(), 1),
        "right": many["right after"].sum() / max(many["filled after"].sum(), 1),
        "off <= .05": (off <= 0.05).mean(),
        "perfect p": many["perfect p after"].mean(),
        "yes in band": many["yes in band after"].astype(bool).mean(),
        "all off <= .05": (of_all <= 0.05).mean(),
    })  # fmt: skip


def main():
    """Print a line for each kind and one for all tables, and write the records."""
    parser = make_parser(__doc__, (), 1)
    parser.add_argument("--part", choices=list(SETS), default="report")
    parser.add_argument("--sets", nargs="+", metavar="SET", help="other public benchmark sets")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("-o", "--output", type=Path, help="CSV of all records")
    options = parser.parse_args()
    every = [
        (name, kind, strength, seed)
        for seed in range(options.repeats)
        for name in options.sets or SETS[options.part]
        for kind in options.kinds
        for strength in (0, 1)
    ]
    with use_one_thread():
        table = pd.DataFrame([measure(*each) for each in every])
    if options.output:
        table.to_csv(options.output, index=False)
    rows = {kind: summarize(records) for kind, records in table.groupby("kind", sort=False)}
    print(pd.DataFrame({**rows, "all": summarize(table)}).T.round(3).to_string())


if __name__ == "__main__":
    main()
