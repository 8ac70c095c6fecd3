"""Thousands of labels: SparseLabeler against logistic regression per label, and napkinXC and PECOS if installed.

Bookmarks are generated: tags with a popularity like 1/rank belong to topics and have words of their own; an item has
one or two topics, a few tags, and words of its topics, of its tags and of nothing. A share of the items is labelled,
and the others are ranked. Precision at k (P@k) is measured on 5 000 of them, and its form weighted by propensities
(PSP@k, Jain et al. 2016, A = .55, B = 1.5), which counts rare tags more. CPU is of a whole process, fit and ranking of
all items together; memory is its peak.

Every method gets the same words, weighted by rarity. Logistic regression has C = 10 and all labels that a labelled
item has. The settings of SparseLabeler were chosen on ``small`` (another seed) and on public sets.

    python benchmarks/many_labels.py [--sizes medium goal] [--methods halflabel napkinxc pecos --python ENV/bin/python]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _common import make_parser
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from halflabel.labels.sparse import SparseLabels
from halflabel.methods.auto.features import Weighting
from halflabel.methods.many_labels import SparseLabeler

#: Items, labels, words, topics, seed.
SIZES = {
    "tiny": (2_000, 300, 2_000, 20, 2),
    "small": (20_000, 3_000, 15_000, 100, 1),
    "medium": (40_000, 6_000, 20_000, 150, 3),
    "goal": (100_000, 10_000, 30_000, 200, 0),
}

SHARE_LABELLED, N_TESTED, K = 0.1, 5_000, 5


def _zipf(n, power):
    weight = np.arange(1.0, n + 1) ** -power
    return weight / weight.sum()


def _draw(cumulative, rows, rng):
    """Return one draw per entry from the distribution of its row."""
    u, result = rng.random(len(rows)), np.empty(len(rows), dtype=np.int64)
    for k, distribution in enumerate(cumulative):
        own = rows == k
        result[own] = np.searchsorted(distribution, u[own])
    return np.minimum(result, cumulative.shape[1] - 1)


def make_bookmarks(n, n_labels, n_words, n_topics, seed):
    """Return word counts and tags of items, both csr."""
    rng = np.random.default_rng(seed)
    popularity = _zipf(n_labels, 1.0)
    topic_words = np.stack([rng.choice(n_words, 400, replace=False) for _ in range(n_topics)])
    topic_tags = np.stack([rng.choice(n_labels, 2 * n_labels // n_topics, replace=False) for _ in range(n_topics)])
    tag_words = rng.integers(n_words, size=(n_labels, 6))
    of_tags = np.cumsum(popularity[topic_tags] / popularity[topic_tags].sum(axis=1, keepdims=True), axis=1)
    of_words = np.tile(np.cumsum(_zipf(400, 0.8)), (n_topics, 1))
    topics = _draw(np.cumsum(_zipf(n_topics, 0.6))[None], np.zeros(2 * n, dtype=int), rng).reshape(n, 2)

    number = 1 + rng.poisson(3.0, n)
    item = np.repeat(np.arange(n), number)
    tag = _pick(topic_tags, of_tags, topics[item, (rng.random(len(item)) < 0.3).astype(int)], rng)
    astray = rng.random(len(item)) < 0.1
    tag[astray] = _draw(np.cumsum(popularity)[None], np.zeros(astray.sum(), dtype=int), rng)

    length = 5 + rng.poisson(60, n)
    place, kind = np.repeat(np.arange(n), length), rng.choice(3, length.sum(), p=[0.35, 0.45, 0.2])
    word = _draw(np.cumsum(_zipf(n_words, 1.0))[None], np.zeros(len(place), dtype=int), rng)
    of_topic, of_tag = kind == 1, place[kind == 2]
    second = (rng.random(of_topic.sum()) < 0.3).astype(int)
    word[of_topic] = _pick(topic_words, of_words, topics[place[of_topic], second], rng)
    start = np.cumsum(number) - number
    chosen = tag[start[of_tag] + (rng.random(len(of_tag)) * number[of_tag]).astype(int)]
    word[kind == 2] = tag_words[chosen, rng.integers(6, size=len(of_tag))]

    X = sparse.csr_array((np.ones(len(place)), (place, word)), shape=(n, n_words))
    Y = sparse.csr_array((np.ones(len(item)), (item, tag)), shape=(n, n_labels))
    Y.data[:] = 1
    return X, Y


def _pick(table, cumulative, rows, rng):
    return table[rows, _draw(cumulative, rows, rng)]


def load(size):
    """Return words, tags, labelled items and tested items of a size."""
    n, *shape, seed = SIZES[size]
    X, Y = make_bookmarks(n, *shape, seed)
    order = np.random.default_rng(seed + 100).permutation(n)
    m = int(SHARE_LABELLED * n)
    return X, Y, order[:m], order[m : m + N_TESTED]


def measure(top, Y, frequency, n_labelled):
    """Return P@k and PSP@k, in percent, of the labels that are ranked for each item."""
    hit = np.array([np.isin(row, Y.indices[a:b]) for row, a, b in zip(top, Y.indptr[:-1], Y.indptr[1:], strict=True)])
    constant = (np.log(n_labelled) - 1) * (1.5 + 1) ** 0.55
    weight = 1 + constant * (frequency + 1.5) ** -0.55
    best = np.zeros((Y.shape[0], K))
    for i, (a, b) in enumerate(zip(Y.indptr[:-1], Y.indptr[1:], strict=True)):
        ideal = np.sort(weight[Y.indices[a:b]])[::-1][:K]
        best[i, : len(ideal)] = ideal
    found = {f"P@{k}": hit[:, :k].mean() for k in (1, 3, 5)}
    found |= {f"PSP@{k}": (hit * weight[top])[:, :k].sum() / best[:, :k].sum() for k in (1, 3, 5)}
    return {name: round(100 * float(value), 2) for name, value in found.items()}


def rank_halflabel(X, Y, labelled, tested):
    """Fit SparseLabeler, which ranks all unlabelled items."""
    annotated = np.zeros(X.shape[0], dtype=bool)
    annotated[labelled] = True
    rows = np.repeat(np.arange(X.shape[0]), np.diff(Y.indptr))
    kept = annotated[rows]
    names = [str(j) for j in range(Y.shape[1])]
    entries = (rows[kept], Y.indices[kept], np.ones(kept.sum()))
    model = SparseLabeler(top=20).fit(X, SparseLabels.from_entries(*entries, names, annotated, positive_only=False))
    return _take_top(model.label_probabilities_[tested])


def rank_logistic(X, Y, labelled, tested):
    """Fit logistic regression for each label that a labelled item has. Only the tested items are ranked."""
    train, test = _weigh(X, labelled), _weigh(X, tested)
    targets, scores = Y[labelled].toarray(), np.full((len(tested), Y.shape[1]), -np.inf)
    for j in np.flatnonzero(targets.any(axis=0)):
        scores[:, j] = LogisticRegression(C=10, solver="liblinear").fit(train, targets[:, j]).decision_function(test)
    return np.argsort(-scores, axis=1)[:, :K]


def _take_top(p):
    dense = sparse.csr_array(p).toarray()
    return np.argsort(-dense, axis=1, kind="stable")[:, :K]


def _weigh(X, rows):
    """Return weighted words as a matrix that other libraries read."""
    Z = sparse.csr_matrix(Weighting.learn(X, "idf")(X)[rows], dtype=np.float32)
    Z.indices, Z.indptr = Z.indices.astype(np.int32), Z.indptr.astype(np.int32)
    Z.sort_indices()
    return Z


METHODS = {"halflabel": rank_halflabel, "logistic": rank_logistic}

#: Methods of other packages, which run in a Python of their own: they need an older NumPy.
OTHERS = ("napkinxc", "pecos")


def run_here(size, method):
    """Measure one method in this process, and return the result."""
    X, Y, labelled, tested = load(size)
    before = time.process_time()
    top = METHODS[method](X, Y, labelled, tested)
    used = {
        "CPU s": time.process_time() - before,
        "peak GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }
    return _complete(top, Y, labelled, tested, used)


def run_other(size, method, python):
    """Measure a method of another package, which gets weighted words and tags as files, and return the result."""
    X, Y, labelled, tested = load(size)
    with tempfile.TemporaryDirectory() as folder:
        for name, each in (("train", _weigh(X, labelled)), ("test", _weigh(X, tested)), ("tags", Y[labelled])):
            sparse.save_npz(f"{folder}/{name}.npz", sparse.csr_matrix(each))
        script = Path(__file__).with_name("_many_labels_others.py")
        subprocess.run([python, str(script), method, folder, str(K)], check=True, stdout=sys.stderr)
        used = json.loads((Path(folder) / "used.json").read_text())
        return _complete(np.load(f"{folder}/top.npy"), Y, labelled, tested, used)


def _complete(top, Y, labelled, tested, used):
    frequency = np.bincount(Y[labelled].indices, minlength=Y.shape[1])
    result = measure(top, Y[tested], frequency, len(labelled))
    return result | {name: round(value, 2) for name, value in used.items()}


def main():
    """Print one line per size and method."""
    parser = make_parser(__doc__)
    parser.add_argument("--sizes", nargs="+", default=["goal"], choices=list(SIZES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=[*METHODS, *OTHERS])
    parser.add_argument("--python", default=sys.executable, help="a Python with napkinxc and libpecos")
    parser.add_argument("--here", action="store_true", help="measure in this process, for the memory of one method")
    given = parser.parse_args()
    for size in given.sizes:
        for method in given.methods:
            if given.here or method in OTHERS:
                result = run_here(size, method) if method in METHODS else run_other(size, method, given.python)
                print(json.dumps({"size": size, "method": method} | result), flush=True)
            else:  # a process of its own
                subprocess.run([sys.executable, __file__, "--here", "--sizes", size, "--methods", method], check=True)


if __name__ == "__main__":
    main()
