"""What two-dimensional maps of half-labelled items keep: labels of hidden items, neighbourhoods, and their cost.

Protocol: 35 % of the items (digits: 5 %) keep their labels, the ensemble is fitted to them, and each method draws all
items. The labels of a hidden item are those that at least 30 % of the 15 nearest labelled items on the map have.
Columns: micro-F1 and macro average precision of hidden items, trustworthiness against the features (15 neighbours), CPU
seconds of the map on one thread, without the fit. TMC and Corel5k are 1500 random items with their 15 most frequent
labels. The default weight of the labels and the number of iterations were tried on digits, emotions, scene, yeast and
enron; TMC and Corel5k were not used for tuning.
``--shuffled`` permutes the rows of the labels before anything else. ``--large`` prints seconds and memory instead.

    python benchmarks/maps.py --records maps.csv --fits FOLDER [--sets ...] [--repeats 5] [--methods ...] [--shuffled]
    python benchmarks/maps.py --large [--sizes 28596 100000]
"""

from __future__ import annotations

import resource
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
from _common import (
    append_record,
    choose_unlabelled,
    load_frequent,
    load_set,
    make_parser,
    read_records,
    split_labels,
    time_cpu,
    use_one_thread,
)
from sklearn.decomposition import PCA
from sklearn.metrics import average_precision_score

from halflabel import PartialLabels, complete
from halflabel.completion.mapping.item_map import draw_item_map
from halflabel.datasets import load_digits_tags
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.layout.quality import measure_trust, score_share, share_of_neighbors

SETS = ("digits", "emotions", "yeast", "scene", "tmc2007-500", "corel5k", "enron")
SUBSETS = ("tmc2007-500", "corel5k")
WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0)


def load(name):
    """Return features and complete labels."""
    if name in SUBSETS:
        return load_frequent(name, 1500, 0)
    if name == "digits":
        data = load_digits_tags()
        return data.X, PartialLabels.from_table(data.Y)
    data = load_set(name)
    return data.X, PartialLabels.from_table(data.Y.values())


def fit(X, known, seed, path):
    """Return what a map needs of a fitted ensemble; probabilities are kept in a file."""
    if not path.exists():
        np.savez(path, p=complete(X, known, random_state=seed).evidence.learned_probabilities)
    return SimpleNamespace(
        opened=SimpleNamespace(X=X),
        learned_from=known,
        learned_probabilities=np.load(path)["p"],
        model=None,
        index=pd.RangeIndex(len(known)),
    )


def draw_umap(Z, seed, y=None):
    """Return a map by UMAP."""
    from umap import UMAP

    return UMAP(n_neighbors=15, random_state=seed, n_jobs=1).fit_transform(Z, y)


def draw_pacmap(Z, seed):
    """Return a map by PaCMAP."""
    from pacmap import PaCMAP

    return PaCMAP(random_state=seed).fit_transform(Z)


def draw_former_map(features, filled):
    """Return the principal components of features joined with label scores, the map before t-SNE."""
    scores = filled.evidence.learned_probabilities.clip(1e-3, 1 - 1e-3)
    scores = np.log(scores / (1 - scores))
    scores = scores * np.sqrt(features.var(axis=0).sum() / scores.var(axis=0).sum())
    return PCA(2, random_state=0).fit_transform(np.hstack([features, scores]))


def number_label_sets(known):
    """Return one number per set of observed labels, -1 for an unlabelled item."""
    number = np.unique(known.state, axis=0, return_inverse=True)[1].ravel()
    return np.where(known.unlabelled, -1, number)


def list_methods(filled, seed):
    """Return {name: function that draws}."""
    plain = draw_item_map(filled.evidence, method="pca", label_weight=0.0)
    joint = draw_item_map(filled.evidence, method="pca").joint
    features, y = plain.features, number_label_sets(filled.evidence.learned_from)

    def draw_ours(weight):
        return lambda: draw_item_map(filled.evidence, label_weight=weight, random_state=seed).coordinates.to_numpy()

    return {
        "halflabel": draw_ours(1.0),
        "t-SNE, features": draw_ours(0.0),
        "UMAP, features": lambda: draw_umap(features, seed),
        "UMAP, joint": lambda: draw_umap(joint, seed),
        "UMAP, supervised": lambda: draw_umap(features, seed, y),
        "PaCMAP, features": lambda: draw_pacmap(features, seed),
        "former map": lambda: draw_former_map(features, filled),
        **{f"weight {weight:g}": draw_ours(weight) for weight in WEIGHTS if weight != 1},
    }


