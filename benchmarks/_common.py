"""Functions that the benchmarks share: data, command line, threads, processes, times, hidden labels, records."""

from __future__ import annotations

import argparse
import contextlib
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from halflabel import PartialLabels

FOLDER = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def load_set(name):
    """Return a public benchmark set from the folder that the variable HALFLABEL_DATA names."""
    from halflabel_papers.sets import load_benchmark  # the product alone prints the help of a benchmark

    return load_benchmark(name, FOLDER)


def load_frequent(name, max_items, seed):
    """Return the features and labels of random items; the 15 most frequent labels with at least 12 relevant items."""
    data = load_set(name)
    n = len(data.Y)
    rows = np.sort(np.random.default_rng(seed).choice(n, min(max_items, n), replace=False))
    labels = data.Y[rows]
    count = labels.relevant.sum(axis=0)
    columns = np.sort(np.argsort(-count, kind="stable")[:15])
    columns = columns[count[columns] >= 12]
    names = tuple(labels.names[j] for j in columns)
    return data.X[rows], PartialLabels(labels.state[:, columns], names, labels.annotated)


def make_parser(doc, sets=(), repeats=0):
    """Return a parser whose help is the docstring of a script, with ``--sets`` and ``--repeats`` if these are given."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if sets:
        parser.add_argument("--sets", nargs="+", default=list(sets), metavar="SET", help="public benchmark sets")
    if repeats:
        parser.add_argument("--repeats", type=int, default=repeats, help="number of random splits or masks")
    return parser


@contextlib.contextmanager
def use_one_thread():
    """Use one BLAS thread and ignore warnings."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# -- times -----------------------------------------------------------------------------


def time_cpu(function):
    """Return the CPU seconds of a call, and its result."""
    started = time.process_time()
    result = function()
    return time.process_time() - started, result


# -- hidden labels ---------------------------------------------------------------------


def choose_unlabelled(n, share, rng):
    """Return the mask of the items that lose their labels; a random share of the items keeps them."""
    unlabelled = np.ones(n, dtype=bool)
    unlabelled[rng.permutation(n)[: round(share * n)]] = False
    return unlabelled


def split_labels(labels, unlabelled):
    """Return the labels of the labelled items and the labels of the unlabelled items; the others are hidden."""
    mask = np.repeat(unlabelled[:, None], labels.shape[1], axis=1)
    return labels.hide(mask), labels.hide(~mask)


# -- records ---------------------------------------------------------------------------


def read_records(path):
    """Return the records of a CSV file as a table, which is empty if there is no file."""
    return pd.read_csv(path) if path and path.exists() else pd.DataFrame()


def append_record(record, path):
    """Append a record to a CSV file."""
    pd.DataFrame([record]).to_csv(path, mode="a", header=not path.exists(), index=False)
