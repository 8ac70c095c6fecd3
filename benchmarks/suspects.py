"""Flipped labels among the first suspects, for several rankings of the same probabilities.

Protocol: half of at most 800 random items keep their labels (the 15 most frequent ones with at least 12 relevant
items). 3 % of the known entries are flipped: "random" entries; "missing" flips relevant entries to irrelevant, at most
a fifth of them; "balanced" flips half of either value, at most a fifth of each; "labels" are all in a quarter of the
labels, "items" in a quarter of the items, those with the largest first component, at most a fifth of either value.
Figures are the share of flips among the first k suspects, k the number of flips, among the first 20, and the posterior
that is stated for the first k.

    python benchmarks/suspects.py [--sets scene medical] [--repeats 1] [--effort default]

"posterior" is the ranking of Completion.suspects; "shift" ranks by the difference of the log odds of the given value
from those of the label's rate (the ranking of halflabel 0.1), "self-confidence" by the probability of the given value,
"cleanlab" by its multilabel score (optional package).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import choose_unlabelled, load_frequent, make_parser, split_labels, use_one_thread
from scipy.special import logit

from halflabel import AutoLabeler, PartialLabels
from halflabel.evidence.components import take_components
from halflabel.evidence.suspects import rank_suspects

SETS = ("scene", "medical", "ohsumed", "langlog", "emotions", "yeast", "gnegativego", "enron", "yahoo-arts")
KINDS = ("random", "missing", "balanced", "labels", "items")


def choose_noisy(X, known, kind, rng):
    """Return the mask of the entries that can be flipped."""
    n_labels = known.shape[1]
    if kind == "labels":
        return known.observed & np.isin(np.arange(n_labels), rng.permutation(n_labels)[: max(1, n_labels // 4)])
    if kind == "items":
        first = take_components(X, np.random.default_rng(0))[:, 0]
        return known.observed & (first > np.quantile(first, 0.75))[:, None]
    return known.observed


def choose_flips(X, known, kind, rng):
    """Return the mask of the entries to flip."""
    noisy = choose_noisy(X, known, kind, rng)
    relevant, irrelevant = (np.flatnonzero((noisy & (known.state == value)).ravel()) for value in (1, -1))
    n = round(0.03 * known.observed.sum())
    if kind == "random":
        chosen = rng.choice(np.flatnonzero(known.observed.ravel()), n, replace=False)
    elif kind == "missing":
        chosen = rng.choice(relevant, min(n, len(relevant) // 5), replace=False)
    else:
        parts = [rng.choice(side, min(n // 2, len(side) // 5), replace=False) for side in (relevant, irrelevant)]
        chosen = np.concatenate(parts)
    flips = np.zeros(known.shape, dtype=bool)
    flips.ravel()[chosen] = True
    return flips


def rank_by_cleanlab(labels, p, rows, columns):
    """Return the order of the entries by cleanlab's scores, or None without the package."""
    try:
        from cleanlab.multilabel_classification import get_label_quality_scores  # noqa: F401
        from cleanlab.rank import get_label_quality_scores as score
    except ImportError:
        return None
    scores = np.full(labels.shape, np.nan)
    for j in range(labels.shape[1]):
        observed = labels.observed[:, j]
        both = np.column_stack([1 - p[observed, j], p[observed, j]])
        scores[observed, j] = score(labels.relevant[observed, j].astype(int), both, adjust_pred_probs=True)
    return np.argsort(scores[rows, columns], kind="stable")


def rank(labels, p):
    """Return the entries (positions, columns), an order of them for each ranking, and the posterior of "posterior"."""
    rows, columns = np.nonzero(labels.observed & labels.learnable)
    given, q = labels.state[rows, columns] > 0, p[rows, columns]
    shift = logit(q) - logit(labels.rates[columns])
    found = rank_suspects(labels, p)
    number = {name: j for j, name in enumerate(labels.names)}
    place = {cell: k for k, cell in enumerate(zip(rows, columns, strict=True))}
    cells = zip(found["position"], found["label"].map(number), strict=True)
    orders = {
        "posterior": np.array([place[cell] for cell in cells]),
        "shift": np.argsort(np.where(given, shift, -shift), kind="stable"),
        "self-confidence": np.argsort(np.where(given, q, 1 - q), kind="stable"),
        "cleanlab": rank_by_cleanlab(labels, p, rows, columns),
    }
    return rows, columns, orders, found["wrong"].to_numpy()


def measure(options):
    """Yield one record per set, kind of flips, repeat and ranking."""
    for name in options.sets:
        for seed in range(options.repeats):
            X, labels = load_frequent(name, 800, seed)
            known, _ = split_labels(labels, choose_unlabelled(len(labels), 0.5, np.random.default_rng(seed)))
            for kind in KINDS:
                flips = choose_flips(X, known, kind, np.random.default_rng([seed, KINDS.index(kind)]))
                given = PartialLabels(np.where(flips, -known.state, known.state), known.names, known.annotated)
                p = AutoLabeler(options.effort).fit(X, given).label_probabilities_
                rows, columns, orders, wrong = rank(given, p)
                for ranking, order in orders.items():
                    if order is not None:
                        hits = flips[rows, columns][order]
                        yield {
                            "set": name,
                            "kind": kind,
                            "ranking": ranking,
                            "@k": hits[: flips.sum()].mean(),
                            "@20": hits[:20].mean(),
                            "stated": wrong[: flips.sum()].mean() if ranking == "posterior" else np.nan,
                        }


def main():
    """Print the precision of each ranking."""
    parser = make_parser(__doc__, SETS, 1)
    parser.add_argument("--effort", default="default")
    with use_one_thread():
        records = pd.DataFrame(measure(parser.parse_args()))
    print(records.pivot_table(index="set", columns=["kind", "ranking"], values="@k").round(3).to_string())
    table = records.pivot_table(index="ranking", columns="kind", values=["@k", "@20", "stated"])
    table["@k", "mean"] = table["@k"].mean(axis=1)
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
