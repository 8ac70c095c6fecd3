"""Votes of several sources: hl.complete(sources=votes) against other ways to use the same votes.

On each set, three noisy people and two language models that share three quarters of their errors vote on the entries of
900 items. Error rates differ by source, label, value and item. People vote on 40 % of the items, and the models on
70 %, either at random or by choice: then easy items and relevant entries have more votes. All numbers are over all
entries, with and without votes. A sixth source of chance, and a copy, are added to the random votes: ``chance`` and
``copy`` are the Brier score with it, over that without it. The first sets chose, the others report. Anchors:

* majority: the majority of the votes is given, and hl.complete fills the rest; the best of three probabilities for an
  entry with votes: the majority itself, the share of votes, and the out-of-fold probability.
* single: the same with the votes of one source, the best of the five by the truth.
* ds: the posterior of the model of Dawid and Skene per label (crowd-kit), and hl.complete for the rest.
* crowdlab: the consensus of CROWDLAB (cleanlab), from the votes and the out-of-fold probabilities of "majority".

The last two need ``pip install crowd-kit cleanlab``; without these packages they are left out.

    python benchmarks/sources.py [--sets msrc ohsumed] [--missing random choice] [--repeats 2] [--items 400]
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread
from scipy.special import expit, logit

import halflabel as hl
from halflabel.evidence.expected_errors import ALL

CHOSE, REPORT = (
    ("emotions", "scene", "yeast", "enron", "msrc", "ohsumed"),
    ("medical", "yahoo-health", "tmc2007-500", "yahoo-arts", "langlog", "yahoo-social"),
)
NAMES = ("ann", "ben", "cem", "gpt", "llama")


def vote(truth, missing, rng):
    """Return the votes of five sources, shape (5, n_items, n_labels), NaN where there is none."""
    n, q = truth.shape
    hard = rng.normal(size=(n, 1))

    def draw_wrong(base, spread):
        by_value = rng.normal(size=(2, q)) * 0.4
        odds = base + rng.normal(size=q) * spread + 0.7 * hard + np.where(truth, by_value[1], by_value[0])
        return rng.random((n, q)) < expit(odds)

    def hide(votes, share):
        by_choice = missing == "choice"
        items = rng.random((n, 1)) < expit(logit(share) - 0.5 * hard * by_choice)
        entries = rng.random((n, q)) < (np.where(truth, 0.95, 0.7) if by_choice else 0.9)
        return np.where(items & entries, votes, np.nan)

    people = [hide((truth ^ draw_wrong(base, 0.5)).astype(float), 0.4) for base in (-1.6, -1.2, -2.0)]
    shared = draw_wrong(-1.3, 0.7)
    models = []
    for _ in range(2):
        wrong = np.where(rng.random((n, q)) < 0.75, shared, draw_wrong(-1.3, 0.5))
        models.append(hide((truth ^ wrong).astype(float), 0.7))
    return np.stack(people + models)


def as_table(values, names, labels):
    """Return votes as a long table."""
    s, i, j = np.nonzero(~np.isnan(values))
    return pd.DataFrame(
        {"item": i, "label": np.array(labels)[j], "source": np.array(names)[s], "value": values[s, i, j]}
    )


def complete(X, labels, values=None, names=NAMES, given=None):
    """Return the probabilities of a completion, from votes or from a table of values."""
    items, options = pd.DataFrame({"item": np.arange(X.shape[0])}), {"id": "item", "vectors": X, "effort": "fast"}
    if values is not None:
        filled = hl.complete(items, labels=list(labels), sources=as_table(values, names, labels), **options)
    else:
        filled = hl.complete(items, pd.DataFrame(given, columns=labels), **options)
    return filled.probabilities.reindex(columns=labels).to_numpy(), filled


def score(p, truth):
    """Return the Brier score; an entry of a label that was not learned has the mean of the others."""
    return float(np.mean((np.where(np.isnan(p), np.nanmean(p), p) - truth) ** 2))


def score_majority(X, labels, values, truth):
    """Return the Brier score of the majority with hl.complete, and its probabilities."""
    share = np.nanmean(values, axis=0)
    given = np.where(share == 0.5, np.nan, np.round(share))
    p, _ = complete(X, labels, given=given)
    votes = (given, share, p)
    return min(score(np.where(np.isnan(given), p, each), truth) for each in votes), p


def score_dawid_skene(X, labels, values, truth):
    """Return the Brier score of Dawid and Skene per label, with hl.complete for the rest."""
    from crowdkit.aggregation import DawidSkene

    q = np.full(truth.shape, np.nan)
    for j in range(truth.shape[1]):
        table = as_table(values[:, :, [j]], NAMES, labels[j : j + 1])
        table = table.rename(columns={"item": "task", "source": "worker", "value": "label_"}).drop(columns="label")
        found = DawidSkene(n_iter=100).fit_predict_proba(table.rename(columns={"label_": "label"}))
        q[found.index, j] = found.get(1.0, pd.Series(0.0, found.index))
    p, _ = complete(X, labels, given=np.where(np.isnan(q), np.nan, np.round(q)))
    return score(np.where(np.isnan(q), p, q), truth)


def score_crowdlab(values, p, truth):
    """Return the Brier score of the consensus of CROWDLAB per label."""
    from cleanlab.multiannotator import get_label_quality_multiannotator

    q = p.copy()
    for j in range(truth.shape[1]):
        rows = np.flatnonzero(~np.isnan(values[:, :, j]).all(axis=0))
        votes = pd.DataFrame(values[:, rows, j].T, columns=NAMES).astype("Int64")
        both = np.clip(np.column_stack([1 - p[rows, j], p[rows, j]]), 1e-6, 1)
        quiet = {"verbose": False, "return_detailed_quality": False, "return_annotator_stats": False}
        found = get_label_quality_multiannotator(votes, both / both.sum(axis=1, keepdims=True), **quiet)
        found = found["label_quality"]
        sure = found["consensus_quality_score"].to_numpy()
        q[rows, j] = np.where(found["consensus_label"] == 1, sure, 1 - sure)
    return score(q, truth)


def run(name, missing, seed, max_items):
    """Return the scores of one table."""
    X, Y = load_frequent(name, max_items, seed)
    rng, truth, labels = np.random.default_rng(seed), Y.relevant, list(Y.names)
    values = vote(truth, missing, rng)
    p, filled = complete(X, labels, values)
    own, of_majority = score(p, truth), score_majority(X, labels, values, truth)
    record = {"set": name, "missing": missing, "ours": own, "majority": of_majority[0]}
    record["single"] = min(score_majority(X, labels, each[None], truth)[0] for each in values)
    for anchor, function in (("ds", lambda: score_dawid_skene(X, labels, values, truth)),
                             ("crowdlab", lambda: score_crowdlab(values, of_majority[1], truth))):  # fmt: skip
        try:
            record[anchor] = function()
        except ImportError:
            record[anchor] = np.nan
    extras = {"chance": rng.integers(0, 2, truth.shape).astype(float), "copy": values[1]} if missing == "random" else {}
    for extra, more in extras.items():
        changed, _ = complete(X, labels, np.concatenate([values, more[None]]), (*NAMES, extra))
        record[extra] = score(changed, truth) / own
    return record | compare_rates(filled, values, truth, labels)


def compare_rates(filled, values, truth, labels):
    """Return how often stated error rates are near the true ones, per source and label and per source, and inside."""
    rates = filled.corrections["votes"].rates.set_index(["source", "label"])
    near, inside, difference, whole = [], [], [], []
    for s, source in enumerate(NAMES):
        for j, label in enumerate(labels):
            at = ~np.isnan(values[s, :, j])
            if (source, label) in rates.index:
                row, true = rates.loc[(source, label)], float(np.mean(values[s, at, j] != truth[at, j]))
                near.append(abs(row["error"] - true) <= 0.03)
                inside.append(row["low"] <= true <= row["high"])
                difference.append(row["error"] - true)
        at = ~np.isnan(values[s]) & np.isin(labels, rates.loc[source].index)
        whole.append(abs(rates.loc[(source, ALL), "error"] - np.mean((values[s] != truth)[at])) <= 0.03)
    return {
        "near": np.mean(near),
        "inside": np.mean(inside),
        "bias": np.mean(difference),
        "near of all": np.mean(whole),
    }


def main():
    """Print a record per table, and the means."""
    parser = make_parser(__doc__, sets=REPORT, repeats=1)
    parser.add_argument("--items", type=int, default=900, help="maximum number of items of a set")
    parser.add_argument("--missing", nargs="+", choices=("random", "choice"), default=("random", "choice"))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    records = []
    with use_one_thread():
        for name in args.sets:
            for seed in range(args.repeats):
                for missing in args.missing:
                    records.append(run(name, missing, seed, args.items))
                    print(
                        pd.DataFrame(records[-1:]).round(4).to_string(index=False, header=len(records) == 1), flush=True
                    )
    table = pd.DataFrame(records)
    anchors = table[["majority", "single", "ds", "crowdlab"]]
    print("ours / majority:", round(float((table["ours"] / table["majority"]).mean()), 3))
    print("ours / best anchor:", round(float((table["ours"] / anchors.min(axis=1)).mean()), 3))
    print(
        table.reindex(columns=["chance", "copy", "near", "near of all", "inside", "bias"]).mean().round(4).to_string()
    )


if __name__ == "__main__":
    main()
