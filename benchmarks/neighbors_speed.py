"""Approximate neighbours: CPU seconds compared with the exact search, and the recall of the true neighbours.

    python benchmarks/neighbors_speed.py [--items 100000] [--features 128] [--sets round flat noise tmc2007-500]
    python benchmarks/neighbors_speed.py --new --sets tmc2007-500 ohsumed

Synthetic items in 200 round clusters ("round"), in 200 flat clusters of 12 dimensions ("flat"), and without structure
("noise"); other names are public sets. Recall is counted over all items, and printed together with the recall that the
search itself measures on a sample.

With ``--new``, new items are searched among the nodes of an ensemble's graph, in its coordinates (at most 20 000 nodes,
three quarters of the items): by its own exact search, and by 8, 16 and 32 lists of faiss.
"""

from __future__ import annotations

import faiss
import numpy as np
from _common import load_set, make_parser, time_cpu, use_one_thread

from halflabel.methods.auto.features import Coordinates, Weighting
from halflabel.numerics.graph.audited import search_approximately
from halflabel.numerics.graph.dense_search import nearest_rows
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.scaling import Scaler

CLUSTERS = 200
SYNTHETIC = ("round", "flat", "noise")


def main():
    """Print one line per set."""
    parser = make_parser(__doc__, sets=("round", "flat", "noise", "tmc2007-500"))
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("-k", type=int, default=15)
    parser.add_argument("--new", action="store_true")
    options = parser.parse_args()
    for name in options.sets:
        if options.new:
            search_new_items(name, load_set(name).X, options.k)
            continue
        X = make_items(name, options.items, options.features) if name in SYNTHETIC else load_scaled(name)
        with use_one_thread():
            fast, found = time_cpu(lambda X=X: search_approximately(X, options.k))
            slow, (_, distances) = time_cpu(lambda X=X: neighbors(X, options.k))
        recall = (found.distances <= distances[:, -1:] * (1 + 1e-9)).mean()
        print(f"{name}, {X.shape}: {found.how}; over all items {recall:.2%}")
        print(f"  {fast:.1f} s, exact {slow:.1f} s", flush=True)


def search_new_items(name, X, k):
    """Print the CPU seconds of each search for the items that are no nodes, and its recall."""
    rng = np.random.default_rng(0)
    X = Weighting.learn(X, "auto")(X)
    X = Coordinates.learn(X, rng)(X)
    nodes, new = np.split(X[rng.permutation(len(X))], [min(20_000, 3 * len(X) // 4)])
    with use_one_thread():
        seconds, (_, distances) = time_cpu(lambda: nearest_rows(nodes, k, new))
        print(f"{name}, {len(new)} new items among {nodes.shape}: exact {seconds:.2f} s", flush=True)
        lists = faiss.index_factory(nodes.shape[1], f"IVF{round(2 * len(nodes) ** 0.5)},Flat")
        lists.train(nodes.astype(np.float32))
        lists.add(nodes.astype(np.float32))
        for lists.nprobe in (8, 16, 32):
            seconds, (squares, _) = time_cpu(lambda: lists.search(new.astype(np.float32), k))
            recall = (np.sqrt(squares) <= distances[:, -1:] * (1 + 1e-5)).mean()
            print(f"  {lists.nprobe} lists {seconds:.2f} s, recall {recall:.1%}", flush=True)


def make_items(kind, n, m):
    """Return synthetic items in clusters or in a single one."""
    rng = np.random.default_rng(0)
    if kind == "noise":
        return rng.normal(size=(n, m))
    clusters = rng.integers(CLUSTERS, size=n)
    X = 2 * rng.normal(size=(CLUSTERS, m))[clusters]
    if kind == "round":
        return X + rng.normal(size=(n, m))
    for cluster in range(CLUSTERS):
        rows = clusters == cluster
        X[rows] += rng.normal(size=(rows.sum(), 12)) @ rng.normal(size=(12, m)) / np.sqrt(12)
    return X + 0.1 * rng.normal(size=(n, m))


def load_scaled(name):
    """Return the items of a public set, dense and standardised."""
    X = load_set(name).X
    X = X.toarray() if hasattr(X, "toarray") else X
    return Scaler.learn(X, "standard")(X)


if __name__ == "__main__":
    main()
