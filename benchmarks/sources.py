"""Votes of several sources: hl.complete(sources=votes) against other ways to use the same votes.

Two real sources and gold (medsafe-llm: a language model and a second column), 500 random items whose query is odd; the
items of even queries chose, and so did "noise" for emotions, medical, msrc, ohsumed, scene and yeast, and "two", "five"
and "mixed" for emotions. Stress tests violate the model:

* noise: three people and two language models that share three quarters of their errors; some items are difficult.
* two, five: models that misread the items at one end of the first principal component together, with other errors of
  their own. "mixed" has models with and without this error in turn.

Some random items are known, or with ``--cells`` single random entries. All numbers are over the other entries, with
and without votes. ``brier`` is relative to the best anchor: the share of votes, hl.complete on the known entries and
the majority (alone, and for entries without a majority), and the posterior of the model of Dawid and Skene per label.
``rates``: the share of stated error rates, per source and label, whose interval of 90 % has the true rate.
``expected`` and ``wrong``: filled values that are expected to be wrong, and that are; ``band``: the share of tables
whose band has the number, of the tables that state one.

    python benchmarks/sources.py [--crowds medsafe noise five] [--sets scene yeast] [--known 0 20 60] [--repeats 2]
    python benchmarks/sources.py --crowds medsafe --known 100 --cells
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import FOLDER, load_frequent, load_set, make_parser, use_one_thread
from scipy.special import expit

import halflabel as hl
from halflabel.evidence.components import take_components

#: Each kind has the number of sources.
CROWDS = {"medsafe": 2, "noise": 5, "two": 2, "five": 5, "mixed": 4}
SETS = ("scene", "yeast", "msrc", "ohsumed")


def read_medsafe(seed):
    """Return features, votes and truth of 500 items."""
    folder, data = FOLDER / "medsafe-llm", load_set("medsafe-llm")
    names, n = list(data.Y.names), len(data.Y)
    votes, gold = (pd.read_csv(folder / f"{name}.csv.gz") for name in ("votes", "gold"))
    codes, sources = pd.factorize(votes["source"], sort=True)
    values, truth = np.full((len(sources), n, len(names)), np.nan), np.zeros((n, len(names)), dtype=bool)
    values[codes, votes["item"], votes["label"].map(names.index)] = votes["value"]
    truth[gold["item"], gold["label"].map(names.index)] = gold["value"] == 1
    query = np.loadtxt(folder / "medsafe-llm-query.txt.gz")
    rows = np.flatnonzero(np.unique(query, return_inverse=True)[1] % 2 == 1)
    rows = np.sort(np.random.default_rng(seed).choice(rows, 500, replace=False))
    return data.X[rows], values[:, rows], truth[rows]


def draw_noise(truth, rng):
    """Return the votes of three people and two models with errors in common, shape (5, n_items, n_labels)."""
    n, q = truth.shape
    hard = rng.normal(size=(n, 1))

    def draw_wrong(base, spread):
        by_value = rng.normal(size=(2, q)) * 0.4
        odds = base + rng.normal(size=q) * spread + 0.7 * hard + np.where(truth, by_value[1], by_value[0])
        return rng.random((n, q)) < expit(odds)

    def vote(wrong, share):
        given = (rng.random((n, 1)) < share) & (rng.random((n, q)) < 0.9)
        return np.where(given, truth ^ wrong, np.nan)

    people, shared = [vote(draw_wrong(base, 0.5), 0.4) for base in (-1.6, -1.2, -2.0)], draw_wrong(-1.3, 0.7)
    models = [vote(np.where(rng.random((n, q)) < 0.75, shared, draw_wrong(-1.3, 0.5)), 0.7) for _ in range(2)]
    return np.stack(people + models)


def draw_biased(truth, X, n_sources, alternate, rng):
    """Return the votes of models that misread the same items."""
    first = take_components(X, np.random.default_rng(0))[:, :1]
    misread = truth ^ ((first > np.quantile(first, 0.6)) & (rng.random(truth.shape) < 0.6))
    votes = []
    for s, (own, share) in enumerate(zip((0.03, 0.08, 0.12, 0.2, 0.15), (1, 0.5, 0.6, 0.4, 0.5), strict=True)):
        seen = truth if alternate and s % 2 else misread
        wrong = rng.random(truth.shape) < own
        votes.append(np.where(rng.random(truth.shape) < share, seen ^ wrong, np.nan))
    return np.stack(votes[:n_sources])


def draw(crowd, name, seed):
    """Return features, votes and truth."""
    if crowd == "medsafe":
        return read_medsafe(seed)
    X, Y = load_frequent(name, 600, seed)
    rng = np.random.default_rng(seed)
    if crowd == "noise":
        return X, draw_noise(Y.relevant, rng), Y.relevant
    return X, draw_biased(Y.relevant, X, CROWDS[crowd], crowd == "mixed", rng), Y.relevant


def find_dawid_skene(values, steps=100):
    """Return P(relevant) of one label by the votes of all sources, shape (n_items,)."""
    given, votes = ~np.isnan(values), np.nan_to_num(values)
    q = votes.sum(axis=0) / np.maximum(given.sum(axis=0), 1)
    for _ in range(steps):
        rate = np.clip(q[given.any(axis=0)].mean(), 1e-3, 1 - 1e-3)
        odds = np.log(rate / (1 - rate))
        for v, at in zip(votes, given, strict=True):
            yes, no = ((w[at] @ v[at] + 0.01) / (w[at].sum() + 0.02) for w in (q, 1 - q))
            odds = odds + np.where(at, v * np.log(yes / no) + (1 - v) * np.log((1 - yes) / (1 - no)), 0)
        q = expit(odds)
    return q


def score_anchors(X, values, truth, known):
    """Return the Brier score of each anchor. Known entries are given, and entries without votes completed."""
    n_votes = (~np.isnan(values)).sum(axis=0)
    share = np.where(n_votes, np.nansum(values, axis=0) / np.maximum(n_votes, 1), np.nan)
    majority = np.where(known, truth, np.where(share == 0.5, np.nan, np.round(share)))
    table = pd.DataFrame(majority).rename(columns=str)
    filled = hl.complete(X, table, effort="fast").probabilities.reindex(columns=table.columns).to_numpy()
    filled = np.where(np.isnan(filled), np.nanmean(majority, axis=0), filled)
    skene = np.column_stack([find_dawid_skene(values[:, :, j]) for j in range(truth.shape[1])])
    anchors = {
        "share": np.where(n_votes > 0, share, filled),
        "skene": np.where(n_votes > 0, skene, filled),
        "completed": filled,
        "majority": np.where(np.isnan(majority), filled, majority),
    }
    return {name: float(((p - truth)[~known] ** 2).mean()) for name, p in anchors.items()}


def measure(crowd, name, seed, n_known, single):
    """Return the record of one table. ``n_known`` is a number of items, or of single entries."""
    X, values, truth = draw(crowd, name, seed)
    labels, n = [f"label {j}" for j in range(truth.shape[1])], len(truth)
    known, rng = np.zeros(truth.shape, dtype=bool), np.random.default_rng(seed)
    places = known.reshape(-1) if single else known
    places[rng.choice(len(places), n_known, replace=False)] = True
    items = pd.DataFrame(np.where(known, truth, np.nan), columns=labels).assign(item=np.arange(n))
    s, i, j = np.nonzero(~np.isnan(values))
    votes = pd.DataFrame({"item": i, "label": np.array(labels)[j], "source": s.astype(str), "value": values[s, i, j]})
    filled = hl.complete(items, id="item", labels=labels, vectors=X, sources=votes, effort="fast")
    kept = [labels.index(label) for label in filled.labels.names]
    values, truth, open_ = values[:, :, kept], truth[:, kept], ~known[:, kept]
    p, errors = filled.probabilities.to_numpy(), filled.expected_errors.iloc[-1]
    own, anchors = float(((p - truth)[open_] ** 2).mean()), score_anchors(X, values, truth, ~open_)
    wrong = int(((filled.state > 0) != truth)[open_].sum())
    rates, inside = filled.corrections["votes"].rates.dropna(subset="error"), []
    for row in rates.itertuples():
        at = slice(None) if row.label not in labels else filled.labels.names.index(row.label)
        given = ~np.isnan(values[int(row.source)][:, at])
        true = (values[int(row.source)][:, at] != truth[:, at])[given].mean()
        inside.append(row.low <= true <= row.high)
    return {"crowd": crowd, "known": n_known, "set": name, "brier": own / min(anchors.values()), "halflabel": own,
            **anchors, "rates": np.mean(inside or [np.nan]),
            "expected": errors["expected"], "wrong": wrong,
            "band": errors["low"] <= wrong <= errors["high"] if errors["expected"] > 0 else np.nan}  # fmt: skip


def main():
    """Print a record per table, and the means of each crowd."""
    parser = make_parser(__doc__, sets=SETS, repeats=2)
    parser.add_argument("--crowds", nargs="+", choices=CROWDS, default=list(CROWDS))
    parser.add_argument("--known", nargs="+", type=int, default=[0, 30, 60], help="number of known items")
    parser.add_argument("--cells", action="store_true", help="--known is the number of single random entries")
    args, records = parser.parse_args(), []
    with use_one_thread():
        for crowd in args.crowds:
            for name in ("medsafe-llm",) if crowd == "medsafe" else args.sets:
                for seed in range(args.repeats * (len(args.sets) if crowd == "medsafe" else 1)):
                    for n_known in args.known:
                        records.append(measure(crowd, name, seed, n_known, args.cells))
                        line = pd.DataFrame(records[-1:]).round(3)
                        print(line.to_string(index=False, header=len(records) == 1), flush=True)
    table = pd.DataFrame(records).drop(columns="set").astype({"band": float}).groupby(["crowd", "known"], sort=False)
    print(table.mean().assign(worst=table["brier"].max()).round(3).to_string())


if __name__ == "__main__":
    main()