def score_hidden(coordinates, truth, unlabelled):
    """Return micro-F1 and macro average precision of hidden items."""
    near, _ = neighbors(coordinates[~unlabelled], 15, query=coordinates[unlabelled])
    seen, hidden = truth[~unlabelled], truth[unlabelled]
    share = share_of_neighbors(near, seen, np.ones_like(seen))
    usable = hidden.any(axis=0) & ~hidden.all(axis=0)
    precision = average_precision_score(hidden[:, usable], share[:, usable], average="macro")
    return score_share(share, hidden, np.ones_like(hidden)), precision


def measure(name, seed, options):
    """Append one record per method that has none."""
    key = {"set": name, "seed": seed, "shuffled": options.shuffled}
    records = read_records(options.records)
    done = set(records[(records[list(key)] == pd.Series(key)).all(axis=1)]["method"]) if len(records) else set()
    if not set(options.methods) - done:
        return
    X, labels = load(name)
    if options.shuffled:
        labels = labels[np.random.default_rng(1000 + seed).permutation(len(labels))]
    share = 0.05 if name == "digits" else 0.35
    unlabelled = choose_unlabelled(len(labels), share, np.random.default_rng(seed))
    known, _ = split_labels(labels, unlabelled)
    path = options.fits / f"{name}-{seed}{'-shuffled' * options.shuffled}.npz"
    filled = fit(X, known, seed, path)
    features = draw_item_map(filled.evidence, method="pca", label_weight=0.0).features
    methods = list_methods(filled, seed)
    for method in [each for each in options.methods if each not in done]:
        seconds, drawn = time_cpu(methods[method])
        micro_f1, precision = score_hidden(np.asarray(drawn, dtype=float), labels.relevant, unlabelled)
        trust, continuity = measure_trust(features, np.asarray(drawn, dtype=float), np.random.default_rng(0))
        figures = {"micro_f1": micro_f1, "macro_ap": precision, "trust": trust, "continuity": continuity}
        append_record({**key, "method": method, **figures, "seconds": seconds}, options.records)


def print_table(records):
    """Print the means of all records."""
    figures = ["micro_f1", "macro_ap", "trust", "continuity", "seconds"]
    groups = records.groupby(["shuffled", "set", "method"], sort=False)
    print(groups[figures].mean().round(3).assign(seeds=groups.size()).to_string())


def print_costs(sizes):
    """Print CPU seconds and peak memory of maps of random vectors with 20 predicted labels."""
    for n in sizes:
        rng = np.random.default_rng(0)
        group = rng.integers(20, size=n)
        X = rng.normal(size=(20, 100))[group] * 2 + rng.normal(size=(n, 100))
        p = np.where(np.arange(20) == group[:, None], 0.9, 0.02)
        known = PartialLabels.from_table((np.arange(20) == group[:, None]).astype(float))
        opened = SimpleNamespace(X=X, index=pd.RangeIndex(n), as_given=lambda table: table)
        evidence = SimpleNamespace(opened=opened, learned_from=known, learned_probabilities=p, model=None)
        seconds, _ = time_cpu(lambda evidence=evidence: draw_item_map(evidence))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{n:,} items: {seconds:.0f} CPU seconds, {memory:.1f} GB", flush=True)


def main():
    """Measure what is missing, and print the means."""
    parser = make_parser(__doc__, sets=SETS, repeats=5)
    parser.add_argument("--records", type=Path, default=Path("maps.csv"), help="file of records, which is continued")
    parser.add_argument("--fits", type=Path, default=Path("fits"), help="folder of the ensembles' probabilities")
    parser.add_argument("--methods", nargs="+", help="by default all")
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--sizes", nargs="+", type=int, default=[2400, 10_000, 28_596, 100_000])
    options = parser.parse_args()
    with use_one_thread():
        if options.large:
            print_costs(options.sizes)
            return
        options.fits.mkdir(exist_ok=True, parents=True)
        every = ["halflabel", "t-SNE, features", "UMAP, features", "UMAP, joint", "UMAP, supervised",
                 "PaCMAP, features", "former map", *(f"weight {w:g}" for w in WEIGHTS if w != 1)]  # fmt: skip
        options.methods = options.methods or every
        for seed in range(options.repeats):
            for name in options.sets:
                measure(name, seed, options)
    print_table(read_records(options.records))


if __name__ == "__main__":
    main()
