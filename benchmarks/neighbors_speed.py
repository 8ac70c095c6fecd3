"""Approximate neighbours: processor seconds against the exact search, and the share of the true neighbours found.

    python benchmarks/neighbors_speed.py [--items 100000] [--features 128]

Made-up items in 200 round clouds, in 200 flat ones of 12 dimensions, without any structure, and tmc2007-500 if it is
there. Recall is counted here over all items, beside the one that the search reports from its sample.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from halflabel.datasets import load_benchmark
from halflabel.numerics.graph.audited import audited_neighbors
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.scaling import Scaler

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))
CLOUDS = 200


def main():
    """Print one line per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--sets", nargs="*", default=["round", "flat", "noise", "tmc2007-500"])
    parser.add_argument("-k", type=int, default=15)
    options = parser.parse_args()
    for name in options.sets:
        X = dense(name) if name == "tmc2007-500" else made_up(name, options.items, options.features)
        with threadpool_limits(1):
            found, fast = timed(lambda X=X: audited_neighbors(X, options.k, method="approximate"))
            (_, distances), slow = timed(lambda X=X: neighbors(X, options.k))
        recall = (found.distances <= distances[:, -1:] * (1 + 1e-9)).mean()
        print(f"{name}, {X.shape}: {found.how}; over all items {recall:.2%}")
        print(f"  {fast:.1f} s, exact {slow:.1f} s", flush=True)


def timed(search):
    """Return what is found and the seconds of processor time it took."""
    start = time.process_time()
    return search(), time.process_time() - start


def made_up(kind, n, m):
    """Return items in clouds, or in a single one."""
    rng = np.random.default_rng(0)
    if kind == "noise":
        return rng.normal(size=(n, m))
    clouds = rng.integers(CLOUDS, size=n)
    X = 2 * rng.normal(size=(CLOUDS, m))[clouds]
    if kind == "round":
        return X + rng.normal(size=(n, m))
    for cloud in range(CLOUDS):
        rows = clouds == cloud
        X[rows] += rng.normal(size=(rows.sum(), 12)) @ rng.normal(size=(12, m)) / np.sqrt(12)
    return X + 0.1 * rng.normal(size=(n, m))


def dense(name):
    """Return a public set's items, dense and each feature divided by its standard deviation."""
    X = load_benchmark(name, FOLDER).X
    X = X.toarray() if hasattr(X, "toarray") else X
    return Scaler.learn(X, "standard")(X)


if __name__ == "__main__":
    main()
