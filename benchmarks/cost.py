"""Cost and accuracy of a fit, with one or several versions of the code: CPU seconds, peak memory, Brier, micro-F1.

Each fit is a process with one thread. Public sets are cut to 700 random items, with 10 and 30 % of them labelled;
"yeast" and "tmc" are whole sets with 20 % labelled. "text2" and "text" have words with the frequencies of Zipf's law in
60 topics, about 80 words an item, 20 % labelled; the others have the generator of auto_scale.py, 30 % labelled. A case
such as dense-1000x32x10 or words-1000x2000x10 has these numbers of items, features and labels. Scores are those of
hidden items.

    python benchmarks/cost.py --cases small tmc
    git worktree add /tmp/before COMMIT
    python benchmarks/cost.py --code /tmp/before/src src --cases small text dense25
"""

from __future__ import annotations

import json
import resource

import numpy as np
from _common import choose_unlabelled, load_set, make_parser, run_alone, split_labels, time_cpu, use_one_thread
from auto_scale import CASES, Case, make
from scipy import sparse

from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.metrics import brier, micro_f1

WHOLE = {"yeast": "yeast", "tmc": "tmc2007-500"}
SMALL = ("yeast", "scene", "emotions", "medical", "enron")
MAX_ITEMS, SHARES = 700, (0.1, 0.3)

#: Rows, features and labels of made-up cases.
TEXT = {"text2": (2_000, 20_000, 40), "text": (10_000, 30_000, 100)}
DENSE = {
    "dense25": Case(25_000, 128, 30, "default"),
    "dense100": Case(100_000, 128, 30, "default"),
    "labels": Case(5_000, 100, 1_000, "default"),
    "large": CASES["large"],
}


def make_text(n, n_words, n_labels, seed=0):
    """Return word counts and labels: topics have words and labels of their own."""
    rng = np.random.default_rng(seed)
    n_topics = 60
    zipf = 1 / np.arange(1, n_words + 1)
    topics = zipf * rng.gamma(0.05, size=(n_topics, n_words))
    topics /= topics.sum(axis=1, keepdims=True)
    mixture = rng.dirichlet(np.full(n_topics, 0.05), size=n)
    of_topic = rng.random((n_topics, n_labels)) < 0.06
    Y = rng.random((n, n_labels)) < 0.02 + 0.8 * np.minimum(mixture @ of_topic, 1)
    rows, columns = [], []
    for i in range(n):
        words = rng.choice(n_words, 80, p=mixture[i] @ topics)
        rows.append(np.full(80, i, dtype=np.int32))  # trees of scikit-learn need indices of 32 bits
        columns.append(words.astype(np.int32))
    counts = sparse.csr_array((np.ones(80 * n), (np.concatenate(rows), np.concatenate(columns))), shape=(n, n_words))
    return counts, PartialLabels(np.where(Y, 1, -1).astype(np.int8), _name(n_labels), np.ones(n, dtype=bool))


def _name(n_labels):
    return tuple(f"label{j}" for j in range(n_labels))


def load(case):
    """Return the features, the complete labels and the share of labelled items of a case."""
    name, _, share = case.partition(":")
    kind, _, sizes = case.partition("-")
    if kind in ("dense", "words"):
        n, d, n_labels = map(int, sizes.split("x"))
        made = make_text(n, d, n_labels) if kind == "words" else make(Case(n, d, n_labels, "default"))
        return *made[:2], 0.3
    if name in TEXT:
        return *make_text(*TEXT[name]), 0.2
    if name in DENSE:
        return *make(DENSE[name])[:2], 0.3
    data = load_set(name if share else WHOLE[name])
    if not share:
        return data.X, data.Y, 0.2
    rows = np.sort(np.random.default_rng(0).choice(len(data.Y), min(MAX_ITEMS, len(data.Y)), replace=False))
    return data.X[rows], data.Y[rows], float(share)


def run(case, effort, members):
    """Fit one case and print its record."""
    X, labels, share = load(case)
    known, hidden = split_labels(labels, choose_unlabelled(len(labels), share, np.random.default_rng(1)))
    with use_one_thread():
        AutoLabeler("fast").fit(np.arange(20.0)[:, None], np.arange(20) % 2)  # imports are not counted
        seconds, model = time_cpu(lambda: AutoLabeler(effort, members=members, rule="micro_f1").fit(X, known))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    scores = brier(hidden, model.label_probabilities_), micro_f1(hidden, model.transduction_)
    print(json.dumps({"cpu_s": seconds, "peak_gb": peak, "brier": scores[0], "micro_f1": scores[1]}))


def main():
    """Run every case with every version of the code, and print a table."""
    parser = make_parser(__doc__)
    known = ["small", *WHOLE, *TEXT, *DENSE]
    parser.add_argument("--cases", nargs="+", default=["small"], metavar="CASE", help=f"some of {', '.join(known)}")
    parser.add_argument(
        "--code", nargs="+", default=[""], type=str, help="source folders; by default the installed one"
    )
    parser.add_argument("--effort", nargs="+", default=["default"])
    parser.add_argument("--members", nargs="+", help="members instead of those of the effort")
    parser.add_argument("--one", help="fit one case in this process")
    args = parser.parse_args()
    if args.one:
        run(args.one, args.effort[0], args.members)
        return
    small = [f"{name}:{share}" for name in SMALL for share in SHARES]
    cases = [each for case in args.cases for each in (small if case == "small" else [case])]
    print("| case | code | effort | CPU s | peak GB | Brier | micro-F1 |\n|---|---|---|--:|--:|--:|--:|")
    for case in cases:
        for effort in args.effort:
            for code in args.code:
                record = fit_in_process(case, effort, code, args.members)
                print(f"| {case} | {code or 'installed'} | {effort} | {record['cpu_s']:.2f} | {record['peak_gb']:.2f} "
                      f"| {record['brier']:.5f} | {record['micro_f1']:.4f} |", flush=True)  # fmt: skip


def fit_in_process(case, effort, code, members):
    """Return the record of a fit in a process of its own."""
    chosen = ["--members", *members] if members else []
    done = run_alone(__file__, "--one", case, "--effort", effort, *chosen, code=code)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
