"""Stated and true numbers about gaps, by the way in which entries became known, with and without the correction.

Protocol: of at most 800 random items of a set, the 12 most frequent labels; entries become known in the ways of
:mod:`halflabel.datasets.known_entries`. A table is fitted once; its probabilities are used as they hold for known
entries, and as ``calibration="auto"`` corrects them. Thresholds of the correction were chosen on emotions, scene, enron
and msrc (seeds 1 and 2); the other sets report. Per way: tables, share of tables corrected, share with a percentage;
Brier score of the gaps before and after; expected over true number of relevant gaps; stated less true precision of
values filled in as relevant (mean over tables with 50 of them, and over all values), its absolute mean, and the part of
this mean that chance would show; share of tables whose number of wrong values lies in the band of 90 %. The columns
from "excess after" on count tables with a percentage.

    python benchmarks/known_by_value.py [--sets yeast medical] [--repeats 1] [--first-seed 5] [--effort fast]
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from _common import append_record, load_frequent, make_parser, read_records, use_one_thread

import halflabel as hl
from halflabel.completion.evidence import Evidence
from halflabel.corrections.correction import Given
from halflabel.corrections.fit import Fit, learn_corrections
from halflabel.datasets import known_entries as ways
from halflabel.evidence.components import take_components

CHOSEN_ON = ("emotions", "scene", "enron", "msrc")
SETS = ("yeast", "medical", "langlog", "ohsumed", "steel-faults", "yahoo-arts", "gnegativego", "yahoo-health")

#: Each way draws known entries from the truth, a principal component of the items, and a generator.
WAYS = {
    "items .3": lambda truth, _, rng: ways.know_items(truth, rng, 0.3),
    "entries .2": lambda truth, _, rng: ways.know_entries(truth, rng, 0.2),
    "entries .5": lambda truth, _, rng: ways.know_entries(truth, rng, 0.5),
    "value .6/.15": lambda truth, _, rng: ways.know_by_value(truth, rng, 0.6, 0.15),
    "value .5/.25": lambda truth, _, rng: ways.know_by_value(truth, rng, 0.5, 0.25),
    "value .2/.6": lambda truth, _, rng: ways.know_by_value(truth, rng, 0.2, 0.6),
    "value .6/.15, labels differ": lambda truth, _, rng: ways.know_by_value(truth, rng, 0.6, 0.15, spread=0.5),
    "value .6/.15, alternate": lambda truth, _, rng: ways.know_by_value(truth, rng, 0.6, 0.15, alternate=True),
    "feature, items": lambda truth, z, rng: ways.know_by_feature(truth, rng, 0.3, z),
    "feature, entries": lambda truth, z, rng: ways.know_by_feature(truth, rng, 0.3, z, single=True),
    "first .3": lambda truth, _z, _rng: ways.know_first(truth, 0.3),
    "tagged items": lambda truth, _, rng: ways.know_tagged(truth, rng, 0.5, 0.1),
}


def describe(evidence, truth):
    """Return the stated and the true numbers about the gaps of a completion."""
    gaps, p = ~evidence.labels.observed, evidence.probabilities
    chosen = gaps & (evidence.state > 0)
    low, high = evidence.estimated_errors[["low", "high"]].iloc[-1]
    wrong = ((evidence.state > 0) != truth)[gaps].sum()
    return {
        "brier": ((p - truth)[gaps] ** 2).mean(),
        "ratio": p[gaps].sum() / truth[gaps].sum(),
        "filled": chosen.sum(),
        "stated": p[chosen].sum(),
        "right": (chosen & truth).sum(),
        "by_chance": np.sqrt((p * (1 - p))[chosen].sum()),
        "in_band": low <= wrong <= high,
        "printed": evidence.has_precision,
    }


def measure(name, way, seed, effort):
    """Return one record: the numbers as known, and after the correction if there is one."""
    X, labels = load_frequent(name, 800, seed)
    top = np.sort(np.argsort(-labels.relevant.sum(axis=0), kind="stable")[:12])
    truth = labels.relevant[:, top]
    rng = np.random.default_rng([seed, zlib.crc32(way.encode())])
    known = WAYS[way](truth, take_components(X, np.random.default_rng(0))[:, 0], rng)
    table = pd.DataFrame(np.where(known, truth, np.nan)).rename(columns=str)
    filled = hl.complete(X, table, effort=effort, calibration="as known")
    truth = truth[:, [int(label) for label in filled.labels.names]]
    before, fit = filled.evidence, filled.evidence.fit
    opened = replace(filled.opened, description=replace(filled.opened.description, calibration="auto"))
    after = Evidence(
        opened, Fit(fit.model, opened, opened.labels, learn_corrections(fit.model, Given(opened), opened.labels))
    )
    of = {"before": describe(before, truth), "after": describe(after, truth)}
    found = {"corrected": after.fit.estimates_gaps, "selected": before.is_selected}
    flat = {f"{key}_{when}": value for when, record in of.items() for key, value in record.items()}
    return {"set": name, "way": way, "seed": seed, **found, **flat}


def summarize(records):
    """Return one line of the table, for the records of a way."""
    printed = records[records["printed_after"]]
    many = printed[printed["filled_after"] >= 50]
    excess = (many["stated_after"] - many["right_after"]) / many["filled_after"]
    before = records[records["filled_before"] >= 50]
    return pd.Series(
        {
            "tables": len(records),
            "corrected": records["corrected"].mean(),
            "printed": records["printed_after"].mean(),
            "Brier before": records["brier_before"].mean(),
            "after": records["brier_after"].mean(),
            "worst ratio": (records["brier_after"] / records["brier_before"]).max(),
            "number before": records["ratio_before"].mean(),
            "number after": records["ratio_after"].mean(),
            "excess before": (before["stated_before"] - before["right_before"]).sum() / before["filled_before"].sum(),
            "excess after": excess.mean(),
            "over all values": (many["stated_after"] - many["right_after"]).sum() / max(many["filled_after"].sum(), 1),
            "absolute": excess.abs().mean(),
            "by chance": (many["by_chance_after"] / many["filled_after"]).mean() * np.sqrt(2 / np.pi),
            "in band": printed["in_band_after"].mean(),
        }
    )


def main():
    """Print a line for each way, and write the records."""
    parser = make_parser(__doc__, SETS, 1)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--first-seed", type=int, default=5)
    parser.add_argument("-o", "--output", type=Path, help="CSV of all records; what it holds is not measured again")
    options = parser.parse_args()
    records = read_records(options.output).to_dict("records")
    done = {(each["set"], each["way"], each["seed"]) for each in records}
    with use_one_thread():
        for seed in range(options.first_seed, options.first_seed + options.repeats):
            for name in options.sets:
                for way in options.ways:
                    if (name, way, seed) not in done:
                        records.append(measure(name, way, seed, options.effort))
                        if options.output:
                            append_record(records[-1], options.output)
    table = pd.DataFrame(records)
    print(table.groupby("way", sort=False)[table.columns[2:]].apply(summarize).round(3).to_string())


if __name__ == "__main__":
    main()
